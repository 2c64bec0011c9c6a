import Content
import JSONText
import Publishing
import Testing

/// Requests that the registry accepts, and the stored results.
@Suite struct TakenRequestTests {
  /// The requests in the registry's own documentation, and the expected publications.
  @Test(arguments: [
    #"{"title":"My list","content_type":"checklist","content_data":{"sections":[]},"public_id":"my-list-1"}"#,
    #"{"title":"My list","description":null,"content_type":"checklist","content_data":{"id":"test-123","title":"My list","sections":[{"title":"A","items":[{"title":"B","is_required":true}]}]},"tags":["a"],"language":"en","public_id":"my-list-1"}"#,
    #"{"title":"Guide","content_type":"practice_guide","content_data":{"markdown":"Fog"},"public_id":"g","tags":null,"language":null,"can_fork":null,"forked_from_id":null}"#,
    #"{"title":"Guide","content_type":"guide","content_data":"{\"markdown\":\"Fog\"}","public_id":"g"}"#,
    #"{"title":"Deck","content_type":"deck","content_data":{"cards":[{"front":"Q","back":"A"}]},"public_id":"---DEB43F61"}"#,
    #"{"title":"Deck","content_type":"flashcard_deck","content_data":{"cards":null,"title":null,"tags":null},"public_id":"d","forked_from_id":"9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10","somebody's":{"own":1}}"#,
  ])
  func documentsOwnRequests(_ body: String) throws {
    #expect(try Intake().findings(body) == nil)
  }

