import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// `update` and `unpublish`: their effect on waiting operations.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct EnqueueUpdateTests {
  private static let id = EnqueueWorld.published
  private static let slug = "yacht-check-in-46-ft-monohull-270544C3"

  private func change(_ world: EnqueueWorld, _ title: String) throws {
    try world.sql("UPDATE library_content SET title = '\(title)' WHERE id = '\(Self.id)'")
  }

  @Test func whatChangedIsFound() throws {
    let world = try EnqueueWorld()
    // Queue the sample's own pending changes first.
    try world.run("update", "--changed")
    let nothing = try world.json("update", "--changed")
    #expect(nothing["queued"]?.integer == 0)
    // Unchanged items are counted; -v and --json list them.
    let count = nothing["skipped"]?["unchanged"]?.integer ?? 0
    #expect(count > 1 && nothing["items"]?.elements.count == Int(nothing["selected"]?.integer ?? 0))
    let brief = try world.run("update", "--changed").errors
    let title = "Yacht Check-In: 46 ft monohull"
    #expect(brief.contains(/\b\d+\b/) && brief.numbers.contains(Int(count)) && !brief.contains(title), "\(brief)")
    #expect(try world.run("update", "--changed", "-v").errors.contains(title))
    try change(world, "Yacht check-in, new")
    let last = try world.last()
    let answer = try world.json("update", "--changed")
    #expect(answer["queued"]?.integer == 1 && answer["items"]?[0] != nil)
    let rows = try world.queue(after: last)
    let row = try #require(rows.first)
    #expect(rows.count == 1 && row.operation == "publish_update" && row.contentID == Self.id)
    #expect(try AppPayload.decode(row.payload ?? "").publicID == Self.slug)
    #expect(try world.columns(Self.id, "syncStatus, visibility, publicID") == "queued|public|\(Self.slug)")
    // A change to only the status or the time does not count.
    try world.sql("UPDATE checklists SET syncStatus = 'synced', updatedAt = '2026-10-10 10:10:10.100'")
    #expect(try world.json("update", "--changed")["queued"]?.integer == 0)
  }

  @Test func whatWasNeverSentIsReplaced() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    try world.run("publish", "--id", "F2AB9D35")
    let first = try #require(try world.queue(after: last).first)
    try world.sql("UPDATE library_content SET title = 'Человек за бортом!' WHERE id = '\(EnqueueWorld.clean)'")
    try world.run("update", "--changed")
    let rows = try world.queue(after: last).filter { $0.contentID == EnqueueWorld.clean }
    #expect(rows.map(\.id) == [first.id] && rows.first?.operation == "publish")
    let (old, new) = (try AppPayload.decode(first.payload ?? ""), try AppPayload.decode(rows.first?.payload ?? ""))
    #expect(new.title == "Человек за бортом!" && new.publicID == old.publicID)
    // After an attempt to send it, a row is kept, and another row follows it.
    try world.sql("UPDATE sync_queue SET retryCount = 1, lastError = 'timed out' WHERE id = \(first.id)")
    try world.run("update", "--id", "F2AB9D35")
    let both = try world.queue(after: last).filter { $0.contentID == EnqueueWorld.clean }
    #expect(both.map(\.operation) == ["publish", "publish_update"])
    // A row that is currently being sent is kept, too.
    try world.sql("UPDATE library_content SET syncStatus = 'syncing' WHERE id = '\(EnqueueWorld.clean)'")
    try world.run("update", "--id", "F2AB9D35")
    #expect(try world.queue(after: last).filter { $0.contentID == EnqueueWorld.clean }.count == 3)
  }

  @Test func whatIsNotPublicIsSkippedAndWhatIsInvalidRefused() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    let answer = try world.json("update", "--id", "F2AB9D35")
    #expect(answer["skipped"]?["not public"]?.integer == 1)
    try change(world, "X")
    #expect(try world.json("update", "--id", "3A473796", status: 3)["refused"]?.integer == 1)
    #expect(try world.queue(after: last).isEmpty)
    // It is not known yet which registry to ask.
    #expect(try world.run("update", "--id", "3A473796", "--take", "remote", status: 64).errors.contains("--registry"))
  }

  @Test func takingTheLocalSideForgetsTheTag() throws {
    let world = try EnqueueWorld()
    try world.run("update", "--id", "3A473796")
    try SQLiteShell.run(
      world.state, "INSERT INTO publications VALUES ('\(Self.id)', '\(Self.slug)', NULL, 'abc', '2026-01-01');")
    try world.run("update", "--id", "3A473796")
    #expect(try SQLiteShell.run(world.state, "SELECT digest FROM publications;") == "abc\n")
    try world.run("update", "--id", "3A473796", "--take", "local")
    #expect(try SQLiteShell.run(world.state, "SELECT digest IS NULL FROM publications;") == "1\n")
  }

  @Test func anImportIntoWhatIsPublishedWaitsForAnUpdate() throws {
    let world = try EnqueueWorld()
    try world.run("update", "--changed")
    let source = world.folder["export.json"]
    let exported = try Shell.run(Paths.command, ["export", world.library, "--to", source, "--id", "3A473796"])
    #expect(exported.status == 0)
    let text = try world.folder.text("export.json").replacing("Walk round the hull", with: "Walk around the hull")
    _ = try world.folder.write("changed.json", text.replacing("\"updated_at\":\"2026", with: "\"updated_at\":\"2027"))
    let imported = try Shell.run(
      Paths.command,
      ["import", world.folder["changed.json"], "--into", world.library, "--on-conflict", "newest", "--json"])
    #expect(imported.status == 0 && imported.number("/published_changed") == 1, "\(imported.output)")
    #expect(try world.columns(Self.id, "visibility, publicID, syncStatus") == "public|\(Self.slug)|pending")
    let last = try world.last()
    try world.run("update", "--changed")
    let rows = try world.queue(after: last)
    #expect(rows.map(\.contentID) == [Self.id] && rows.first?.payload?.contains("Walk around the hull") == true)
  }

  // MARK: Withdrawing

  @Test func aWithdrawalSaysWhatItWithdraws() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    let rehearsal = try world.json("unpublish", "--id", "3A473796", "--dry-run")
    #expect(rehearsal["items"]?[0]?["here"]?.string == "public")
    let answer = try world.json("unpublish", "--id", "3A473796")
    #expect(answer["items"]?[0]?["here"]?.string == "private")
    #expect(answer["items"]?[0]?["there"]?.string == "public until sync")
    let rows = try world.queue(after: last)
    #expect(rows.map(\.payload) == ["{\"public_id\":\"\(Self.slug)\"}"] && rows.first?.visibility == "private")
    let columns = "visibility, publicID, publishedAt, publicMetadata, syncStatus"
    #expect(try world.columns(Self.id, columns) == "private|NULL|NULL|NULL|queued")
    #expect(try world.json("unpublish", "--id", "3A473796")["skipped"]?["withdrawal waits"]?.integer == 1)
    #expect(try world.queue(after: last) == rows)
    // When the item is published again, it gets a new slug, and the order of operations is kept.
    try world.run("publish", "--id", "3A473796")
    #expect(try world.queue(after: last).map(\.operation) == ["unpublish", "publish"])
    #expect(try world.columns(Self.id, "publicID") != Self.slug)
  }

  @Test func theSlugIsFoundWhenTheItemHasForgottenIt() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    try world.sql("UPDATE library_content SET publicID = NULL, visibility = 'private' WHERE id = '\(Self.id)'")
    try world.run("unpublish", "--id", "3A473796")
    #expect(try world.queue(after: last).map(\.payload) == ["{\"public_id\":\"\(Self.slug)\"}"])
    // The public id is not in the queue, but in the registry's last answer.
    let other = EnqueueWorld.clean
    try SQLiteShell.run(
      world.state, "INSERT INTO publications VALUES ('\(other)', 'mob-00000001', NULL, 'abc', '2026-01-01');")
    try world.run("unpublish", "--id", "F2AB9D35")
    #expect(try world.queue(after: last).last?.payload == "{\"public_id\":\"mob-00000001\"}")
    #expect(try world.json("unpublish", "--id", "E8282E29")["skipped"]?["not public"]?.integer == 1)
  }

  @Test func whatIsNotInTheLibraryIsNotQueued() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    // One of the item's two rows is deleted. An operation would wait for an item that does not exist.
    try world.sql("DELETE FROM library_content WHERE id = '\(Self.id)'")
    let half = try world.run("unpublish", "--id", "3A473796", status: 3)
    #expect(half.errors.contains("LIB0602") && half.errors.contains("doctor --repair"), "\(half.errors)")
    try world.sql("DELETE FROM checklists WHERE id = '\(Self.id)'")
    let gone = try world.run("unpublish", "--id", "3A473796", status: 2)
    #expect(gone.errors.contains("--id 3A473796") && gone.errors.contains("--all-mine"), "\(gone.errors)")
    #expect(try world.queue(after: last).isEmpty)
  }

  @Test func whatWasNeverSentLeaves() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    try world.run("publish", "--id", "F2AB9D35")
    try world.sql("UPDATE sync_queue SET lastError = 'offline: nobody was reached' WHERE id > \(last)")
    try world.run("update", "--id", "F2AB9D35")
    let answer = try world.json("unpublish", "--id", "F2AB9D35")
    #expect(answer["cancelled"]?.integer == 1 && answer["items"]?[0]?["there"]?.string == "never sent")
    #expect(try world.queue(after: last).isEmpty)
    #expect(try world.columns(EnqueueWorld.clean, "visibility, publicID, syncStatus") == "private|NULL|pending")
  }

  @Test(arguments: ["retryCount = 1, lastError = 'timed out'", "retryCount = 3, lastError = '409 already exists'"])
  func whatMayHaveArrivedIsWithdrawn(_ state: String) throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    try world.run("publish", "--id", "F2AB9D35")
    try world.sql("UPDATE sync_queue SET \(state) WHERE id > \(last)")
    let slug = try world.columns(EnqueueWorld.clean, "publicID")
    try world.run("unpublish", "--id", "F2AB9D35")
    let rows = try world.queue(after: last)
    // The app sends a withdrawal only if a publication was sent before.
    #expect(rows.map(\.operation) == ["publish", "publish", "unpublish"] && rows.first?.retries == 3)
    #expect(rows.map(\.isSent) == [false, true, false] && rows[1].payload == rows[2].payload)
    #expect(rows.last?.payload == "{\"public_id\":\"\(slug)\"}")
  }

  /// The app needs the row when the item has lost its public id, or when its visibility is neither public nor private.
  @Test(arguments: ["visibility = 'private', publicID = NULL", "visibility = 'unknown'"])
  func theRowForTheAppDoesNotDependOnWhatTheItemSays(_ state: String) throws {
    let world = try EnqueueWorld()
    let id = "43A324AA-5A48-4FBB-941F-F39D2D051ED6"
    try world.sql("DELETE FROM sync_queue WHERE contentID = '\(id)' AND operation = 'publish'")
    try world.sql("UPDATE library_content SET \(state) WHERE id = '\(id)'")
    let last = try world.last()
    try world.run("unpublish", "--id", "43A324AA")
    let rows = try world.queue(after: last)
    #expect(rows.map(\.operation) == ["publish", "unpublish"] && rows.map(\.isSent) == [true, false])
    #expect(rows.allSatisfy { $0.payload == #"{"public_id":"crew-safety-briefing-2663557A"}"# })
  }

  /// Cancelling a withdrawal restores the previous state, which in this case is a refused publication.
  @Test func aCancelledWithdrawalOfARefusedPublicationLeavesItFailed() throws {
    let world = try EnqueueWorld()
    try world.run("unpublish", "--id", "E59A2ECF")
    let row = try #require(
      try world.queue().last { $0.operation == "unpublish" && !$0.isSent && $0.contentID.hasPrefix("E59A2ECF") })
    let answer = try Shell.run(Paths.command, ["queue", "cancel", world.library, "--id", "\(row.id)", "--yes"])
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(
      try world.columns("E59A2ECF-EBA2-45E1-AFC4-870E80A3692A", "visibility, syncStatus") == "public|failed")
  }

  /// Cancelling a withdrawal leaves the item's visibility and publication data as they were.
  @Test(arguments: ["public", "unlisted", "unknown", "private"])
  func aCancelledWithdrawalBringsBackWhatTheItemSaid(_ visibility: String) throws {
    let world = try EnqueueWorld()
    try world.sql(
      """
      UPDATE library_content SET visibility = '\(visibility)',
        publicMetadata = json_set(publicMetadata, '$.canFork', json('false')) WHERE id = '\(Self.id)'
      """)
    let columns = """
      visibility, publicID, publishedAt, json_extract(publicMetadata, '$.canFork'),
      json_extract(publicMetadata, '$.authorUsername')
      """
    let before = try world.columns(Self.id, columns)
    let last = try world.last()
    try world.run("unpublish", "--id", "3A473796")
    #expect(try world.columns(Self.id, "visibility, publicID, syncStatus") == "private|NULL|queued")
    let row = try #require(try world.queue(after: last).last)
    #expect(row.operation == "unpublish")
    let answer = try cancel(world, row)
    #expect(answer["may_be_public_as"] == nil)
    #expect(try world.columns(Self.id, columns) == before)
    #expect(try world.columns(Self.id, "syncStatus") == "synced")
    // Withdrawing works again from the restored state.
    try world.run("unpublish", "--id", "3A473796")
    _ = try cancel(world, try #require(try world.queue(after: last).last))
    #expect(try world.columns(Self.id, columns) == before)
  }

  /// If the previous state is unknown, because the app queued the withdrawal or the sidecar is lost, public and
  /// unlisted cannot be distinguished.
  @Test func aCancelledWithdrawalOfWhatIsUnknownStaysPrivate() throws {
    let world = try EnqueueWorld()
    try world.sql("UPDATE library_content SET visibility = 'unlisted' WHERE id = '\(Self.id)'")
    let last = try world.last()
    try world.run("unpublish", "--id", "3A473796")
    try SQLiteShell.run(world.state, "DELETE FROM earlier_states;")
    let answer = try cancel(world, try #require(try world.queue(after: last).last))
    #expect(answer["may_be_public_as"]?.string == Self.slug)
    #expect(try world.columns(Self.id, "visibility, publicID") == "private|NULL")
    // The item can still be withdrawn.
    try world.run("unpublish", "--id", "3A473796")
    #expect(try world.queue(after: last).last?.payload == "{\"public_id\":\"\(Self.slug)\"}")
  }

  /// Cancelling the publication of an unlisted item leaves the item unlisted. A new title for a waiting operation does
  /// not change the visibility.
  @Test func aCancelledPublicationLeavesWhatWasUnlisted() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    try world.sql("UPDATE library_content SET visibility = 'unlisted' WHERE id = '\(EnqueueWorld.clean)'")
    try world.run("publish", "--id", "F2AB9D35")
    #expect(try world.columns(EnqueueWorld.clean, "visibility") == "public")
    try world.sql("UPDATE library_content SET visibility = 'unlisted' WHERE id = '\(EnqueueWorld.clean)'")
    try world.run("publish", "--id", "F2AB9D35", "--set-title", "Человек за бортом!")
    #expect(try world.columns(EnqueueWorld.clean, "visibility") == "unlisted")
    _ = try cancel(world, try #require(try world.queue(after: last).last))
    #expect(try world.columns(EnqueueWorld.clean, "visibility, publicID, publicMetadata") == "unlisted|NULL|NULL")
  }

  private func cancel(_ world: EnqueueWorld, _ row: EnqueueWorld.Row) throws -> JSONValue {
    let answer = try Shell.run(
      Paths.command, ["queue", "cancel", world.library, "--id", "\(row.id)", "--yes", "--json"])
    #expect(answer.status == 0, "\(answer.errors)")
    return try JSONDocument(parsing: answer.output).root
  }

  @Test func aRunThatOnlyQueuesIsTakenBackByUnpublish() throws {
    let world = try EnqueueWorld()
    try world.run("publish", "--id", "F2AB9D35")
    let answer = try Shell.run(Paths.command, ["undo", "1", world.library])
    #expect(answer.status == 4 && answer.errors.contains("unpublish"), "\(answer.errors)")
  }
}
