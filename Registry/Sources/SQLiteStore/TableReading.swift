import Content
import GRDB
import RegistryModel
import RegistryStore

extension SQLiteStore {
  /// Calls `body` with the tables as they are in one snapshot.
  package func withTables<Result>(_ body: (any StoreTableSource) throws -> Result) throws -> Result {
    try requireOpen()
    do { return try pool.read { try body(TableReader(db: $0)) } } catch { throw StoreProblem.failure(error) }
  }

  private struct TableReader: StoreTableSource {
    let db: Database

    func forEachRow(of table: StoreTable, _ body: ([StoredValue]) throws -> Void) throws {
      let rows = try Row.fetchCursor(
        db, sql: "SELECT \(table.names.joined(separator: ", ")) FROM \(table.name) ORDER BY \(table.key)")
      while let row = try rows.next() {
        try body(table.columns.enumerated().map { try Self.value(row, $0, $1.kind) })
      }
    }

    private static func value(_ row: Row, _ column: Int, _ kind: StoreTable.Kind) throws -> StoredValue {
      if case .null = (row[column] as DatabaseValue).storage { return .null }
      let value: StoredValue? =
        switch kind {
        case .id: row.text(column).map { .id(RegistryID(stored: $0)) }
        case .text: row.text(column).map(StoredValue.text)
        case .texts: try row.text(column).map { .texts(try TagColumn.read($0)) }
        case .bytes: row.bytes(column).map(StoredValue.bytes)
        case .integer: row.integer(column).map(StoredValue.integer)
        case .truth: row.integer(column).map { .truth($0 != 0) }
        case .time: row.integer(column).map { .time(Timestamp(milliseconds: $0)) }
        }
      guard let value else { throw StoreProblem.damaged }
      return value
    }
  }
}
