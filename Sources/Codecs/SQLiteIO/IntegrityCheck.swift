import Interchange

/// Checks a database on another thread.
///
/// Evaluates nothing that a foreign schema defines: where it has generated columns, or indexes with expressions, the
/// tables without them are checked.
package final class IntegrityCheck: Sendable {
  private let work: BackgroundWork<String?, SQLiteError>

  /// How much is checked.
  package enum Depth: String, Sendable {
    /// Every page, and that rows are what their table demands.
    case quick = "quick_check"
    /// That indexes list every row, too.
    case full = "integrity_check"
  }

  /// Begins to check.
  /// - Parameter setting: pragmas to run before.
  package init(
    path: String, access: SQLiteConnection.Access, _ profile: SQLiteProfile, depth: Depth = .quick,
    setting: String = IntegrityCheck.smallCache
  ) {
    work = BackgroundWork { () throws(SQLiteError) in
      let connection = try SQLiteConnection(path, access, profile)
      try connection.execute(setting)
      return try Self.complaint(connection, depth)
    }
  }

  /// Who reads every page once needs no cache but the processor's: this one fits into it.
  package static let smallCache = "PRAGMA cache_size = -256"

  /// Checks a database now.
  /// - Returns: nil when it is sound, else the first thing that is wrong with it.
  /// - Throws: `SQLiteError` when the check could not run.
  package static func complaint(_ connection: SQLiteConnection, _ depth: Depth) throws(SQLiteError) -> String? {
    let schema = try SchemaObjects(connection)
    if schema.others.isEmpty, schema.computesNothing { return try complaint(connection, "PRAGMA \(depth.rawValue)(1)") }
    // A number would be taken for how many problems to list.
    for table in schema.plainTables where Int(table.name) == nil {
      let name = table.name.replacing("\"", with: "\"\"")
      if let complaint = try complaint(connection, "PRAGMA \(depth.rawValue)(\"\(name)\")") { return complaint }
    }
    return nil
  }

  private static func complaint(_ connection: SQLiteConnection, _ check: String) throws(SQLiteError) -> String? {
    let answer = try connection.rows(check).first?.first ?? nil
    if answer == "ok" { return nil }
    // "*** in database main ***" on a line of its own says nothing about the one database that there is.
    let complaint = answer.map { $0.split(separator: "\n").filter { !$0.hasPrefix("***") }.joined(separator: "; ") }
    return complaint ?? "\(check) says nothing"
  }

  /// Waits for the end; nil when the file is sound, else what is wrong with it.
  /// - Throws: `SQLiteError` when the check could not run.
  package func wait() throws(SQLiteError) -> String? { try work.wait() }
}
