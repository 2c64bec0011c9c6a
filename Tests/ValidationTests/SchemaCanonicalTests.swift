import FleetKit
import Foundation
import TestSupport
import Testing

/// Whatever FleetKit has read, it writes records that the schemas in `canonical/` accept.
@Suite(.enabled(if: SchemaJudge.isWanted, Judges.reason)) struct SchemaCanonicalTests {
  /// The samples, every library that can be read (including damaged content), and records as people write them.
  @Test func everyRecordThatIsWrittenIsCanonical() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["written"], withIntermediateDirectories: true)
    _ = try scratch.write("written/records.jsonl", Seeds.written.joined(separator: "\n"))
    for (index, text) in Seeds.documents.enumerated() { _ = try scratch.write("written/\(index).json", text) }
    let sources = Seeds.libraries + [Seeds.samples, scratch["written"]]
    try #require(sources.count > 12)
    var cases: [(schema: String, text: String)] = []
    for (index, source) in sources.enumerated() {
      for ending in ["jsonl", "json"] {
        let context = RunContext(findings: DiagnosticLog(keepPerCode: 10), now: Timestamp(milliseconds: 0))
        _ = try Conversion(sources: SourceList([source]), target: Target(scratch["\(index).\(ending)"]))
          .run(context: context)
      }
      let lines = try scratch.text("\(index).jsonl").split(separator: "\n").dropFirst()
      cases += lines.map { ("canonical/record.schema.json", String($0)) }
      cases.append(("canonical/bundle.schema.json", try scratch.text("\(index).json")))
      // Written content can be read again, so the lenient schemas must accept it as well.
      cases += lines.map { ("record.schema.json", String($0)) }
      cases.append(("bundle.schema.json", try scratch.text("\(index).json")))
    }
    #expect(cases.count > 500)
    for (one, verdict) in zip(cases, try SchemaJudge.judge(cases)) where verdict != nil {
      Issue.record("\(one.schema): \(verdict ?? "") \(one.text.prefix(300))")
    }
  }

  /// The app cannot decode a canonical record that lacks a member or writes a value in a different form.
  @Test func whatIsNotCompleteIsNotCanonical() throws {
    let sound = try #require(
      EmbeddedItem.canonical, "canonical/library-item.schema.json has an example")
    let spoiled = [
      sound.replacing("\"isRequired\":true,", with: ""), sound.replacing("\"sortOrder\":0", with: "\"sortOrder\":0.5"),
      sound.replacing("T10:11:12.345Z", with: "T10:11:12Z"),
      sound.replacing("\"isOptional\":false", with: "\"isOptional\":0"),
      sound.replacing("\"checklistType\":\"general\",", with: ""),
      sound.replacing("\"tags\":[]", with: "\"tags\":null"),
      sound.replacing("9B2C0A54", with: "9b2c0a54"), sound.replacing("\"kind\":\"item\",", with: ""),
      sound.replacing("\"content_type\":\"checklist\"", with: "\"content_type\":\"guide\""),
    ]
    for text in spoiled { #expect(text != sound) }
    let verdicts = try SchemaJudge.judge(([sound] + spoiled).map { ("canonical/library-item.schema.json", $0) })
    #expect(verdicts[0] == nil)
    #expect(verdicts.dropFirst().allSatisfy { $0 != nil }, "\(verdicts)")
  }

  private enum EmbeddedItem {
    static let canonical = try? SchemaFile("canonical/library-item").root["examples"]?[0].map { JSONTree($0).text }
  }
}
