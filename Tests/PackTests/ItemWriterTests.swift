import Content
import FleetKit
import Foundation
import Interchange
import JSONText
import Markdown
import TestSupport
import Testing

@testable import JSONBundle

/// A single item that is written to a file is read back as the same record.
@Suite struct ItemWriterTests {
  private static let sources = [
    Paths.root + "/samples/curated-checklists.jsonl", Paths.root + "/samples/crew-handbook.json",
    Paths.root + "/samples/phase1-library.sqlite", Paths.root + "/samples/vault",
  ]

  private static func records(_ source: String, _ context: RunContext) throws -> [Record] {
    var records: [Record] = []
    try RecordScan(sources: SourceList([source])).run(context: context) { if $0.kind == .item { records.append($0) } }
    return records
  }

  private static var context: RunContext { RunContext(now: Timestamp(milliseconds: 0)) }

  @Test(arguments: sources)
  func anItemAsJSONIsReadAsTheSameLine(_ source: String) throws {
    let scratch = Scratch()
    let writer = JSONBundleFormat(.document).itemWriter()
    for (number, record) in try Self.records(source, Self.context).enumerated() {
      let text = try #require(writer.text(of: record, at: "x.json"))
      #expect(text.last == 0x0A)
      let file = try scratch.write("\(number).json", String(decoding: text, as: UTF8.self))
      #expect(try Self.records(file, Self.context).map(\.json) == [record.json])
    }
  }

  @Test(arguments: sources)
  func anItemAsANoteIsReadAsTheSameLine(_ source: String) throws {
    let scratch = Scratch()
    let writer = MarkdownFormat(bundle: JSONBundleFormat(.lines)).itemWriter()
    var written = 0
    for (number, record) in try Self.records(source, Self.context).enumerated() {
      guard let text = writer.text(of: record, at: "guides/x.md") else { continue }
      written += 1
      let file = try scratch.write("\(number).md", String(decoding: text, as: UTF8.self))
      let read = try #require(try Self.records(file, Self.context).first)
      // When a note is in its own folder, the path is not part of the note.
      #expect(try JSONDocument(parsing: read.json).root.with("extras", from: record) == record.json)
    }
    // Notes in a vault keep their notation, which no other note can represent.
    #expect(written > 0 || source.hasSuffix("vault"))
  }

  @Test func whatANoteCannotSayIsNotWritten() throws {
    let scratch = Scratch()
    let bundle = try scratch.write(
      "a.jsonl",
      """
      {"kind":"item","content_type":"practice_guide","title":"a\\u0000b","content_data":{"markdown":"x"}}
      {"kind":"item","content_type":"practice_guide","title":"fine","content_data":{"markdown":"x"},"extras":{"markdown":{"path":"a.md"}}}
      """)
    let writer = MarkdownFormat(bundle: JSONBundleFormat(.lines)).itemWriter()
    for record in try Self.records(bundle, Self.context) {
      let text = writer.text(of: record, at: "guides/x.md")
      if record.title == "fine" { #expect(text == nil) }
      guard let text else { continue }
      let file = try scratch.write("x.md", String(decoding: text, as: UTF8.self))
      #expect(try Self.records(file, Self.context).first?.title == record.title)
    }
  }

  @Test func valuesStayAsTheyAreWritten() {
    let line = #"{"a":1.50,"b":[1,"x]\"[",null],"c":[],"d":{},"e":[{"f":[[]]}],"g":"{\\"}"#
    let text = String(decoding: IndentedJSON.text(line.utf8.span), as: UTF8.self)
    #expect(
      text == """
        {
          "a": 1.50,
          "b": [1, "x]\\"[", null],
          "c": [],
          "d": {},
          "e": [
            {
              "f": [
                []
              ]
            }
          ],
          "g": "{\\\\"
        }

        """)
  }

  @Test func deepNestingStaysSmall() throws {
    let line = String(repeating: "[1,", count: 500) + "1" + String(repeating: "]", count: 500)
    let text = IndentedJSON.text(line.utf8.span)
    #expect(text.count < 4 * line.utf8.count)
    #expect(try JSONDocument(parsing: text).root.means(JSONDocument(parsing: line).root))
  }
}

extension JSONValue {
  /// Returns the object as a line in which one member comes from another record.
  fileprivate func with(_ name: String, from record: Record) throws -> String {
    let other = try record.document().root[name]
    let members = members.filter { $0.name != name }.map { "\"\($0.name)\":\($0.value.text)" }
    return "{" + (members + [other.map { "\"\(name)\":\($0.text)" }].compactMap(\.self)).joined(separator: ",") + "}"
  }
}
