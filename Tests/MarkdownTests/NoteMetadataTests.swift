import Content
import Testing
import YAMLText

@testable import Markdown

@Suite struct NoteMetadataTests {
  private func read(_ yaml: String) throws -> NoteMetadata { NoteMetadata(try YAMLDocument(parsing: yaml).json) }

  private func value(_ name: String, _ metadata: NoteMetadata) -> String? {
    metadata.member(name).map { String(decoding: $0.json, as: UTF8.self) }
  }

  @Test func theBetterKeyCountsWhateverTheOrder() throws {
    let metadata = try read("date: 2024-01-01\ncreated: 2025-02-03\nlang: ru\nsummary: a\ndescription: b\n")
    #expect(value("created_at", metadata) == "\"2025-02-03T00:00:00.000Z\"")
    #expect(value("language", metadata) == "\"ru\"")
    #expect(value("description", metadata) == "\"b\"")
    // A preferred key without a value does not count.
    #expect(value("description", try read("description:\nsummary: a\n")) == "\"a\"")
  }

  @Test(arguments: [
    ("tags: [a, \"b c\", 7, true, null]", "[\"a\",\"b c\",\"7\",\"true\"]"), ("tags: one two", "[\"one\",\"two\"]"),
    ("tags: one two, three", "[\"one two\",\"three\"]"), ("tags: \"#a #b/c\"", "[\"a\",\"b/c\"]"),
    ("tag: x", "[\"x\"]"),
    ("tags: 2024", "[\"2024\"]"), ("tags: []", "[]"),
  ])
  func tagsAreListsOrTexts(_ yaml: String, _ json: String) throws {
    #expect(value("tags", try read(yaml)) == json)
  }

  @Test(arguments: [
    ("type: checklist", ContentType.checklist), ("type: Check-List", nil), ("type: чек-лист", .checklist),
    ("type: guide\ncontent_type: deck", .flashcardDeck), ("type: flashcards", .flashcardDeck), ("type: log", nil),
    ("content_type: practice_guide", .practiceGuide), ("type: Practice Guide", .practiceGuide),
  ])
  func wordsDecideTheType(_ yaml: String, _ type: ContentType?) throws {
    #expect(try read(yaml).type == type)
  }

  @Test func looseDatesAndWrongValuesAreReportedAndLeftOut() throws {
    let metadata = try read(
      "created: November 16\nupdated: [1]\npinned_order: high\nis_pinned: maybe\ntitle: [a]\ndocument: text\n")
    #expect(metadata.members.isEmpty)
    #expect(metadata.title == nil)
    #expect(
      metadata.problems.map(\.code.id) == ["MKD0103", "MKD0102", "MKD0102", "MKD0102", "MKD0102", "MKD0102"])
  }

  @Test func aTimeThatNobodyKnowsIsSaid() throws {
    #expect(value("created_at", try read("created: null\n")) == "null")
    #expect(try read("title: null\n").title == nil)
  }

  @Test func whatHasAKeyOfItsOwnIsSaidThereAlone() throws {
    let metadata = try read(
      "members: {title: no, boat: Bavaria}\ndocument: {markdown: no, sections: [], syncStatus: synced}\n")
    #expect(metadata.members.map(\.name) == ["boat"])
    #expect(metadata.document.map(\.name) == ["syncStatus"])
    #expect(metadata.problems.count == 3)
  }
}
