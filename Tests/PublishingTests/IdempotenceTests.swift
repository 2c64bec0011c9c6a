import Content
import Foundation
import JSONText
import Publishing
import TestSupport
import Testing

/// The intake accepts its own output and does not change it.
@Suite struct IdempotenceTests {
  /// Passes a body to the intake, and then passes the result to it again.
  private static func check(_ body: [UInt8], _ intake: Intake) throws {
    let first = try #require(try intake.taken(body))
    let second = try #require(try intake.taken(first.body))
    #expect(first == second, "\(String(decoding: body.prefix(2000), as: UTF8.self))")
    try checkForm(first)
  }

  /// Checks that the app can decode a document, using its first and last members and its times.
  private static func checkForm(_ request: PublishRequest) throws {
    let document = try request.document
    let names = document.members.map(\.name)
    #expect(names.starts(with: ["id", "title", "description"]))
    #expect(document["id"].flatMap { CanonicalUUID.canonical($0.string ?? "") } == document["id"]?.string)
    for name in ["createdAt", "updatedAt"] {
      let text = try #require(document[name]?.string)
      #expect(try #require(Timestamp.parse(text)).0.wholeSeconds == text)
    }
    #expect(document["tags"]?.kind == .array && document["syncStatus"]?.kind == .string)
    #expect(document.duplicateName == nil)
    let decoded = try AppDocument.decode(request.contentData)
    #expect(decoded.contentType == request.contentType.rawValue)
    #expect(decoded.id.uuidString == document["id"]?.string)
  }

  @Test(arguments: 0..<8)
  func randomDocuments(seed: Int) throws {
    let intake = try Intake()
    var random = SeededRandom(seed: UInt64(seed))
    for _ in 0..<150 { try Self.check(Array(random.publishBody().utf8), intake) }
  }

  /// Every item in the samples and in the app's libraries, in the form of the bundle and in the form of the app.
  @Test(arguments: [
    "samples/curated-checklists.jsonl", "samples/crew-handbook.json", "samples/phase1-library.sqlite",
    "Tests/Fixtures/libraries/library-v1.4.0.sqlite", "Tests/Fixtures/libraries/library-v1.9.0.sqlite",
    "Tests/Fixtures/libraries/library-v2.2.0.sqlite",
  ])
  func itemsOfLibraries(path: String) throws {
    let scratch = Scratch()
    let bundle = scratch["items.jsonl"]
    let answer = try Shell.fleetkit("convert", Paths.root + "/" + path, "--to", bundle)
    #expect(answer.status == 0, "\(answer.errors)")
    let intake = try Intake()
    var count = 0
    for line in try String(contentsOfFile: bundle, encoding: .utf8).split(separator: "\n") {
      let record = try JSONDocument(parsing: String(line)).root
      guard record["kind"]?.string == "item", let type = record["content_type"], let document = record["content_data"],
        let title = record["title"], let tags = record["tags"]
      else { continue }
      count += 1
      let language = record["language"]?.text ?? "null"
      try Self.check(
        Array(
          """
          {"title":\(title.text),"description":\(record["description"]?.text ?? "null"),"content_type":\(type.text),
          "content_data":\(document.text),"tags":\(tags.text),"language":\(language),"public_id":"item-\(count)"}
          """.utf8), intake)
    }
    #expect(count > 0)
  }
}

extension SeededRandom {
  /// Returns an acceptable body in which every member may be present, null or missing, in either spelling and any
  /// order.
  mutating func publishBody() -> String {
    let type = pick(["checklist", "practice_guide", "guide", "flashcard_deck", "deck"])
    var members = [
      "\"title\":\(title())", "\"content_type\":\"\(type)\"", "\"public_id\":\"slug-\(below(1000))\"",
      "\"content_data\":\(document(type))",
    ]
    maybe(&members, "description", pick(["null", "\"\"", "\"For é\\u0301\""]))
    maybe(&members, "tags", strings())
    maybe(&members, "language", pick(["null", "\"\"", "\"en\"", "\"pt-BR\""]))
    maybe(&members, "can_fork", pick(["true", "false", "null"]))
    maybe(&members, "forked_from_id", pick(["null", "\"9B2C0A54-0b7e-4C5D-8A51-6D1F0C3E7A10\""]))
    maybe(&members, "own", json(depth: 3))
    return object(members)
  }

