import Foundation
import JSONText
import TestSupport
import Testing

/// `fleetkit queue rebind`: a library that moves to another registry or account.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason)) struct RebindTests {
  private let devices: TwoDevices
  private var library: String { devices.a }

  init() throws {
    devices = try TwoDevices()
    try devices.fleetkit("publish", devices.a, "--all", "--yes")
    try devices.sync(devices.a)
  }

  private func run(_ environment: [String: String], _ arguments: String..., status: Int32 = 0) throws -> Answer {
    let answer = try Shell.run(Paths.command, arguments, environment: environment)
    #expect(answer.status == status, "\(arguments) ended with \(answer.status): \(answer.errors)\(answer.output)")
    return answer
  }

  private func items() throws -> [JSONValue] {
    try JSONDocument(parsing: devices.fleetkit("export", library, "--to", "-", "--to-format", "json").output)
      .root["items"]?.elements ?? []
  }

  private func slugs(_ registry: LocalRegistry, _ email: String = "captain@example.com") throws -> Set<String> {
    Set(try registry.client(email).mine(since: nil, cursor: nil).items.filter { $0.deletedAt == nil }.map(\.publicID))
  }

  @Test func whatIsPublicThereIsPublishedAnewToAnotherRegistry() throws {
    let old = try slugs(devices.registry)
    #expect(old.count == 2)
    let other = try LocalRegistry()
    let there = try other.environment()
    // There is no terminal on which to ask.
    let asked = try run(there, "queue", "rebind", library, "--registry", other.url, status: 4)
    #expect(asked.errors.contains("--yes"))
    #expect(try items().allSatisfy { $0["visibility"]?.string == "public" })
    let answer = try run(there, "queue", "rebind", library, "--registry", other.url, "--yes")
    #expect(answer.errors.contains(/\b2\b/) && answer.errors.contains(devices.registry.url), "\(answer.errors)")
    for item in try items() {
      #expect(item["visibility"]?.string == "private" && item["sync_status"]?.string == "pending")
      #expect(item["public_id"]?.string == nil && item["published_at"]?.string == nil)
      #expect(item["public_metadata"] == nil || item["public_metadata"]?.isNull == true)
    }
    // The other account's items are not offered for withdrawal, and `doctor` finds nothing to repair.
    let withdrawal = try run(there, "unpublish", library, "--all", "--yes", "--json")
    #expect(try JSONDocument(parsing: withdrawal.output).root["queued"]?.integer == 0)
    #expect(try run(there, "doctor", library).status == 0)
    // A second rebind changes nothing.
    let again = try run(there, "queue", "rebind", library, "--registry", other.url, "--yes", "--json")
    #expect(try JSONDocument(parsing: again.output).root["changed"]?.bool == false)
    _ = try run(there, "publish", library, "--all", "--yes")
    _ = try run(there, "sync", library, "--registry", other.url)
    let new = try slugs(other)
    #expect(new.count == 2 && new.isDisjoint(with: old))
    #expect(try slugs(devices.registry) == old)
    let update = try run(there, "update", library, "--changed", "--json")
    #expect(try JSONDocument(parsing: update.output).root["queued"]?.integer == 0)
    // The sidecar keeps the operations that were sent before.
    let kept = try SQLiteShell.run(
      library + ".fleetkit/state.sqlite", "SELECT count(*), count(DISTINCT registry) FROM former_operations;")
    #expect(kept.trimmingCharacters(in: .whitespacesAndNewlines) == "2|1")
  }

  /// Undoing the pull would restore the old registry's data about an item, so the pull is not undone.
  @Test func aPullFromTheOldOneIsNotUndone() throws {
    try devices.pull(devices.b, "--all-mine")
    try devices.fleetkit("unpublish", devices.b, "--title", "Fire*")
    try devices.sync(devices.b)
    let pulled = try "\(#require(try devices.pull(library)["run"]?.integer))"
    try devices.fleetkit("undo", pulled, "--library", library, "--dry-run")
    let other = try LocalRegistry()
    let there = try other.environment()
    _ = try run(there, "queue", "rebind", library, "--registry", other.url, "--yes")
    let refused = try run(there, "undo", pulled, "--library", library, status: 4)
    #expect(refused.errors.contains(devices.registry.url), "\(refused.errors)")
    #expect(try items().allSatisfy { $0["visibility"]?.string == "private" && $0["public_id"]?.string == nil })
  }

  @Test(arguments: [true, false])
  func norOneOfAnotherAccount(_ isNoted: Bool) throws {
    try devices.pull(devices.b, "--all-mine")
    try devices.fleetkit("unpublish", devices.b, "--title", "Fire*")
    try devices.sync(devices.b)
    let pulled = try "\(#require(try devices.pull(library)["run"]?.integer))"
    // Older versions did not store the account.
    let state = library + ".fleetkit/state.sqlite"
    if !isNoted {
      _ = try SQLiteShell.run(state, "UPDATE runs SET detail = json_remove(detail, '$.account') WHERE id = \(pulled);")
    }
    try devices.fleetkit("undo", pulled, "--library", library, "--dry-run")
    let mate = try devices.registry.environment("mate@example.com")
    _ = try run(mate, "queue", "rebind", library, "--registry", devices.registry.url, "--yes")
    let refused = try run(mate, "undo", pulled, "--library", library, status: 4)
    #expect(refused.errors.contains(devices.registry.url), "\(refused.errors)")
  }

  @Test func anotherAccountOfTheSameRegistryIsAnotherOwner() throws {
    let old = try slugs(devices.registry)
    let mate = try devices.registry.environment("mate@example.com")
    let idle = try run(mate, "sync", library, "--registry", devices.registry.url, "--json")
    #expect(idle.number("/live_after") == 0 && idle.number("/queue/waiting") == 0, "\(idle.output)")
    _ = try run(mate, "queue", "rebind", library, "--registry", devices.registry.url, "--yes")
    _ = try run(mate, "publish", library, "--all", "--yes")
    // A publication that is not needed leaves the queue, and its item becomes private.
    _ = try run(mate, "queue", "cancel", library, "--id", "2", "--yes")
    #expect(try items().filter { $0["visibility"]?.string == "private" }.count == 1)
    _ = try run(mate, "sync", library, "--registry", devices.registry.url)
    let new = try slugs(devices.registry, "mate@example.com")
    #expect(new.count == 1 && new.isDisjoint(with: old))
    #expect(try slugs(devices.registry) == old)
  }

  @Test func whatOnlyTheOldOneCanDoIsNotLostSilently() throws {
    let old = try slugs(devices.registry)
    try devices.fleetkit("unpublish", library, "--type", "checklist")
    let other = try LocalRegistry()
    let there = try other.environment()
    let refused = try run(there, "queue", "rebind", library, "--registry", other.url, "--yes", status: 4)
    #expect(refused.errors.contains(/\b1\b/) && refused.errors.contains("--force"))
    #expect(try devices.fleetkit("queue", library, "--json").number("/queue/waiting") == 1)
    let forced = try run(there, "queue", "rebind", library, "--registry", other.url, "--yes", "--force", "--json")
    let json = try JSONDocument(parsing: forced.output).root
    #expect(json["withdrawals_undone"]?.integer == 1 && json["made_private"]?.integer == 1)
    #expect(json["left_the_queue"]?.integer == 3)
    _ = try run(there, "sync", library, "--registry", other.url)
    #expect(try slugs(devices.registry) == old && slugs(other).isEmpty)
  }

  @Test func publicationsThatWereNotSentGoToTheNewOne() throws {
    try devices.fleetkit("unpublish", library, "--type", "checklist")
    try devices.sync(library)
    try devices.fleetkit("publish", library, "--type", "checklist")
    let other = try LocalRegistry()
    let there = try other.environment()
    let answer = try run(there, "queue", "rebind", library, "--registry", other.url, "--yes", "--json")
    let json = try JSONDocument(parsing: answer.output).root
    #expect(json["waiting"]?.integer == 1 && json["made_private"]?.integer == 1)
    _ = try run(there, "sync", library, "--registry", other.url)
    #expect(try slugs(other).count == 1 && slugs(devices.registry).count == 1)
  }

  @Test func aPublicationThatASentChangeHasOvertakenDoesNotWait() throws {
    // The publication counts as failed although it had arrived. The app has sent an update of the item since.
    let publication = "contentID = '\(TwoDevices.checklist)' AND operation = 'publish'"
    try SQLiteShell.run(
      library,
      """
      INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt, syncedAt)
      SELECT contentID, 'publish_update', visibilityState, payload, '2126-01-05 10:11:12.000', syncedAt
      FROM sync_queue WHERE \(publication);
      UPDATE sync_queue SET syncedAt = NULL, retryCount = 3, lastError = 'timed out' WHERE \(publication);
      """)
    let other = try LocalRegistry()
    let there = try other.environment()
    let answer = try run(there, "queue", "rebind", library, "--registry", other.url, "--yes", "--json")
    let json = try JSONDocument(parsing: answer.output).root
    #expect(json["waiting"]?.integer == 0 && json["made_private"]?.integer == 2, "\(answer.output)")
    #expect(try items().allSatisfy { $0["visibility"]?.string == "private" })
    _ = try run(there, "sync", library, "--registry", other.url)
    #expect(try slugs(other).isEmpty)
  }

  @Test func aServiceThatMovedKeepsWhatIsPublished() throws {
    let old = try slugs(devices.registry)
    // The same registry under another name for this machine.
    let url = devices.registry.url.replacing("127.0.0.1", with: "localhost")
    let environment = devices.environment
    let answer = try run(
      environment, "queue", "rebind", library, "--registry", url, "--keep-published", "--yes", "--json")
    let json = try JSONDocument(parsing: answer.output).root
    #expect(json["changed"]?.bool == true && json["made_private"]?.integer == 0)
    #expect(try items().allSatisfy { $0["visibility"]?.string == "public" && $0["sync_status"]?.string == "synced" })
    try devices.fleetkit("import", try change(), "--into", library)
    _ = try run(environment, "update", library, "--changed")
    _ = try run(environment, "sync", library, "--registry", url)
    #expect(try slugs(devices.registry) == old)
    // Another account does not own the items.
    let mate = try devices.registry.environment("mate@example.com")
    let refused = try run(
      mate, "queue", "rebind", library, "--registry", url, "--keep-published", "--yes", status: 4)
    #expect(refused.errors.contains("--keep-published"), "\(refused.errors)")
  }

  @Test func whatCouldNotBeWrittenIsDoneByTheNextCommand() throws {
    let other = try LocalRegistry()
    let there = try other.environment()
    let state = library + ".fleetkit/state.sqlite"
    // The run stops between the library's commit and the last commit in the sidecar.
    let (whole, cut) = ("')'", "', CHECK (0))'")
    try SQLiteShell.run(
      state,
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - 1) || \(cut) WHERE name = 'registry_binding';
      """)
    let answer = try run(there, "queue", "rebind", library, "--registry", other.url, "--yes", status: 2)
    #expect(!answer.errors.isEmpty)
    try SQLiteShell.run(
      state,
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, \(cut), \(whole)) WHERE name = 'registry_binding';
      """)
    // A command that only reads already sees the state after the rebind.
    #expect(try items().allSatisfy { $0["visibility"]?.string == "private" })
    #expect(try run(there, "pull", library, "--registry", other.url, "--dry-run").status == 0)
    #expect(try run(devices.environment, "pull", library, "--registry", devices.registry.url, status: 4).status == 4)
    #expect(try run(there, "sync", library, "--registry", other.url, "--json").number("/live_before") == 0)
    #expect(try items().allSatisfy { $0["visibility"]?.string == "private" })
    let again = try run(there, "queue", "rebind", library, "--registry", other.url, "--yes", "--json")
    #expect(try JSONDocument(parsing: again.output).root["changed"]?.bool == false)
    let kept = try SQLiteShell.run(state, "SELECT count(*), count(payload) FROM former_operations;")
    #expect(kept.trimmingCharacters(in: .whitespacesAndNewlines) == "2|2")
    let runs = try run(there, "runs", library)
    #expect(runs.output.contains("queue rebind"), "\(runs.output)")
    #expect(try run(there, "undo", "\(try lastRun())", "--library", library, status: 4).errors.contains("rebind"))
  }

  private func lastRun() throws -> Int {
    let text = try SQLiteShell.run(
      library + ".fleetkit/state.sqlite", "SELECT max(id) FROM runs WHERE command = 'queue rebind';")
    return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }

  /// Operations that may have reached the old registry are sent to the new one, and their records are kept.
  @Test func publicationsThatMayHaveArrivedAreRemembered() throws {
    try devices.fleetkit("unpublish", library, "--all", "--yes")
    try devices.sync(library)
    try devices.fleetkit("publish", library, "--all", "--yes")
    for file in [library, library + ".fleetkit/state.sqlite"] {
      try SQLiteShell.run(file, "UPDATE sync_queue SET retryCount = 2, lastError = 'timed out' WHERE syncedAt IS NULL;")
    }
    let other = try LocalRegistry()
    let there = try other.environment()
    let answer = try run(there, "queue", "rebind", library, "--registry", other.url, "--yes")
    #expect(answer.errors.contains(devices.registry.url), "\(answer.errors)")
    for file in [library, library + ".fleetkit/state.sqlite"] {
      let row = try SQLiteShell.run(file, "SELECT retryCount, lastError IS NULL FROM sync_queue;")
      #expect(row == "0|1\n", "\(row)")
    }
    let kept = try SQLiteShell.run(
      library + ".fleetkit/state.sqlite",
      "SELECT place, retryCount, lastError FROM former_operations WHERE syncedAt IS NULL ORDER BY place;")
    #expect(kept == "0|2|timed out\n1|2|timed out\n", "\(kept)")
    _ = try run(there, "sync", library, "--registry", other.url)
    #expect(try slugs(other).count == 2)
  }

  private func change() throws -> String {
    let text = TwoDevices.items.replacing("Shut the fuel", with: "Shut the fuel cock")
      .replacing("2026-01-06", with: "2030-01-06")
    return try devices.folder.write("changed.jsonl", text)
  }
}
