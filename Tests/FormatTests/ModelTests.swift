import FleetKit
import TestSupport
import Testing

/// Records as Swift values: no value is lost in either direction, and no invalid value is accepted.
@Suite struct ModelTests {
  private func read(_ text: String) throws -> TypedRecord {
    try TypedRecord(json: JSONDocument(parsing: text).root)
  }
  private func item(_ text: String) throws -> LibraryItem? {
    if case .item(let item) = try read(text) { item } else { nil }
  }

  static let sources =
    (Libraries.sound + ["library-v1.4.0-orphans.sqlite"]).map(Libraries.path)
    + ["phase1-library.sqlite", "curated-checklists.jsonl", "crew-handbook.json"].map {
      Paths.root + "/samples/" + $0
    }

  @Test(arguments: sources)
  func writesWhatItRead(_ path: String) throws {
    var count = 0
    try RecordScan(sources: SourceList([path])).run(context: Run.context()) { record in
      let typed = try TypedRecord(record)
      let line = try typed.canonicalLine()
      #expect(line == record.json)
      #expect(typed.kind == record.kind)
      // As ordinary JSON, the record has the same content.
      #expect(try TypedRecord(json: record.document().root) == typed)
      count += 1
    }
    #expect(count > 0)
  }

  /// Every member of every shape, each with a non-default value.
  @Test func writesEveryMember() throws {
    let other = #"{"kind":"foreign","id":"a/1","system":"a","raw":{"b":1.50}}"#
    for line in Self.full + [Self.charter, Self.execution, Self.operation, other] {
      #expect(try read(line).canonicalLine() == line)
      if let item = try item(line) { #expect(item.extras.isEmpty && item.publicMetadata?.extras == []) }
    }
    #expect(try read(other) == .other(kind: .foreign, json: other))
  }

  /// People may omit members. A typed value equals the value that the reader makes from the short form.
  @Test(arguments: [
    #"""
    {"id":"my-list","content_type":"guide","title":"Fog","description":"Slow","tags":["a"],
    "created_at":"2026-01-05","sync_status":"queued","content_data":{"markdown":"Sound the horn."}}
    """#,
    #"""
    {"id":7,"content_type":"checklist","title":"Out","content_data":{"title":"Own","description":null,
    "sections":[{"title":"Below","items":[{"title":"A"},{"title":"A","id":"x"},{"title":"A"}]},
    {"title":"Deck","sortOrder":null}]}}
    """#,
    #"{"content_type":"deck","id":"x","title":"Empty","description":"D"}"#,
    #"{"content_type":"deck","id":"x","title":"None","content_data":null}"#,
  ])
  func fillsInWhatPeopleLeaveOut(_ text: String) throws {
    let line = text.replacing("\n", with: "")
    let scratch = Scratch()
    #expect(try Run.records(scratch.write("a.jsonl", line)).first?.text == read(line).canonicalLine())
  }

  @Test func keepsNumbersInMeaning() throws {
    let line = Self.charter.replacing("37.5", with: "37.50").replacing("23.25", with: "2325e-2")
    #expect(try read(line).canonicalLine() == Self.charter)
    #expect(try JSONDocument(parsing: line).root.means(JSONDocument(parsing: Self.charter).root))
  }

  private static let section = "/content_data/sections/0"

  @Test(arguments: [
    (full[0], #""title":"T""#, #""title":5"#, "/title", "a string"),
    (full[0], #""content_type":"checklist""#, #""content_type":"quiz""#, "/content_type", nil),
    (full[0], #""fork_count":3"#, #""fork_count":3.5"#, "/fork_count", "a whole number"),
    (full[0], #""is_pinned":true"#, #""is_pinned":1"#, "/is_pinned", "true or false"),
    (full[0], #""tags":["a","b"]"#, #""tags":["a",7]"#, "/tags/1", "a string"),
    (full[0], #""created_at":"2026-01"#, #""created_at":"2026-13"#, "/created_at", "a date and time"),
    (full[0], #""sections":["#, #""sections":[3,"#, section, "an object"),
    (full[0], #""items":["#, #""items":true,"x":["#, section + "/items", "an array of objects"),
    (full[0], #"Minutes":7"#, #"Minutes":7.5"#, section + "/items/1/estimatedMinutes", "a whole number"),
    (full[0], #""icon":"bolt""#, #""icon":"bolt","icon":"sail""#, section + "/icon", nil),
    (full[2], #""front":"F""#, #""x":"F""#, "/content_data/cards/0/front", "a string"),
    (full[2], #""lapses":1"#, #""lapses":"1""#, "/content_data/cards/0/review/lapses", "a whole number"),
    (execution, #""checked":true"#, #""checked":1"#, "/item_states/\(id("4"))/checked", "true or false"),
    (operation, #""id":12"#, #""id":"twelve""#, "/id", "a whole number"),
    (operation, #""kind":"sync_operation""#, #""kind":1"#, "/kind", "a string"),
    ("[1]", "1", "2", "", "an object"),
  ])
  func refuses(_ line: String, _ right: String, _ wrong: String, _ at: String, _ expected: String?) throws {
    let text = line.replacing(right, with: wrong, maxReplacements: 1)
    try #require(text != line)
    let error = #expect(throws: ModelError.self) { try read(text) }
    #expect(error?.pointer.description == at)
    if let expected { #expect(error?.expected == expected) }
  }

  @Test func refusesWhatCannotBeWritten() throws {
    func pointer(_ record: TypedRecord) -> String? {
      #expect(throws: ModelError.self) { try record.canonicalLine() }?.pointer.description
    }
    let item = LibraryItem(id: "", contentType: .checklist, title: "T", ratingAverage: .nan)
    #expect(pointer(.item(item)) == "/rating_average")
    let guide = LibraryItem(id: "", contentType: .practiceGuide, title: "T", content: .checklist(Self.built))
    #expect(pointer(.item(guide)) == "/content_data")
    var checklist = Self.built
    checklist.sections[0].extras = [ExtraMember(name: "photo", json: #"1,"title":"Other""#)]
    #expect(pointer(.item(LibraryItem(.checklist(checklist)))) == "/content_data/sections/0/photo")
    checklist.sections[0].extras = ["1", "2"].map { ExtraMember(name: "photo", json: $0) }
    #expect(pointer(.item(LibraryItem(.checklist(checklist)))) == "/content_data/sections/0")
    let operation = SyncOperation(id: 1, contentID: Self.id("1"), operation: "publish", payload: "{")
    #expect(pointer(.syncOperation(operation)) == "/payload")
    #expect(pointer(.other(kind: .foreign, json: #"{"kind":"attachment"}"#)) == "/kind")
    #expect(pointer(.other(kind: .foreign, json: #"{"kind":"foreign","a":{"b":1,"b":2}}"#)) == "/a")
    #expect(pointer(.other(kind: .foreign, json: #"{"kind":"foreign","a":1,"a":2}"#)) == "")
    #expect(pointer(.other(kind: .foreign, json: "7")) == "/kind")
  }

  static let built = Checklist(
    id: id("1"), title: "Leaving the berth", description: "Before every trip",
    checklistType: Checklist.ChecklistType.daily,
    sections: [
      ChecklistSection(
        id: id("2"), title: "Below",
        items: [
          ChecklistItem(id: id("3"), title: "Seacocks \"open\"\n", isRequired: true, sortOrder: 0),
          ChecklistItem(id: id("4"), title: "Hatches", tags: ["deck"], estimatedMinutes: 2, sortOrder: 1),
        ], sortOrder: 0),
      ChecklistSection(id: id("5"), title: "On deck", icon: "wind", isExpandedByDefault: false, sortOrder: 1),
    ],
    tags: ["departure"], createdAt: time)
  static let time = Timestamp(milliseconds: 1_767_607_872_345)

  @Test func readsBackWhatCodeMade() throws {
    let item = LibraryItem(.checklist(Self.built))
    #expect(item.title == Self.built.title && item.createdAt == Self.built.createdAt)
    let line = try TypedRecord.item(item).canonicalLine()
    #expect(try read(line) == .item(item))
  }

  @Test func fillsInIDsAndPlaces() throws {
    let twins = [ChecklistItem(title: "A"), ChecklistItem(title: "A")]
    let checklist = Checklist(title: "T", sections: [ChecklistSection(title: "S", items: twins)])
    let made = TypedRecord.item(LibraryItem(.checklist(checklist)))
    let item = try #require(try item(made.canonicalLine()))
    let items = item.content?.checklist?.sections.first?.items ?? []
    #expect(items.map(\.sortOrder) == [0, 1])
    #expect(Set(items.map(\.id) + [item.id]).count == 3)
    #expect(item.content?.checklist?.id == item.id)
  }

  @Test func cutsTheFractionOfATick() throws {
    let states = [Self.id("4"): ItemState(checked: true, checkedAt: Self.time)]
    let execution = ChecklistExecution(id: "", checklistID: "a", charterID: "b", itemStates: states)
    #expect(try TypedRecord.execution(execution).canonicalLine().contains(#""2026-01-05T10:11:12Z""#))
  }

  @Test func keepsUnknownMembersAtEveryLevel() throws {
    // Unknown members come last, so a line with an extra member at the end of every object is still canonical.
    let extra = #","z1":{"b":1.50,"a":[null,"é"]}}"#
    for line in Self.full + [Self.charter, Self.operation] {
      let text = line.replacing("}", with: extra).replacing("{,", with: "{")
      #expect(try read(text).canonicalLine() == text)
    }
    // In the object that holds ticks, an additional member would be a tick.
    let text = Self.execution.replacing(#""n"}"#, with: #""n""# + extra)
    #expect(try read(text).canonicalLine() == text)
  }

  @Test func propertyReplacesExtraOfItsName() throws {
    let usual = Self.full[0].replacing(#""Own","description":null"#, with: #""Own","description":"D""#)
      .replacing(#""updatedAt":null"#, with: #""updatedAt":"2026-01-06T10:11:12.345Z""#)
    let line = usual.replacing(#""icon":"bolt""#, with: #""icon":null"#)
      .replacing(#""publishedAt":788168730.5"#, with: #""publishedAt":"2025-12-23""#)
    #expect(try read(line).canonicalLine() == line)
    var item = try #require(try item(line))
    var checklist = try #require(item.content?.checklist)
    #expect(checklist.sections[0].icon == nil && item.publicMetadata?.publishedAt == nil)
    checklist.sections[0].icon = "bolt"
    item.content = .checklist(checklist)
    item.publicMetadata?.publishedAt = 788_168_730.5
    #expect(try TypedRecord.item(item).canonicalLine() == usual)
  }
}

// MARK: Lines with every member

extension ModelTests {
  static func id(_ digit: String) -> String { "00000000-0000-4000-8000-00000000000" + digit }
  private static func at(_ day: Int) -> String { "\"2026-01-\(day < 10 ? "0" : "")\(day)T10:11:12.345Z\"" }

  private static func envelope(_ digit: String, _ type: String, _ document: String) -> String {
    #"""
    {"kind":"item","id":"\#(id(digit))","content_type":"\#(type)","title":"T","description":"D","tags":["a",
    "b"],"language":"ru","visibility":"public","sync_status":"queued","creator_id":"\#(id("8"))",
    "forked_from_id":"\#(id("9"))","fork_count":3,"original_author_username":"U",
    "original_author_user_id":"\#(id("A"))","original_content_public_id":"P","rating_average":4.75,
    "rating_count":2,"is_pinned":true,"pinned_order":1,"created_at":\#(at(5)),"updated_at":\#(at(6)),
    "published_at":"2026-01-07T10:11:12.000Z","public_id":"p-1","public_metadata":{"publishedAt":788168730.5,
    "publicID":"p-1","canFork":true,"authorUsername":"U","authorUserId":"x"},"content_data":{
    "id":"\#(id(digit))","title":"Own","description":null,\#(document),"tags":["c"],"creatorID":"\#(id("8"))",
    "createdAt":"2026-01-05T10:11:12.000Z","updatedAt":null,"syncStatus":"synced"}}
    """#.replacing("\n", with: "")
  }

  /// A checklist, a guide and a deck.
  static let full = [
    envelope(
      "1", "checklist",
      #"""
      "checklistType":"safety","sections":[{"id":"\#(id("2"))","title":"S","icon":"bolt","description":"D",
      "items":[{"id":"\#(id("3"))","title":"A","isOptional":false,"isRequired":false,"tags":[],
      "sortOrder":0},{"id":"\#(id("4"))","title":"B","itemDescription":"I","isOptional":true,
      "isRequired":true,"tags":["x"],"estimatedMinutes":7,"sortOrder":5}],"isExpandedByDefault":false,
      "sortOrder":4}]
      """#),
    envelope("5", "practice_guide", ##""markdown":"# Title\n\nText""##),
    envelope(
      "6", "flashcard_deck",
      #"""
      "cards":[{"id":"\#(id("7"))","front":"F","back":"B","tags":["y"],"hint":"H","source":"S","sortOrder":3,
      "review":{"easeFactor":2.5,"intervalDays":10,"repetitions":4,"lapses":1,"lastReviewed":\#(at(5)),
      "due":\#(at(15))}}]
      """#),
  ]

  static let charter = #"""
    {"kind":"charter","id":"\#(id("1"))","name":"N","boat_name":"B","location":"L",
    "start_date":"2026-06-06T00:00:00.000Z","end_date":"2026-06-13T00:00:00.000Z",
    "check_in_checklist_id":"\#(id("2"))","created_at":\#(at(5)),"updated_at":\#(at(6)),
    "sync_status":"synced","server_id":"s","visibility":"community","needs_sync":true,
    "last_synced_at":\#(at(7)),"latitude":37.5,"longitude":23.25,"location_place_id":"g",
    "on_behalf_of_virtual_captain_id":"v","extras":{"raw":{"x":1.50}}}
    """#.replacing("\n", with: "")

  static let execution = #"""
    {"kind":"execution","id":"\#(id("1"))","checklist_id":"\#(id("2"))","charter_id":"\#(id("3"))",
    "item_states":{"\#(id("4"))":{"checked":true,"checkedAt":"2026-01-05T10:11:12Z","notes":"n"},
    "\#(id("5"))":{"checked":false}},"progress_percentage":38.0,"created_at":\#(at(5)),
    "last_updated":\#(at(6)),"completed_at":\#(at(7)),"sync_status":"error"}
    """#.replacing("\n", with: "")

  static let operation = #"""
    {"kind":"sync_operation","id":12,"content_id":"\#(id("2"))","operation":"publish",
    "visibility_state":"public","payload":{"title":"T","content_data":{"createdAt":787941771.50,
    "sections":[]},"public_id":"p"},"created_at":\#(at(5)),"retry_count":2,"last_error":"E",
    "synced_at":\#(at(6)),"next_retry_at":\#(at(7))}
    """#.replacing("\n", with: "")
}
