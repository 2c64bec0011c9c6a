import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Restores over a file that SQLite cannot read any more: its bytes are kept, and the restored file takes its place.
///
/// This is the one case in which a file is renamed over a library that is there: what would make it malformed, the old
/// log and journal, was moved away before, and nobody can have a page of it that is still of use.
struct DamagedLibrary {
  private let library: String
  private let sidecar: Sidecar
  private static let suffixes = ["-wal", "-journal", "-shm"]

  /// Takes a library if it is empty, no database, or damaged.
  /// - Returns: nil when it is none of these, or nobody can tell.
  init?(_ library: String, _ sidecar: Sidecar) {
    guard Self.isDamaged(library), let real = realpath(library, nil) else { return nil }
    defer { free(real) }
    // A link stays a link: what it points to is replaced.
    self.library = String(cString: real)
    self.sidecar = sidecar
  }

  /// Whether a folder beside a library has files that were moved away.
  static func hasCopies(_ sidecar: Sidecar) -> Bool {
    (try? sidecar.folder.part(.backups))?.names.contains { $0.hasSuffix("-damaged.sqlite") } ?? false
  }

  private static func isDamaged(_ library: String) -> Bool {
    var status = stat()
    guard stat(library, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    guard let head = try? SourceProbe.head(of: Source(library), count: 100) else { return false }
    guard status.st_size > 0, head.starts(with: Array("SQLite format 3\0".utf8)) else { return true }
    // In a copy, because playing back a journal would change the original.
    guard let copy = try? PrivateCopy(of: library) else { return false }
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(copy.path, .write, .own)
      return try IntegrityCheck.complaint(connection, .full) != nil
    } catch {
      return error.isDamage
    }
  }

  /// Keeps the files and puts another library in their place.
  /// - Parameters:
  ///   - new: a proved library on the same disk, which is moved.
  ///   - oldState: copies the state that lies beside the damaged library, and answers where; nil when there is none.
  ///   - beforeRename: called when the damaged files and the state are safe and nothing was changed yet.
  /// - Returns: where the damaged file is; its log, its journal and its folder with the state lie beside it.
  /// - Throws: `RunFailure`: 7 when another program has it open, 2 when something cannot be written.
  func replace(by new: String, oldState: () throws -> String?, beforeRename: () throws -> Void) throws -> String {
    let file = open(library, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw RunFailure(.failed, "open '\(library)': \(SystemError.last)") }
    // Closing any descriptor of the file drops the lock: only this one is used until the end.
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
        // Decks are not damaged because the library is. They lie as they would beside the library that was kept.
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
    // From here on what was there is in the backups, whatever happens.
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

  /// Takes the locks of a writer, as SQLite does; whoever has the library open has one of them or wants it.
  /// - Source: SQLite, "File Locking And Concurrency"
  private func lock(_ file: Int32) throws {
    var query = flock()
    query.l_type = Int16(F_WRLCK)
    query.l_whence = Int16(SEEK_SET)
    query.l_start = 0x4000_0000
    query.l_len = 512
    guard fcntl(file, F_SETLK, &query) == 0, !SQLiteLocks.hasWALUser(library) else {
      throw RunFailure(
        .locked, "restore to '\(library)': another program has it open", advice: "Close the app and run it again.")
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
