import Foundation
import TestSupport
import Testing

/// kill -9 at random moments of a restore. `FLEETKIT_CRASH_RUNS` sets the number of kills.
@Suite(.serialized, .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct RestoreCrashTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"] ?? "") ?? 8

  @Test(arguments: [false, true]) func killedItIsTheOldOneOrTheNewOne(_ replaces: Bool) throws {
    let scratch = Scratch()
    let new = try Restoring.library("new", 1500, wal: false, in: scratch, as: "new.sqlite")
    let backup = try Restoring.backUp(new, to: scratch["b.fleetpack"])
    let old = try Restoring.library("old", 1200, wal: false, in: scratch, as: "old.sqlite")
    let library = scratch["library.sqlite"]
    let arguments = ["restore", backup, "--to", library, "-q", "--yes"] + (replaces ? ["--replace"] : [])
    func prepare() throws {
      try Self.clear(scratch)
      if replaces { try FileManager.default.copyItem(atPath: old, toPath: library) }
    }
    try prepare()
    let whole = try Self.duration(arguments)
    var random = SeededRandom(seed: replaces ? 5 : 6)
    var found: [String: Int] = [:]
    for _ in 0..<Self.runs {
      try prepare()
      try Self.runAndKill(arguments) { usleep(UInt32(random.below(whole * 12 / 10))) }
      guard FileManager.default.fileExists(atPath: library) else {
        found["none", default: 0] += 1
        continue
      }
      let text = try SQLiteShell.run(library, "PRAGMA integrity_check; \(Restoring.look);")
      found[text, default: 0] += 1
    }
    let allowed: Set<String> =
      replaces
      ? ["ok\noldold1200oldold1200\n", "ok\nnewnew1500newnew1500\n"] : ["none", "ok\nnewnew1500newnew1500\n"]
    #expect(Set(found.keys).isSubset(of: allowed), "\(found)")
    // The next run succeeds and cleans up.
    try? FileManager.default.removeItem(atPath: library)
    #expect(try Shell.run(Paths.command, arguments).status == 0)
    #expect(!scratch.names.contains { $0.hasPrefix(".") }, "\(scratch.names)")
    print("kill -9 of a restore: \(found.mapValues { $0 })")
  }

  /// When a restore over a damaged library is killed, the damaged files are at every moment unchanged, kept as complete
  /// copies, or both. The file with the library's name is either the damaged library or the new one.
  @Test func killedOverADamagedOneItsBytesAreKept() throws {
    let scratch = Scratch()
    let new = try Restoring.library("new", 1500, wal: false, in: scratch, as: "new.sqlite")
    let backup = try Restoring.backUp(new, to: scratch["b.fleetpack"])
    var old = try Data(contentsOf: URL(fileURLWithPath: new))
    for index in 4096..<old.count { old[index] = UInt8(truncatingIfNeeded: index &* 7) }
    // A meaningless log and journal: all three files are evidence that must be kept.
    let beside = Data((0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 13) })
    let files = ["": old, "-wal": beside, "-journal": Data(beside.reversed())]
    // The sidecar has a deck that the backup does not contain.
    let decks = try Restoring.library(in: scratch, as: "decks.sqlite") + ".fleetkit"
    let count = "SELECT count(*) FROM records;"
    #expect(try SQLiteShell.run(decks + "/state.sqlite", count) == "1\n")
    let library = scratch["library.sqlite"]
    let state = library + ".fleetkit/state.sqlite"
    let arguments = ["restore", backup, "--to", library, "-q", "--yes", "--replace"]
    func prepare() throws {
      try Self.clear(scratch)
      try FileManager.default.copyItem(atPath: decks, toPath: library + ".fleetkit")
      for (suffix, bytes) in files { try bytes.write(to: URL(fileURLWithPath: library + suffix)) }
    }
    try prepare()
    let whole = try Self.duration(arguments)
    var random = SeededRandom(seed: 7)
    var found: [String: Int] = [:]
    for run in 0..<Self.runs * 2 {
      try prepare()
      try Self.runAndKill(arguments) {
        // Every second kill comes at the decisive moment, just after the first copy has received its name. That moment
        // is short, and on a busy machine it may come only after many times the duration of the undisturbed run.
        let deadline = Date().addingTimeInterval(60)
        if run % 2 == 0 {
          usleep(UInt32(random.below(whole * 12 / 10)))
        } else {
          while Date() < deadline, Self.kept(library)?[""] == nil { usleep(100) }
          usleep(UInt32(random.below(20_000)))
        }
      }
      let copies = Self.kept(library) ?? [:]
      let now = try Data(contentsOf: URL(fileURLWithPath: library))
      let isOld = now == old
      for (suffix, bytes) in files {
        let there = try? Data(contentsOf: URL(fileURLWithPath: library + suffix))
        // A copy is never incomplete.
        let copy = try copies[suffix].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(copy == nil || copy == bytes, "\(suffix): a copy is not what was there")
        if copy == nil { #expect(there == bytes, "\(suffix) is neither there nor kept") }
        // SQLite would replay an old log into the new library next to it.
        if !isOld, suffix != "" { #expect(there == nil) }
      }
      // The deck is still in its old location or in a complete copy.
      let keptDecks = try copies[".fleetkit"].flatMap { folder in
        FileManager.default.fileExists(atPath: folder + "/state.sqlite")
          ? try SQLiteShell.run(folder + "/state.sqlite", "PRAGMA integrity_check; " + count) : nil
      }
      #expect(keptDecks == nil || keptDecks == "ok\n1\n")
      if keptDecks == nil { #expect(try SQLiteShell.run(state, count) == "1\n") }
      if isOld {
        found[copies.isEmpty ? "old" : "old and kept", default: 0] += 1
      } else {
        #expect(
          try SQLiteShell.run(library, "PRAGMA integrity_check; \(Restoring.look);") == "ok\nnewnew1500newnew1500\n")
        found["new and kept", default: 0] += 1
      }
      // The next run finishes the work, whatever state this run left.
      if run % 4 == 1 {
        let answer = try Shell.run(Paths.command, arguments)
        #expect(answer.status == 0, "\(answer.errors)")
        #expect(
          try SQLiteShell.run(library, "PRAGMA integrity_check; \(Restoring.look);") == "ok\nnewnew1500newnew1500\n")
        if let kept = Self.kept(library)?[""] { #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == old) }
      }
    }
    #expect(found["new and kept", default: 0] + found["old and kept", default: 0] > 0, "\(found)")
    print("kill -9 of a restore over a damaged library: \(found)")
  }

  /// Returns the files of the oldest damaged library that was kept, by suffix.
  private static func kept(_ library: String) -> [String: String]? {
    let folder = library + ".fleetkit/backups/"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    guard let first = names.first(where: { !$0.hasPrefix(".") && $0.contains("-damaged.sqlite") }),
      let stem = first.range(of: "-damaged.sqlite").map({ first[..<$0.upperBound] })
    else { return nil }
    var kept: [String: String] = [:]
    for name in names where name.hasPrefix(stem) { kept[String(name.dropFirst(stem.count))] = folder + name }
    return kept
  }

  private static func clear(_ scratch: Scratch) throws {
    for name in scratch.names where name.hasPrefix("library.sqlite") {
      try FileManager.default.removeItem(atPath: scratch[name])
    }
  }

  /// Returns the duration of an undisturbed run in microseconds.
  private static func duration(_ arguments: [String]) throws -> Int {
    let clock = ContinuousClock()
    let start = clock.now
    let answer = try Shell.run(Paths.command, arguments)
    #expect(answer.status == 0, "\(answer.errors)")
    return Int((clock.now - start) / .microseconds(1))
  }

  private static func runAndKill(_ arguments: [String], after wait: () -> Void) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Paths.command)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    wait()
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
