import Content
import SQLiteIO

/// The properties that two databases must share for one to be expressed as row changes to the other.
struct DatabaseShape {
  /// The content of `sqlite_schema`, in a fixed order.
  let schema: [[String?]]
  let pageSize: Int64
  let encoding: String
  let autoVacuum: Int64
  /// The tables and other objects in the schema.
  private let objects: SchemaObjects

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    objects = try SchemaObjects(connection)
    schema = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    pageSize = try connection.number("PRAGMA page_size")
    encoding = try connection.rows("PRAGMA encoding").first?.first.flatMap { $0 } ?? ""
    autoVacuum = try connection.number("PRAGMA auto_vacuum")
  }

  /// The names of all tables, including SQLite's internal tables.
  var tables: [String] { objects.tables.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// The first object that is neither a table nor an index; nil if no such object exists. The app never creates such
  /// objects.
  var foreignObject: String? { objects.others.first.map { "a \($0.kind) '\($0.name)'" } }

  /// Whether the schema is free of columns and indexes that SQLite computes.
  var computesNothing: Bool { objects.computesNothing }

  /// Whether text is stored in the file as UTF-16.
  var isWide: Bool { encoding.hasPrefix("UTF-16") }

  /// Returns the reason why row changes cannot express the difference from another database; nil if they can.
  func difference(from other: DatabaseShape) -> String? {
    if pageSize != other.pageSize { return "its page size was changed" }
    if encoding != other.encoding { return "its text encoding was changed" }
    if autoVacuum != other.autoVacuum { return "its auto-vacuum setting was changed" }
    // Hashes are compared because equal-looking names may have different bytes.
    return sha256 == other.sha256 ? nil : "its schema was changed"
  }

  /// The SHA-256 of all properties.
  var sha256: String {
    var text = "\(pageSize) \(encoding) \(autoVacuum)\n"
    for row in schema {
      for value in row { text += value.map { "\($0.utf8.count):\($0)" } ?? "-" }
      text += "\n"
    }
    return text.withUTF8 { Digest.hex(Digest.sha256($0)) }
  }
}
