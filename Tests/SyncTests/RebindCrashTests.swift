import Foundation
import TestSupport
import Testing

/// When `queue rebind` is killed at any of its writes, the library belongs either completely to the new account from
/// the next command on, or to the old account as before.
@Suite(
  .serialized, .enabled(if: CrashPoints.isThere, "\(CrashPoints.reason)"),
  .enabled(if: LocalRegistry.isThere, LocalRegistry.reason),
  .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct RebindCrashTests {
  @Test func allOrNothing() throws {
    let devices = try TwoDevices()
    let library = devices.a
    try devices.fleetkit("publish", library, "--all", "--yes")
    try devices.sync(library)
    let other = try LocalRegistry()
    let there = try other.environment()
    let master = Scratch()
    func copy(_ from: String, _ to: String) throws {
      try? FileManager.default.removeItem(atPath: to)
      try FileManager.default.copyItem(atPath: from, toPath: to)
    }
    try copy(library, master["a"])
    try copy(library + ".fleetkit", master["b"])
    func reset() throws {
      for suffix in ["-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: library + suffix) }
      try copy(master["a"], library)
      try copy(master["b"], library + ".fleetkit")
    }
    func image() throws -> String {
      try SQLiteShell.run(
        library,
        """
        ATTACH '\(library).fleetkit/state.sqlite' AS beside;
        SELECT 'public', count(*) FROM library_content WHERE publicID IS NOT NULL;
        SELECT 'public decks', count(*) FROM beside.records WHERE instr(line, '"visibility":"public"') > 0;
        SELECT 'rows', count(*) FROM main.sync_queue;
        SELECT 'rows of decks', count(*) FROM beside.sync_queue;
        SELECT 'known', count(*) FROM beside.publications;
        SELECT 'belongs to', registry FROM beside.registry_binding;
        """)
    }
    let before = try image()
    let points = try CrashPoints(devices.folder.path)
    let arguments = ["queue", "rebind", library, "--registry", other.url, "--yes", "-q"]
    let changes = try points.changes(of: Paths.command, arguments, environment: there).changes
    let after = try image()
    #expect(before.contains("belongs to|\(devices.registry.url)") && before.contains("public decks|1"))
    #expect(after.contains("belongs to|\(other.url)") && after.contains("public decks|0") && after.contains("rows|0"))
    var seen = Set<String>()
    // Writes from the whole run, and all writes at its end, where the sidecar is updated.
    let step = max(1, changes.count / 16)
    let chosen = changes.enumerated().filter { $0.offset % step == 0 || $0.offset >= changes.count - 16 }.map(\.element)
    for change in chosen {
      let moments = [CrashPoints.Moment.kill(change.number)] + (change.call == "write" ? [.tear(change.number)] : [])
      for moment in moments {
        try reset()
        let killed = try Shell.run(
          Paths.command, arguments, environment: there.merging(points.environment(moment)) { $1 })
        guard killed.status != 0 else { continue }
        // The app changes the library. The next command that changes the library then completes the interrupted run.
        _ = try SQLiteShell.run(library, "UPDATE library_content SET updatedAt = '2026-07-01 12:00:00.000';")
        _ = try Shell.run(Paths.command, ["queue", "retry", library, "--all"], environment: there)
        let now = try image()
        #expect(now == before || now == after, "\(moment): \(now)")
        seen.insert(now == after ? "all" : "nothing")
        #expect(try SQLiteShell.run(library, "PRAGMA integrity_check;") == "ok\n")
        let again = try Shell.run(Paths.command, arguments, environment: there)
        #expect(try again.status == 0 && image() == after, "\(moment): \(again.errors)")
      }
    }
    #expect(seen == ["all", "nothing"])
    let kept = try SQLiteShell.run(library + ".fleetkit/state.sqlite", "SELECT count(*) FROM former_operations;")
    #expect(kept == "2\n")
  }
}
