import Doctor
import FleetKit
import Foundation
import TestSupport
import Testing

/// Repairs of the queue that early builds left behind, compared with the intent of the library's owner.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there")) struct DoctorQueueTests {
  private static let crew = "43A324AA-5A48-4FBB-941F-F39D2D051ED6"

  /// The repaired library of the two early builds, compared with its owner's intent.
  @Test func theBuggyQueueMeansWhatItsOwnerMeant() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v1.6.0-buggy-queue.sqlite", as: "x.sqlite")
    let before = try SQLiteShell.rows(path, "sync_queue")
    let repair = try Clinic.repair(path)
    let data = try Data(contentsOf: URL(fileURLWithPath: Libraries.path("expected-buggy-queue.json")))
    let expected = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let published = try #require(expected["published_at_the_end"] as? [[String: Any]])
    let live = try Run.records(path).filter {
      $0["kind"]?.string == "sync_operation" && $0["synced_at"]?.isNull == true && ($0["retry_count"]?.integer ?? 9) < 3
    }
    #expect(live.count == published.count)
    for entry in published {
      let row = live.first { Int($0["id"]?.integer ?? 0) == entry["from_row"] as? Int }
      let payload = row?["payload"]
      #expect(row?["operation"]?.string == "publish" && row?["retry_count"]?.integer == 0)
      #expect(row?["last_error"]?.isNull == true)
      #expect(payload?["public_id"]?.string == entry["public_id"] as? String)
      let document = payload?["content_data"]
      #expect(document?.kind == .object && document?["id"]?.string == row?["content_id"]?.string)
      for name in ["title", "tags", "createdAt", "updatedAt", "syncStatus"] {
        #expect(document?[name] != nil, "\(name)")
      }
      #expect(document?["createdAt"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
      #expect(payload?["contentData"] == nil && payload?["publicID"] == nil && payload?["contentType"] == nil)
      #expect(
        payload?.members.map(\.name).filter { $0 != "description" } == [
          "title", "content_type", "content_data", "tags", "language", "public_id",
        ])
      let status = try SQLiteShell.run(
        path, "SELECT syncStatus FROM library_content WHERE id = '\(row?["content_id"]?.string ?? "")';")
      #expect(status == "queued\n")
    }
    for entry in try #require(expected["private_at_the_end"] as? [[String: Any]]) {
      let rows = try #require(entry["rows"] as? [Int])
      for id in rows {
        #expect(try SQLiteShell.run(path, "SELECT count(*) FROM sync_queue WHERE id = \(id);") == "0\n")
        #expect(repair.quarantined.contains { $0.kind == .syncOperation && $0.id == "\(id)" })
      }
      let content = try #require(before.first { SQLiteShell.text($0["id"] ?? "") == "\(rows[0])" })
      let item = SQLiteShell.text(content["contentID"] ?? "") ?? ""
      let state = try SQLiteShell.run(
        path, "SELECT visibility, syncStatus, publicID IS NULL FROM library_content WHERE id = '\(item)';")
      #expect(state == "private|pending|1\n")
    }
    for entry in try #require(expected["refused_at_the_end"] as? [[String: Any]]) {
      let id = try #require(entry["from_row"] as? Int)
      let state = try SQLiteShell.run(
        path,
        """
        SELECT retryCount, json_type(payload, '$.content_data'), json_extract(payload, '$.public_id'), syncStatus
        FROM sync_queue q JOIN library_content c ON c.id = contentID WHERE q.id = \(id);
        """)
      #expect(state == "3|object|\(entry["public_id"] as? String ?? "")|failed\n")
      let after = try Clinic.examine(path).findings.kept
      #expect(after.contains { $0.code == .publicationRefused && $0.place.row?.id == "\(id)" && $0.severity == .note })
    }
    // Used numbers are never assigned again.
    #expect(try SQLiteShell.run(path, "SELECT seq FROM sqlite_sequence;") == "11\n")
  }

  /// One queue: its rows as [operation, payload, retryCount, lastError, synced], the item's status and visibility, the
  /// doctor's findings, and the remaining rows as `id operation retryCount`.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let rows: [(String, String?, Int, String?, Bool)]
    var status = "pending"
    var visibility = "public"
    let codes: Set<String>
    let left: [String]
    let statusAfter: String
    var testDescription: String { name }
  }

  private static func publish(_ id: String) -> String {
    #"{"title":"Crew Safety","description":"d","content_type":"checklist","content_data":{"id":"\#(crew)","title":"Crew","sections":[],"tags":[],"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","syncStatus":"pending"},"tags":[],"language":"en","public_id":"\#(id)"}"#
  }
  /// Returns the payload of a publish operation whose document has this `updatedAt`.
  private static func publish(updatedAt: String) -> String {
    publish("a-1").replacing("\"updatedAt\":\"2026-01-01T00:00:00Z\"", with: "\"updatedAt\":\(updatedAt)")
  }
  private static func withdraw(_ id: String) -> String { #"{"public_id":"\#(id)"}"# }
  private static let emptySection =
    #""sections":[{"id":"272F0420-011E-4256-8C1E-39AB4A63A07A","title":"S","items":[],"isExpandedByDefault":false,"sortOrder":0}]"#
  private static let offline = "The operation could not be completed. (NSURLErrorDomain error -1009.)"
  private static let timeout = "The request timed out. (NSURLErrorDomain error -1001.)"

  static let cases = [
    Case(
      name: "offline, a few tries left", rows: [("publish", publish("a-1"), 2, offline, false)], codes: [],
      left: ["1 publish 2"], statusAfter: "pending"),
    Case(
      name: "exhausted, and the item says so", rows: [("publish", publish("a-1"), 3, timeout, false)], status: "failed",
      codes: [], left: ["1 publish 3"], statusAfter: "failed"),
    Case(
      name: "exhausted, the item still waits", rows: [("publish", publish("a-1"), 3, timeout, false)], status: "queued",
      codes: ["LIB0809"], left: ["1 publish 3"], statusAfter: "failed"),
    Case(
      name: "refused for good and tried again",
      rows: [("publish", publish("a-1"), 1, "Resource already exists", false)],
      codes: ["LIB0806"], left: ["1 publish 3"], statusAfter: "failed"),
    Case(
      name: "forbidden", rows: [("unpublish", withdraw("a-1"), 2, "HTTP 403", false)], visibility: "private",
      codes: ["LIB0806"], left: ["1 unpublish 3"], statusAfter: "failed"),
    Case(
      name: "sent and not marked", rows: [("publish", publish("a-1"), 0, nil, true)], codes: ["LIB0810"],
      left: ["1 publish 0"], statusAfter: "synced"),
    Case(
      name: "sent and still being sent", rows: [("publish", publish("a-1"), 0, nil, true)], status: "syncing",
      codes: ["LIB0809"], left: ["1 publish 0"], statusAfter: "synced"),
    Case(
      name: "public without a row", rows: [], status: "synced", codes: ["LIB0813"], left: ["1 publish 0"],
      statusAfter: "synced"),
    Case(
      name: "public, and only an update was sent", rows: [("publish_update", publish("a-1"), 0, nil, true)],
      status: "synced", codes: ["LIB0813"], left: ["1 publish_update 0", "2 publish 0"], statusAfter: "synced"),
    Case(
      name: "public under another id than was sent",
      rows: [("publish", publish("a-0"), 0, nil, true), ("unpublish", withdraw("a-0"), 0, nil, true)], status: "synced",
      codes: ["LIB0813"], left: ["1 publish 0", "2 unpublish 0", "3 publish 0"], statusAfter: "synced"),
    Case(
      name: "unlisted without a row", rows: [], status: "synced", visibility: "unlisted", codes: ["LIB0813"],
      left: ["1 publish 0"], statusAfter: "synced"),
    Case(
      name: "a mark says nothing of what was sent", rows: [("publish", withdraw("a-1"), 0, nil, true)], codes: [],
      left: ["1 publish 0"], statusAfter: "pending"),
    Case(
      name: "a mark, and the item waits", rows: [("publish", withdraw("a-1"), 0, nil, true)], status: "queued",
      codes: ["LIB0809"], left: ["1 publish 0"], statusAfter: "pending"),
    Case(
      name: "public without an id", rows: [], visibility: "public, no id", codes: ["LIB0814"], left: [],
      statusAfter: "pending"),
    Case(
      name: "public without an id, and a publication waits", rows: [("publish", publish("a-1"), 0, nil, false)],
      visibility: "public, no id", codes: ["LIB0811", "LIB0814"], left: ["1 publish 3"], statusAfter: "failed"),
    Case(
      name: "times as numbers",
      rows: [
        (
          "publish", publish("a-1").replacing("\"2026-01-01T00:00:00Z\"", with: "788918400.5"), 1, timeout, false
        )
      ], codes: ["LIB0803"], left: ["1 publish 0"], statusAfter: "queued"),
    Case(
      name: "times that are none",
      rows: [("publish", publish("a-1").replacing("\"2026-01-01T00:00:00Z\"", with: "1e300"), 1, timeout, false)],
      codes: ["LIB0803"], left: ["1 publish 0"], statusAfter: "queued"),
    Case(
      name: "an empty section that the app queued",
      rows: [
        ("publish", publish("a-1").replacing("\"sections\":[]", with: Self.emptySection), 0, nil, false)
      ], status: "queued", codes: [], left: ["1 publish 0"], statusAfter: "queued"),
    Case(
      name: "an empty section in what was given up",
      rows: [
        ("publish", publish("a-1").replacing("\"sections\":[]", with: Self.emptySection), 3, offline, false)
      ], status: "failed", codes: ["LIB0811"], left: ["1 publish 3"], statusAfter: "failed"),
    Case(
      name: "no row at all", rows: [], status: "queued", visibility: "private", codes: ["LIB0809"], left: [],
      statusAfter: "pending"),
    Case(
      name: "withdrawn before it was sent",
      rows: [("publish", publish("a-1"), 3, offline, false), ("unpublish", withdraw("a-1"), 0, nil, false)],
      visibility: "private", codes: ["LIB0807"], left: [], statusAfter: "pending"),
    Case(
      name: "withdrawn, and it may have arrived",
      rows: [
        ("publish", publish("a-1"), 1, timeout, false), ("unpublish", nil, 3, "Content missing public ID", false),
      ],
      visibility: "private", codes: ["LIB0802", "LIB0808", "LIB0813"],
      left: ["1 publish 3", "2 unpublish 0", "3 publish 0"], statusAfter: "queued"),
    Case(
      name: "withdrawn while it was being sent",
      rows: [("publish", publish("a-1"), 0, nil, false), ("unpublish", nil, 0, nil, false)], status: "syncing",
      visibility: "private", codes: ["LIB0802", "LIB0808", "LIB0813"],
      left: ["1 publish 3", "2 unpublish 0", "3 publish 0"], statusAfter: "queued"),
    Case(
      name: "withdrawn properly, and it may have arrived",
      rows: [("publish", publish("a-1"), 1, timeout, false), ("unpublish", withdraw("a-1"), 0, nil, false)],
      visibility: "private", codes: ["LIB0808", "LIB0813"], left: ["1 publish 3", "2 unpublish 0", "3 publish 0"],
      statusAfter: "queued"),
    Case(
      name: "an update was sent, and its withdrawal never",
      rows: [("publish_update", publish("a-1"), 0, nil, true), ("unpublish", nil, 0, nil, true)], status: "synced",
      visibility: "private", codes: ["LIB0802", "LIB0812", "LIB0813"],
      left: ["1 publish_update 0", "2 unpublish 0", "3 unpublish 0", "4 publish 0"], statusAfter: "queued"),
    Case(
      name: "published and withdrawn, the legitimate pair",
      rows: [("publish", publish("a-1"), 0, nil, true), ("unpublish", withdraw("a-1"), 2, offline, false)],
      visibility: "private", codes: [], left: ["1 publish 0", "2 unpublish 2"], statusAfter: "pending"),
    Case(
      name: "withdrawal without payload, the publication known",
      rows: [("publish", publish("a-1"), 0, nil, true), ("unpublish", nil, 3, "Content missing public ID", false)],
      visibility: "private", codes: ["LIB0802"], left: ["1 publish 0", "2 unpublish 0"], statusAfter: "queued"),
    Case(
      name: "withdrawal of nothing that is known", rows: [("unpublish", nil, 3, "Content missing public ID", false)],
      visibility: "private", codes: ["LIB0802"], left: [], statusAfter: "pending"),
    Case(
      name: "withdrawal that was marked as done and never sent",
      rows: [("publish", publish("a-1"), 0, nil, true), ("unpublish", nil, 0, nil, true)], status: "synced",
      visibility: "private", codes: ["LIB0802", "LIB0812"], left: ["1 publish 0", "2 unpublish 0", "3 unpublish 0"],
      statusAfter: "queued"),
    Case(
      name: "publish, withdraw, publish: the last wins",
      rows: [
        ("publish", publish("a-1"), 3, offline, false), ("unpublish", withdraw("a-1"), 0, nil, false),
        ("publish", publish("a-2"), 0, nil, false),
      ], codes: ["LIB0808"], left: ["3 publish 0"], statusAfter: "queued"),
    Case(
      name: "a new publication waits for the old one's withdrawal",
      rows: [
        ("publish", publish("a-1"), 0, nil, true), ("unpublish", withdraw("a-1"), 0, nil, false),
        ("publish", publish("a-2"), 0, nil, false),
      ], status: "queued", codes: [], left: ["1 publish 0", "2 unpublish 0", "3 publish 0"], statusAfter: "queued"),
    Case(
      name: "an update of what was never sent is the publication",
      rows: [("publish", publish("a-1"), 1, offline, false), ("publish_update", publish("a-1"), 0, nil, false)],
      codes: ["LIB0808"], left: ["2 publish 0"], statusAfter: "queued"),
    Case(
      name: "an update of what may have arrived",
      rows: [("publish", publish("a-1"), 1, timeout, false), ("publish_update", publish("a-1"), 0, nil, false)],
      codes: [], left: ["1 publish 1", "2 publish_update 0"], statusAfter: "pending"),
    Case(
      name: "a payload that is no JSON", rows: [("publish", "{", 3, timeout, false)], codes: ["LIB0801"],
      left: ["1 publish 0"], statusAfter: "queued"),
    Case(
      name: "a broken publication of a private item", rows: [("publish", "{\"public_id\":\"a-1\"}", 1, timeout, false)],
      visibility: "private", codes: ["LIB0801", "LIB0811"], left: ["1 publish 3"], statusAfter: "failed"),
    Case(
      name: "a time that is null", rows: [("publish", publish(updatedAt: "null"), 0, nil, false)],
      codes: ["LIB0801"], left: ["1 publish 0"], statusAfter: "queued"),
    Case(
      name: "a time that is a boolean", rows: [("publish", publish(updatedAt: "true"), 3, "not sent", false)],
      status: "failed", codes: ["LIB0801"], left: ["1 publish 0"], statusAfter: "queued"),
    Case(
      name: "a time that is another text", rows: [("publish", publish(updatedAt: "\"soon\""), 0, nil, false)],
      codes: ["LIB0801"], left: ["1 publish 0"], statusAfter: "queued"),
    Case(
      name: "a time with a fraction",
      rows: [("publish", publish(updatedAt: "\"2026-01-01T00:00:00.123Z\""), 0, nil, false)],
      codes: ["LIB0801"], left: ["1 publish 0"], statusAfter: "queued"),
    Case(
      name: "a time that is null, in what was sent", rows: [("publish", publish(updatedAt: "null"), 0, nil, true)],
      status: "synced", codes: ["LIB0801"], left: ["1 publish 0"], statusAfter: "synced"),
    Case(
      name: "a title that is too long",
      rows: [
        ("publish", publish("a-1").replacing("Crew Safety", with: String(repeating: "é", count: 101)), 0, nil, false)
      ],
      codes: ["LIB0811"], left: ["1 publish 3"], statusAfter: "failed"),
    Case(
      name: "a title of a hundred flags",
      rows: [
        (
          "publish", publish("a-1").replacing("Crew Safety", with: String(repeating: "🇬🇷", count: 100)), 0, nil, false
        )
      ], codes: [], left: ["1 publish 0"], statusAfter: "pending"),
    Case(
      name: "an operation that a later app invented", rows: [("archive", "{}", 0, nil, false)], status: "queued",
      codes: ["LIB0801", "LIB0813"], left: ["2 publish 0"], statusAfter: "pending"),
  ]

  @Test(arguments: cases)
  func aQueueComesToWhatItsOwnerMeant(_ queue: Case) throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.0.0.sqlite", as: "x.sqlite")
    func quoted(_ text: String?) -> String { text.map { "'\($0.replacing("'", with: "''"))'" } ?? "NULL" }
    // Only this item is published.
    var sql = """
      DELETE FROM sync_queue; DELETE FROM sqlite_sequence;
      UPDATE library_content SET visibility = 'private', publicID = NULL, publicMetadata = NULL, publishedAt = NULL;
      UPDATE library_content SET visibility = '\(queue.visibility.prefix { $0 != "," })',
        syncStatus = '\(queue.status)',
        publicID = \(["public", "unlisted"].contains(queue.visibility) ? "'a-1'" : "NULL"), publicMetadata = NULL,
        updatedAt = '2026-01-01 00:00:00.000' WHERE id = '\(Self.crew)';
      """
    for (index, row) in queue.rows.enumerated() {
      let time = "2026-01-0\(index + 1) 10:00:00.000"
      sql += """
        INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt, retryCount, lastError, syncedAt)
        VALUES ('\(Self.crew)', '\(row.0)', 'public', \(quoted(row.1)), '\(time)', \(row.2), \(quoted(row.3)),
          \(row.4 ? quoted(time) : "NULL"));
        """
    }
    try SQLiteShell.run(path, sql)
    let before = try Run.records(path)
    let found = try Clinic.examine(path).findings.kept.filter { $0.code != .contentEmpty }
    #expect(Set(found.map(\.code.id)) == queue.codes, "\(found.map(\.message))")
    let repair = try Clinic.repair(path)
    try Clinic.expectSound(path, repair, before: before)
    let left = try SQLiteShell.run(
      path, "SELECT id || ' ' || operation || ' ' || retryCount FROM sync_queue ORDER BY id;"
    ).split(separator: "\n").map(String.init)
    #expect(left == queue.left)
    let status = try SQLiteShell.run(path, "SELECT syncStatus FROM library_content WHERE id = '\(Self.crew)';")
    #expect(status == queue.statusAfter + "\n")
    let withdrawals = try SQLiteShell.run(
      path, "SELECT payload FROM sync_queue WHERE operation = 'unpublish' AND syncedAt IS NULL;")
    for line in withdrawals.split(separator: "\n") { #expect(line == #"{"public_id":"a-1"}"#) }
    let marks = try SQLiteShell.run(
      path,
      """
      SELECT count(*) FROM library_content AS item WHERE visibility IN ('public', 'unlisted')
      AND (ifnull(publicID, '') = '' OR NOT EXISTS (
        SELECT 1 FROM sync_queue WHERE contentID = item.id AND operation = 'publish'));
      """)
    #expect(marks == "0\n")
  }
}
