import Content
import JSONText
import SQLiteLibrary
import SQLiteRecovery

/// Checks whether values found on an unreachable page can be a row of the app.
struct RowPlausibility: Sendable {
  private enum Test: Sendable { case any, id, reference, word, date, number, array, object, text }

  private let tests: [Test]

  /// - Parameter columns: the table's columns in their order.
  init(table: String, columns: [String]) {
    let map = TableMaps.all.first { $0.table == table }
    tests = columns.enumerated().map { index, name in
      guard let column = map?.columns.first(where: { $0.column == name || $0.oldColumn == name }) else {
        return table == "grdb_migrations" ? .word : .any
      }
      switch column.kind {
      case .id: return index == 0 && table != "sync_queue" ? .id : .any
      case .reference: return .reference
      case .choice: return .word
      case .date: return .date
      case .bool, .integer, .real: return .number
      case .tags, .sections: return .array
      case .itemStates, .publicMetadata, .payload: return .object
      case .text: return .text
      }
    }
  }

  /// Whether the values can be the first values of a row.
  func allows(_ values: [RecoveredValue]) -> Bool {
    zip(tests, values).allSatisfy { test, value in
      if value == .null { return test != .id }
      switch (test, value) {
      case (.any, _): return true
      case (.id, _): return Self.isID(value)
      case (.reference, .text(let bytes)): return bytes.count <= 200 && Self.isText(bytes)
      case (.word, .text(let bytes)):
        return bytes.count <= 100 && bytes.allSatisfy { $0 >= 0x21 && $0 < 0x7F && $0 != UInt8(ascii: "[") }
      case (.date, .text(let bytes)):
        return bytes.count <= 40 && bytes.withUnsafeBufferPointer { Timestamp.parse($0) != nil }
      case (.date, .integer), (.date, .real), (.number, .integer), (.number, .real): return true
      case (.array, .text(let bytes)), (.object, .text(let bytes)), (.text, .text(let bytes)): return Self.isText(bytes)
      default: return false
      }
    }
  }

  /// Whether a value is an id that the app or a person could have assigned.
  static func isID(_ value: RecoveredValue) -> Bool {
    guard case .text(let bytes) = value, !bytes.isEmpty, bytes.count <= 200 else { return false }
    return isText(bytes) && !bytes.contains { $0 < 0x20 }
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    !bytes.contains(0) && bytes.withUnsafeBufferPointer { UTF8Check.firstInvalid(in: $0) == nil }
  }
}