  @Test func aShortChecklistBecomesComplete() throws {
    let request = try #require(
      try Intake().taken(
        #"""
        {"title": "My list", "description": "Why", "content_type": "checklist", "tags": ["a"], "public_id": "my-list-1",
         "content_data": {"id": "test-123", "sections": [{"title": "A", "sort_order": 3, "items": [
           {"title": "B", "is_required": true, "item_description": "now", "estimated_minutes": 5.0, "own": [1.0]}]}]}}
        """#))
    let list = CanonicalUUID.derived(["publication", "my-list-1", "test-123"])
    let section = CanonicalUUID.derived([list, "", "A", "0"])
    let step = CanonicalUUID.derived([list, "A", "B", "0"])
    #expect(
      request.documentText == """
        {"id":"\(list)","title":"My list","description":"Why","checklistType":"general",\
        "sections":[{"id":"\(section)","title":"A","items":[{"id":"\(step)","title":"B","itemDescription":"now",\
        "isOptional":false,"isRequired":true,"tags":[],"estimatedMinutes":5,"sortOrder":0,"own":[1.0]}],\
        "isExpandedByDefault":true,"sortOrder":3}],"tags":["a"],"creatorID":null,\
        "createdAt":"2026-09-21T14:13:20Z","updatedAt":"2026-09-21T14:13:20Z","syncStatus":"pending"}
        """)
    #expect(request.title == "My list")
    #expect(request.description == "Why")
    #expect(request.contentType == .checklist)
    #expect(request.tags == ["a"])
    #expect(request.language == "en")
    #expect(request.publicID == "my-list-1")
    #expect(request.canFork)
    #expect(request.forkedFromID == nil)
  }

  @Test func everyTimeIsWrittenInWholeSeconds() throws {
    let request = try #require(
      try Intake().taken(
        #"""
        {"title": "Lights", "content_type": "deck", "public_id": "lights", "content_data": {"cards": [],
          "created_at": "2026-01-05", "updatedAt": "2026-01-06T13:11:12.5+03:00"}}
        """#))
    let document = try request.document
    #expect(document["createdAt"]?.string == "2026-01-05T00:00:00Z")
    #expect(document["updatedAt"]?.string == "2026-01-06T10:11:12Z")
  }

  /// Builds up to January 2026 wrote times as seconds since 2001.
  @Test(arguments: [
    ("797072400.136", "2026-04-05T09:00:00Z"), ("797072400", "2026-04-05T09:00:00Z"),
    ("7.970724e8", "2026-04-05T09:00:00Z"), ("797072399.9999", "2026-04-05T09:00:00Z"), ("0", "2001-01-01T00:00:00Z"),
    ("-0.25", "2000-12-31T23:59:59Z"), ("-978307200", "1970-01-01T00:00:00Z"), ("-978307200.5", "1969-12-31T23:59:59Z"),
    ("-63113904000", "0001-01-01T00:00:00Z"), ("252423993599.999", "9999-12-31T23:59:59Z"),
  ])
  func aTimeThatIsANumberCountsFrom2001(number: String, expected: String) throws {
    let intake = try Intake()
    for type in ["checklist", "guide", "deck"] {
      let document = #"{"created_at": \#(number), "updatedAt": \#(number), "own": \#(number)}"#
      let request = try #require(
        try intake.taken(
          #"{"title": "T", "content_type": "\#(type)", "public_id": "t-1", "content_data": \#(document)}"#))
      #expect(try request.document["createdAt"]?.string == expected)
      #expect(try request.document["updatedAt"]?.string == expected)
      #expect(try request.document["own"]?.text == number)
      #expect(try intake.taken(request.body) == request)
    }
    let change = try #require(
      try intake.takenChange(#"{"content_data": {"sections": [], "updatedAt": \#(number)}}"#))
    let changed = try JSONDocument(parsing: try #require(change.contentData)).root
    #expect(changed["updatedAt"]?.string == expected)
  }

  /// The author of a copy's original comes from the request, or else from its document.
  @Test(
    arguments: [
      (#""original_author_username":"anna""#, "{}", "anna"),
      (#""own":1"#, #"{"originalAuthorUsername":"anna"}"#, "anna"),
      (#""original_author_username":null"#, #"{"original_author_username":"anna"}"#, "anna"),
      (#""original_author_username":"  ""#, #"{"originalAuthorUsername":"anna"}"#, "anna"),
      (#""original_author_username":"zoe""#, #"{"originalAuthorUsername":"anna"}"#, "zoe"),
      (#""own":1"#, #"{"originalAuthorUsername":["anna"]}"#, nil), (#""own":1"#, "{}", nil),
      // Line feed, directional override, joiner, line separator, private use.
      (#""original_author_username":"a\nb""#, #"{"originalAuthorUsername":"anna"}"#, "anna"),
      (#""original_author_username":"a\u202eb""#, #"{"originalAuthorUsername":"\u0085"}"#, nil),
      (#""original_author_username":"a\u200db""#, #"{"original_author_username":"a\u2028b"}"#, nil),
      (#""original_author_username":"a\ue000""#, #"{"originalAuthorUsername":"anna@example.org"}"#, nil),
      (#""original_author_username":"Борис Ёж ☸""#, "{}", "Борис Ёж ☸"),
      (#""original_author_username":"\#(String(repeating: "ж", count: 101))""#, "{}", nil),
      (
        #""original_author_username":"\#(String(repeating: "ж", count: 100))""#, "{}",
        String(repeating: "ж", count: 100)
      ),
    ] as [(String, String, String?)])
  func whoMadeTheOriginal(member: String, document: String, expected: String?) throws {
    let intake = try Intake()
    let parent = #","forked_from_id":"9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10""#
    for (more, name) in [(parent, expected), ("", nil)] {
      let request = try #require(
        try intake.taken(
          #"{"title":"T","content_type":"guide","public_id":"t-1","content_data":\#(document),\#(member)\#(more)}"#))
      #expect(request.originalAuthorUsername == name)
    }
  }

  @Test func howTheAuthorReviewedCardsIsLeftOut() throws {
    let request = try #require(
      try Intake().taken(
        #"""
        {"title": "Lights", "content_type": "deck", "public_id": "lights", "content_data": {"cards": [
          {"front": "Q", "back": "A", "hint": "H", "review": {"ease_factor": 2.50, "lapses": 3,
           "last_reviewed": "2026-01-05T10:11:12Z", "due": "2026-01-06T10:11:12Z"}, "tags": ["t"]},
          {"review": null, "front": "Q2", "back": "A2"}, {"front": "Q3", "back": "A3", "review": {}}]}}
        """#))
    let cards = try #require(try request.document["cards"]?.elements)
    #expect(cards.map { $0["front"]?.string } == ["Q", "Q2", "Q3"])
    #expect(cards.allSatisfy { $0["review"] == nil })
    #expect(cards[0]["hint"]?.string == "H")
    #expect(cards[0]["tags"]?.text == #"["t"]"#)
    #expect(!request.documentText.contains("lapses"))
  }

  @Test func whatTheDocumentSaysItselfStays() throws {
    let request = try #require(
      try Intake().taken(
        #"""
        {"title": "Public", "description": "P", "content_type": "guide", "tags": ["p"], "public_id": "public",
         "content_data": {"title": "Own", "description": "O", "tags": ["o"], "sync_status": "synced", "markdown": "x",
          "is_required": 1, "creator_id": "3f2a0001-0000-4000-8000-000000000001",
          "id": "3f2a0001-0000-4000-8000-000000000002"}}
        """#))
    let document = try request.document
    #expect(document["title"]?.string == "Own")
    #expect(document["description"]?.string == "O")
    #expect(document["tags"]?.text == #"["o"]"#)
    #expect(document["syncStatus"]?.string == "synced")
    #expect(document["creatorID"]?.string == "3F2A0001-0000-4000-8000-000000000001")
    #expect(document["id"]?.string == "3F2A0001-0000-4000-8000-000000000002")
    // The guide schema does not define this member, so the member keeps its name.
    #expect(document["is_required"]?.integer == 1)
  }

  @Test func theAppsSpellingWinsAndTheOtherIsKept() throws {
    let request = try #require(
      try Intake().taken(
        #"""
        {"title": "T", "content_type": "checklist", "public_id": "t", "content_data": {"sections": [{"title": "A",
         "items": [{"title": "B", "is_required": true, "isRequired": false}]}]}}
        """#))
    let step = try request.document["sections"]?[0]?["items"]?[0]
    #expect(step?["isRequired"]?.bool == false)
    #expect(step?["is_required"]?.bool == true)
  }

  @Test func idsAreStable() throws {
    let intake = try Intake()
    let body =
      #"{"title":"T","content_type":"guide","public_id":"t-1","content_data":{"createdAt":"2026-01-05","updatedAt":"2026-01-05","id":ID}}"#
    for id in ["null", "\"\""] {
      let first = try #require(try intake.taken(body.replacing("ID", with: id)))
      let second = try #require(try Intake().taken(body.replacing(",\"id\":ID", with: "")))
      #expect(first == second)
      #expect(first.digest == second.digest)
      let other = try #require(try intake.taken(body.replacing("t-1", with: "t-2").replacing("ID", with: id)))
      #expect(try first.document["id"]?.string != other.document["id"]?.string)
    }
    let numbered = try #require(try intake.taken(body.replacing("ID", with: "17")))
    #expect(try numbered.document["id"]?.string == CanonicalUUID.derived(["publication", "t-1", "17"]))
  }

  @Test func aTextThatIsNoUUIDIsNobodyElsesID() throws {
    let intake = try Intake()
    let body =
      #"{"title":"T","content_type":"checklist","public_id":"SLUG","content_data":{"id":"test-123","sections":[{"id":"one","title":"A","items":[{"id":"7","title":"B"}]}]}}"#
    func ids(_ slug: String) throws -> Set<String> {
      let document = try #require(try intake.taken(body.replacing("SLUG", with: slug))).document
      let section = document["sections"]?[0]
      return Set([document, section, section?["items"]?[0]].compactMap { $0?["id"]?.string })
    }
    let mine = try ids("mine-1")
    #expect(mine.count == 3)
    #expect(try ids("mine-1") == mine)
    #expect(try ids("yours-1").isDisjoint(with: mine))
    // A change with the same text produces the same document, with the same ids.
    var item = Intake.stored
    item.publicID = "mine-1"
    let change = try #require(try intake.takenChange(#"{"content_data":{"id":"test-123","sections":[]}}"#, of: item))
    let changed = try JSONDocument(parsing: change.contentData ?? []).root
    #expect(mine.contains(changed["id"]?.string ?? ""))
  }

  @Test func limitsAreTakenAtTheirEdge() throws {
    let tags = Array(repeating: #""tag""#, count: 20).joined(separator: ",")
    let request = try #require(
      try Intake().taken(
        """
        {"title":"\(String(repeating: "е\u{301}", count: 250))","content_type":"guide","content_data":{"markdown":""},
        "tags":[\(tags)],"language":"0123456789","public_id":"\(String(repeating: "aZ9-", count: 63))abc"}
        """))
    #expect(request.title.unicodeScalars.count == 500)
    #expect(request.publicID.utf8.count == 255)
    #expect(request.tags.count == 20)
  }

  @Test func textIsKeptByteForByte() throws {
    // NFD, a family emoji, right-to-left text, an escaped slash and a control character.
    let request = try #require(
      try Intake().taken(
        #"{"title":" e\u0301 👨‍👩‍👧 מפרש ","content_type":"guide","content_data":{"markdown":"a\/b\u0007\n"},"public_id":"t"}"#
      ))
    #expect(Array(request.title.utf8) == Array(" e\u{301} 👨‍👩‍👧 מפרש ".utf8))
    #expect(try request.document["markdown"]?.string == "a/b\u{7}\n")
  }

  @Test func idsOfTheRegistryAreLowerCase() throws {
    let request = try #require(
      try Intake().taken(
        #"{"title":"T","content_type":"guide","content_data":{},"public_id":"t","forked_from_id":"9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10","can_fork":false}"#
      ))
    #expect(request.forkedFromID == "9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10")
    #expect(!request.canFork)
  }
}
