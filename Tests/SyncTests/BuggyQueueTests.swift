import Foundation
import JSONText
import SQLiteIO
import TestSupport
import Testing

/// The queue that two early builds of the app left behind. Once the library is repaired, migrated and synced, the
/// registry has the state that its owner intended.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason)) struct BuggyQueueTests {
  @Test func theRegistryHoldsWhatItsOwnerMeant() throws {
    let registry = try LocalRegistry()
    let scratch = Scratch()
    let path = try scratch.writable("library-v1.6.0-buggy-queue.sqlite", as: "l.sqlite")
    let expected = try JSONDocument(
      parsing: String(contentsOfFile: Paths.libraries + "/expected-buggy-queue.json", encoding: .utf8)
    ).root
    let environment = try registry.environment()
    func run(_ arguments: String..., expecting status: Int32) throws -> Answer {
      let answer = try Shell.run(Paths.command, arguments, environment: environment)
      #expect(answer.status == status, "\(arguments): \(answer.status) \(answer.output) \(answer.errors)")
      return answer
    }
    let doctor = try run("doctor", path, "--repair", "--yes", expecting: 0)
    #expect(doctor.errors.contains("LIB0811") || doctor.output.contains("LIB0811"))
    _ = try run("migrate", path, "--yes", expecting: 0)
    // One row breaks a publishing rule, so it stays in the queue as failed.
    let sync = try run("sync", path, "--registry", registry.url, "--json", expecting: 0)
    let summary = try JSONDocument(parsing: sync.output).root
    let published = expected["published_at_the_end"]?.elements ?? []
    #expect(published.count == 6 && summary["sent"]?["publish"]?.integer == 6, "\(sync.output)")
    registry.stop()

    let database = try SQLiteConnection(registry.database, .read, .foreign)
    let rows = try database.rows(
      """
      SELECT public_id, title, deleted_at IS NULL, json_type(CAST(content_data AS TEXT)), content_data
      FROM shared_content AS s JOIN content_documents AS d ON d.number = s.number
      """)
    #expect(Set(rows.map { $0[0] }) == Set(published.map { $0["public_id"]?.string }))
    for row in rows {
      let entry = try #require(published.first { $0["public_id"]?.string == row[0] })
      // Titles are abbreviated in this column.
      #expect(row[1]?.hasPrefix(entry["title"]?.string?.split(separator: " ").first.map(String.init) ?? "-") == true)
      #expect(row[2] == "1" && row[3] == "object", "\(row)")
    }

    let library = try SQLiteConnection(path, .read, .foreign)
    for entry in published {
      let item = try library.rows(
        "SELECT visibility, syncStatus FROM library_content WHERE publicID = ?", [entry["public_id"]?.string ?? ""])
      #expect(item == [["public", "synced"]], "\(entry["title"]?.string ?? ""): \(item)")
    }
    for entry in expected["private_at_the_end"]?.elements ?? [] {
      let item = try library.rows(
        "SELECT visibility, publicID FROM library_content WHERE title LIKE ? || '%'", [entry["title"]?.string ?? "-"])
      #expect(item == [["private", nil]], "\(entry["title"]?.string ?? ""): \(item)")
    }
    let refused = try #require(expected["refused_at_the_end"]?.elements.first)
    let slug = refused["public_id"]?.string ?? ""
    let row = try library.rows(
      """
      SELECT q.retryCount, q.syncedAt, c.syncStatus FROM sync_queue AS q
      JOIN library_content AS c ON c.id = q.contentID WHERE json_extract(payload, '$.public_id') = ?
      """, [slug])
    #expect(row == [["3", nil, "failed"]], "\(row)")
    #expect(try library.number("SELECT count(*) FROM sync_queue WHERE syncedAt IS NULL AND retryCount < 3") == 0)

    // The user retries the row, which is then sent: the app allows an empty section, and registries accept it.
    let again = try run("sync", path, "--registry", registry.url, "--retry-failed", "--json", expecting: 69)
    #expect(again.output.contains("unreachable"))
    try registry.start()
    let sent = try run("sync", path, "--registry", registry.url, "--retry-failed", "--json", expecting: 0)
    #expect(try JSONDocument(parsing: sent.output).root["sent"]?["publish"]?.integer == 1, "\(sent.output)")
    #expect(try registry.client().item(slug)?.title.isEmpty == false)
  }
}
