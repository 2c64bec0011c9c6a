import Foundation
import SQLiteRecovery
import TestSupport
import Testing

/// The content of a database as SQLite reads it.
struct Description: Decodable {
  struct Column: Decodable {
    let classes: [String]
    let isRowid: Bool
    let isReal: Bool
    let `default`: String
  }
  struct Table: Decodable {
    let name: String
    let root: UInt32
    let columns: [Column]
  }
  struct Index: Decodable {
    let table: String
    let name: String
    let root: UInt32
    let keyCount: Int
  }
  let tables: [Table]
  let indexes: [Index]
  let rows: [String]
  let entries: [String]

  /// The defaults of the columns of each table.
  var defaults: [String: [String]] {
    Dictionary(tables.map { ($0.name, $0.columns.map(\.default)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the table shapes with the roots that `root` provides.
  func shapes(
    minimum: [String: Int] = [:], root: (String) -> UInt32?
  ) -> (tables: [RecoveredTableShape], indexes: [IndexShape]) {
    let tables = tables.map { table in
      RecoveredTableShape(
        name: table.name, root: root(table.name),
        columns: table.columns.map { column in
          var classes: StorageClasses = []
          for name in column.classes {
            switch name {
            case "null": classes.insert(.null)
            case "integer": classes.insert(.integer)
            case "real": classes.insert(.real)
            case "text": classes.insert(.text)
            default: classes.insert(.blob)
            }
          }
          return ColumnShape(classes, isRowid: column.isRowid, isReal: column.isReal)
        }, minimumColumns: minimum[table.name],
        check: { values in
          values.allSatisfy { value in
            if case .text(let bytes) = value { return String(validating: bytes, as: UTF8.self) != nil }
            return true
          }
        })
    }
    let indexes = indexes.map {
      IndexShape(table: $0.table, name: $0.name, root: root($0.name), keyCount: $0.keyCount)
    }
    return (tables, indexes)
  }

  func shapes(minimum: [String: Int] = [:]) -> (tables: [RecoveredTableShape], indexes: [IndexShape]) {
    let roots = Dictionary(
      tables.map { ($0.name, $0.root) } + indexes.map { ($0.name, $0.root) }, uniquingKeysWith: { first, _ in first })
    return shapes(minimum: minimum) { roots[$0] }
  }
}

/// Databases that a Python script creates in a temporary folder.
enum TestDatabase {
  static let scripts = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts")
  static let libraries = Paths.libraries
  static let folder: String = {
    let path = NSTemporaryDirectory() + "recovery-\(getpid())"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }()

  @discardableResult
  static func python(_ arguments: String...) throws -> Data { try run("databases.py", arguments) }

  @discardableResult
  static func run(_ script: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", scripts.appending(path: script).path] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return data
  }

  static func make(_ kind: String) throws -> String {
    let path = folder + "/\(kind)-\(UUID().uuidString).sqlite"
    try python("make", kind, path)
    return path
  }

  static func describe(_ path: String) throws -> Description {
    try JSONDecoder().decode(Description.self, from: python("describe", path))
  }
}

/// Returns a value as `databases.py` writes it.
func written(_ value: RecoveredValue) -> String {
  switch value {
  case .null: "n"
  case .integer(let number): "i\(number)"
  case .real(let number):
    "r" + String(repeating: "0", count: 16 - String(number.bitPattern, radix: 16).count)
      + String(number.bitPattern, radix: 16)
  case .text(let bytes): "t" + hex(bytes)
  case .blob(let bytes): "b" + hex(bytes)
  }
}

func hex(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var result: [UInt8] = []
  for byte in bytes {
    result.append(digits[Int(byte >> 4)])
    result.append(digits[Int(byte & 15)])
  }
  return String(decoding: result, as: UTF8.self)
}

/// The result of a scan.
struct Findings {
  var rows: [RecoveredRow] = []
  var entries: [RecoveredIndexEntry] = []
  var damage: [RecoveryDamage] = []
  var withoutRowid: [String] = []

  init(_ image: DatabaseImage, _ shapes: (tables: [RecoveredTableShape], indexes: [IndexShape])) throws {
    try RecoveryScan(image, tables: shapes.tables, indexes: shapes.indexes).run { event in
      switch event {
      case .row(let row): rows.append(row)
      case .indexEntry(let entry): entries.append(entry)
      case .damage(let found): damage.append(found)
      case .withoutRowid(let table): withoutRowid.append(table)
      case .progress: break
      }
    }
  }

  /// Returns rows as `databases.py` writes them, with missing values filled in from the defaults in `columns`.
  func lines(_ origins: Set<RecoveryOrigin>, columns: [String: [String]] = [:]) -> [String] {
    rows.filter { origins.contains($0.origin) }.map { Self.line($0, columns: columns) }
  }

  static func line(_ row: RecoveredRow, columns: [String: [String]]) -> String {
    let missing = (columns[row.table] ?? []).dropFirst(row.values.count)
    return ([row.table, "\(row.rowid)"] + row.values.map(written) + missing).joined(separator: "|")
  }

  func entryLines(_ origins: Set<RecoveryOrigin>) -> [String] {
    entries.filter { origins.contains($0.origin) }.map {
      ([$0.indexes.joined(separator: "/"), "\($0.rowid)"] + $0.keys.map(written)).joined(separator: "|")
    }
  }
}
