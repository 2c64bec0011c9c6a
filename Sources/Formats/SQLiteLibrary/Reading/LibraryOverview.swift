import Interchange
import SQLiteIO

/// What `inspect` says about a library as a file.
public struct LibraryOverview: Sendable {
  /// The newest schema version whose migration has run; nil when none is listed.
  public let schemaVersion: String?
  /// Migrations that have run, in order.
  public let migrations: [String]
  /// Whether a newer app wrote it.
  public let isNewer: Bool
  /// Size of the file in bytes.
  public let bytes: Int
  /// Rows of each table, in the app's order, unknown tables last.
  public let rows: [(table: String, count: Int)]
  /// `delete` or `wal`.
  public let journalMode: String
  /// Bytes of a page.
  public let pageSize: Int

  init(_ source: Source) throws {
    let library = try LibraryFile(source.path)
    schemaVersion = library.schema.version
    migrations = library.schema.migrations
    isNewer = library.schema.isNewer
    bytes = library.size
    do throws(SQLiteError) {
      var rows: [(table: String, count: Int)] = []
      for table in AppSchema.contentTables + library.schema.unknownTables where library.schema.tables[table] != nil {
        let count = try library.connection.number("SELECT count(*) FROM \(RowCursor.quoted(table))")
        rows.append((table, Int(count)))
      }
      self.rows = rows
      journalMode =
        library.copiedBecause == nil
        ? try library.connection.rows("PRAGMA journal_mode").first?.first.flatMap { $0 } ?? "" : "recovered"
      pageSize = Int(try library.connection.number("PRAGMA page_size"))
    } catch {
      throw LibraryFile.failure(error, source.path)
    }
    try library.finishCheck()
  }
}
