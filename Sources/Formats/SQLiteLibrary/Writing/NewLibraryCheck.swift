import SQLiteIO

/// Checks a library that was just written, before it gets its name.
package enum NewLibraryCheck {
  /// Mapped pages are not cached, so looking at their cells at every visit would take most of the time; the check itself
  /// looks at each of them.
  private static let settings =
    "PRAGMA cache_size = -8192; PRAGMA mmap_size = 1099511627776; PRAGMA cell_size_check = OFF"

  /// Checks every page and the form of every row of a file that nobody has open for writing.
  ///
  /// What indexes say is not held against their tables, which would take as long as writing them: SQLite made them of
  /// these tables a moment ago.
  /// - Returns: what is wrong with it, or nil.
  /// - Throws: `SQLiteError` when the check could not run.
  static func complaint(_ path: String) throws(SQLiteError) -> String? {
    try IntegrityCheck(path: path, access: .readImmutable, .own, setting: settings).wait()
  }

  /// Checks the entries of every index, too: for a file that takes the place of somebody's library.
  /// - Returns: what is wrong with it, or nil.
  /// - Throws: `SQLiteError` when the check could not run.
  package static func thoroughComplaint(_ path: String) throws(SQLiteError) -> String? {
    try IntegrityCheck(
      path: path, access: .readImmutable, .own, depth: .full, setting: settings
    ).wait()
  }
}
