import CSQLite

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
