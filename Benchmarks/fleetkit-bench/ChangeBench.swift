import CSQLite
import Foundation

/// Measures changes to libraries: the second import of a bundle, compared with the first one, and a migration, compared
/// with `VACUUM INTO`.
struct ChangeBench {
  let folder: String
  let command: String
  let rounds: Int

  func run() throws {
    try imports()
    try foreign()
    try migrations()
  }

  /// Imports the same 100 000 checklists into a new library and again into that library, and makes the plans of both
  /// imports.
  func imports() throws {
    let count = 100_000
    let bundle = try Bench.bundle(count, in: folder)
    let library = "\(folder)/imported.sqlite"
    var first: [ChildRun] = []
    var again: [ChildRun] = []
    var planned: [ChildRun] = []
    var plannedAgain: [ChildRun] = []
    let plan = "\(folder)/plan.json"
    for _ in 0..<rounds {
      remove(library)
      let plans = ["--plan", plan, "--overwrite", "-q"]
      planned.append(try ChildRun.run(command, ["import", bundle, "--into", library, "--create"] + plans))
      first.append(try ChildRun.run(command, ["import", bundle, "--into", library, "--create", "-q"]))
      again.append(try ChildRun.run(command, ["import", bundle, "--into", library, "-q"]))
      plannedAgain.append(try ChildRun.run(command, ["import", bundle, "--into", library] + plans))
    }
    remove(library)
    try? FileManager.default.removeItem(atPath: plan)
    Bench.say("import of \(count) checklists; median of \(rounds)")
    report("into a new library", first)
    report("again, all unchanged", again)
    let ratios = zip(again, first).map { $0.seconds / $1.seconds }
    Bench.say(String(format: "      again ÷ first %.2f", Bench.median(ratios)))
    report("plan of a new library", planned)
    report("plan, all unchanged", plannedAgain)
    for (name, runs) in [("plan", planned), ("plan of unchanged", plannedAgain)] {
      let ratios = zip(runs, first).map { $0.seconds / $1.seconds }
      Bench.say(String(format: "      %@ ÷ first %.2f", name as NSString, Bench.median(ratios)))
    }
  }

  /// Imports 10 000 checklists, which do not have the form of FleetKit's own output, into an existing library. This is
  /// compared with Python's sqlite3 and orjson, which only insert and parse, and with inserting only the rows.
  func foreign() throws {
    let judges = ProcessInfo.processInfo.environment["FLEETKIT_JUDGES"] ?? ".build/judges"
    let python = judges + "/bin/python"
    guard FileManager.default.isExecutableFile(atPath: python) else {
      return Bench.say("foreign order: not measured, the peer is not installed (make judges)")
    }
    let (count, peer) = (10_000, "Benchmarks/peers/import_peer.py")
    let (few, bundle, base) = ("\(folder)/few.jsonl", "\(folder)/foreign.jsonl", "\(folder)/base.sqlite")
    _ = try ChildRun.run(python, [peer, "make", "100", few])
    _ = try ChildRun.run(python, [peer, "make", String(count), bundle])
    remove(base)
    _ = try ChildRun.run(command, ["import", few, "--into", base, "--create", "-q"])
    let (library, other) = ("\(folder)/imported.sqlite", "\(folder)/inserted.sqlite")
    let rows = "\(folder)/rows.sqlite"
    _ = try ChildRun.run(command, ["convert", bundle, "--to", rows, "--overwrite", "-q"])
    var (ours, theirs, bare): ([ChildRun], [ChildRun], [Double]) = ([], [], [])
    for _ in 0..<max(rounds, 7) {
      for path in [library, other] {
        remove(path)
        try FileManager.default.copyItem(atPath: base, toPath: path)
      }
      sync()
      ours.append(try ChildRun.run(command, ["import", bundle, "--into", library, "-q"]))
      theirs.append(try ChildRun.run(python, [peer, "import", bundle, other]))
      try FileManager.default.removeItem(atPath: other)
      try FileManager.default.copyItem(atPath: base, toPath: other)
      bare.append(BareLoops.insert(rowsOf: rows, into: other))
    }
    for path in [base, library, other, rows] { remove(path) }
    Bench.say("import of \(count) checklists in foreign order into a library; median of \(ours.count)")
    report("fleetkit import", ours)
    report("sqlite3 with orjson", theirs)
    Bench.say(String(format: "  the rows alone            %6.2f s", Bench.median(bare)))
    for (name, times) in [("sqlite3 with orjson", theirs.map(\.seconds)), ("the rows alone", bare)] {
      let ratios = zip(times, ours).map { $0 / $1.seconds }
      Bench.say(String(format: "      %@ ÷ fleetkit %.2f", name as NSString, Bench.median(ratios)))
    }
  }

  /// Migrates a library with schema 1.4.0 and the app's page size, compared with SQLite copying the same file.
  func migrations() throws {
    let count = 250_000
    let bundle = try Bench.bundle(count, in: folder)
    let old = "\(folder)/old.sqlite"
    let library = "\(folder)/migrated.sqlite"
    let copy = "\(folder)/vacuumed.sqlite"
    remove(old)
    _ = try ChildRun.run(command, ["convert", bundle, "--to", old, "--schema-version", "1.4.0", "-q"])
    try FileManager.default.removeItem(atPath: bundle)
    Self.run(old, "PRAGMA page_size = 4096; VACUUM")
    var ours: [ChildRun] = []
    var theirs: [Double] = []
    for _ in 0..<rounds {
      remove(library)
      try FileManager.default.copyItem(atPath: old, toPath: library)
      sync()
      let clock = ContinuousClock()
      let start = clock.now
      Self.run(library, "VACUUM INTO '\(copy)'")
      theirs.append(BareLoops.seconds(clock.now - start))
      remove(copy)
      sync()
      ours.append(try ChildRun.run(command, ["migrate", library, "--yes", "-q"]))
    }
    Bench.say("")
    Bench.say(
      String(format: "migrate a library of %.2f GB from 1.4.0; median of %d", Double(Bench.size(old)) / 1e9, rounds))
    report("migrate", ours)
    Bench.say(String(format: "  VACUUM INTO               %6.2f s", Bench.median(theirs)))
    let ratios = zip(ours, theirs).map { $0.seconds / $1 }
    Bench.say(String(format: "      migrate ÷ VACUUM INTO %.2f", Bench.median(ratios)))
    if ProcessInfo.processInfo.environment["BENCH_KEEP"] == nil { for path in [old, library] { remove(path) } }
  }

  private func report(_ what: String, _ runs: [ChildRun]) {
    let name = what.padding(toLength: 24, withPad: " ", startingAt: 0)
    Bench.say(
      String(
        format: "  %@  %6.2f s   processor %.2f s   RssAnon %.1f MB", name as NSString,
        Bench.median(runs.map(\.seconds)), Bench.median(runs.map(\.processor)),
        Double(runs.map(\.peakAnonymous).max() ?? 0) / 1e6))
  }

  private func remove(_ library: String) {
    for suffix in ["", ".fleetkit"] { try? FileManager.default.removeItem(atPath: library + suffix) }
  }

  private static func run(_ path: String, _ sql: String) {
    var handle: OpaquePointer?
    guard sqlite3_open(path, &handle) == SQLITE_OK, sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      fatalError("\(path): \(String(cString: sqlite3_errmsg(handle)))")
    }
    sqlite3_close(handle)
  }
}
