import Content
import Foundation
import JSONText
import TestSupport
import Testing

/// The fast path and the slow path must agree: if `CanonicalCheck` accepts a line, `Canonicalizer` writes the line
/// unchanged.
@Suite struct CanonicalTests {
  private static let seeds = [
    """
    {"kind":"item","id":"3A473796-4407-4338-B2DC-132362E6088A","content_type":"checklist","title":"T","description":"D",\
    "tags":["a"],"language":"en","visibility":"private","sync_status":"pending","creator_id":null,"forked_from_id":null,\
    "fork_count":0,"original_author_username":null,"original_author_user_id":null,"original_content_public_id":null,\
    "rating_average":4.50,"rating_count":2,"is_pinned":false,"pinned_order":null,"created_at":"2026-01-05T10:11:12.345Z",\
    "updated_at":null,"published_at":null,"public_id":null,"public_metadata":{"publishedAt":1,"publicID":"x"},\
    "content_data":{"id":"3A473796-4407-4338-B2DC-132362E6088A","title":"U","description":null,"checklistType":"daily",\
    "sections":[{"id":"4A473796-4407-4338-B2DC-132362E6088A","title":"S","icon":"sailboat","items":[\
    {"id":"5A473796-4407-4338-B2DC-132362E6088A","title":"I","isOptional":false,"isRequired":true,"tags":[],\
    "estimatedMinutes":5,"sortOrder":0,"photo":"x"}],"isExpandedByDefault":true,"sortOrder":0}],"tags":[],\
    "creatorID":null,"createdAt":null,"updatedAt":null,"syncStatus":"pending"},"mood":[1,{"b":null}]}
    """,
    """
    {"kind":"execution","id":"3A473796-4407-4338-B2DC-132362E6088A","checklist_id":"4A473796-4407-4338-B2DC-132362E6088A",\
    "charter_id":"5A473796-4407-4338-B2DC-132362E6088A","item_states":{"5A473796-4407-4338-B2DC-132362E6088A":\
    {"checked":true,"checkedAt":"2026-01-05T10:11:12Z","notes":"n"},"6A473796-4407-4338-B2DC-132362E6088A":{"checked":false}},\
    "progress_percentage":null,"created_at":"2026-01-05T10:11:12.345Z","last_updated":null,"completed_at":null,\
    "sync_status":"synced"}
    """,
    """
    {"kind":"charter","id":"3A473796-4407-4338-B2DC-132362E6088A","name":"C","boat_name":null,"location":"L",\
    "start_date":"2026-01-05T10:11:12.345Z","end_date":null,"check_in_checklist_id":null,"created_at":null,"updated_at":null,\
    "sync_status":"pending","server_id":null,"visibility":"private","needs_sync":true,"last_synced_at":null,\
    "latitude":38.8309,"longitude":-20.1,"location_place_id":null,"on_behalf_of_virtual_captain_id":null,"extras":{"raw":{"a":1}}}
    """,
  ]

  /// The first seed with its unknown members removed.
  private static let plain = seeds[0].replacing(",\"photo\":\"x\"", with: "").replacing(
    ",\"mood\":[1,{\"b\":null}]", with: "")

  private static func write(_ text: String) throws -> (line: String, isCanonical: Bool, isRejected: Bool) {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBufferPointer { buffer in
      var tape = JSONTape()
      let parse = try tape.parse(buffer.span)
      let base = try #require(buffer.baseAddress)
      let node = JSONNode(text: base, tokens: tape.tokens, index: parse.root)
      let kind = RecordKind(node.member("kind")?.string ?? "")
      let answer = CanonicalCheck.classify(node, kind: kind, traits: parse.traits)
      if answer == .plain, let sections = node.member("content_data")?.member("sections") {
        try expectColumnTakes(sections, text)
      }
      var canonicalizer = Canonicalizer(mode: .bundle)
      var out = ByteBuffer()
      canonicalizer.writeRecord(node, kind: kind, derivedID: { CanonicalUUID.derived(["x"]) }, into: &out)
      return (
        String(decoding: out.bytes, as: UTF8.self), answer != .unknown,
        canonicalizer.rejected || node.duplicateName != nil
      )
    }
  }

