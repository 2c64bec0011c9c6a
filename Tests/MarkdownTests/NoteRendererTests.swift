import Content
import Foundation
import JSONText
import TestSupport
import Testing
import YAMLText

@testable import Markdown

@Suite struct NoteTextTests {
  static func record(_ json: String) throws -> NoteRecord {
    let record = NoteRecord(json.utf8.span)
    return try #require(record)
  }

  private func text(
    _ json: String, check: any NoteCheck = VaultCheck(vault: nil), at path: String = "guides/x.md"
  ) throws -> String? {
    NoteRenderer(check: check).text(of: try Self.record(json), at: path).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func aGuideStandsByteForByteBehindItsFrontMatter() throws {
    let note = try text(Notes.guide(body: "# Head\\r\\n\\n---\\nend without line end"))
    #expect(
      note == """
        ---
        created: 2026-01-05T10:11:12.345Z
        description: "Ropes: how to"
        id: 0A000000-0000-4000-8000-000000000001
        language: en
        tags: [rope work, "a,b"]
        title: Splicing
        type: guide
        updated: null
        ---
        # Head\r\n\n---\nend without line end
        """)
  }

  @Test func everyMemberOfTheEnvelopeHasAKey() {
    let members = MetadataKeys.all.filter { $0.home == .envelope }.map(\.member)
    let known = Shapes.item.members.map(\.nameText).filter { !["kind", "content_data"].contains($0) }
    #expect(members.sorted() == known.sorted())
  }

  @Test func defaultsAreThoseOfTheShape() {
    for member in Shapes.item.members where member.absent == .literal {
      guard let key = MetadataKeys.all.first(where: { $0.home == .envelope && $0.member == member.nameText }),
        key.writing == .unlessStandard
      else { continue }
      #expect(key.standard == String(decoding: member.literal, as: UTF8.self), "\(key.name)")
    }
  }

  @Test func noKeyHasTwoMeanings() {
    let spellings = MetadataKeys.all.flatMap(\.read)
    #expect(Set(spellings).count == spellings.count)
    for key in MetadataKeys.all { #expect(MetadataKeys.key(spelled: key.name)?.name == key.name) }
    for type in ContentType.allCases { #expect(MetadataKeys.contentType(MetadataKeys.word(for: type)) == type) }
  }

  @Test func whatTheDocumentSaysOtherwiseStandsUnderDocument() throws {
    let record = try Self.record(
      Notes.guide(body: "x").replacing("\"creatorID\":null", with: "\"creatorID\":\"me\",\"mood\":{\"a\":[1,2]}")
        .replacing(
          "\"id\":\"0A000000-0000-4000-8000-000000000001\",\"title\":\"Splicing\",\"description\"",
          with: "\"id\":\"0A000000-0000-4000-8000-000000000001\",\"title\":\"Other\",\"description\""))
    let note = NoteRenderer(check: VaultCheck(vault: nil)).rendered(record).map { String(decoding: $0, as: UTF8.self) }
    #expect(
      note?.contains("\ndocument: {title: Other, creatorID: me, mood: {a: [1, 2]}}\n") == true)
  }

  @Test func originalNotesKeepWhatDidNotChange() throws {
    let original = "# mine\\r\\ntitle: Old   # a comment\\r\\ncustom: [x]\\r\\n"
    let json = Notes.guide(
      body: "text", extras: "{\"markdown\":{\"path\":\"Notes/Mine.md\",\"front_matter\":\"\(original)\",\"bom\":true}}")
    let note = try #require(try text(json, at: "Notes/Mine.md"))
    #expect(note.hasPrefix("\u{FEFF}---\r\n# mine\r\n"))
    #expect(note.contains("custom: [x]\r\n") && note.contains("title: Splicing") && !note.contains("Old"))
    #expect(note.hasSuffix("---\r\ntext") && !note.contains("markdown:"))
    // The written note becomes the original of the next record and is restored byte for byte.
    let frontMatter = try #require(note.components(separatedBy: "---\r\n").dropFirst().first)
    var quoted = ByteBuffer()
    quoted.appendJSONString(String(frontMatter))
    let again = Notes.guide(
      body: "text",
      extras: "{\"markdown\":{\"front_matter\":\(String(decoding: quoted.bytes, as: UTF8.self)),\"bom\":true}}")
    #expect(try text(again) == note)
  }

  @Test func whatTheReaderTakesForSomethingElseIsNotANote() throws {
    struct Deaf: NoteCheck {
      func line(of text: [UInt8], at path: String, _ supplement: NoteSupplement?) -> [UInt8]? { nil }
    }
    struct Liar: NoteCheck {
      func line(of text: [UInt8], at path: String, _ supplement: NoteSupplement?) -> [UInt8]? {
        Array(Notes.guide(body: "something else").utf8)
      }
    }
    #expect(try text(Notes.guide(body: "x"), check: Deaf()) == nil)
    #expect(try text(Notes.guide(body: "x"), check: Liar()) == nil)
    #expect(try text(Notes.guide(body: "x")) != nil)
  }

  @Test(arguments: [
    "{\"kind\":\"item\",\"id\":\"A\",\"content_type\":\"poem\",\"title\":\"t\",\"content_data\":{}}",
    "{\"kind\":\"item\",\"id\":\"A\",\"content_type\":\"checklist\",\"title\":\"t\",\"content_data\":null}",
    "{\"kind\":\"charter\",\"id\":\"A\",\"name\":\"t\"}",
  ])
  func recordsThatNoNoteCanSay(_ json: String) {
    #expect(NoteRecord(json.utf8.span) == nil)
  }

  @Test func draftsHaveEverythingThatAStepHas() throws {
    let json = """
      [{"id":"S","title":"Engine","icon":"gear","description":null,"items":[\
      {"id":"I","title":"a\\nb","itemDescription":"","isOptional":false,"isRequired":true,"tags":["t"],\
      "estimatedMinutes":5,"sortOrder":0,"x":{"y":1}},\
      {"id":"J","title":"c","isOptional":true,"isRequired":false,"tags":[],"estimatedMinutes":null,"sortOrder":7}],\
      "isExpandedByDefault":false,"sortOrder":0}]
      """
    let document = try JSONDocument(parsing: json)
    let draft = try #require(document.withNode(document.root.tokenIndex, DraftsFromRecord.checklist))
    let section = try #require(draft.sections.first)
    #expect(section.isCollapsed && section.sortOrder == nil && section.description == nil)
    #expect(section.members?.string == "\"description\":null")
    #expect(section.steps.map(\.title.string) == ["a\nb", "c"])
    #expect(section.steps[0].details?.string == "" && section.steps[0].isRequired && !section.steps[0].isOptional)
    #expect(section.steps[0].minutes?.string == "5" && section.steps[0].members?.string == "\"x\":{\"y\":1}")
    #expect(
      section.steps[1].sortOrder?.string == "7" && section.steps[1].members?.string == "\"estimatedMinutes\":null")
  }

