import CSQLite
import Foundation
import Interchange

/// Copies one database over another, page by page, through SQLite's backup interface.
///
/// The target keeps its file, its journal mode and its locks. If a crash or an error occurs before the last page is
/// copied, the target is unchanged.
/// - Source: SQLite, "Using the SQLite Online Backup API"
public enum SQLiteBackup {
  /// Copies the whole database.
  /// - Parameters:
  ///   - source: the source, which must not be in its own write transaction.
  ///   - target: the target, which must not be in any transaction.
  ///   - afterLock: called when the target is locked but still unchanged.
  ///   - pagesPerStep: the number of pages to copy between two calls of `progress`.
  ///   - beforeCommit: called when all but the last pages are written and before anything is committed.
  ///   - progress: called with the number of copied pages and the total. It may throw an error to stop the copy.
  /// - Throws: `SQLiteError`, or the error of a callback. The target is then unchanged.
  public static func copy(
    from source: SQLiteConnection, into target: SQLiteConnection, pagesPerStep: Int32 = 4096,
    afterLock: () throws -> Void = {}, beforeCommit: () throws -> Void = {},
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws {
    guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
      throw target.error(sqlite3_errcode(target.handle), "copy a database into '\(target.path)'")
    }
    var isOpen = true
    defer { if isOpen { sqlite3_backup_finish(backup) } }
    var isFirst = true
    var isLast = false
    while true {
      // The first step takes the lock. Its only page stays in memory until the end.
      let code = sqlite3_backup_step(backup, isFirst ? 1 : pagesPerStep)
      guard code == SQLITE_OK || code == SQLITE_DONE else {
        isOpen = false
        sqlite3_backup_finish(backup)
        throw SQLiteError(
          code: code, message: String(cString: sqlite3_errstr(code)),
          operation: "copy a database into '\(target.path)'")
      }
      if isFirst, code == SQLITE_OK { try afterLock() }
      // The last step has committed, so the copy can no longer be stopped.
      if code == SQLITE_DONE { break }
      isFirst = false
      let total = Int(sqlite3_backup_pagecount(backup))
      let left = Int(sqlite3_backup_remaining(backup))
      try progress(total - left, total)
      if left <= Int(pagesPerStep), !isLast {
        isLast = true
        try beforeCommit()
      }
    }
    isOpen = false
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw target.error(code, "copy a database into '\(target.path)'") }
  }
}

/// A copy of a database and its side files in its own folder, which is removed when the copy is no longer needed.
public final class PrivateCopy: Sendable {
  /// The path of the copied database.
  public let path: String
  private let folder: TemporaryFolder

  /// Copies `path`, which may be a link to the database, and its `-wal` and `-journal` if they exist.
  ///
  /// The `-shm` file is not copied: SQLite rebuilds it from the log.
  /// - Throws: `RunFailure` with status 2 if there is no space or no permission.
  public init(of path: String) throws {
    folder = try TemporaryFolder()
    self.path = folder.path + "/library.sqlite"
    let real = realpath(path, nil)
    defer { free(real) }
    // SQLite keeps the log and the journal next to the file that links point to.
    let source = real.map { String(cString: $0) } ?? path
    do {
      for suffix in ["", "-wal", "-journal"] {
        try Self.copy(source + suffix, to: "library.sqlite" + suffix, in: folder.folder, isNeeded: suffix.isEmpty)
      }
    } catch {
      throw RunFailure(
        .failed, "copy library '\(path)' to '\(TemporaryFolder.root)': \(error.message)",
        advice: "A private copy needs disk space there. To use another folder, set TMPDIR.")
    }
  }

  private static func copy(
    _ path: String, to name: String, in folder: OpenFolder, isNeeded: Bool
  ) throws(RunFailure) {
    let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if source < 0, !isNeeded, errno == ENOENT { return }
    guard source >= 0 else { throw RunFailure(.failed, SystemError.last) }
    defer { close(source) }
    // SQLite writes to the copy when it recovers from a journal, even if the source is read-only.
    let target = openat(folder.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard target >= 0 else { throw RunFailure(.failed, SystemError.last) }
    defer { close(target) }
    try FileCopy.copyUnsynced(from: source, to: target)
  }
}
