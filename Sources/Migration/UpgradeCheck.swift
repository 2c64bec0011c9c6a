import CSQLite
import Foundation
import SQLiteIO
import SQLiteLibrary

/// Proves that an upgraded library has the same content as the old one: schema, references, and every value of every
/// row.
struct UpgradeCheck {
  private let upgrade: LibraryUpgrade
  private let connection: SQLiteConnection

  init(_ upgrade: LibraryUpgrade) {
    self.upgrade = upgrade
    connection = upgrade.connection
  }

  /// Describes the first failed check, or returns nil if all checks succeed.
  /// - Parameter step: called with the name of each step before it starts.
  func firstProblem(_ step: (String) throws -> Void) throws -> String? {
    try connection.execute("PRAGMA main.mmap_size = 1099511627776")
    if let row = try connection.rows("PRAGMA main.foreign_key_check").first {
      return "a row of \(row[0] ?? "") refers to a missing row of \(row[2] ?? "")"
    }
    if let problem = try schemaProblem() { return problem }
    for table in AppSchema.contentTables where upgrade.schema.tables[table] != nil {
      try step(table)
      if let problem = try compare(table) { return problem }
      if let problem = try defaultsProblem(table) { return problem }
    }
    return nil
  }

  private func schemaProblem() throws(SQLiteError) -> String? {
    let newest = try AppSchema.newest()
    let made = try connection.rows("SELECT name, sql FROM main.sqlite_schema ORDER BY rowid")
    for (index, object) in newest.objectTexts.enumerated() {
      guard index < made.count, made[index][0] == object.name else { return "'\(object.name)' is out of order" }
      let hasUnknownColumns = TableMaps.all.contains {
        $0.table == object.name && !upgrade.schema.unknownColumns($0).isEmpty
      }
      if made[index][1] != object.sql, !hasUnknownColumns { return "the schema of '\(object.name)' is different" }
    }
    let listed = try connection.rows("SELECT identifier FROM main.grdb_migrations ORDER BY rowid").compactMap { $0[0] }
    return listed == AppSchema.migrations ? nil : "the list of migrations is different"
  }

  /// Reads both tables in parallel and compares every value by its type and its bytes.
  private func compare(_ table: String) throws(SQLiteError) -> String? {
    let pairs = upgrade.columns(table)
    let name = RowCursor.quoted(table)
    func rows(_ database: String, _ columns: [String]) throws(SQLiteError) -> SQLiteStatement {
      try connection.prepare(
        "SELECT \(columns.map(RowCursor.quoted).joined(separator: ", ")) FROM \(database).\(name) NOT INDEXED ORDER BY rowid",
        as: "compare the table '\(table)'")
    }
    let before = try rows("old", pairs.map(\.old))
    let after = try rows("main", pairs.map(\.new))
    let creator = upgrade.hasZeroCreators(table) ? pairs.firstIndex { $0.new == "creatorID" } ?? -1 : -1
    var count = 0
    while true {
      let hasOld = try before.step()
      let hasNew = try after.step()
      if !hasOld, !hasNew { return nil }
      guard hasOld, hasNew else { return "'\(table)' has \(hasOld ? "fewer" : "more") rows than before" }
      count += 1
      for index in pairs.indices where !Self.same(before, after, index) {
        if index == creator, after.storage(at: index) == .null, before.text(at: index) == MigrationPlan.zero {
          continue
        }
        return "'\(pairs[index].new)' in row \(count) of '\(table)' is not the same as before"
      }
    }
  }

  @inline(__always)
  private static func same(_ left: SQLiteStatement, _ right: SQLiteStatement, _ index: Int) -> Bool {
    let storage = left.storage(at: index)
    guard storage == right.storage(at: index) else { return false }
    switch storage {
    case .null: return true
    case .integer: return left.integer(at: index) == right.integer(at: index)
    case .real: return left.double(at: index).bitPattern == right.double(at: index).bitPattern
    case .text, .blob:
      let mine = storage == .text ? left.bytes(at: index) : left.blob(at: index)
      let theirs = storage == .text ? right.bytes(at: index) : right.blob(at: index)
      guard mine.count == theirs.count else { return false }
      guard let first = mine.baseAddress, let second = theirs.baseAddress else { return mine.isEmpty }
      return memcmp(first, second, mine.count) == 0
    }
  }

  /// Checks that columns that the old library did not have hold their default values.
  private func defaultsProblem(_ table: String) throws(SQLiteError) -> String? {
    let present = Set(upgrade.columns(table).map(\.new))
    let columns = try connection.rows("SELECT name, dflt_value FROM pragma_table_info(?, 'main')", [table])
    for column in columns {
      guard let name = column[0], !present.contains(name) else { continue }
      let odd = try connection.number(
        "SELECT count(*) FROM main.\(RowCursor.quoted(table)) WHERE \(RowCursor.quoted(name)) IS NOT \(column[1] ?? "NULL")"
      )
      if odd > 0 { return "'\(name)' of '\(table)' does not hold its default value" }
    }
    return nil
  }
}
