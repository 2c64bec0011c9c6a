import Foundation
import TestSupport
import Testing

/// Power failures while a library is migrated, repaired, replaced by a restore, or imported into. At a chosen file
/// change, the process ends, the last write is torn, or all unsynced writes are lost. The library must then be the
/// original or the result, and the same command must finish. `FLEETKIT_CRASH_RUNS` sets the number of moments per
/// command.
@Suite(
  .serialized, .enabled(if: CrashPoints.isThere, "\(CrashPoints.reason)"),
  .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct UnsyncedCrashTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"] ?? "") ?? 9

  /// A verb that changes a library.
  enum Job: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case migrate, doctor, restore, importing
    var testDescription: String { rawValue }
  }

  private let scratch = Scratch()
  private var folder: String { scratch["work"] }
  private var library: String { scratch["work/l.sqlite"] }

  /// Prepares the folder, which is copied for each kill.
  /// - Returns: the arguments of the command.
  private func prepare(_ job: Job, logged: Bool) throws -> [String] {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let isOld = job == .migrate || job == .doctor
    _ = try scratch.writable(isOld ? "library-v1.4.0.sqlite" : "library-v2.2.0.sqlite", as: "work/l.sqlite")
    let bundle = try scratch.write("s.jsonl", Self.bundle)
    var words: [String]
    switch job {
    case .migrate: words = ["migrate", library, "--yes", "-q"]
    case .doctor:
      try SQLiteShell.run(library, "UPDATE checklists SET tags = 'safety,crew';")
      words = ["doctor", library, "--repair", "--yes", "-q"]
    case .restore:
      let other = try scratch.writable("library-v2.2.0.sqlite", as: "other.sqlite")
      try run(["import", bundle, "--into", other, "-q"])
      try run(["backup", other, "--to", scratch["b.fleetpack"], "-q"])
      words = ["restore", scratch["b.fleetpack"], "--to", library, "--replace", "--yes", "-q"]
    case .importing: words = ["import", bundle, "--into", library, "-q"]
    }
    if logged { try SQLiteShell.run(library, "PRAGMA journal_mode = WAL;") }
    try FileManager.default.moveItem(atPath: folder, toPath: scratch["base"])
    return words
  }

  private static let bundle = (0..<60).map { index in
    let id = String(format: "%08X-0000-4000-8000-000000000000", index)
    let step = String(repeating: "Weigh anchor and note the depth. ", count: 40)
    return #"{"id":"\#(id)","content_type":"checklist","title":"List \#(index)","content_data":"#
      + #"{"sections":[{"title":"A","items":[{"title":"\#(step)"}]}]}}"# + "\n"
  }.joined()

  private func run(_ words: [String]) throws {
    let answer = try Shell.run(Paths.command, words, environment: CrashWorld.epoch)
    try #require(answer.status == 0, "\(words): \(answer.errors)")
  }

  private func layOut() throws {
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.copyItem(atPath: scratch["base"], toPath: folder)
  }

  /// Returns the content of the library after SQLite has recovered it.
  private func content() throws -> String {
    let answer = try SQLiteShell.run(library, "PRAGMA integrity_check;\n.sha3sum\n")
    #expect(answer.hasPrefix("ok\n"), "\(answer.prefix(200))")
    return answer
  }

  @Test(arguments: Job.allCases, [false, true])
  func theLibraryIsTheOriginalOrTheResult(_ job: Job, logged: Bool) throws {
    let words = try prepare(job, logged: logged)
    try layOut()
    let before = try content()
    try layOut()
    let points = try CrashPoints(folder)
    let (answer, changes) = try points.changes(of: Paths.command, words, environment: CrashWorld.epoch)
    #expect(answer.status == 0, "\(answer.errors)")
    let after = try content()
    #expect(before != after)
    // The most writes can be lost just before a sync. A torn write is the last write before the process ends.
    let syncs = changes.filter { $0.call == "sync" }.map(\.number)
    let writes = changes.filter { $0.call == "write" }.map(\.number)
    let others = changes.filter { $0.call != "sync" && $0.call != "write" }.map(\.number)
    let share = max(1, Self.runs / 3)
    let moments =
      Self.spread(syncs, share).map { CrashPoints.Moment.lose($0) }
      + Self.spread(writes, share).map { CrashPoints.Moment.tear($0) }
      + Self.spread(others + writes, share).map { CrashPoints.Moment.lose($0) }
    var found: [String: Int] = [:]
    for moment in moments {
      try layOut()
      let killed = try Shell.run(
        Paths.command, words, environment: CrashWorld.epoch.merging(points.environment(moment)) { $1 })
      #expect([0, 128 + SIGKILL].contains(killed.status), "\(moment): \(killed.errors)")
      let copy = scratch["copy"]
      try? FileManager.default.removeItem(atPath: copy)
      try FileManager.default.copyItem(atPath: folder, toPath: copy)
      let now = try content()
      #expect([before, after].contains(now), "\(job), \(moment) of \(changes.count)")
      found[now == before ? "before" : now == after ? "after" : "other", default: 0] += 1
      // The same command finishes, whatever the killed command left behind, including a journal.
      try FileManager.default.removeItem(atPath: folder)
      try FileManager.default.moveItem(atPath: copy, toPath: folder)
      let again = try Shell.run(Paths.command, words, environment: CrashWorld.epoch)
      #expect(again.status == 0, "\(job), \(moment) of \(changes.count): \(again.errors)")
      #expect(try content() == after, "\(job), \(moment) of \(changes.count)")
    }
    print("power failures at \(moments.count) of \(changes.count) changes, \(job), log \(logged): \(found)")
  }

  /// Picks `count` evenly spaced numbers.
  private static func spread(_ all: [Int], _ count: Int) -> [Int] {
    guard all.count > count else { return all }
    return (0..<count).map { all[(2 * $0 + 1) * all.count / (2 * count)] }
  }
}
