import Content
import Diagnostics
import Interchange
import JSONText
import TableShapes
import TestSupport
import Testing

@Suite struct TableWritingTests {
  private static let checklist = """
    {"kind":"item","id":"98A0B7C6-0000-4000-8000-000000000001","content_type":"checklist","title":"Casting off",\
    "created_at":"2026-01-05T10:11:12.345Z","content_data":{"checklistType":"daily","sections":[\
    {"id":"98A0B7C6-0000-4000-8000-000000000002","title":"Deck","icon":"anchor","items":[\
    {"id":"98A0B7C6-0000-4000-8000-000000000003","title":"Lines, all","isRequired":true,"tags":["a, b","c"],"estimatedMinutes":5,"itemDescription":"=1+1\\nx"},\
    {"id":"98A0B7C6-0000-4000-8000-000000000004","title":" spaced ","tags":["d"]}]},\
    {"id":"98A0B7C6-0000-4000-8000-000000000005","title":"","items":[]}]}}
    """

  @Test func checklistsBecomeRowsAndComeBack() throws {
    let line = try canonicalLine(Self.checklist.replacing("\"icon\":\"anchor\",", with: ""))
    let written = try WrittenTables([line])
    #expect(written.losses.isEmpty)
    #expect(written.sink.tables.map(\.name) == ["Steps"])
    let read = try ReadTables(written.sink.tables[0].rows)
    #expect(read.lines == [line])
    #expect(read.codes.isEmpty)
  }

  @Test func whatDescribesAListComesBackOnEveryRow() throws {
    let described = try canonicalLine(
      Self.checklist.replacing("\"icon\":\"anchor\",", with: "")
        .replacing(
          "\"created_at\"", with: "\"description\":\" Before\\nleaving\",\"tags\":[\"harbour\",\"a, b\"],\"created_at\""
        ))
    let plain = try canonicalLine(
      """
      {"kind":"item","id":"98A0B7C6-0000-4000-8000-00000000000E","content_type":"checklist","title":"Plain",\
      "content_data":{"sections":[]}}
      """)
    let deck = try canonicalLine(
      """
      {"kind":"item","id":"98A0B7C6-0000-4000-8000-00000000000C","content_type":"flashcard_deck","title":"Cards",\
      "description":"Lights","tags":["night"],"content_data":{"cards":[\
      {"id":"98A0B7C6-0000-4000-8000-00000000000D","front":"Q","back":"A"}]}}
      """)
    let written = try WrittenTables([described, plain, deck], hasSheets: true)
    #expect(written.losses.isEmpty)
    let steps = written.sink.tables[0].rows
    let column = try #require(steps[0].firstIndex(of: "checklist_description"))
    #expect(steps.dropFirst().map { $0[column] } == Array(repeating: " Before\nleaving", count: 3) + [""])
    #expect(try ReadTables(steps).lines == [described, plain])
    #expect(try ReadTables(written.sink.tables[1].rows).lines == [deck])
    // Tables of lists without a description do not get the column.
    #expect(try WrittenTables([plain]).sink.tables[0].rows[0].contains { $0.hasPrefix("checklist_d") } == false)
  }

