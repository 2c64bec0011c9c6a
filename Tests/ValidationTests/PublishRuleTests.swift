import Content
import Diagnostics
import JSONText
import TestSupport
import Testing
import Validation

/// The publishing rules for items, for waiting operations and for single payloads.
@Suite struct PublishRuleTests {
  /// A payload as the current app writes it.
  static let payload = """
    {"title":"Leaving the berth","description":"For two.","content_type":"checklist","content_data":{\
    "id":"\(Made.id(1))","title":"Leaving the berth","checklistType":"general","sections":[{"id":"\(Made.id(2))",\
    "title":"Below","items":[{"id":"\(Made.id(3))","title":"Seacocks open","isOptional":false,"isRequired":true,\
    "tags":[],"sortOrder":0}],"isExpandedByDefault":true,"sortOrder":0}],"tags":["harbour"],\
    "createdAt":"2026-01-05T10:11:12Z","updatedAt":"2026-01-05T10:11:12Z","syncStatus":"pending"},\
    "tags":["harbour"],"language":"en","public_id":"leaving-the-berth-3F2A0001"}
    """

  private static let codes = RuleSet.publish.map { $0.code.id }.filter { $0.hasPrefix("PUB01") }

  private func problems(_ payload: String) throws -> [String] {
    PublishCheck.problems(inPayload: try JSONDocument(parsing: payload).root).map { "\($0.code.id) \($0.pointer)" }
  }

  @Test func aSoundPayloadMayBeSent() throws {
    #expect(try problems(Self.payload) == [])
  }

  @Test(
    arguments: [
      ("\"title\":\"Leaving the berth\",\"description\"", "\"title\":\" ab\",\"description\"", ["PUB0103 /title"]),
      ("\"description\":\"For two.\",", "", ["PUB0104 "]), ("For two.", "\\u2003", ["PUB0104 /description"]),
      ("\"checklist\"", "\"list\"", ["PUB0101 /content_type"]),
      ("Below", " ", ["PUB0110 /content_data/sections/0/title"]),
      ("\"language\":\"en\"", "\"language\":\"en-GB-oxendict\"", ["PUB0107 /language"]),
      ("leaving-the-berth-3F2A0001", "leaving the berth", ["PUB0114 /public_id"]),
      (",\"public_id\":\"leaving-the-berth-3F2A0001\"", "", ["PUB0117 "]),
      ("\"createdAt\":\"2026-01-05T10:11:12Z\"", "\"createdAt\":797072400", ["PUB0118 /content_data/createdAt"]),
      ("\"createdAt\":\"2026-01-05T10:11:12Z\",", "", ["PUB0117 /content_data"]),
      ("\"id\":\"3F2A0001-0000-4000-8000-000000000003\",", "", ["PUB0115 /content_data/sections/0/items/0"]),
      (
        "3F2A0001-0000-4000-8000-000000000003", "3f2a0001-0000-4000-8000-000000000003",
        ["PUB0115 /content_data/sections/0/items/0/id"]
      ),
      ("\"content_data\"", "\"contentData\"", ["PUB0117 /contentData"]),
    ])
  func whatIsWrongIsFoundInItsPlace(_ old: String, _ new: String, _ expected: [String]) throws {
    let changed = Self.payload.replacing(old, with: new, maxReplacements: 1)
    #expect(changed != Self.payload)
    #expect(try problems(changed) == expected)
  }

  @Test(arguments: ["null", "[]", "\"{}\"", "7"])
  func payloadsThatAreNoObjectAreRefused(_ payload: String) throws {
    #expect(try problems(payload) == ["PUB0117 "])
  }

  @Test func waitingOperationsAreHeldAgainstTheRulesForItems() throws {
    func row(_ number: Int, _ more: String) -> String {
      let payload = Self.payload.replacing("\"description\":\"For two.\",", with: "")
      return
        #"{"kind":"sync_operation","id":\#(number),"content_id":"\#(Made.id(1))","operation":"publish","payload":\#(payload)\#(more)}"#
    }
    let sent = row(2, #","synced_at":"2026-01-05T10:11:12.000Z""#)
    let givenUp = row(3, #","retry_count":3"#)
    let tried = row(4, #","retry_count":2"#)
    let run = try RuleRun(["[\(row(1, "")),\(sent),\(givenUp),\(tried)]"], rules: Self.codes)
    #expect(run.shapes == ["PUB0104 /payload", "PUB0104 /payload"])
    #expect(run.entries.map(\.finding.record) == ["sync_operation 1", "sync_operation 4"])
  }

  @Test func whatLintSaysIsNotAskedOfPayloads() throws {
    let payload = Self.payload.replacing("\"title\":\"Below\"", with: "\"title\":\" Below\"")
    let row =
      #"[{"kind":"sync_operation","id":1,"content_id":"\#(Made.id(1))","operation":"publish","payload":\#(payload)}]"#
    #expect(try RuleRun([row], rules: []).shapes.filter { $0.hasPrefix("LNT02") } == [])
  }

  @Test func countsAreThoseOfPeople() throws {
    // 100 family emoji of seven scalars each. One more is too many.
    let family = "👨‍👩‍👧‍👦"
    for (count, expected) in [(100, []), (101, ["PUB0103 /title"])] {
      let title = String(repeating: family, count: count)
      let changed = Self.payload.replacing(
        "\"title\":\"Leaving the berth\"", with: "\"title\":\"\(title)\"", maxReplacements: 1)
      #expect(try problems(changed) == expected)
    }
    for (count, expected) in [(500, []), (501, ["PUB0105 /description"])] {
      let changed = Self.payload.replacing("For two.", with: String(repeating: "й", count: count))
      #expect(try problems(changed) == expected)
    }
  }

  @Test func theDoctorsQuestionsAreTheOldOnes() throws {
    let old = Self.payload.replacing("\"description\":\"For two.\",", with: "").replacing("Made", with: "")
    let root = try JSONDocument(parsing: old).root
    #expect(PublishCheck.problems(inPayload: root, rules: PublishCheck.askedByEveryVersion).isEmpty)
    let empty = try JSONDocument(
      parsing: #"{"content_type":"checklist","title":"ab","content_data":{"sections":[{"title":"S","items":[]}]}}"#
    ).root
    let problems = PublishCheck.problems(inPayload: empty, rules: PublishCheck.askedByEveryVersion)
    #expect(problems.map(\.message.numbers) == [[2, 3, 100], []] && problems.last?.message.quoted == ["S"])
    #expect(problems.map(\.pointer.description) == ["/title", "/content_data/sections/0/items"])
  }

  @Test func idsAndTimesOfPayloadsCanBePutRight() throws {
    let payload = Self.payload.replacing(Made.id(3), with: Made.id(3).lowercased())
      .replacing("\"updatedAt\":\"2026-01-05T10:11:12Z\"", with: "\"updatedAt\":\"2026-01-05T10:11:12.999Z\"")
    let row =
      #"[{"kind":"sync_operation","id":1,"content_id":"\#(Made.id(1))","operation":"publish","payload":\#(payload)}]"#
    let run = try RuleRun([row], rules: Self.codes)
    #expect(run.edits == [.text(Made.id(3)), .text("2026-01-05T10:11:12Z")])
  }
}
