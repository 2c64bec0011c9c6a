import FleetKit
import Foundation
import TestSupport
import Testing

/// The values that FleetKit reads from a library must equal those that the app itself decodes.
@Suite struct DumpTests {
  @Test(arguments: Libraries.sound)
  func readsWhatTheAppReads(_ name: String) throws {
    let tables = try #require(try Libraries.dump(name)["tables"] as? [String: [[String: Any]]])
    let records = try Run.records(Libraries.path(name))
    var compared = 0
    for (table, rows) in tables {
      let mine = records.filter { Self.belongs($0, table) }
      #expect(mine.count == rows.count, "\(table)")
      for row in rows {
        let id = "\(row["id"] ?? "")"
        let record = try #require(mine.first { ($0["id"]?.string ?? $0["id"]?.text) == id }, "\(table)/\(id)")
        for (column, expected) in row where !Self.ownToTheDump.contains(column) {
          let path = try #require(Self.member(column, table), "\(table).\(column)")
          let found = record.at(path)
          #expect(
            Self.same(found, expected, column), "\(table)/\(id)/\(column): \(found?.text ?? "nothing") for \(expected)")
          compared += 1
        }
      }
    }
    #expect(compared > 50)
  }

  private static let ownToTheDump: Set<String> = [
    "roundtripEqual", "itemCount", "sectionCount", "checkedCount", "decoded", "state", "progressPercentage_column",
  ]

  private static func belongs(_ record: JSONValue, _ table: String) -> Bool {
    let type = record["content_type"]?.string
    let hasBody = record["content_data"].map { !$0.isNull } ?? false
    return switch table {
    case "charters": record["kind"]?.string == "charter"
    case "library_content": record["kind"]?.string == "item"
    case "checklists": type == "checklist" && hasBody
    case "practice_guides": type == "practice_guide" && hasBody
    case "checklistExecutionStates": record["kind"]?.string == "execution"
    default: record["kind"]?.string == "sync_operation"
    }
  }

  /// Returns the record member for a column of the app.
  private static func member(_ column: String, _ table: String) -> JSONPointer? {
    if table == "checklists" || table == "practice_guides" { return JSONPointer("/content_data/\(column)") }
    if column == "type" { return JSONPointer("/content_type") }
    var snake = ""
    let letters = Array(column)
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0, letters[index - 1].isLowercase { snake += "_" }
      snake += letter.lowercased()
    }
    return JSONPointer("/" + snake)
  }

  private static func same(_ found: JSONValue?, _ expected: Any, _ column: String) -> Bool {
    if expected is NSNull { return found?.isNull ?? true }
    guard let found else { return false }
    switch expected {
    case let text as String:
      if column == "payload" { return ForeignJSON.same(found.text, text) }
      if let string = found.string {
        return string == text || Timestamp.parse(string).map { $0.0 == Timestamp.parse(text)?.0 } ?? false
      }
      return sinceReferenceDate(found, text)
    case let list as [Any]:
      let elements = found.elements
      return elements.count == list.count && zip(elements, list).allSatisfy { same($0, $1, "") }
    case let object as [String: Any]:
      return object.allSatisfy { name, value in
        same(found[name == "isChecked" ? "checked" : name], value, name)
      } && found.members.allSatisfy { object[$0.name == "checked" ? "isChecked" : $0.name] != nil }
    case let number as NSNumber:
      if let bool = found.bool { return bool == number.boolValue }
      return found.double == number.doubleValue
    default: return false
    }
  }

  /// Whether the app's `publishedAt`, a number of seconds since 2001, matches the time in the dump.
  private static func sinceReferenceDate(_ found: JSONValue, _ text: String) -> Bool {
    guard let seconds = found.double, let (date, _) = Timestamp.parse(text) else { return false }
    return abs(Double(date.milliseconds) / 1000 - 978_307_200 - seconds) < 0.0011
  }
}