  @Test func whatNoColumnHoldsIsLost() throws {
    let line = try canonicalLine(Self.checklist)
    let written = try WrittenTables([line, #"{"kind":"charter","id":"98A0B7C6-0000-4000-8000-000000000009"}"#])
    #expect(
      written.losses == [
        "": .skipped(.notInTable("charters")),
        "/content_data/sections/0/icon": .noTableColumn(shape: "steps", member: "icon", noun: "a section"),
      ])
    #expect(written.tally[.charter].skipped.values.reduce(0, +) == 1)
  }

  @Test func mixedItemsBecomeACatalogueAndComeBack() throws {
    let guide = try canonicalLine(
      """
      {"kind":"item","id":"98A0B7C6-0000-4000-8000-00000000000A","content_type":"practice_guide","title":"Anchors",\
      "description":"How","tags":["x"],"language":"ru","content_data":{"markdown":"# Anchors\\n\\nSand.  "}}
      """)
    let odd = try canonicalLine(
      """
      {"kind":"item","id":"98A0B7C6-0000-4000-8000-00000000000B","content_type":"practice_guide","title":"Braces",\
      "content_data":{"markdown":"{not json"}}
      """)
    let deck = try canonicalLine(
      """
      {"kind":"item","id":"98A0B7C6-0000-4000-8000-00000000000C","content_type":"flashcard_deck","title":"Cards",\
      "content_data":{"cards":[{"id":"98A0B7C6-0000-4000-8000-00000000000D","front":"Q","back":"A","review":{"lapses":1}}]}}
      """)
    let checklist = try canonicalLine(Self.checklist)
    let written = try WrittenTables([guide, odd, deck, checklist])
    #expect(written.losses.isEmpty)
    let read = try ReadTables(
      [(nil, written.sink.tables[0].rows)], path: "all.csv", markdown: notes, { _ in })
    #expect(read.lines == [guide, odd, deck, checklist])
    let book = try WrittenTables([guide, odd, deck, checklist], hasSheets: true)
    #expect(book.sink.tables.map(\.name) == ["Steps", "Cards", "Catalogue"])
  }

  @Test func templatesAreRead() throws {
    for shape in TableShape.allCases {
      let read = try ReadTables(
        [(nil, TableTemplate.rows(shape))], path: "new.csv", markdown: notes, { _ in })
      #expect(read.rejected.isEmpty)
      #expect(!read.records.isEmpty)
      #expect(!read.codes.contains { $0 == "columns-read" || $0 == "unread-column" })
    }
  }

  @Test func randomChecklistsComeBackInAnyOrderOfRows() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<60 {
      let lines = try (0..<random.below(4) + 1).map { number in try canonicalLine(Self.random(number, &random)) }
      let written = try WrittenTables(lines)
      #expect(written.losses.isEmpty, "\(written.losses)")
      let rows = written.sink.tables[0].rows
      let read = try ReadTables(rows)
      let isSame = read.lines == lines
      try #require(isSame, "\(Self.first(read.lines, lines))")
      #expect(read.rejected.isEmpty)
      // Rows of several checklists are interleaved, but the rows of each checklist keep their order.
      var groups = Dictionary(grouping: rows.dropFirst(), by: { $0[10] }).sorted { $0.key < $1.key }.map {
        $0.value[...]
      }
      var mixed = [rows[0]]
      while !groups.isEmpty {
        let pick = random.below(groups.count)
        mixed.append(groups[pick].removeFirst())
        if groups[pick].isEmpty { groups.remove(at: pick) }
      }
      let shuffled = try ReadTables(mixed)
      let same = shuffled.lines.sorted() == lines.sorted()
      try #require(same, "\(Self.first(shuffled.lines.sorted(), lines.sorted()))")
    }
  }

  /// Returns the first lines that differ.
  private static func first(_ left: [String], _ right: [String]) -> String {
    zip(left, right).first { $0 != $1 }.map { "\($0)\n\($1)" } ?? "\(left.count) and \(right.count) lines"
  }

  private static func random(_ number: Int, _ random: inout SeededRandom) -> String {
    func id(_ random: inout SeededRandom) -> String {
      CanonicalUUID.derived([String(random.next())])
    }
    func text(_ random: inout SeededRandom) -> String {
      (0..<random.below(5) + 1).map { _ in
        random.pick(["a", "\\\"", ",", ";", "й", "и\\u0306", "\\n", "=", "'", "😀", "e\\u0301", "\\t", "|", "x y"])
      }.joined() + "z"
    }
    let sections = (0..<random.below(4)).map { _ in
      let steps = (0..<random.below(4)).map { _ in
        let minutes = random.below(2) == 0 ? ",\"estimatedMinutes\":\(random.below(100))" : ""
        let details = random.below(2) == 0 ? ",\"itemDescription\":\"\(text(&random))\"" : ""
        let tags = (0..<random.below(3)).map { _ in random.pick(["\"a\"", "\"b c\"", "\"d, e\"", "\"ё\""]) }
        return
          "{\"id\":\"\(id(&random))\",\"title\":\"\(text(&random))\",\"isRequired\":\(random.below(2) == 0)\(details)\(minutes),\"tags\":[\(tags.joined(separator: ","))]}"
      }
      return "{\"id\":\"\(id(&random))\",\"title\":\"\(text(&random))\",\"items\":[\(steps.joined(separator: ","))]}"
    }
    return
      "{\"kind\":\"item\",\"id\":\"\(id(&random))\",\"content_type\":\"checklist\",\"title\":\"\(text(&random)) \(number)\",\"content_data\":{\"sections\":[\(sections.joined(separator: ","))]}}"
  }
}