  private mutating func document(_ type: String) -> String {
    var members: [String] = []
    maybe(&members, "id", id())
    maybe(&members, "title", pick(["null", title()]))
    maybe(&members, "description", pick(["null", title()]))
    maybe(&members, "tags", pick(["null", strings()]))
    maybe(&members, pick(["creatorID", "creator_id"]), pick(["null", id()]))
    maybe(&members, pick(["createdAt", "created_at"]), time())
    maybe(&members, pick(["updatedAt", "updated_at"]), time())
    maybe(&members, pick(["syncStatus", "sync_status"]), pick(["null", "\"synced\""]))
    maybe(&members, "own", json(depth: 3))
    switch type {
    case "checklist":
      maybe(&members, pick(["checklistType", "checklist_type"]), pick(["null", "\"daily\"", "\"other\""]))
      maybe(&members, "sections", pick(["null", list { $0.section() }]))
    case "practice_guide", "guide": maybe(&members, "markdown", pick(["null", title()]))
    default: maybe(&members, "cards", pick(["null", list { $0.card() }]))
    }
    let text = object(members)
    guard below(5) == 0 else { return text }
    var string = ByteBuffer()
    string.appendJSONString(text)
    return String(decoding: string.bytes, as: UTF8.self)
  }

  private mutating func section() -> String {
    var members = ["\"title\":\(title())"]
    maybe(&members, "id", partID())
    maybe(&members, "icon", pick(["null", "\"sailboat\""]))
    maybe(&members, "items", pick(["null", list { $0.step() }]))
    maybe(&members, pick(["isExpandedByDefault", "is_expanded_by_default"]), pick(["null", "true", "false"]))
    maybe(&members, pick(["sortOrder", "sort_order"]), pick(["null", "0", "7.0", "-3", "12e1"]))
    maybe(&members, "is_required", "1")
    return object(members)
  }

  private mutating func step() -> String {
    var members = ["\"title\":\(title())"]
    maybe(&members, "id", partID())
    maybe(&members, "itemDescription", pick(["null", title()]))
    maybe(&members, "item_description", title())
    maybe(&members, pick(["isRequired", "is_required"]), pick(["null", "true", "false"]))
    maybe(&members, "tags", pick(["null", strings()]))
    maybe(&members, pick(["estimatedMinutes", "estimated_minutes"]), pick(["null", "5", "1e1", "9007199254740993"]))
    return object(members)
  }

  private mutating func card() -> String {
    var members = ["\"front\":\(title())", "\"back\":\(title())"]
    maybe(&members, "id", partID())
    maybe(&members, "hint", pick(["null", title()]))
    let review = object(["\"last_reviewed\":\(time())", "\"due\":\(time())", "\"easeFactor\":2.50", "\"lapses\":0"])
    maybe(&members, "review", pick(["null", review]))
    return object(members)
  }

  // MARK: Building blocks

  private mutating func maybe(_ members: inout [String], _ name: String, _ value: String) {
    if below(2) == 0 { members.append("\"\(name)\":\(value)") }
  }

  private mutating func object(_ members: [String]) -> String {
    var left = members
    var text: [String] = []
    while !left.isEmpty { text.append(left.remove(at: below(left.count))) }
    return "{" + text.joined(separator: pick([",", ", ", ",\n  "])) + "}"
  }

  private mutating func list(_ element: (inout SeededRandom) -> String) -> String {
    "[" + (0..<below(4)).map { _ in element(&self) }.joined(separator: ",") + "]"
  }

  private mutating func strings() -> String {
    "[" + (0..<below(4)).map { _ in title() }.joined(separator: ",") + "]"
  }

  private mutating func title() -> String {
    pick(["\"Below\"", "\"Отход\"", "\"e\\u0301\"", "\"é\"", "\"a\\/b \\u0041\"", "\"\\ud83d\\ude00\"", "\"-\""])
  }

  /// Returns a unique id, as a document requires. A repeated random number is practically impossible.
  private mutating func partID() -> String {
    pick([
      "null", "\"step-\(below(1 << 40))\"",
      "\"00000000-0000-4000-8000-\(String(1 << 44 | below(1 << 40), radix: 16))\"",
    ])
  }

  private mutating func id() -> String {
    pick([
      "null", "\"\"", "7", "\"test-123\"", "\"3f2a0001-0000-4000-8000-000000000001\"",
      "\"3F2A0001-0000-4000-8000-000000000002\"",
    ])
  }

  private mutating func time() -> String {
    pick([
      "null", "\"2026-01-05\"", "\"2026-01-05T10:11:12.999Z\"", "\"2026-01-05 10:11\"", "\"2026-1-5 3:04:05,5\"",
      "\"0000-01-01T00:00:00+14:00\"", "\"9999-12-31T23:59:59.9-12:00\"", "\"2026-01-05T10:11:12Z\"",
    ])
  }
}
