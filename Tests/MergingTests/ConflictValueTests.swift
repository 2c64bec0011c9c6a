import Foundation
import Merging
import TestSupport
import Testing

/// Conflict values as people read them: with the titles of sections and steps, and without overlong lines.
@Suite struct ConflictValueTests {
  private static let section =
    #"{"id":"A","title":"Engine","isExpandedByDefault":true,"items":["#
    + #"{"id":"B","title":"Oil","itemDescription":"Between the marks"},{"id":"C","title":"Coolant"}]}"#

  private func text(_ base: String?, _ ours: String?, _ theirs: String?) -> [String] {
    ConflictRenderer.lines(MergeConflict(pointer: "/x", label: "x", base: base, ours: ours, theirs: theirs))
  }

  /// Returns the displayed lines, except those that name the sides.
  private func lines(_ base: String?, _ ours: String?, _ theirs: String?) -> [String] {
    text(base, ours, theirs).filter { !$0.hasPrefix("--- ") && !$0.hasPrefix("+++ ") && !$0.hasPrefix("@@ ") }
  }

  /// Compares the whole output with `Tests/Golden`.
  @Test func goldenTextOfConflicts() throws {
    let edited = Self.section.replacing("Coolant", with: "Coolant level")
    let deleted = text(Self.section, nil, edited)
    let unchanged = text("\"a\"", "\"b\"", "\"a\"")
    try Golden.compare((deleted + [""] + unchanged).joined(separator: "\n") + "\n", with: "conflicts.txt")
  }

  @Test func aDeletedSectionListsItsSteps() {
    let edited = Self.section.replacing("Coolant", with: "Coolant level")
    #expect(
      lines(Self.section, nil, edited) == [
        "-id: \"A\"", "-title: \"Engine\"", "-isExpandedByDefault: true", "-items:",
        "-  - step \"Oil\"", "-    itemDescription: \"Between the marks\"", "-  - step \"Coolant\"",
        "   - step \"Oil\"", "     itemDescription: \"Between the marks\"",
        "-  - step \"Coolant\"", "+  - step \"Coolant level\"",
      ])
  }

  @Test func wholeListsAndRecordsAreListed() {
    let cards = #"[{"id":"A","front":"Port\#u{1B}","back":"Left"},"text",7]"#.replacing("\u{1B}", with: "\\u001b")
    let shown = lines(nil, cards, #"{"content_data":{"sections":[\#(Self.section)]},"tags":["a","b"]}"#)
    #expect(shown.contains("-  back: \"Left\"") && shown.contains("-text") && shown.contains("-7"))
    #expect(shown.contains { $0.hasPrefix("-- card \"Port") } && !shown.joined().utf8.contains(0x1B))
    #expect(shown.contains("+content_data:") && shown.contains("+  sections:"))
    #expect(shown.contains("+    - section \"Engine\"") && shown.contains("+        - step \"Oil\""))
    #expect(shown.contains("+tags: [\"a\",\"b\"]"))
  }

  @Test func longValuesAreCutAndStillCompared() {
    let long = String(repeating: "é", count: 5_000)
    let shown = lines("\"\(long)a\"", "\"\(long)b\"", "\"\(long)a\"")
    let cut = String(repeating: "é", count: 1_000) + "…"
    #expect(
      shown.prefix(2).map { $0.prefix(1_002) } == ["-" + cut, "+" + cut] && shown[0].numbers == [5001]
        && shown.count == 3, "the source's is as it was")
    #expect(lines(nil, "\"\(String(repeating: "é", count: 1_000))\"", nil).last?.unicodeScalars.count == 1_001)
  }

  @Test func deepValuesEnd() {
    let deep = String(repeating: "{\"a\":", count: 60) + "1" + String(repeating: "}", count: 60)
    #expect(lines(nil, deep, "[]").count < 12)
    let lists = String(repeating: "{\"title\":\"a\",\"items\":[", count: 30) + String(repeating: "]}", count: 30)
    #expect(lines(nil, lists, "{}").count < 20)
  }
}
