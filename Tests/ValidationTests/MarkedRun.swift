import FleetKit
import Foundation
import Reports
import TestSupport
import Testing

/// Validates marked texts and compares the findings with the marks. A finding is written with its code, pointer and
/// place, such as `SCH0101 /title 2:10–15`.
enum MarkedRun {
  /// Returns a finding's code, pointer and place.
  static func shape(_ finding: Diagnostic) -> String {
    let place = finding.place
    let end = place.endColumn.map { "–\($0)" } ?? ""
    let spot = place.line.map { "\($0):\(place.column ?? 0)\(end)" } ?? "nowhere"
    return "\(finding.code.id) \(place.pointer) \(spot)"
  }

  /// Returns the expected findings at the marks of a text, in order.
  static func expected(_ text: Marked, _ findings: [String]) -> [String] {
    zip(findings, text.spots).map { "\($0) \($1.endColumn == $1.column ? "\($1.line):\($1.column)" : $1.description)" }
  }

  /// Validates a marked file. Every finding must be at a mark, except for hints (no header, no content, accents as
  /// separate code points), and every mark must have its finding.
  static func expect(
    _ marked: String, _ findings: [String], name: String = "content.json", bom: Bool = false,
    ignoring: Set<String> = ["BND0108", "LNT0218", "LNT0410"], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = Marked(marked)
    let scratch = Scratch()
    let path = try scratch.write(name, (bom ? "\u{FEFF}" : "") + text.text)
    let found = try Collecting.findings([path]).filter { !ignoring.contains($0.code.id) }
    #expect(text.spots.count == findings.count, sourceLocation: sourceLocation)
    #expect(
      found.map(shape) == expected(text, findings), "\(found.map(\.message))", sourceLocation: sourceLocation)
  }

  /// Validates one cell of a library and compares the findings that were not there before.
  static func expect(
    cell column: String, of table: String, in fixture: String = "library-v2.2.0.sqlite", _ marked: String,
    _ findings: [String], rows: String = "id = (SELECT min(id) FROM \"$\")",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = Marked(marked)
    let scratch = Scratch()
    let library = try scratch.writable(fixture)
    let before = Set(try Collecting.findings([library]).map { shape($0) + "\($0.place)" })
    let hex = text.text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let rows = rows.replacing("$", with: table)
    let row = try SQLiteShell.run(library, "SELECT id FROM \"\(table)\" WHERE \(rows)").split(separator: "\n")
    try #require(row.count == 1, sourceLocation: sourceLocation)
    _ = try SQLiteShell.run(
      library, "UPDATE \"\(table)\" SET \"\(column)\" = CAST(X'\(hex)' AS TEXT) WHERE \(rows)")
    let found = try Collecting.findings([library]).filter {
      $0.place.row == Place.Row(table: table, id: String(row[0]), column: column)
        && !before.contains(shape($0) + "\($0.place)")
    }
    #expect(
      found.map(shape).sorted() == expected(text, findings).sorted(), "\(found.map(\.message))",
      sourceLocation: sourceLocation)
    // The excerpt contains the line that the place names.
    let lines = text.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for finding in found {
      guard let line = finding.place.line, let excerpt = finding.excerpt else { continue }
      #expect(lines.indices.contains(line - 1), sourceLocation: sourceLocation)
      #expect(excerpt == lines[line - 1], sourceLocation: sourceLocation)
    }
  }
}