  @Test(arguments: ["[1]", "{}", "[{\"title\":5}]", "[{\"title\":\"a\",\"items\":[{\"title\":\"b\",\"tags\":[1]}]}]"])
  func valuesOfAnotherKindMakeNoDraft(_ json: String) throws {
    let document = try JSONDocument(parsing: json)
    #expect(document.withNode(document.root.tokenIndex, DraftsFromRecord.checklist) == nil)
  }

  @Test func valuesComeBackThroughYAML() throws {
    var random = SeededRandom(seed: 11)
    let pieces = [
      "yes", "No", "null", "~", "1", "1.5", "0x1F", "2026-01-05", "12:30", "Ост", "é", "a: b", "# c", "- d", "'", "\"",
      "\\",
      "\n", "\t", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{7F}", "\u{FFFE}", "🧭", " ", ",", "[", "}", "|", "&x", "*y",
      "!z", "%",
      "\u{0}", "@", "K\u{301}",
    ]
    for _ in 0..<400 {
      let value = (0..<random.below(5)).map { _ in random.pick(pieces) }
        .joined()
      var json = ByteBuffer()
      json.appendJSONString(value)
      var text = ByteBuffer()
      let quoted = Array(json.bytes)
      text.append("title: ")
      MetadataWriter.write(quoted, as: MetadataKeys.title, into: &text)
      text.append("\ntags: ")
      MetadataWriter.write([0x5B] + quoted + [0x2C] + quoted + [0x5D], as: MetadataKeys.tags, into: &text)
      text.append("\nextras: ")
      let object = Array("{\"a\":".utf8) + quoted + Array(",\"b\":[-1.50e+7,true,null,{}]}".utf8)
      MetadataWriter.write(object, as: MetadataKeys.extras, into: &text)
      let read = try YAMLDocument(parsing: String(decoding: text.bytes, as: UTF8.self)).json.root
      func bytes(_ value: JSONValue?) -> [UInt8]? { value?.string.map { Array($0.utf8) } }
      #expect(bytes(read["title"]) == Array(value.utf8))
      #expect(read["tags"]?.elements.map(bytes) == [Array(value.utf8), Array(value.utf8)])
      #expect(NoteRecord.same(read["extras"].map { Array($0.text.utf8) }, object))
    }
  }
}
