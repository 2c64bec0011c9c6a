import FleetKit
import Foundation
import TestSupport
import Testing

/// Kills at chosen moments: before every sync, rename and removal of a command, and before and during its writes. Each
/// killed command is resumed, after which the result must equal that of an undisturbed run. `FLEETKIT_CRASH_RUNS` sets
/// the number of moments per command.
@Suite(
  .serialized, .enabled(if: CrashPoints.isThere, "\(CrashPoints.reason)"),
  .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct ChosenCrashTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"] ?? "") ?? 10

  @Test(arguments: CrashWorld.Job.allCases)
  func killedAtAnyChangeOfAFileItIsResumed(_ job: CrashWorld.Job) throws {
    let world = try CrashWorld(job)
    let points = try CrashPoints(world.folder)
    try world.layOut()
    let (answer, changes) = try points.changes(
      of: Paths.command, world.arguments, environment: CrashWorld.epoch)
    #expect(answer.status == world.status)
    let moments = try Self.moments(changes)
    var counts: [CrashWorld.Phase: Int] = [:]
    for moment in moments {
      try world.layOut()
      let process = try world.start(points.environment(moment))
      process.waitUntilExit()
      let words = "\(job.rawValue), \(moment) of \(changes.count)"
      // The order of changes varies slightly from run to run, so a run may end before the last moment.
      #expect(process.terminationReason == .uncaughtSignal || process.terminationStatus == world.status, "\(words)")
      counts[try world.checkAfterKill(words), default: 0] += 1
    }
    for phase in [CrashWorld.Phase.intended, .committed] {
      #expect(counts[phase, default: 0] > 0, "no kill \(phase.rawValue)")
    }
    let text = CrashWorld.Phase.allCases.map { "\(counts[$0, default: 0]) \($0.rawValue)" }.joined(separator: ", ")
    print("kill -9 at \(moments.count) of \(changes.count) changes, \(job.rawValue): \(text)")
  }

  /// Returns all syncs, renames and removals, and a selection of whole and torn writes. Few moments fall within the
  /// decisive phase.
  private static func moments(_ changes: [CrashPoints.Change]) throws -> [CrashPoints.Moment] {
    let decisive = changes.filter { $0.call != "write" }.map { CrashPoints.Moment.kill($0.number) }
    let writes = changes.filter { $0.call == "write" }.enumerated().map { index, change in
      index % 2 == 0 ? CrashPoints.Moment.tear(change.number) : .kill(change.number)
    }
    if runs <= 50 {
      let marks = try CrashWorld.Landmarks(changes)
      let around = [marks.intended.number, marks.pages.number, marks.noted.number, marks.noted.number + 1]
      return around.map { .kill($0) } + spread(decisive, max(0, runs / 2 - 2)) + spread(writes, max(1, runs / 5))
    }
    return spread(decisive, max(runs, 1) * 3 / 4) + spread(writes, max(1, runs / 4))
  }

  /// Picks `count` evenly spaced elements.
  private static func spread<Element>(_ all: [Element], _ count: Int) -> [Element] {
    guard all.count > count else { return all }
    return (0..<count).map { all[(2 * $0 + 1) * all.count / (2 * count)] }
  }
}
