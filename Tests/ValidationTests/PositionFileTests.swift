import TestSupport
import Testing

/// Exact places in JSON and JSON Lines, whatever precedes them in the file or on the line.
@Suite struct PositionFileTests {
  @Test func oneRecord() throws {
    try MarkedRun.expect(
      """
      {
        "content_type": "checklist", "title": ⟪null⟫,
      \t"tags": ["парус", ⟪{"a": [1, 2]}⟫, "⛵️", ⟪7⟫],
        "content_data": {"sections": [{"title": "e\u{301}", "items": [
          {"title": "👩‍✈️ на борту", "isRequired": ⟪"yes"⟫, "estimatedMinutes": ⟪1.5⟫}]}]}
      }
      """,
      [
        "SCH0101 /title", "SCH0101 /tags/1", "SCH0101 /tags/3",
        "SCH0101 /content_data/sections/0/items/0/isRequired",
        "SCH0101 /content_data/sections/0/items/0/estimatedMinutes",
      ])
  }

  @Test func recordsOfAnArray() throws {
    try MarkedRun.expect(
      """
      [{"kind": "charter", "name": "One"}, {"content_type": "checklist", "title": ⟪1⟫},
       {"title": "Three", "content_type": ⟪"recipe"⟫}, ⟪{"content_type": "checklist"}⟫]
      """, ["SCH0101 /title", "SCH0102 /content_type", "SCH0401 "])
  }

  @Test func recordsOfLists() throws {
    try MarkedRun.expect(
      """
      {"charters": [
          {"kind": "charter", "name": "Saronic", "start_date": ⟪"2026-13-06"⟫, "end_date": "2026-06-13"}],
       "executions": [{"checklist_id": ⟪⟫"a", "charter_id": ⟪⟫"b", "item_states": {
          "9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10": {"checked": ⟪"ж"⟫}}}],
       "items": [{"content_type": "deck", "title": "Lights", "content_data": {"cards": [
          {"front": "A", "back": "B"}, {"front": "C", "back": ⟪[]⟫, "review": {"easeFactor": ⟪"2"⟫}}]}}]}
      """,
      [
        "SCH0302 /start_date", "BND0109 /checklist_id", "BND0109 /charter_id",
        "SCH0101 /item_states/9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10/checked",
        "SCH0101 /content_data/cards/1/back", "SCH0101 /content_data/cards/1/review/easeFactor",
      ])
  }

  /// Tests every line ending, with and without a byte order mark, and with blank lines in between.
  @Test(arguments: ["\n", "\r\n"], [false, true])
  func linesOfABundle(_ end: String, _ bom: Bool) throws {
    let lines = [
      "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}", "",
      "{\"content_type\":\"practice_guide\",\"title\":\"Туман 🌫\",\"content_data\":{\"markdown\":⟪{}⟫}}", "  ", "",
      "  {\"content_type\":\"practice_guide\",\"title\":⟪7⟫,\"tags\":[\"\\u0441\",⟪1⟫]}",
      "{\"content_type\":\"practice_guide\",\"title\":\"\\ud83d\\ude00\\n\\u0441\",\"language\":⟪false⟫}", "",
    ]
    try MarkedRun.expect(
      lines.joined(separator: end),
      ["SCH0101 /content_data/markdown", "SCH0101 /title", "SCH0101 /tags/1", "SCH0101 /language"],
      name: "content.jsonl", bom: bom)
  }

  /// A record on the first line of the file, after a byte order mark.
  @Test(arguments: ["content.json", "content.jsonl"])
  func theFirstLine(_ name: String) throws {
    let text = "{\"content_type\":\"checklist\",\"title\":⟪7⟫}"
    try MarkedRun.expect(text, ["SCH0101 /title"], name: name, bom: true)
    try MarkedRun.expect(text + "\r\n", ["SCH0101 /title"], name: name, bom: false)
  }

  /// An escaped line ending in a string counts as two characters in the line of the file.
  @Test func escapesBeforeThePlace() throws {
    try MarkedRun.expect(
      #"""
      {"content_type": "practice_guide", "title": "\u0422\u0443\u043cан", "description": "\ud83d\ude00\n\t\"q\" ⛵",
       "content_data": {"markdown": "# \u0422\n\nOne\r\ntwo \ud83d\ude00 [sea](⟪http://ab.example.org/x⟫)\n\nend"}}
      """#, ["LNT0307 /content_data/markdown"])
    try MarkedRun.expect(
      #"""
      {"content_type": "practice_guide", "title": "\u0422\u0443\u043cан",
       "content_data": {"markdown": "# \u0422\n\nOne\r\ntwo \ud83d\ude00 \"x\"\n\nend"}, "tags": ["\\\\", ⟪0⟫]}
      """#, ["SCH0101 /tags/1"])
  }

  @Test func insideTexts() throws {
    try MarkedRun.expect(
      #"""
      {"content_type": "practice_guide", "title": "Fog ⟪\u202e⟫signals", "description": "Sound e\u0301⟪\u200b⟫ the horn",
       "content_data": {"markdown": "a ⟪‮⟫ b\n\u202E c \"‮"}}
      """#,
      [
        "LNT0408 /title", "LNT0409 /description", "LNT0408 /content_data/markdown",
      ], ignoring: ["LNT0410"])
  }

  /// Three spellings of the same name and value: places refer to the file, never to the canonical form.
  @Test func spellingsOfOneRecord() throws {
    for title in ["Лодка", "\\u041bо\\u0434ка", "\\u041B\\u043e\\u0434\\u043a\\u0430"] {
      try MarkedRun.expect(
        "{\"title\":\"\(title)\" , \"\\u0074ags\":[\"a\", ⟪3⟫], \"content_type\" :\n\"checklist\"}", ["SCH0101 /tags/1"]
      )
    }
  }
}