  /// Expects that nothing is reported for a line of known members and a column with exactly the same bytes.
  private static func expectColumnTakes(_ sections: JSONNode, _ text: String) throws {
    var tape = JSONTape()
    let parse = try tape.parse(sections.raw.span)
    let node = JSONNode(text: try #require(sections.raw.baseAddress), tokens: tape.tokens, index: parse.root)
    for isDense in [true, false] {
      var column = Canonicalizer(mode: .column)
      column.collectsUnknown = true
      column.begin(node, recordID: "3A473796-4407-4338-B2DC-132362E6088A")
      var out = ByteBuffer()
      column.writeSections(node, isDense: isDense, into: &out)
      #expect(out.bytes.elementsEqual(sections.raw), "\(text)")
      #expect(!column.altered && column.issues.isEmpty, "\(text)")
    }
  }

  @Test func onlyKnownMembersArePlain() throws {
    func answer(_ text: String) throws -> CanonicalCheck.Answer {
      try Array(text.utf8).withUnsafeBufferPointer { buffer in
        var tape = JSONTape()
        let parse = try tape.parse(buffer.span)
        let node = JSONNode(text: try #require(buffer.baseAddress), tokens: tape.tokens, index: parse.root)
        return CanonicalCheck.classify(node, kind: .item, traits: parse.traits)
      }
    }
    #expect(try answer(Self.plain) == .plain)
    #expect(try answer(Self.seeds[0]) == .canonical)
    #expect(try answer(Self.seeds[0].replacing(",\"mood\":[1,{\"b\":null}]", with: "")) == .canonical)
    #expect(try answer(Self.seeds[0].replacing(",\"photo\":\"x\"", with: "")) == .canonical)
    #expect(try answer(Self.plain.replacing(",\"title\"", with: ", \"title\"")) == .unknown)
  }

  @Test(arguments: seeds + [plain])
  func canonicalLinesStay(_ seed: String) throws {
    let result = try Self.write(seed)
    #expect(result.isCanonical && !result.isRejected && result.line == seed)
  }

  @Test(arguments: seeds + [plain])
  func bothPathsAgree(_ seed: String) throws {
    var random = SeededRandom(seed: 21)
    let words = [
      "null", "true", "0", "7.5", "\"\"", "\"x\"", "[]", "{}", "\"2026-01-05T10:11:12.345Z\"",
      "\"2026-02-30T10:11:12.345Z\"",
      "\"2026-01-05T10:11:12Z\"", "1e2", "\"3a473796-4407-4338-b2dc-132362e6088a\"", "\"\\u00e9\"", "[1]",
      "{\"a\":1,\"a\":2}",
    ]
    var taken = 0
    for _ in 0..<6000 {
      var text = seed
      // Replace, remove or exchange pieces between positions at which a value may begin or end.
      for _ in 0...random.below(2) {
        let cuts = text.indices.filter { ",:{}[]".contains(text[$0]) }
        let from = text.index(after: random.pick(cuts))
        let end = cuts.first { $0 >= from } ?? from
        let other = random.pick(cuts)
        switch random.below(3) {
        case 0: text.replaceSubrange(from..<end, with: random.pick(words))
        case 1: text.replaceSubrange(from..<end, with: "")
        default:
          let next = text.index(after: other)
          text.replaceSubrange(from..<end, with: text[next..<(cuts.first { $0 >= next } ?? next)])
        }
      }
      guard let result = try? Self.write(text) else { continue }
      if result.isCanonical {
        taken += 1
        #expect(result.line == text && !result.isRejected, "\(text)")
      } else if !result.isRejected {
        // The output of the slow path is canonical, and the slow path writes it unchanged.
        let again = try Self.write(result.line)
        #expect(again.line == result.line && !again.isRejected, "\(text)\n\(result.line)\n\(again.line)")
      }
    }
    #expect(taken > 20)
  }
}
