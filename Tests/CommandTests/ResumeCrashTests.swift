import FleetKit
import Foundation
import TestSupport
import Testing

/// kill -9 at random moments of an import, then `--resume`: library, ledger and rejects are those of an import that
/// nobody disturbed, row for row. `FLEETKIT_CRASH_RUNS` says how often.
@Suite(.serialized, .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct ResumeCrashTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"] ?? "") ?? 10

  @Test func aResumedImportIsLikeAnUndisturbedOne() throws {
    let world = try CrashWorld(.update, records: 200)
    let end = try Self.end(of: world)
    var random = SeededRandom(seed: 8)
    var counts: [CrashWorld.Phase: Int] = [:]
    for round in 0..<Self.runs {
      try world.layOut()
      // One half anywhere, the other where it is decided: from when the changes are on disk beside the library.
      let process: Process
      if let end, round % 2 == 1 {
        process = try world.start(
          end.points.environment(.after(end.change, microseconds: random.below(end.microseconds * 11 / 10))))
      } else {
        process = try world.start()
        usleep(UInt32(random.below(world.microseconds * 21 / 20)))
        kill(process.processIdentifier, SIGKILL)
      }
      process.waitUntilExit()
      counts[try world.checkAfterKill("round \(round)"), default: 0] += 1
    }
    // What was resumed can be undone as well.
    #expect(try Shell.fleetkit("undo", "2", "--library", world.library, "-q").status == 0)
    #expect(try CrashWorld.Image(world.library).content == world.before.content)
    let text = CrashWorld.Phase.allCases.map { "\(counts[$0, default: 0]) \($0.rawValue)" }.joined(separator: ", ")
    print("kill -9 at \(Self.runs) random moments, resume: \(text)")
  }

  /// Where the end of the command begins, and how long it takes; nil where that cannot be found out.
  private static func end(
    of world: CrashWorld
  ) throws -> (points: CrashPoints, change: Int, microseconds: Int)? {
    guard CrashPoints.isThere else { return nil }
    let points = try CrashPoints(world.folder)
    try world.layOut()
    let changes = try points.changes(
      of: Paths.command, world.arguments, environment: ["SOURCE_DATE_EPOCH": "1767607872"]
    ).changes
    let journal = changes.first { $0.path.hasSuffix(".journal") && $0.call == "sync" }
    guard let journal, let last = changes.last else { return nil }
    return (points, journal.number, last.time - journal.time)
  }
}
