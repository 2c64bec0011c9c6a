import FleetKit
import Foundation
import JSONText
import SQLiteIO
import TestSupport
import Testing

/// `publish`: what it writes, what it refuses, and what it leaves unchanged.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct EnqueuePublishTests {
  @Test func oneItemIsQueuedAndNothingElseChanges() throws {
    let world = try EnqueueWorld()
    let others = "SELECT * FROM library_content WHERE id <> '\(EnqueueWorld.clean)'; SELECT * FROM checklists"
    let before = try world.sql(others)
    let last = try world.last()
    let answer = try world.run("publish", "--id", "F2AB9D35")
    #expect(answer.output.isEmpty && answer.errors.contains(" --registry URL'"), "\(answer.errors)")
    let rows = try world.queue(after: last)
    let row = try #require(rows.first)
    #expect(rows.count == 1 && row.contentID == EnqueueWorld.clean)
    let slug = try world.columns(EnqueueWorld.clean, "publicID")
    #expect(slug.hasPrefix("chelovek-za-bortom-"))
    #expect(row.payload?.contains("\"public_id\":\"\(slug)\"") == true)
    #expect(try world.columns(EnqueueWorld.clean, "visibility, syncStatus") == "public|queued")
    let dates = try world.columns(
      EnqueueWorld.clean, "publishedAt = (SELECT max(createdAt) FROM sync_queue), length(publishedAt)")
    #expect(dates == "1|23")
    #expect(try world.sql(others) == before)
    // Publishing the item a second time does nothing.
    let again = try world.json("publish", "--id", "F2AB9D35")
    #expect(again["skipped"]?["already queued"]?.integer == 1 && again["queued"]?.integer == 0)
    #expect(try world.queue(after: last) == rows)
  }

  /// In a library that is not bound to a registry yet, the author's name comes from published items, or else from the
  /// signed-in account.
  @Test func theAuthorIsNamedWhereTheNameIsKnown() throws {
    let world = try EnqueueWorld()
    try world.run("publish", "--id", "F2AB9D35")
    let author = "json_extract(publicMetadata, '$.authorUsername'), json_extract(publicMetadata, '$.authorUserId')"
    #expect(
      try world.columns(EnqueueWorld.clean, author) == "captain_maria|3F0D6A52-9C1E-4B7A-8E55-1D2C3B4A5968")
    let other = try EnqueueWorld()
    try other.sql("UPDATE library_content SET publicMetadata = NULL")
    let home = other.folder["home"]
    try FileManager.default.createDirectory(atPath: home + "/fleetkit", withIntermediateDirectories: true)
    let file = try other.folder.write(
      "home/fleetkit/credentials.json",
      #"{"version":1,"registries":{"https://sail.example.org":{"access_token":"a","refresh_token":"b","user":"#
        + #"{"id":"0d0939bc-a71b-49f8-b06c-c047f24f4730","username":"mate_ben"}}}}"#)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let answer = try Shell.run(
      Paths.command, ["publish", other.library, "--id", "F2AB9D35"], environment: ["XDG_CONFIG_HOME": home])
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try other.columns(EnqueueWorld.clean, author) == "mate_ben|0D0939BC-A71B-49F8-B06C-C047F24F4730")
  }

  @Test func nobodyPublishesByAccident() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    for verb in ["publish", "update", "unpublish"] {
      let answer = try world.run(verb, status: 64)
      // The error names this verb, and not the program.
      #expect(answer.errors.contains("\(verb) in '\(world.library)'") && !answer.errors.contains("<subcommand>"))
      #expect(answer.errors.contains("--id"))
    }
    #expect(try world.run("publish", "--all", status: 4).errors.contains("--yes"))
    #expect(try world.run("update", "--all", status: 4).errors.contains("--yes"))
    #expect(try world.run("unpublish", status: 64).errors.contains("--all"))
    try world.run("publish", "--id", "00000000", status: 2)
    #expect(try world.queue(after: last).isEmpty)
  }

  @Test func allFindingsOfAllItemsAreSaid() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    let answer = try world.json("publish", "--all", "--yes", status: 3)
    let found = (answer["findings"]?["items"]?.elements ?? []).compactMap { finding in
      finding["severity"]?.string == "error" ? (finding["code"]?.string ?? "", finding["place"]?.string ?? "") : nil
    }
    let body = "library.sqlite#checklists/\(EnqueueWorld.draft)/content:1:1"
    #expect(found.count == 4 && found.contains { $0.0 == "PUB0108" && $0.1.hasSuffix(body) }, "\(found)")
    // The places are the same as in `validate`.
    let validated = try Shell.run(
      Paths.command, ["validate", world.library, "--profile", "publish", "--report", "jsonl"])
    for (_, place) in found {
      let end = place.split(separator: "#").last.map(String.init) ?? place
      let start = end.split(separator: ":").first.map(String.init) ?? end
      #expect(validated.output.contains(start), "\(place)")
    }
    let selected = answer["selected"]?.integer ?? 0
    let skipped = (answer["skipped"]?.members ?? []).reduce(0) { $0 + ($1.value.integer ?? 0) }
    #expect(selected == 24 && answer["refused"]?.integer == 3)
    #expect(selected == (answer["queued"]?.integer ?? 0) + skipped + 3)
    // No item that breaks a rule is in the queue.
    let rows = try world.queue(after: last)
    #expect(rows.count == 16 && !rows.contains { $0.contentID == EnqueueWorld.draft })
    #expect(try world.columns(EnqueueWorld.draft, "visibility, publicID") == "private|NULL")
  }

  @Test func oneRefusalMayStopAll() throws {
    let world = try EnqueueWorld()
    let before = try Data(contentsOf: URL(fileURLWithPath: world.library))
    let answer = try world.json("publish", "--all", "--yes", "--on-invalid", "stop", status: 3)
    #expect(answer["stopped"]?.bool == true && answer["queued"]?.integer == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: world.library)) == before)
    // An item that breaks a rule is also refused when it is the only one.
    #expect(try world.json("publish", "--id", "D0D5F3E2", status: 3)["refused"]?.integer == 1)
  }

  @Test func aDryRunLeavesNothing() throws {
    let world = try EnqueueWorld()
    let before = try Data(contentsOf: URL(fileURLWithPath: world.library))
    let answer = try world.json("publish", "--type", "guide", "--dry-run", status: 3)
    #expect(answer["queued"]?.integer == 7 && answer["run"]?.isNull == true)
    // The digits of a slug are chosen when an item is queued, so a dry run reports none.
    let queued = (answer["items"]?.elements ?? []).filter { $0["outcome"]?.string == "queued" }
    #expect(queued.allSatisfy { $0["public_id"]?.isNull == true && $0["public_id_start"]?.string?.last == "-" })
    let said = try world.run("publish", "--id", "F2AB9D35", "--dry-run")
    #expect(said.errors.contains("(chelovek-za-bortom-…)"), "\(said.errors)")
    let source = Paths.root + "/samples/curated-checklists.jsonl"
    let imported = try Shell.run(Paths.command, ["publish", source, "--library", world.library, "--dry-run", "--json"])
    #expect(imported.status == 0 && imported.output.contains("\"queued\":10"), "\(imported.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: world.library)) == before)
    #expect(world.folder.names == ["library.sqlite"])
  }

  @Test func forkingAndTitles() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    let answer = try world.json("publish", "--id", "D91EC92E", "--no-fork", "--dry-run")
    #expect(answer["items"]?[0]?["note"]?.string?.contains("[Modified]") == true)
    try world.run("publish", "--id", "D91EC92E", "--no-fork", "--set-title", "VHF calls [Modified]")
    #expect(try world.columns(EnqueueWorld.fork, "json_extract(publicMetadata, '$.canFork')") == "0")
    #expect(try world.columns(EnqueueWorld.fork, "title") == "VHF calls [Modified]")
    let body = try world.sql("SELECT title FROM practice_guides WHERE id = '\(EnqueueWorld.fork)'")
    #expect(body == "VHF calls [Modified]\n")
    let payload = try #require(try world.queue(after: last).first?.payload)
    let request = try AppPayload.decode(payload)
    #expect(request.publicID.hasPrefix("vhf-calls-modified-") && request.document.title == "VHF calls [Modified]")
    #expect(try world.columns(EnqueueWorld.fork, "forkedFromID") == request.forkedFromID?.uuidString)
    try world.run("publish", "--type", "guide", "--set-title", "Two of them", status: 64)
  }

  @Test func whoPublishesIsWhoSignedIn() throws {
    let world = try EnqueueWorld()
    try world.run("publish", "--id", "D91EC92E")
    // Without a known account, the name in other items is used.
    let name = "json_extract(publicMetadata, '$.authorUsername')"
    #expect(try world.columns(EnqueueWorld.fork, name) == "captain_maria")
    try SQLiteShell.run(
      world.state,
      """
      INSERT INTO registry_binding VALUES
      (1, 'http://127.0.0.1:1', '3f0d6a52-9c1e-4b7a-8e55-1d2c3b4a5968', 'maria', '2026-01-01');
      """)
    try world.run("publish", "--id", "F2AB9D35")
    let metadata = try JSONDecoder().decode(
      AppPayload.Metadata.self, from: Data(world.columns(EnqueueWorld.clean, "publicMetadata").utf8))
    #expect(metadata.authorUsername == "maria")
    #expect(metadata.authorUserId?.uuidString == "3F0D6A52-9C1E-4B7A-8E55-1D2C3B4A5968")
  }

  @Test(arguments: [("library-v1.4.0.sqlite", 4), ("library-v2.0.0.sqlite", 4)])
  func olderLibrariesAreRefused(_ fixture: String, _ status: Int) throws {
    let world = try EnqueueWorld(fixture)
    let answer = try world.run("publish", "--id", "F2AB9D35", status: Int32(status))
    #expect(answer.errors.contains("fleetkit migrate"))
    #expect(world.folder.names == ["library.sqlite"])
  }

  @Test func newerAndLockedLibrariesAreRefused() throws {
    let world = try EnqueueWorld()
    let lock = Process()
    lock.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    lock.arguments = ["sqlite3", world.library]
    let input = Pipe()
    let output = Pipe()
    lock.standardInput = input
    lock.standardOutput = output
    try lock.run()
    try input.fileHandleForWriting.write(contentsOf: Data("BEGIN IMMEDIATE; SELECT 'locked';\n".utf8))
    _ = output.fileHandleForReading.availableData
    try world.run("publish", "--id", "F2AB9D35", status: 7)
    try input.fileHandleForWriting.close()
    lock.waitUntilExit()
    try world.sql("INSERT INTO grdb_migrations VALUES ('v9.0.0_somethingNew')")
    try world.run("publish", "--id", "F2AB9D35", status: 6)
  }

  /// A process that reads a library blocks commits to it, so the library's items are refused. Decks are stored in the
  /// sidecar and are not refused. A refused item is never queued.
  @Test func whoReadsTheLibraryDoesNotMakeHalfOfItCount() throws {
    let world = try EnqueueWorld()
    let deck = Paths.root + "/samples/ci/decks/cardinal-marks.json"
    #expect(try Shell.run(Paths.command, ["import", deck, "--into", world.library, "-q"]).status == 0)
    let (last, lastDeck) = (try world.last(), try world.queue(beside: true).count)
    var reader: SQLiteConnection? = try SQLiteConnection(world.library, .read, .foreign)
    try reader?.execute("BEGIN; SELECT count(*) FROM library_content")
    try world.run("publish", "--id", "429C24DD", "--id", "F2AB9D35", status: 7)
    #expect(try world.queue(after: last).isEmpty && world.queue(beside: true).count == lastDeck)
    let answer = try world.run("publish", "--type", "flashcard_deck", "--all", "--yes")
    #expect(try world.queue(after: last).isEmpty && world.queue(beside: true).count == lastDeck + 1, "\(answer.errors)")
    reader = nil
    try world.run("publish", "--id", "F2AB9D35")
    #expect(try world.queue(after: last).count == 1 && world.queue(beside: true).count == lastDeck + 1)
  }
}
