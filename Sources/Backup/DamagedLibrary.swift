import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Restores over a file that SQLite can no longer read. The file's bytes are kept, and the restored file replaces it.
///
/// This is the only code that renames a file over an existing library. The old log and journal, which would make the
/// new file malformed, were moved away earlier, and no process can have a usable page of the old file.
struct DamagedLibrary {
  private let library: String
  private let sidecar: Sidecar
  private static let suffixes = ["-wal", "-journal", "-shm"]

  /// Creates the restore of a library that is empty, not a database, or damaged.
  /// - Returns: Nil if the library is in another state, or if its state is unknown.
  init?(_ library: String, _ sidecar: Sidecar) {
    guard Self.isDamaged(library), let real = realpath(library, nil) else { return nil }
    defer { free(real) }
    // A link stays a link, and its target is replaced.
    self.library = String(cString: real)
    self.sidecar = sidecar
  }

  /// Whether the sidecar of a library has files that were moved away.
  static func hasCopies(_ sidecar: Sidecar) -> Bool {
    (try? sidecar.folder.part(.backups))?.names.contains { $0.hasSuffix("-damaged.sqlite") } ?? false
  }

  private static func isDamaged(_ library: String) -> Bool {
    var status = stat()
    guard stat(library, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    guard let head = try? SourceProbe.head(of: Source(library), count: 100) else { return false }
    guard status.st_size > 0, head.starts(with: Array("SQLite format 3\0".utf8)) else { return true }
    // The check uses a copy, because replaying a journal would change the original.
    guard let copy = try? PrivateCopy(of: library) else { return false }
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(copy.path, .write, .own)
      return try IntegrityCheck.complaint(connection, .full) != nil
    } catch {
      return error.isDamage
    }
  }

  /// Keeps the damaged files and replaces them with another library.
  /// - Parameters:
  ///   - new: a verified library on the same disk, which is moved.
  ///   - oldState: copies the state of the damaged library's sidecar and returns its path; returns nil if there is no
  ///     state.
  ///   - beforeRename: called when the damaged files and the state are safe and nothing has been changed.
  /// - Returns: The path of the damaged file; its log, its journal and its folder with the state are next to it.
  /// - Throws: `RunFailure`: 7 if another program has the library open, 2 if a file cannot be written.
  func replace(by new: String, oldState: () throws -> String?, beforeRename: () throws -> Void) throws -> String {
    let file = open(library, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw RunFailure(.failed, "open '\(library)': \(SystemError.last)") }
    // Closing any descriptor of the file drops the lock, so only this one is used until the end.
    defer { close(file) }
    try lock(file)
    var status = stat()
    guard fstat(file, &status) == 0 else { throw RunFailure(.failed, "read '\(library)': \(SystemError.last)") }
    let (backups, name) = try sidecar.freshName(.backups, "damaged", "sqlite")
    let saved = backups.path(name)
    var copies: [String] = []
    do {
      try Self.copy(file, to: name, in: backups)
      copies.append(name)
      for suffix in Self.suffixes where access(library + suffix, F_OK) == 0 {
        let beside = open(library + suffix, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard beside >= 0 else { throw RunFailure(.failed, "read '\(library + suffix)': \(SystemError.last)") }
        defer { close(beside) }
        var kind = stat()
        guard fstat(beside, &kind) == 0, kind.st_mode & S_IFMT == S_IFREG else {
          throw RunFailure(
            .refused, "restore to '\(library)': '\(library + suffix)' is not a regular file", advice: "Remove it first."
          )
        }
        try Self.copy(beside, to: name + suffix, in: backups)
        copies.append(name + suffix)
      }
      if let state = try oldState() {
        // A damaged library does not damage the decks. They stay in the sidecar of the library that was kept.
        let folder = try backups.makeFolder(name + ".fleetkit")
        copies.append(name + ".fleetkit")
        let source = open(state, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw RunFailure(.failed, "read '\(state)': \(SystemError.last)") }
        defer { close(source) }
        try Self.copy(source, to: SidecarFolder.stateName, in: folder)
      }
      try Self.sync(new, mode: status.st_mode & 0o777)
      try beforeRename()
    } catch {
      for copy in copies { backups.remove(copy) }
      throw error
    }
    // From here on, the old files are safe in the backups.
    for suffix in Self.suffixes where unlink(library + suffix) != 0 && errno != ENOENT {
      throw RunFailure(
        .failed, "remove '\(library + suffix)': \(SystemError.last)",
        advice: "The damaged files are also in '\(saved)'.")
    }
    guard rename(new, library) == 0 else {
      throw RunFailure(
        .failed, "write '\(library)': \(SystemError.last)", advice: "The damaged files are also in '\(saved)'.")
    }
    let folder = open(URL(fileURLWithPath: library).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
    return saved
  }

  /// Acquires the locks of a writer, as SQLite does. Every program that has the library open holds one of them or needs
  /// one.
  /// - Source: SQLite, "File Locking And Concurrency"
  private func lock(_ file: Int32) throws {
    var query = flock()
    query.l_type = Int16(F_WRLCK)
    query.l_whence = Int16(SEEK_SET)
    query.l_start = 0x4000_0000
    query.l_len = 512
    guard fcntl(file, F_SETLK, &query) == 0, !SQLiteLocks.hasWALUser(library) else {
      throw RunFailure(
        .locked, "restore to '\(library)': another program has it open", advice: "Close the app and try again.")
    }
  }

  private static func copy(_ source: Int32, to name: String, in folder: OpenFolder) throws {
    let copy = try AtomicFile(name, in: folder, overwrites: false)
    do {
      try FileCopy.copy(from: source, to: copy.descriptor)
      copy.makePrivate()
      try copy.publish()
    } catch {
      copy.discard()
      throw error
    }
  }

  private static func sync(_ path: String, mode: mode_t) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(file) }
    guard fchmod(file, mode) == 0, fsync(file) == 0 else {
      throw RunFailure(.failed, "write '\(path)': \(SystemError.last)")
    }
  }
}
