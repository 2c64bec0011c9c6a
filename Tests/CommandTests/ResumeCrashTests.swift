import FleetKit
import Foundation
import TestSupport
import Testing

/// kill -9 at random moments of an import, followed by `--resume`: the library, ledger and rejects equal those of an
/// undisturbed import, row for row. `FLEETKIT_CRASH_RUNS` sets the number of kills.
@Suite(.serialized, .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct ResumeCrashTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"] ?? "") ?? 10

  @Test func aResumedImportIsLikeAnUndisturbedOne() throws {
    let world = try CrashWorld(.update, records: 200)
    let times = try Self.times(of: world)
    var random = SeededRandom(seed: 8)
    var counts: [CrashWorld.Phase: Int] = [:]
    for round in 0..<Self.runs {
      try world.layOut()
      // Half of the moments are random, and half fall where the outcome is decided: after the changes are on disk in
      // the sidecar.
      let process: Process
      if let points = times.points, round % 2 == 1 {
        let change = times.end.lowerBound + random.below(times.end.count)
        process = try world.start(points.environment(.after(change, microseconds: random.below(400))))
      } else {
        process = try world.start()
        usleep(UInt32(random.below(times.whole)))
        kill(process.processIdentifier, SIGKILL)
      }
      process.waitUntilExit()
      counts[try world.checkAfterKill("round \(round)"), default: 0] += 1
    }
    // A resumed run can be undone as well.
    #expect(try Shell.fleetkit("undo", "2", "--library", world.library, "-q").status == 0)
    #expect(try CrashWorld.Image(world.library).content == world.before.content)
    let text = CrashWorld.Phase.allCases.map { "\(counts[$0, default: 0]) \($0.rawValue)" }.joined(separator: ", ")
    print("kill -9 at \(Self.runs) random moments, resume: \(text)")
  }

  /// Returns the shortest duration of several runs of the command, in microseconds, and the range of file changes at
  /// the end of the run. The range is empty if tests cannot choose moments.
  private static func times(of world: CrashWorld) throws -> (points: CrashPoints?, whole: Int, end: Range<Int>) {
    guard CrashPoints.isThere else { return (nil, world.microseconds, 0..<0) }
    let points = try CrashPoints(world.folder)
    var (whole, end) = (Int.max, 0..<0)
    for _ in 0..<3 {
      try world.layOut()
      let changes = try points.changes(of: Paths.command, world.arguments, environment: CrashWorld.epoch).changes
      let marks = try CrashWorld.Landmarks(changes)
      let kept = try #require(changes.last { $0.path.hasSuffix(".journal") && $0.call == "sync" })
      let last = try #require(changes.last)
      (whole, end) = (min(whole, last.time), kept.number..<marks.noted.number + 8)
    }
    return (points, whole, end)
  }
}
