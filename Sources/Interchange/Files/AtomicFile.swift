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
  private let folder: OpenFolder
  private let name: String
  private let temporaryName: String
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
  public convenience init(_ target: String, overwrites: Bool, canOverwrite: Bool = false) throws {
    let (folder, name): (OpenFolder, String)
    do {
      (folder, name) = try OpenFolder.containing(target)
    } catch {
      throw Self.cannotWrite(target)
    }
    try self.init(target, name, folder, overwrites, canOverwrite: canOverwrite)
  }

  /// Reserves a temporary name in a folder that is held open.
  /// - Throws: `RunFailure` with status 4 when a file of that name is there and may not be replaced, 2 when the folder
  ///   cannot be written.
  package convenience init(_ name: String, in folder: OpenFolder, overwrites: Bool) throws {
    try self.init(folder.path(name), name, folder, overwrites, canOverwrite: false)
  }

  private init(
    _ target: String, _ name: String, _ folder: OpenFolder, _ overwrites: Bool, canOverwrite: Bool
  ) throws {
    self.target = target
    self.name = name
    self.folder = folder
    self.overwrites = overwrites
    temporaryName = ".\(name).fleetkit-\(getpid())-\(UInt32.random(in: .min ... .max)).tmp"
    temporary = folder.path(temporaryName)
    var status = stat()
    let exists = fstatat(folder.descriptor, name, &status, 0) == 0
    if exists, status.st_mode & S_IFMT == S_IFDIR {
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
    lock = openat(folder.descriptor, temporaryName, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard lock >= 0 else { throw Self.cannotWrite(target) }
    flock(lock, LOCK_EX | LOCK_NB)
  }

  private static func cannotWrite(_ target: String) -> RunFailure {
    RunFailure(.failed, "write '\(target)': \(SystemError.last)", advice: "Check the folder.")
  }

  deinit { discard() }

  /// The file's descriptor, for writers of plain bytes.
  public var descriptor: Int32 { lock }

  /// Lets only its owner read the file.
  package func makePrivate() { fchmod(lock, 0o600) }

  /// Syncs the file and gives it its name; the folder is synced too.
  /// - Returns: the file's size in bytes.
  /// - Throws: `RunFailure` with status 2, or 4 when a file of that name appeared meanwhile.
  @discardableResult
  public func publish() throws -> Int {
    guard fsync(lock) == 0 else { throw failure("sync") }
    var status = stat()
    fstat(lock, &status)
    if overwrites {
      guard folder.move(temporaryName, to: folder, as: name) else { throw failure("name") }
    } else if folder.link(temporaryName, as: name) {
      // link() never replaces a file, so nobody's file is lost between the look and the leap.
      folder.remove(temporaryName)
    } else if errno == EEXIST {
      throw RunFailure(.refused, "write '\(target)': a file of that name appeared meanwhile")
    } else {
      // No hard links here (FAT, some network drives): rename after a last look.
      if folder.entry(name) != .nothing {
        throw RunFailure(.refused, "write '\(target)': a file of that name appeared meanwhile")
      }
      guard folder.move(temporaryName, to: folder, as: name) else { throw failure("name") }
    }
    published = true
    close(lock)
    lock = -1
    folder.sync()
    return Int(status.st_size)
  }

  /// Removes the file unless it was published.
  public func discard() {
    if lock >= 0 {
      close(lock)
      lock = -1
    }
    if !published { folder.remove(temporaryName) }
  }

  private func failure(_ what: String) -> RunFailure {
    RunFailure(.failed, "\(what) '\(target)': \(SystemError.last)")
  }

  /// Removes the temporary name of a complete file whose writer was killed between giving it its name and dropping the
  /// other one.
  ///
  /// Opens no file: closing a descriptor of a database would drop its locks.
  public static func removeSecondName(of target: String) {
    var file = stat()
    guard lstat(target, &file) == 0, file.st_nlink > 1, let (folder, name) = try? OpenFolder.containing(target) else {
      return
    }
    for entry in leftovers(in: folder, of: name) {
      var other = stat()
      let isThere = fstatat(folder.descriptor, entry, &other, AT_SYMLINK_NOFOLLOW) == 0
      if isThere, other.st_dev == file.st_dev, other.st_ino == file.st_ino { folder.remove(entry) }
    }
  }

  private static func leftovers(in folder: OpenFolder, of name: String) -> [String] {
    folder.names.filter { $0.hasPrefix(".\(name).fleetkit-") && $0.hasSuffix(".tmp") && folder.entry($0) == .file }
  }

  /// Removes temporary files of earlier runs of this user for the same target whose process is gone.
  private static func removeLeftovers(in folder: OpenFolder, of name: String) {
    for entry in leftovers(in: folder, of: name) {
      guard let descriptor = try? folder.file(entry, O_RDWR) else { continue }
      var status = stat()
      // The lock of a living writer is held; that of a dead one is free.
      if fstat(descriptor, &status) == 0, status.st_uid == geteuid(), flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        folder.remove(entry)
      }
      close(descriptor)
    }
  }
}
