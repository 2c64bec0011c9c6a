import FleetKit
import TestSupport
import Testing

/// Findings about unknown members, and about texts that are not JSON.
@Suite struct UnknownMemberTests {
  private func finding(step: String) throws -> Diagnostic {
    let scratch = Scratch()
    let path = try scratch.write(
      "content.json",
      """
      {"content_type": "checklist", "title": "Leaving", "content_data": {"sections": [{"title": "Below", "items": [
      {"title": "Seacocks", \(step)}]}]}}
      """)
    return try #require(try Collecting.findings([path]).first { $0.code.id == "BND0111" })
  }

  @Test(arguments: [
    ("details", "itemDescription"), ("description", "itemDescription"), ("notes", "itemDescription"),
    ("note", "itemDescription"), ("hint", "itemDescription"), ("text", "itemDescription"), ("tips", "itemDescription"),
    ("body", "itemDescription"), ("duration", "estimatedMinutes"), ("time", "estimatedMinutes"),
    ("mandatory", "isRequired"), ("required", "isRequired"), ("optional", "isOptional"), ("titel", "title"),
  ])
  func familiarNamesAreRecognised(_ written: String, _ meant: String) throws {
    let finding = try finding(step: "\"\(written)\": \"x\"")
    #expect(finding.message.quoted == [written, meant])
    #expect(finding.severity == .warning)
    #expect(finding.place.column == 23 && finding.place.endColumn == 25 + written.count)
  }

  @Test func otherNamesAreAnsweredWithThoseThatThereAre() throws {
    let finding = try finding(step: "\"цвет\": \"red\"")
    #expect(finding.severity == .warning && finding.place.endColumn == 29)
    #expect(finding.fix.contains("title, itemDescription, isOptional, isRequired, tags"))
  }

  @Test(arguments: [
    ("content.json", "[{\"title\": \"A\",}]", "1:16", "delete the comma before it (1:15)"),
    ("content.json", "\n {“title”: 1}", "2:3", "Write \" instead of “."),
    (
      "content.json", "{\"items\": [{\"title\": \"A\"", "1:25",
      "The { at 1:12, the [ at 1:11 and the { at 1:1 are not closed: add }]}."
    ),
    ("content.jsonl", "{\"kind\":\"bundle\"}\n{\"title\": \"A\", }\n", "2:16", "delete the comma before it (2:14)"),
    ("content.jsonl", "{\"kind\":\"bundle\"}\n{\"title\": 'A'}\n", "2:11", "write \" instead of '"),
  ])
  func brokenTextsAreAnsweredWithTheFix(_ name: String, _ text: String, _ place: String, _ fix: String) throws {
    let scratch = Scratch()
    let path = try scratch.write(name, text)
    let answer = try Shell.fleetkit("validate", path, "--report", "jsonl")
    #expect(answer.status == 1)
    let escaped = fix.replacing("\"", with: "\\\"")
    #expect(answer.output.contains(":\(place)") || answer.output.contains("\"line\":\(place.prefix(1))"))
    #expect(answer.output.contains(escaped), "\(answer.output)")
  }
}
