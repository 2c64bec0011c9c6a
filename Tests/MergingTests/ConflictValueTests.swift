import Foundation
import Merging
import Testing

/// How a conflict's values look to people: titles of sections and steps, nothing that runs out of the page.
@Suite struct ConflictValueTests {
  private static let section =
    #"{"id":"A","title":"Engine","isExpandedByDefault":true,"items":["#
    + #"{"id":"B","title":"Oil","itemDescription":"Between the marks"},{"id":"C","title":"Coolant"}]}"#

  private func lines(_ base: String?, _ ours: String?, _ theirs: String?) -> [String] {
    ConflictText.lines(MergeConflict(pointer: "/x", label: "x", base: base, ours: ours, theirs: theirs))
  }

  @Test func aDeletedSectionListsItsSteps() {
    let edited = Self.section.replacing("Coolant", with: "Coolant level")
    #expect(
      lines(Self.section, nil, edited) == [
        "--- last import", "+++ library", "-id: \"A\"", "-title: \"Engine\"", "-isExpandedByDefault: true", "-items:",
        "-  - step \"Oil\"", "-    itemDescription: \"Between the marks\"", "-  - step \"Coolant\"", "--- last import",
        "+++ source", "@@ line 5 @@", "   - step \"Oil\"", "     itemDescription: \"Between the marks\"",
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
    let cut = String(repeating: "é", count: 1_000) + "… (5001 characters)"
    #expect(
      shown == ["--- last import", "+++ library", "-" + cut, "+" + cut, "--- last import", "+++ source"]
        + [" (as it was)"])
    #expect(lines(nil, "\"\(String(repeating: "é", count: 1_000))\"", nil).last?.unicodeScalars.count == 1_001)
  }

  @Test func deepValuesEnd() {
    let deep = String(repeating: "{\"a\":", count: 60) + "1" + String(repeating: "}", count: 60)
    #expect(lines(nil, deep, "[]").count < 12)
    let lists = String(repeating: "{\"title\":\"a\",\"items\":[", count: 30) + String(repeating: "]}", count: 30)
    #expect(lines(nil, lists, "{}").count < 20)
  }
}
