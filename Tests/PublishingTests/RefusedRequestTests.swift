import JSONText
import Publishing
import Testing

/// Requests that the registry refuses, and the places that it reports.
@Suite struct RefusedRequestTests {
  /// Returns an acceptable body in which one member is replaced.
  private static func body(_ name: String, _ value: String?) -> String {
    var members = [
      "title": #""Leaving""#, "content_type": #""checklist""#, "content_data": #"{"sections":[]}"#,
      "public_id": #""leaving-1""#,
    ]
    members[name] = value
    return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  @Test(
    arguments: [
      ("title", nil, [" SCH0401"]), ("title", "null", ["/title SCH0101"]), ("title", "7", ["/title SCH0101"]),
      ("title", #""""#, ["/title SCH0301"]), ("title", #"" \t\u00a0\u2003""#, ["/title INT0101"]),
      ("title", #""a\u0000""#, ["/title INT0102"]),
      ("title", "\"" + String(repeating: "a", count: 501) + "\"", ["/title SCH0301"]),
      ("description", "[]", ["/description SCH0101"]),
      ("content_type", nil, [" SCH0401"]), ("content_type", #""logbook""#, ["/content_type SCH0102"]),
      ("content_type", "null", ["/content_type SCH0101"]),
      ("content_data", nil, [" SCH0401"]), ("content_data", "null", ["/content_data SCH0101"]),
      ("content_data", "[]", ["/content_data SCH0101"]), ("content_data", "1", ["/content_data SCH0101"]),
      ("content_data", #""""#, ["/content_data INT0104"]), ("content_data", #""[]""#, ["/content_data INT0104"]),
      ("content_data", #""{\"sections\":[}""#, ["/content_data INT0104"]),
      ("content_data", #""\"{}\"""#, ["/content_data INT0104"]),
      ("tags", #""a,b""#, ["/tags SCH0101"]), ("tags", #"["a",1,null]"#, ["/tags/1 SCH0101", "/tags/2 SCH0101"]),
      ("tags", "[" + Array(repeating: "\"a\"", count: 21).joined(separator: ",") + "]", ["/tags SCH0501"]),
      ("language", #""English (British)""#, ["/language SCH0301"]), ("language", "1", ["/language SCH0101"]),
      ("public_id", nil, [" SCH0401"]), ("public_id", #""""#, ["/public_id SCH0301", "/public_id SCH0302"]),
      ("public_id", #""отход""#, ["/public_id SCH0302"]), ("public_id", #""a b""#, ["/public_id SCH0302"]),
      ("public_id", #""a\n""#, ["/public_id SCH0302"]),
      ("public_id", "\"" + String(repeating: "a", count: 256) + "\"", ["/public_id SCH0301"]),
      ("can_fork", "1", ["/can_fork SCH0101"]), ("can_fork", #""true""#, ["/can_fork SCH0101"]),
      ("forked_from_id", #""parent""#, ["/forked_from_id SCH0302"]),
      ("forked_from_id", "7", ["/forked_from_id SCH0101"]),
    ] as [(String, String?, [String])])
  func members(name: String, value: String?, expected: [String]) throws {
    #expect(try Intake().findings(Self.body(name, value)) == expected)
  }

  @Test(
    arguments: [
      (
        "checklist", #"{"sections":[{"id":"a","title":"A"},{"id":"b","title":"B"},{"id":"a","title":"C"}]}"#,
        ["/content_data/sections/2/id"]
      ),
      (
        "checklist",
        #"{"sections":[{"title":"A","items":[{"id":"1","title":"x"},{"id":"2","title":"y"}]},{"title":"B","items":[{"title":"x"},{"id":"1","title":"x"},{"id":"2","title":"x"}]}]}"#,
        ["/content_data/sections/1/items/1/id", "/content_data/sections/1/items/2/id"]
      ),
      (
        "checklist", #"{"sections":[{"id":7,"title":"A","items":[{"id":"7","title":"B"}]}]}"#,
        ["/content_data/sections/0/items/0/id"]
      ),
      (
        "deck",
        #"{"cards":[{"front":"Q","back":"A","id":"3f2a0001-0000-4000-8000-000000000001"},{"front":"R","back":"A","id":"3F2A0001-0000-4000-8000-000000000001"}]}"#,
        ["/content_data/cards/1/id"]
      ),
      // The same problem inside a string.
      (
        "deck",
        #""{\"cards\":[{\"id\":\"x\",\"front\":\"Q\",\"back\":\"A\"},{\"id\":\"x\",\"front\":\"R\",\"back\":\"A\"}]}""#,
        ["/content_data/cards/1/id"]
      ),
    ] as [(String, String, [String])])
  func anIDThatStandsTwice(type: String, document: String, expected: [String]) throws {
    let body = #"{"title":"T","content_type":"\#(type)","content_data":\#(document),"public_id":"t-1"}"#
    #expect(try Intake().findings(body) == expected.map { "\($0) INT0110" })
    var item = Intake.stored
    item.contentType = type == "deck" ? .flashcardDeck : .checklist
    #expect(
      try Intake().changeFindings(#"{"content_data":\#(document)}"#, of: item) == expected.map { "\($0) INT0110" })
  }

  @Test func anIDThatWasDerivedAndStandsElsewhere() throws {
    let intake = try Intake()
    func body(_ cards: String) -> String {
      #"{"title":"T","content_type":"deck","content_data":{"cards":[\#(cards)]},"public_id":"t-1"}"#
    }
    let first = try #require(try intake.taken(body(#"{"front":"Q","back":"A"}"#))).document
    let id = try #require(first["cards"]?[0]?["id"]?.string)
    #expect(
      try intake.findings(body(#"{"front":"Q","back":"A","id":"\#(id)"},{"front":"Q","back":"A"}"#)) == [
        "/content_data/cards/1/id INT0110"
      ])
  }

  @Test func idsThatDifferOrBelongToOthersAreTaken() throws {
    for (type, document) in [
      ("checklist", #"{"sections":[{"title":"A","items":[{"title":"B"},{"title":"B"}]},{"title":"A","id":""}]}"#),
      (
        "checklist",
        #"{"sections":[{"id":"a","title":"A","items":[{"id":"b","title":"B"}]}],"cards":[{"id":"a"},{"id":"a"}]}"#
      ),
      (
        "deck",
        #"{"id":"a","cards":[{"id":"a","front":"Q","back":"A"},{"id":"b","front":"Q","back":"A","own":{"id":"a"}}]}"#
      ),
      ("guide", #"{"markdown":"x","sections":[{"id":"a"},{"id":"a"}]}"#),
    ] {
      let body = #"{"title":"T","content_type":"\#(type)","content_data":\#(document),"public_id":"t-1"}"#
      #expect(try Intake().findings(body) == nil, "\(document)")
    }
  }

  @Test func aDocumentOfAnotherType() throws {
    let bodies = ["checklist": "sections", "practice_guide": "markdown", "flashcard_deck": "cards"]
    let values = ["sections": "[]", "markdown": #""x""#, "cards": "[]"]
    func findings(_ type: String, _ document: String) throws -> [String]? {
      try Intake().findings(
        #"{"title":"T","content_type":"\#(type)","content_data":\#(document),"public_id":"t-1"}"#)
    }
    for (type, own) in bodies {
      for (other, value) in values where other != own {
        #expect(try findings(type, #"{"\#(other)":\#(value)}"#) == ["/content_data INT0108"])
        #expect(try findings(type, #"{"\#(own)":null,"\#(other)":\#(value)}"#) == ["/content_data INT0108"])
        // A member of another type may accompany the type's own member.
        #expect(try findings(type, #"{"\#(own)":\#(values[own] ?? ""),"\#(other)":\#(value)}"#) == nil)
        #expect(try findings(type, #"{"\#(other)":null}"#) == nil)
      }
      #expect(try findings(type, "{}") == nil)
    }
  }

  @Test(arguments: [
    (#"{"sections":{}}"#, ["/content_data/sections SCH0101"]),
    (#"{"sections":["a"]}"#, ["/content_data/sections/0 SCH0101"]),
    (#"{"sections":[{}]}"#, ["/content_data/sections/0 SCH0401"]),
    (
      #"{"sections":[{"title":"A","items":[{"title":"B","isRequired":1},{"title":2}]}]}"#,
      ["/content_data/sections/0/items/0/isRequired SCH0101", "/content_data/sections/0/items/1/title SCH0101"]
    ),
    (
      #"{"sections":[{"title":"A","items":[{"title":"B","is_required":"yes","estimated_minutes":7.5}]}]}"#,
      [
        "/content_data/sections/0/items/0/is_required SCH0101",
        "/content_data/sections/0/items/0/estimated_minutes SCH0101",
      ]
    ),
    (#"{"createdAt":"yesterday"}"#, ["/content_data/createdAt SCH0302"]),
    (#"{"created_at":"2026-02-30"}"#, ["/content_data/created_at BND0105"]),
    // Numbers that, read as seconds since 2001, fall outside the years 1 to 9999.
    (#"{"updatedAt":-63113904000.001}"#, ["/content_data/updatedAt SCH0101"]),
    (#"{"created_at":252423993600}"#, ["/content_data/created_at SCH0101"]),
    (#"{"createdAt":1e300}"#, ["/content_data/createdAt SCH0101"]),
    (#"{"createdAt":1e400}"#, ["/content_data/createdAt INT0106", "/content_data/createdAt SCH0101"]),
    (#"{"createdAt":[797072400]}"#, ["/content_data/createdAt SCH0101"]),
    (#"{"id":true}"#, ["/content_data/id SCH0101"]),
    (#"{"own":1e999}"#, ["/content_data/own INT0106"]),
    (#"{"own":{"a":1,"b":{"x":1,"\u0078":2}}}"#, ["/content_data/own/b/x JSN0002"]),
    (#"{"own":["\\u0000","\\\u0000"]}"#, ["/content_data/own/1 INT0102"]),
    (#"{"a\u0000":1}"#, ["/content_data/a\u{0} INT0102"]),
  ])
  func documents(document: String, expected: [String]) throws {
    let intake = try Intake()
    #expect(try intake.findings(Self.body("content_data", document)) == expected)
    // The places are the same when the document is passed as a string.
    var text = ByteBuffer()
    text.appendJSONString(document)
    let string = String(decoding: text.bytes, as: UTF8.self)
    #expect(try intake.findings(Self.body("content_data", string)) == expected)
  }

  @Test func everythingIsSaidAtOnceInTheOrderOfTheText() throws {
    let body = #"""
      {"tags": 1, "title": "", "content_data": "{\"markdown\": 1, \"a\": 1, \"a\": 2}", "public_id": "ü",
       "content_type": "guide", "can_fork": 0, "can_fork": 1}
      """#
    #expect(
      try Intake().findings(body) == [
        "/tags SCH0101", "/title SCH0301", "/content_data/markdown SCH0101", "/content_data/a JSN0002",
        "/public_id SCH0302", "/can_fork SCH0101", "/can_fork JSN0002",
      ])
  }

  @Test func aFindingSaysWhatWhyAndWhatToDo() throws {
    let finding = try #require(try Intake().details(Self.body("title", "7")).first)
    #expect(finding.message.contains("'title'"))
    #expect(finding.why.contains(/\b1\b[^\n]*\b500\b/))
    #expect(!finding.fix.isEmpty)
  }

  @Test(arguments: ["[]", "null", "1", #""{}""#])
  func aBodyThatIsNoObject(_ body: String) throws {
    #expect(try Intake().findings(body) == [" SCH0101"])
  }

  @Test func depthIsLimited() throws {
    let intake = try Intake()
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    // The body and `content_data` account for two levels.
    #expect(try intake.findings(Self.body("content_data", #"{"own":\#(nested(62))}"#)) == nil)
    #expect(
      try intake.findings(Self.body("content_data", #"{"own":\#(nested(63))}"#)) == [
        "/content_data/own" + String(repeating: "/0", count: 62) + " INT0103"
      ])
    #expect(try intake.findings(Self.body("own", nested(500)))?.count == 1)
    #expect(
      try intake.findings(Self.body("content_data", #""{\"own\":\#(nested(600))}""#)) == ["/content_data INT0104"])
  }

  @Test func findingsAreBounded() throws {
    let steps = Array(repeating: #"{"title":1}"#, count: 5000).joined(separator: ",")
    let findings = try #require(
      try Intake().findings(Self.body("content_data", #"{"sections":[{"title":"A","items":[\#(steps)]}]}"#)))
    #expect(findings.count <= PublishIntake.mostFindings)
    #expect(findings.first == "/content_data/sections/0/items/0/title SCH0101")
    let nuls = Array(repeating: #""\u0000""#, count: 5000).joined(separator: ",")
    let many = try #require(try Intake().findings(Self.body("own", "[\(nuls)]")))
    #expect(many.count == PublishIntake.mostFindings)
  }

  @Test(arguments: [2, 10])
  func aCallerMayWantFewerFindings(limit: Int) throws {
    let intake = try PublishIntake()
    let steps = Array(repeating: #"{"title":1,"id":"a\u0000"}"#, count: 50).joined(separator: ",")
    let body = Self.body("content_data", #"{"sections":[{"title":"A","items":[\#(steps)]}]}"#)
    let root = try JSONDocument(parsing: body).root
    func findings(_ outcome: PublishIntake.Outcome<some Sendable>) -> [String]? {
      if case .refused(let findings) = outcome { findings.map(\.code) } else { nil }
    }
    for outcome in [
      findings(intake.publication(root, now: Intake.now, mostFindings: limit)),
      findings(intake.change(root, current: Intake.stored, now: Intake.now, mostFindings: limit)),
    ] {
      #expect(outcome?.count == limit && outcome?.last == "INT0107")
    }
    // A later body may have the full number of findings again.
    #expect(findings(intake.publication(root, now: Intake.now))?.count == PublishIntake.mostFindings)
  }
}
