import SQLiteIO

/// Checks a library that was just written, before it gets its name: every page, every row, every entry of every index.
package enum NewLibraryCheck {
  /// The tables whose check takes as long as that of all others and of the pages together.
  private static let first = ["library_content"]

  /// Mapped pages are not cached, so looking at their cells at every visit would take most of the time; the check itself
  /// looks at each of them.
  private static let settings =
    "PRAGMA cache_size = -8192; PRAGMA mmap_size = 1099511627776; PRAGMA cell_size_check = OFF"

  /// The same on one thread, for when the other processors are needed for something else.
  package static func complaintOfOneThread(_ path: String) throws(SQLiteError) -> String? {
    try IntegrityCheck(
      path: path, access: .readImmutable, checks: ["PRAGMA integrity_check(1)"], setting: settings
    ).wait()
  }

  /// Checks a file that nobody has open for writing.
  ///
  /// On two threads, as the two large tables have nothing to do with each other. The pages are mapped, because entries
  /// of indexes are looked up in the order of rows: what does not fit into a cache would be read again and again.
  /// - Parameter tables: the tables that it has.
  /// - Returns: what is wrong with it, or nil.
  /// - Throws: `SQLiteError` when the check could not run.
  package static func complaint(_ path: String, tables: [String]) throws(SQLiteError) -> String? {
    let others = tables.filter { !first.contains($0) }
    func check(_ tables: [String], pages: Bool) -> IntegrityCheck {
      var checks = tables.map { "PRAGMA integrity_check(\(RowCursor.quoted($0)))" }
      // Which pages belong to whom can only be told from all of them.
      if pages { checks.append("PRAGMA quick_check(1)") }
      return IntegrityCheck(
        path: path, access: .readImmutable, checks: checks,
        setting: settings)
    }
    let checks = [check(tables.filter { first.contains($0) }, pages: false), check(others, pages: true)]
    var complaint: String?
    for check in checks {
      if let found = try check.wait() { complaint = complaint ?? found }
    }
    return complaint
  }
}
