import Content
import SQLiteIO

/// The properties that two databases must share so that one can be expressed as row changes of the other.
struct DatabaseShape {
  /// The content of `sqlite_schema`, in a fixed order.
  let schema: [[String?]]
  let pageSize: Int64
  let encoding: String
  let autoVacuum: Int64
  /// The tables and other objects of the schema, and whether SQLite computes anything for it.
  private let objects: SchemaObjects

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    objects = try SchemaObjects(connection)
    schema = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    pageSize = try connection.number("PRAGMA page_size")
    encoding = try connection.rows("PRAGMA encoding").first?.first.flatMap { $0 } ?? ""
    autoVacuum = try connection.number("PRAGMA auto_vacuum")
  }

  /// The names of all tables, including those that SQLite made for itself.
  var tables: [String] { objects.tables.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// The first object other than tables and indexes, which the app never creates; nil if there is none.
  var foreignObject: String? { objects.others.first.map { "a \($0.kind) '\($0.name)'" } }

  /// Whether nothing in the schema is computed by SQLite.
  var computesNothing: Bool { objects.computesNothing }

  /// Whether text is stored in the file as UTF-16.
  var isWide: Bool { encoding.hasPrefix("UTF-16") }

  /// Returns the reason why row changes cannot express the difference; nil if they can.
  func difference(from other: DatabaseShape) -> String? {
    if pageSize != other.pageSize { return "the size of its pages was changed" }
    if encoding != other.encoding { return "the encoding of its text was changed" }
    if autoVacuum != other.autoVacuum { return "the way it takes back free pages was changed" }
    // Compares bytes: names may look alike and differ.
    return sha256 == other.sha256 ? nil : "its schema was changed"
  }

  /// SHA-256 of the whole shape.
  var sha256: String {
    var text = "\(pageSize) \(encoding) \(autoVacuum)\n"
    for row in schema {
      for value in row { text += value.map { "\($0.utf8.count):\($0)" } ?? "-" }
      text += "\n"
    }
    return text.withUTF8 { Digest.hex(Digest.sha256($0)) }
  }
}
