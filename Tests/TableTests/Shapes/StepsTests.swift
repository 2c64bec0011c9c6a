import Content
import Diagnostics
import Interchange
import JSONText
import TableShapes
import Testing

@Suite struct StepsTests {
  @Test func rowsBecomeChecklists() throws {
    let read = try ReadTables(
      """
      checklist | section | item | required | minutes | tags | details
      Casting off | Deck | Check the lines | yes | 5 | deck, lines | Bow first
      | | Start the engine | | | |
      | Below | Close hatches | да | 1:30 | |
      Arrival | Deck | Fenders out | no | 5 min | |
      """)
    #expect(
      try read.outline == [
        "Casting off: Deck[Check the lines, Start the engine] Below[Close hatches]", "Arrival: Deck[Fenders out]",
      ])
    #expect(read.batches.flatMap(\.slots).map(\.rows) == [3, 1])
    let step = try #require(read.records.first).document().root["content_data"]?["sections"]?[0]?["items"]?[0]
    #expect(step?["itemDescription"]?.string == "Bow first")
    #expect(step?["isRequired"]?.bool == true)
    #expect(step?["estimatedMinutes"]?.integer == 5)
    #expect(step?["tags"]?.elements.compactMap(\.string) == ["deck", "lines"])
  }

  @Test func linesAreCanonical() throws {
    let read = try ReadTables(
      """
      checklist | section | item | type | language | created | tags
      A "quoted" | Палуба | Шаг | daily | ru | 2026-01-05 10:11:12 | a; b, c
      """)
    for record in read.records {
      try record.withLine { line in
        var tape = JSONTape(capacity: 256)
        let parse = try tape.parse(line.span)
        let base = try #require(line.baseAddress)
        let node = JSONNode(text: base, tokens: tape.tokens, index: parse.root)
        #expect(CanonicalCheck.isCanonical(node, kind: .item, traits: parse.traits), "\(record.json)")
      }
    }
    let root = try #require(read.records.first).document().root
    #expect(root["content_data"]?["checklistType"]?.string == "daily")
    #expect(root["created_at"]?.string == "2026-01-05T10:11:12.000Z")
    #expect(
      root["content_data"]?["sections"]?[0]?["items"]?[0]?["tags"]?.elements.compactMap(\.string) == ["a", "b, c"])
  }

  @Test func rowsOfOneChecklistMayStandAnywhere() throws {
    let sorted = """
      checklist | section | item
      A | S | 1
      A | T | 2
      A | S | 3
      B | S | 1
      B | S | 2\\nlines
      """
    let scattered = """
      checklist | section | item
      A | S | 1
      B | S | 1
      A | T | 2
      B | S | 2\\nlines
      A | S | 3
      """
    let one = try ReadTables(sorted)
    let two = try ReadTables(scattered)
    #expect(one.lines == two.lines)
    #expect(try one.outline == ["A: S[1, 3] T[2]", "B: S[1, 2\nlines]"])
  }

  @Test func badRowsAreRejectedAlone() throws {
    let read = try ReadTables(
      """
      checklist | item | required | minutes | details
      A | One | yes | 5 |
      A | Two | perhaps | 5 |
      A | Three | yes | soon |
      A | | yes | |
      A | Four | yes | |
      B | Five | yes | |
      C | Six | maybe | |
      """)
    #expect(try read.outline == ["A: A[One, Four]", "B: B[Five]"])
    #expect(read.batches.flatMap(\.slots).map(\.isPartial) == [true, false])
    #expect(read.rejected.map { String(decoding: $0.bytes, as: UTF8.self) }.count == 4)
    #expect(read.rejected.allSatisfy { $0.isPart && $0.rows == 1 && $0.table != nil })
    #expect(
      read.context.findings.kept.map { "\($0.place) \($0.code.name)" } == [
        "steps.csv:3:201 cell-value", "steps.csv:4:301 cell-value", "steps.csv:5:101 row-without-title",
        "steps.csv:8:201 cell-value",
      ])
    let one = try #require(read.records.first).document().root["content_data"]?["sections"]?[0]?["items"]?[0]
    let id = try #require(one?["id"]?.string)
    #expect(read.rejected.map(\.after) == [.behind(id), .behind(id), .behind(id), .first])
  }

  @Test func rowsKnowTheirPlaces() throws {
    let read = try ReadTables(
      """
      checklist | section | item | tags | details
      A | S | One | x, y | Text
      A | S | Two | z |
      """)
    let record = try #require(read.records.first)
    func place(_ pointer: String, _ part: ValuePart = .value) throws -> String {
      record.locate(try #require(JSONPointer(pointer)), part: part).place.description
    }
    #expect(try place("/title") == "steps.csv:2:1")
    #expect(try place("/content_data/sections/0/title") == "steps.csv:2:101")
    #expect(try place("/content_data/sections/0/items/1/title") == "steps.csv:3:201")
    #expect(try place("/content_data/sections/0/items/0/tags/1") == "steps.csv:2:304")
    #expect(try place("/content_data/sections/0/items/0/itemDescription", .text(2..<3)) == "steps.csv:2:403")
  }
}
