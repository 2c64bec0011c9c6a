import FleetKit
import Foundation
import TestSupport
import Testing

/// When `publish` is killed at any of its writes, either all items or none are queued in the library and the sidecar.
@Suite(
  .serialized, .enabled(if: CrashPoints.isThere, "\(CrashPoints.reason)"),
  .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct EnqueueCrashTests {
  private static let queued = "SELECT count(*) FROM sync_queue WHERE syncedAt IS NULL AND operation = 'publish'"

  @Test func allOrNothing() throws {
    let world = try EnqueueWorld()
    let deck = Paths.root + "/samples/ci/decks/cardinal-marks.json"
    #expect(try Shell.run(Paths.command, ["import", deck, "--into", world.library, "-q"]).status == 0)
    let master = Scratch()
    func copy(_ from: String, _ to: String) throws {
      try? FileManager.default.removeItem(atPath: to)
      try FileManager.default.copyItem(atPath: from, toPath: to)
    }
    try copy(world.library, master["a"])
    try copy(world.library + ".fleetkit", master["b"])
    func reset() throws {
      for suffix in ["-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: world.library + suffix) }
      try copy(master["a"], world.library)
      try copy(master["b"], world.library + ".fleetkit")
    }
    let before = try count(world)
    let points = try CrashPoints(world.folder.path)
    let arguments = ["publish", world.library, "--all", "--yes", "-q"]
    let (answer, changes) = try points.changes(of: Paths.command, arguments)
    #expect(answer.status == 3, "\(answer.errors)")
    let after = try count(world)
    #expect(after.library - before.library == 16 && after.deck == 1 && before.deck == 0)
    var seen = Set<String>()
    let stride = max(1, changes.count / 25)
    // At the end, where both files are committed, every write is tested.
    let ends = Set(changes.suffix(30).map(\.number))
    for number in Set(Swift.stride(from: 1, through: changes.count, by: stride)).union(ends).sorted() {
      let canTear = ends.contains(number) && changes[number - 1].call == "write"
      for moment in [CrashPoints.Moment.kill(number)] + (canTear ? [.tear(number)] : []) {
        try reset()
        let killed = try Shell.run(Paths.command, arguments, environment: points.environment(moment))
        guard killed.status != 3 else { continue }
        // The app changes the items, so that they no longer show whether the run was completed.
        _ = try SQLiteShell.run(world.library, "UPDATE library_content SET updatedAt = '2026-07-01 12:00:00.000';")
        // The next command completes the interrupted run.
        try world.run("publish", "--id", "D0D5F3E2", "-q", status: 3)
        let now = try count(world)
        let isAll = now == after
        #expect(isAll || now == before, "\(moment): \(now)")
        seen.insert(isAll ? "all" : "nothing")
        #expect(try SQLiteShell.run(world.library, "PRAGMA integrity_check;") == "ok\n")
        let states = try SQLiteShell.run(
          world.library,
          "SELECT count(*) FROM library_content WHERE syncStatus = 'queued' AND id IN "
            + "(SELECT contentID FROM sync_queue WHERE syncedAt IS NULL);")
        #expect(
          (Int(states.trimmingCharacters(in: .newlines)) ?? 0) == (isAll ? 16 : 0) + now.queuedBefore, "\(moment)")
      }
    }
    #expect(seen == ["all", "nothing"])
    print("kill -9 of a publish: \(changes.count) writes, \(seen)")
  }

  private struct Count: Equatable {
    let library: Int
    let deck: Int
    let isDeckPublic: Bool
    /// The number of items that are already queued in the sample.
    let queuedBefore: Int
  }

  private func count(_ world: EnqueueWorld) throws -> Count {
    func number(_ path: String, _ sql: String) throws -> Int {
      Int(try SQLiteShell.run(path, sql + ";").trimmingCharacters(in: .newlines)) ?? -1
    }
    return Count(
      library: try number(world.library, Self.queued), deck: try number(world.state, Self.queued),
      isDeckPublic: try SQLiteShell.run(world.state, "SELECT line FROM records;").contains("\"visibility\":\"public\""),
      queuedBefore: try number(
        world.library,
        "SELECT count(*) FROM library_content WHERE syncStatus = 'queued' AND publishedAt < '2026-06-01' AND id IN "
          + "(SELECT contentID FROM sync_queue WHERE syncedAt IS NULL)"))
  }
}
