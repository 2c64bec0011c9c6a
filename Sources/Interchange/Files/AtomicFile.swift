import Foundation

/// A new file that gets its name only when it is complete and on disk.
///
/// Written beside its target under a temporary name that is locked while its writer lives; a later run removes
/// what a killed one left behind.
public final class AtomicFile {
  /// The name that the file will have.
  public let target: String
  /// The name that it has until then.
  public let temporary: String
  private let overwrites: Bool
  private var lock: Int32 = -1
  private var published = false

  /// Reserves a temporary name beside the file that a target is.
  /// - Throws: `RunFailure` with status 4 when the target is there, 2 when its folder cannot be written.
  public convenience init(_ target: Target) throws {
    try self.init(target.path, overwrites: target.overwrites, canOverwrite: target.canOverwrite)
  }

  /// Reserves a temporary name beside `target`.
  /// - Parameters:
  ///   - overwrites: whether a file of the target's name may be replaced.
  ///   - canOverwrite: whether the user can ask for that with `--overwrite`.
  /// - Throws: `RunFailure` with status 4 when the target is there, 2 when its folder cannot be written.
  public init(_ target: String, overwrites: Bool, canOverwrite: Bool = false) throws {
    self.target = target
    self.overwrites = overwrites
    let url = URL(fileURLWithPath: target)
    let folder = url.deletingLastPathComponent().path
    let name = url.lastPathComponent
    temporary = folder + "/.\(name).fleetkit-\(getpid())-\(UInt32.random(in: .min ... .max)).tmp"
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: target, isDirectory: &isFolder)
    if exists, isFolder.boolValue {
      throw RunFailure(.refused, "write '\(target)': a folder of that name is there")
    }
    if exists, !overwrites {
      throw RunFailure(
        .refused, "write '\(target)': a file of that name is there already",
        advice: canOverwrite
          ? "Choose another name, or replace the file with --overwrite."
          : "Choose another name, or remove the file first.")
    }
    Self.removeLeftovers(in: folder, of: name)
    lock = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard lock >= 0 else {
      throw RunFailure(.failed, "write '\(target)': \(SystemError.last)", advice: "Check the folder.")
    }
    flock(lock, LOCK_EX | LOCK_NB)
  }

  deinit { discard() }

  /// The file's descriptor, for writers of plain bytes.
  public var descriptor: Int32 { lock }

  /// Syncs the file and gives it its name; the folder is synced too.
  /// - Returns: the file's size in bytes.
  /// - Throws: `RunFailure` with status 2, or 4 when a file of that name appeared meanwhile.
  @discardableResult
  public func publish() throws -> Int {
    guard fsync(lock) == 0 else { throw failure("sync") }
    var status = stat()
    fstat(lock, &status)
    if overwrites {
      guard rename(temporary, target) == 0 else { throw failure("name") }
    } else if link(temporary, target) == 0 {
      // link() never replaces a file, so nobody's file is lost between the look and the leap.
      unlink(temporary)
    } else if errno == EEXIST {
      throw RunFailure(.refused, "write '\(target)': a file of that name appeared meanwhile")
    } else {
      // No hard links here (FAT, some network drives): rename after a last look.
      if access(target, F_OK) == 0 {
        throw RunFailure(.refused, "write '\(target)': a file of that name appeared meanwhile")
      }
      guard rename(temporary, target) == 0 else { throw failure("name") }
    }
    published = true
    close(lock)
    lock = -1
    Self.syncFolder(of: target)
    return Int(status.st_size)
  }

  /// Removes the file unless it was published.
  public func discard() {
    if lock >= 0 {
      close(lock)
      lock = -1
    }
    if !published { unlink(temporary) }
  }

  private func failure(_ what: String) -> RunFailure {
    RunFailure(.failed, "\(what) '\(target)': \(SystemError.last)")
  }

  private static func syncFolder(of path: String) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Removes the temporary name of a complete file whose writer was killed between giving it its name and dropping the
  /// other one.
  ///
  /// Opens nothing: closing a descriptor of a database would drop its locks.
  public static func removeSecondName(of target: String) {
    var file = stat()
    guard lstat(target, &file) == 0, file.st_nlink > 1 else { return }
    let place = URL(fileURLWithPath: target)
    let folder = place.deletingLastPathComponent().path
    for entry in leftovers(in: folder, of: place.lastPathComponent) {
      var other = stat()
      let path = folder + "/" + entry
      if lstat(path, &other) == 0, other.st_dev == file.st_dev, other.st_ino == file.st_ino { unlink(path) }
    }
  }

  private static func leftovers(in folder: String, of name: String) -> [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return entries.filter { $0.hasPrefix(".\(name).fleetkit-") && $0.hasSuffix(".tmp") }
  }

  /// Removes temporary files of earlier runs for the same target whose process is gone.
  private static func removeLeftovers(in folder: String, of name: String) {
    for entry in leftovers(in: folder, of: name) {
      let path = folder + "/" + entry
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      // The lock of a living writer is held; that of a dead one is free.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
      close(descriptor)
    }
  }
}
