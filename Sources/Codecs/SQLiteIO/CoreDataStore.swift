import Content
import Foundation
import Interchange
import JSONText

/// A Core Data or SwiftData store: its entities and their rows. Reading never changes the store, and includes rows that
/// are only in its write-ahead log.
///
/// - Source: formats/core-data.md
package final class CoreDataStore {
  /// An entity with a table.
  package struct Entity: Sendable {
    /// The name in the model, such as `PracticeSession`.
    package let name: String
    /// The entity's number in `Z_ENT`.
    package let number: Int64
    package let table: String
    /// The columns of the attributes, with their declared types.
    package let columns: [(name: String, type: String)]
  }

  /// The path as the user gave it.
  package let name: String
  package let entities: [Entity]
  package let connection: SQLiteConnection
  /// The columns of every table, keyed by the table's name.
  let tables: [String: [String]]
  private let copy: PrivateCopy?

  /// Whether the store has tables of CloudKit's mirror. Only the app may write to a mirrored store.
  package var isMirrored: Bool { tables.keys.contains { $0.hasPrefix("ANSCK") } }

  /// Returns whether a file is a store, which is recognized by the tables that every store has.
  package static func isStore(_ path: String) -> Bool {
    guard (try? SourceProbe.head(of: Source(path), count: 16)) == Array("SQLite format 3\0".utf8) else { return false }
    let main = try? SQLiteConnection(path, .readImmutable, .foreign)
    let tables = main.flatMap { try? $0.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") } ?? []
    if tables.contains(where: { $0.first == "Z_PRIMARYKEY" }) { return true }
    // If a store was never closed, all its content may be in the log. Databases with tables are not copied for this
    // check.
    guard tables.isEmpty, size(path + "-wal") > 0, let store = try? CoreDataStore(path, name: path) else {
      return false
    }
    return !store.entities.isEmpty
  }

  private static func size(_ path: String) -> Int { FileRead.size(of: path) ?? 0 }

  /// Opens a store.
  /// - Throws: `RunFailure` with status 2 if the store cannot be read.
  package convenience init(_ path: String, name: String) throws {
    let (connection, copy) = try Self.open(path, name)
    try self.init(connection, name: name, copy: copy)
  }

  private static func open(_ path: String, _ name: String) throws -> (SQLiteConnection, PrivateCopy?) {
    do {
      guard size(path + "-wal") > 0 || size(path + "-journal") > 0 else {
        return (try SQLiteConnection(path, .readImmutable, .foreign), nil)
      }
      let copy = try PrivateCopy(of: path)
      let recovery = try SQLiteConnection(copy.path, .write, .own)
      _ = try recovery.rows("SELECT count(*) FROM sqlite_schema")
      try recovery.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
      return (try SQLiteConnection(copy.path, .readImmutable, .own), copy)
    } catch let error as SQLiteError {
      throw failure(error, name)
    }
  }

  /// Creates a store from an open connection.
  /// - Parameter copy: the private copy that the connection reads, which is kept as long as the store.
  /// - Throws: `RunFailure` with status 2 if the database is not a store or cannot be read.
  init(_ connection: SQLiteConnection, name: String, copy: PrivateCopy? = nil) throws {
    self.name = name
    self.connection = connection
    self.copy = copy
    do {
      let objects = try SchemaObjects(connection)
      if let other = objects.others.first {
        throw RunFailure(
          .failed,
          "read store '\(name)': it has a \(other.kind) '\(other.name)', which Core Data never creates",
          advice: "It could hide or change the store's content. Remove it if you know its purpose.")
      }
      tables = Dictionary(objects.tables.map { ($0.name, $0.columns) }, uniquingKeysWith: { first, _ in first })
      guard tables["Z_PRIMARYKEY"] != nil else {
        throw RunFailure(
          .failed, "read store '\(name)': it has no table Z_PRIMARYKEY, so it is not a Core Data store")
      }
      entities = try Self.entities(connection, tables)
    } catch let error as SQLiteError {
      throw Self.failure(error, name)
    }
  }

  private static func entities(
    _ connection: SQLiteConnection, _ tables: [String: [String]]
  ) throws(SQLiteError) -> [Entity] {
    var entities: [Entity] = []
    let statement = try connection.prepare("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    while try statement.step() {
      guard let name = statement.text(at: 1), let table = tables.keys.first(where: { $0 == "Z" + name.uppercased() })
      else { continue }
      var columns: [(name: String, type: String)] = []
      let info = try connection.prepare("SELECT name, type FROM pragma_table_info(\(quoted(table, "'")))")
      while try info.step() {
        guard let column = info.text(at: 0), !["Z_PK", "Z_ENT", "Z_OPT"].contains(column) else { continue }
        columns.append((column, info.text(at: 1)?.uppercased() ?? ""))
      }
      entities.append(Entity(name: name, number: statement.integer(at: 0), table: table, columns: columns))
    }
    return entities
  }

  static func quoted(_ name: String, _ quote: String = "\"") -> String {
    quote + name.replacing(quote, with: quote + quote) + quote
  }

  package static func failure(_ error: SQLiteError, _ name: String) -> RunFailure {
    RunFailure(
      error.isBusy ? .locked : .failed,
      "read store '\(name)': \(error.isDamage ? "the file is damaged (\(error.message))" : error.message)",
      advice: error.isBusy ? "Close the app." : "Copy it from the phone again, with the files '-wal' and '-shm'.")
  }

  /// Returns the rows of an entity in the order of `Z_PK`. The first column is `Z_PK`; the entity's columns follow.
  package func rows(of entity: Entity) throws(SQLiteError) -> SQLiteStatement {
    let columns = ["Z_PK"] + entity.columns.map(\.name)
    return try connection.prepare(
      "SELECT \(columns.map { Self.quoted($0) }.joined(separator: ", ")) FROM \(Self.quoted(entity.table)) ORDER BY Z_PK"
    )
  }

  /// Returns the number of rows of an entity.
  package func count(of entity: Entity) -> Int {
    Int(clamping: (try? connection.number("SELECT count(*) FROM \(Self.quoted(entity.table))")) ?? 0)
  }

  /// The seconds from 1970 to 2001, Core Data's reference date.
  private static let reference = 978_307_200.0

  /// Returns a time as seconds since 2001.
  package static func seconds(_ time: Timestamp) -> Double { Double(time.milliseconds) / 1000 - reference }

  /// Converts seconds since 2001 to a time with millisecond precision. Returns nil if the time is out of range.
  package static func time(_ seconds: Double) -> Timestamp? {
    let milliseconds = ((seconds + reference) * 1000).rounded()
    guard abs(milliseconds) < 253_402_300_800_000 else { return nil }
    return Timestamp(milliseconds: Int64(milliseconds))
  }

  /// A column's value as JSON, with times in ISO 8601, UUIDs in capitals and other bytes in Base64.
  package struct Value: Sendable {
    package private(set) var json: [UInt8]
    /// The text without quotes and escapes; nil for other values.
    package private(set) var text: [UInt8]?
    /// Whether the value matches the declared type of the column.
    package private(set) var isSound = true
    /// Whether the value is bytes that are not a UUID.
    package private(set) var isBytes = false

    /// Reads a column of the current row.
    /// - Parameters:
    ///   - type: the declared type of the column.
    ///   - isFlag: whether the column's numbers are Boolean values.
    package init(_ row: SQLiteStatement, _ index: Int, _ type: String, isFlag: Bool = false) {
      let isTime = type.hasPrefix("TIMESTAMP")
      let isText = type.hasPrefix("VARCHAR")
      json = []
      switch row.storage(at: index) {
      case .null: json = Array("null".utf8)
      case .integer where isTime, .real where isTime:
        guard let time = CoreDataStore.time(row.double(at: index)) else {
          json = Array("null".utf8)
          isSound = false
          return
        }
        set(Array(time.iso8601.utf8))
      case .integer:
        let value = row.integer(at: index)
        json = Array((isFlag ? value == 0 ? "false" : "true" : String(value)).utf8)
        isSound = !isText
      case .real:
        let value = row.double(at: index)
        json = Array((value.isFinite ? "\(value)" : "null").utf8)
        isSound = value.isFinite && !isText
      case .text:
        let text = String(decoding: row.bytes(at: index), as: UTF8.self)
        set(Array(text.utf8))
        isSound = (isText || type.isEmpty) && text.utf8.elementsEqual(row.bytes(at: index))
      case .blob:
        let bytes = row.blob(at: index)
        isBytes = bytes.count != 16
        set(isBytes ? Array(Data(bytes).base64EncodedString().utf8) : Self.uuid(bytes.span))
        isSound = !isText && !isTime
      }
    }

    private mutating func set(_ text: [UInt8]) {
      var json = ByteBuffer(capacity: text.count + 2)
      json.appendJSONString(text.span)
      self.json = json.copy(0..<json.count)
      self.text = text
    }

    /// Formats 16 bytes as a UUID in capitals.
    private static func uuid(_ bytes: Span<UInt8>) -> [UInt8] {
      var text: [UInt8] = []
      for (index, digit) in Digest.hex(Array(bytes)).uppercased().utf8.enumerated() {
        if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
        text.append(digit)
      }
      return text
    }
  }
}
