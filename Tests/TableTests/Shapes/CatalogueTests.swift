import Content
import Interchange
import JSONText
import TableShapes
import Testing

@Suite struct CatalogueTests {
  @Test func documentsOfAnySortAreRead() throws {
    let read = try ReadTables(
      [
        (
          nil,
          [
            ["title", "type", "document", "tags", "language"],
            ["Anchoring", "guide", "# Anchoring\n\nSand.", "a, b", "en"],
            ["Man overboard", "чек-лист", "## First\n- [ ] Shout\n- [ ] Point", "", ""],
            ["Cards", "deck", "{\"cards\":[{\"front\":\"Q\",\"back\":\"A\"}]}", "", ""],
            ["Broken", "guide", "{\"markdown\": }", "", ""],
            ["What", "poem", "text", "", ""],
          ]
        )
      ], path: "all.csv", markdown: notes, { _ in })
    let types = try read.records.map { try $0.document().root["content_type"]?.string ?? "" }
    #expect(types == ["practice_guide", "checklist", "flashcard_deck"])
    #expect(read.rejected.count == 2)
    #expect(read.rejected.allSatisfy { !$0.isPart && $0.rows == 1 })
    let outline = try read.outline
    #expect(outline[1] == "Man overboard: First[Shout, Point]")
    let record = read.records[1]
    let place = record.locate(
      try #require(JSONPointer("/content_data/sections/0/items/1/title")), part: .value
    ).place
    #expect(place.description == "all.csv:3:\(201 + "## First\n- [ ] Shout\n- [ ] ".utf8.count)")
    let card = read.records[2].locate(try #require(JSONPointer("/content_data/cards/0/back")), part: .value).place
    #expect(card.description == "all.csv:4:\(201 + "{\"cards\":[{\"front\":\"Q\",\"back\":".utf8.count)")
    let again = try ReadTables(
      [(nil, [["title", "document"], ["Anchoring", "Text"], ["Anchoring", "Other"]])], path: "all.csv",
      markdown: notes, { _ in })
    #expect(Set(again.records.map(\.id)).count == 2)
    #expect(again.records.first?.id == read.records.first?.id)
  }
}
