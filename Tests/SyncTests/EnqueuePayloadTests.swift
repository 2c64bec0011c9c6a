import Content
import FleetKit
import Foundation
import JSONText
import Publishing
import SyncQueue
import TestSupport
import Testing
import Validation

/// Queued payloads can be decoded by the app's rules, and a registry accepts them unchanged.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct EnqueuePayloadTests {
  private static let now = Timestamp(milliseconds: 1_790_000_000_500)

  /// Every library of the app that has the current schema or can be migrated to it.
  @Test(arguments: [
    "library-v1.4.0", "library-v1.5.0", "library-v1.7.0", "library-v1.9.0", "library-v2.0.0",
    "library-v2.2.0-upgraded-from-v1.4.0", "library-v2.2.0",
  ])
  func ofEverySample(_ name: String) throws {
    let world = try EnqueueWorld(name + ".sqlite")
    try world.run("migrate", "--yes", "-q")
    let last = try world.last()
    let answer = try world.json("publish", "--all", "--yes", status: 3)
    let rows = try world.queue(after: last)
    #expect(rows.count == answer["queued"]?.integer.map { Int($0) } && rows.count >= 16)
    for row in rows { try Self.check(row, in: world) }
  }

  @Test func ofAllSamplesOfOurOwn() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    for name in ["samples/curated-checklists.jsonl", "samples/crew-handbook.json", "samples/ci/decks", "samples/vault"]
    {
      let answer = try Shell.run(
        Paths.command, ["publish", Paths.root + "/" + name, "--library", world.library, "--json"])
      #expect([0, 3].contains(answer.status), "\(name): \(answer.errors)")
    }
    let rows = try world.queue(after: last)
    let decks = try world.queue(beside: true)
    #expect(rows.count > 15 && !decks.isEmpty, "\(rows.count) and \(decks.count)")
    for row in rows + decks { try Self.check(row, in: nil) }
  }

  private static func check(_ row: EnqueueWorld.Row, in world: EnqueueWorld?) throws {
    let payload = try #require(row.payload)
    #expect(row.operation == "publish" && row.visibility == "public" && row.retries == 0 && !row.isSent)
    let request = try AppPayload.decode(payload)
    #expect(request.publicID.wholeMatch(of: /[a-z0-9-]+-[0-9A-F]{8}/) != nil)
    #expect(request.document.id.uuidString == row.contentID)
    // No publishing rule reports a finding, and a registry accepts the payload byte for byte.
    let root = try JSONDocument(parsing: payload).root
    #expect(PublishCheck.problems(inPayload: root).filter { $0.severity == .error }.isEmpty)
    guard case .taken(let taken) = try PublishIntake().publication(root, now: now) else {
      Issue.record("a registry does not take \(payload)")
      return
    }
    #expect(String(decoding: taken.contentData, as: UTF8.self) == root["content_data"]?.text)
    #expect(taken.title == request.title && taken.tags == request.tags && taken.description == request.description)
    guard let world else { return }
    let metadata = try JSONDecoder().decode(
      AppPayload.Metadata.self, from: Data(world.columns(row.contentID, "publicMetadata").utf8))
    #expect(metadata.publicID == request.publicID && metadata.canFork)
    #expect(abs(metadata.publishedAt.timeIntervalSinceNow) < 600)
    let document = request.document
    let table = document.contentType == "checklist" ? "checklists" : "practice_guides"
    let made = try world.sql("SELECT strftime('%s', createdAt) FROM \(table) WHERE id = '\(row.contentID)'")
    #expect(Int(document.createdAt.timeIntervalSince1970) == Int(made.trimmingCharacters(in: .newlines)))
  }

  @Test func aDeckLeavesWithoutItsReviews() throws {
    let world = try EnqueueWorld()
    let deck = """
      {"kind":"item","id":"3F2A0001-0000-4000-8000-00000000000A","content_type":"flashcard_deck","title":"Lights",
       "description":"What lights mean.","content_data":{"cards":[{"front":"Red over white","back":"Fishing",
       "review":{"easeFactor":2.5,"lapses":4}}]}}
      """.replacing("\n", with: "")
    let source = try world.folder.write("deck.jsonl", deck + "\n")
    let answer = try Shell.run(Paths.command, ["publish", source, "--library", world.library])
    #expect(answer.status == 0, "\(answer.errors)")
    let row = try #require(try world.queue(beside: true).first)
    #expect(row.payload?.contains("review") == false && row.payload?.contains("easeFactor") == false)
    _ = try AppPayload.decode(row.payload ?? "")
    // The library keeps the reviews.
    #expect(try SQLiteShell.run(world.state, "SELECT line FROM records;").contains("\"lapses\":4"))
    let shown = try Shell.run(Paths.command, ["show", world.library, "--id", "3F2A0001", "--json"])
    #expect(shown.output.contains("\"visibility\":\"public\"") && shown.output.contains("\"sync_status\":\"queued\""))
    // The unchanged deck yields the same payload again.
    #expect(try world.json("update", "--changed")["queued"]?.integer != nil)
    #expect(try world.queue(beside: true).count == 1)
    #expect(try world.queue(beside: true).first?.payload == row.payload)
  }
}
