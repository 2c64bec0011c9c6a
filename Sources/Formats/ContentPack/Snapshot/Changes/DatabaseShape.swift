import Content
import SQLiteIO

/// What two databases must share for the rows of one to be told as changes of the other.
struct DatabaseShape {
  /// Everything that `sqlite_schema` says, in a fixed order.
  let schema: [[String?]]
  let pageSize: Int64
  let encoding: String
  let autoVacuum: Int64
  /// What the schema contains besides tables and indexes, and what SQLite would compute for it.
  private let objects: SchemaObjects

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    objects = try SchemaObjects(connection)
    schema = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    pageSize = try connection.number("PRAGMA page_size")
    encoding = try connection.rows("PRAGMA encoding").first?.first.flatMap { $0 } ?? ""
    autoVacuum = try connection.number("PRAGMA auto_vacuum")
  }

  /// The names of all tables, those that SQLite made for itself included.
  var tables: [String] { objects.tables.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// Something other than tables and indexes, which the app never makes; nil when there is nothing.
  var foreignObject: String? { objects.others.first.map { "a \($0.kind) '\($0.name)'" } }

  /// Whether SQLite computes nothing that the schema defines.
  var computesNothing: Bool { objects.computesNothing }

  /// Whether text lies in the file as UTF-16.
  var isWide: Bool { encoding.hasPrefix("UTF-16") }

  /// Why rows of the one cannot be told as changes of the other; nil when they can.
  func difference(from other: DatabaseShape) -> String? {
    if pageSize != other.pageSize { return "the size of its pages was changed" }
    if encoding != other.encoding { return "the encoding of its text was changed" }
    if autoVacuum != other.autoVacuum { return "the way it takes back free pages was changed" }
    // By bytes: names that look the same are not.
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
