import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// `--set-title` and `--no-fork`: they either work, or the command reports why they do not.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct EnqueueTitleTests {
  private static let slug = "yacht-check-in-46-ft-monohull-270544C3"

  @Test func whatWaitsIsRenamedAndKeepsItsSlug() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    try world.run("publish", "--id", "F2AB9D35")
    let slug = try world.columns(EnqueueWorld.clean, "publicID")
    let number = try world.queue(after: last).map(\.id)
    let answer = try world.json("publish", "--id", "F2AB9D35", "--set-title", " Man overboard ")
    #expect(answer["queued"]?.integer == 1 && answer["items"]?[0]?["old_title"]?.string == "Человек за бортом")
    #expect(answer["items"]?[0]?["operation"]?.string == "publish")
    let rows = try world.queue(after: last)
    #expect(rows.map(\.id) == number && rows.map(\.operation) == ["publish"])
    let request = try AppPayload.decode(rows.first?.payload ?? "")
    #expect(request.publicID == slug && request.title == "Man overboard" && request.document.title == "Man overboard")
    #expect(try world.columns(EnqueueWorld.clean, "title, publicID, syncStatus") == "Man overboard|\(slug)|queued")
    // Repeating the command changes nothing and reports the waiting operation.
    let again = try world.run("publish", "--id", "F2AB9D35", "--set-title", "Man overboard")
    #expect(again.errors.contains(slug) && again.errors.contains("'fleetkit sync'"), "\(again.errors)")
    // Copying can still be forbidden while the operation waits.
    try world.run("publish", "--id", "F2AB9D35", "--no-fork")
    let canFork = "json_extract(publicMetadata, '$.canFork')"
    #expect(try world.columns(EnqueueWorld.clean, canFork) == "0")
    try world.run("publish", "--id", "F2AB9D35", "--set-title", "Man over board")
    #expect(try world.columns(EnqueueWorld.clean, canFork) == "0")
    #expect(try world.queue(after: last).count == 1)
    // After an attempt to send it, an operation is no longer renamed.
    try world.sql("UPDATE sync_queue SET retryCount = 1, lastError = 'timed out' WHERE id > \(last)")
    let tried = try world.run("publish", "--id", "F2AB9D35", "--set-title", "Too late", status: 4)
    #expect(tried.errors.contains("fleetkit update"), "\(tried.errors)")
    #expect(try world.columns(EnqueueWorld.clean, "title") == "Man over board")
  }

  @Test func whoCancelsIsToldThatTheTitleStays() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    let old = try world.columns(EnqueueWorld.published, "title")
    try world.run("update", "--id", "3A473796", "--set-title", "Yacht check-in")
    let row = try #require(try world.queue(after: last).first)
    let answer = try Shell.run(
      Paths.command, ["queue", "cancel", world.library, "--id", "\(row.id)", "--yes"], environment: [:])
    #expect(answer.status == 0 && answer.errors.contains("“Yacht check-in”"), "\(answer)")
    #expect(answer.errors.contains("“\(old)”") && old != "Yacht check-in", "\(answer)")
    // Without a new title, the answer names only the item.
    try world.run("publish", "--id", "F2AB9D35")
    let other = try #require(try world.queue(after: last).first)
    let plain = try Shell.run(
      Paths.command, ["queue", "cancel", world.library, "--id", "\(other.id)", "--yes"], environment: [:])
    #expect(plain.status == 0 && plain.errors.matches(of: /“/).count == 1, "\(plain)")
  }

  @Test func aNewTitleThatBreaksARuleIsNotWritten() throws {
    let world = try EnqueueWorld()
    try world.run("publish", "--id", "F2AB9D35")
    let before = try Data(contentsOf: URL(fileURLWithPath: world.library))
    #expect(try world.json("publish", "--id", "F2AB9D35", "--set-title", "X", status: 3)["refused"]?.integer == 1)
    #expect(try world.json("update", "--id", "F2AB9D35", "--set-title", "X", status: 3)["refused"]?.integer == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: world.library)) == before)
  }

  @Test func whatIsPublishedIsRenamedByUpdate() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    let refused = try world.run("publish", "--id", "3A473796", "--set-title", "Yacht", status: 4)
    #expect(refused.errors.contains("fleetkit update \(world.library)"), "\(refused.errors)")
    #expect(refused.errors.contains("--id \(EnqueueWorld.published) --set-title Yacht"))
    #expect(try world.run("publish", "--id", "3A473796", "--no-fork", status: 4).errors.contains("unpublish"))
    #expect(try world.queue(after: last).isEmpty)
    try world.run("update", "--id", "3A473796", "--set-title", "Yacht check-in")
    let row = try #require(try world.queue(after: last).first)
    let request = try AppPayload.decode(row.payload ?? "")
    #expect(row.operation == "publish_update" && request.publicID == Self.slug && request.title == "Yacht check-in")
    #expect(try world.columns(EnqueueWorld.published, "title, syncStatus") == "Yacht check-in|queued")
    let body = try world.sql("SELECT title FROM checklists WHERE id = '\(EnqueueWorld.published)'")
    #expect(body == request.document.title + "\n")
    // `update` does not publish a private item, and it does not give the same title to several items.
    let notPublic = try world.run("update", "--id", "D91EC92E", "--set-title", "Calls", status: 4)
    #expect(notPublic.errors.contains("fleetkit publish"), "\(notPublic.errors)")
    try world.run("update", "--changed", "--set-title", "Calls", status: 64)
    try world.run("update", "--id", "3A473796", "--set-title", " ", status: 64)
  }

  @Test func decksAreRenamedToo() throws {
    let world = try EnqueueWorld()
    let deck = Paths.root + "/samples/ci/decks/cardinal-marks.json"
    #expect(try Shell.run(Paths.command, ["publish", deck, "--library", world.library]).status == 0)
    let id = try #require(try world.queue(beside: true).first?.contentID)
    try world.run("publish", "--id", id, "--set-title", "Marks")
    try world.run("update", "--id", id, "--set-title", "Cardinal buoys")
    let rows = try world.queue(beside: true)
    let request = try AppPayload.decode(rows.first?.payload ?? "")
    #expect(rows.count == 1 && rows.first?.operation == "publish" && request.title == "Cardinal buoys")
    let line = try SQLiteShell.run(world.state, "SELECT line FROM records WHERE kind = 'item';")
    #expect(line.contains("\"title\":\"Cardinal buoys\""))
  }

  @Test func whoGivesATitleAsSelectorIsToldHowToRename() throws {
    let world = try EnqueueWorld()
    for verb in ["publish", "update"] {
      let answer = try world.run(verb, "--id", "3A473796", "--title", "Another title", status: 64)
      let command = "fleetkit \(verb) \(world.library) --id 3A473796 --set-title 'Another title'"
      #expect(answer.errors.contains(command), "\(answer.errors)")
    }
    // With wildcards, or without an id, the title can only be a selector.
    let wild = try world.run("publish", "--id", "3A473796", "--title", "Another*", status: 2)
    #expect(!wild.errors.contains("--set-title"))
    #expect(!(try world.run("publish", "--title", "Another", status: 2).errors.contains("--set-title")))
  }

  @Test func everyIDMeansOneItem() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    let unknown = try world.run("publish", "--id", "F2AB9D35", "--id", "00000000", status: 2)
    #expect(unknown.errors.contains("--id 00000000"), "\(unknown.errors)")
    try world.sql(
      """
      INSERT INTO library_content (id, title, type, createdAt, updatedAt) VALUES
      ('F2AB9D35-0000-4000-8000-000000000001', 'Another', 'checklist', '2026-01-01 00:00:00.000',
      '2026-01-01 00:00:00.000')
      """)
    let several = try world.run("publish", "--id", "F2AB9D35", status: 64)
    #expect(several.errors.contains("'F2AB9D35'") && several.errors.contains(/\b2\b/), "\(several.errors)")
    #expect(try world.queue(after: last).isEmpty)
  }

  @Test func undoSaysWhatARunRenamed() throws {
    let world = try EnqueueWorld()
    try world.run("publish", "--id", "F2AB9D35", "--set-title", "Man overboard")
    let answer = try Shell.run(Paths.command, ["undo", "1", world.library])
    #expect(answer.status == 4)
    #expect(answer.errors.contains("'Человек за бортом'") && answer.errors.contains("'Man overboard'"))
    // The commands suggested in the message work.
    let back = "fleetkit update \(world.library) --id \(EnqueueWorld.clean) --set-title 'Человек за бортом'"
    #expect(answer.errors.contains(back) && answer.errors.contains("fleetkit unpublish"), "\(answer.errors)")
    try world.run("update", "--id", EnqueueWorld.clean, "--set-title", "Человек за бортом")
    try world.run("unpublish", "--id", EnqueueWorld.clean)
    #expect(try world.columns(EnqueueWorld.clean, "title, visibility, publicID") == "Человек за бортом|private|NULL")
    #expect(try Shell.run(Paths.command, ["undo", "2", world.library]).errors.contains("fleetkit queue cancel"))
  }
}
