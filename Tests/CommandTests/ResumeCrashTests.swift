import FleetKit
import Foundation
import TestSupport
import Testing

/// kill -9 at random moments of an import, then `--resume`: library, ledger and rejects are those of an import that
/// nobody disturbed, row for row. `FLEETKIT_CRASH_RUNS` says how often.
@Suite(.serialized, .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct ResumeCrashTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"] ?? "") ?? 10
  private static let epoch = ["SOURCE_DATE_EPOCH": "1767607872"]

  private static func bundle(_ count: Int, _ words: String, more: String = "") -> String {
    var text = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
    for index in 0..<count {
      let id = String(format: "%08X-0000-4000-8000-000000000000", index &* 2_654_435_761 & 0xFFFF_FFFF)
      let body = String(repeating: index % 2 == 0 ? words : "The same as ever. ", count: 40)
      text +=
        "{\"id\":\"\(id)\",\"content_type\":\"checklist\",\"title\":\"List \(index)\",\"content_data\":"
        + "{\"sections\":[{\"title\":\"A\",\"items\":[{\"title\":\"\(body)\"}]}]}}\n"
    }
    return text + more
  }

  /// Everything that must be the same.
  private static func image(_ library: String) throws -> String {
    let tables = ["charters", "library_content", "checklists", "practice_guides", "checklistExecutionStates"]
    let rows = tables.map { "SELECT '\($0)', rowid, id FROM \($0) ORDER BY rowid;" }.joined(separator: "\n")
    let content = try SQLiteShell.run(library, "PRAGMA integrity_check;\n.dump\n" + rows)
    #expect(content.hasPrefix("ok\n"))
    let state = library + ".fleetkit/state.sqlite"
    let beside = try SQLiteShell.run(
      state,
      """
      .mode quote
      SELECT * FROM sources; SELECT * FROM files; SELECT * FROM records; SELECT * FROM packs;
      SELECT * FROM ledger; SELECT count(*) FROM witnesses; SELECT count(*) FROM staged_records;
      SELECT id, command, state, counts, now FROM runs ORDER BY id;
      """)
    let rejects = library + ".fleetkit/rejects"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: rejects)) ?? []).sorted()
    let texts = try names.filter { !$0.hasSuffix(".reasons.jsonl") }.map {
      try String(contentsOfFile: rejects + "/" + $0, encoding: .utf8)
    }
    return content + beside + "\(names.count) rejects\n" + texts.joined()
  }

  @Test func aResumedImportIsLikeAnUndisturbedOne() throws {
    let scratch = Scratch()
    let count = Self.runs > 50 ? 6000 : 1200
    let old = try scratch.write("old.jsonl", Self.bundle(count * 3 / 4, "Weigh anchor and note the depth. "))
    let more =
      "{\"id\":\"99999999-0000-4000-8000-000000000000\",\"content_type\":\"checklist\"}\n"
      + "{\"id\":\"99999999-0000-4000-8000-000000000001\",\"content_type\":\"flashcard_deck\",\"title\":\"Deck\","
      + "\"content_data\":{\"cards\":[{\"front\":\"a\",\"back\":\"b\"}]}}\n"
    let new = try scratch.write("new.jsonl", Self.bundle(count, "Lower the dinghy and row ashore. ", more: more))
    let base = scratch["base.sqlite"]
    let made = try Shell.run(
      Paths.command, ["import", old, "--into", base, "--create", "-q"], environment: Self.epoch)
    try #require(made.status == 0, "\(made.errors)")
    let library = scratch["work.sqlite"]
    let arguments = ["import", new, "--into", library, "--on-conflict", "replace", "-q"]
    func reset() throws {
      for name in scratch.names where name.hasPrefix("work.sqlite") {
        try FileManager.default.removeItem(atPath: scratch[name])
      }
      for suffix in ["", ".fleetkit"] {
        try FileManager.default.copyItem(atPath: base + suffix, toPath: library + suffix)
      }
    }
    try reset()
    let clock = ContinuousClock()
    let start = clock.now
    let whole = try Shell.run(Paths.command, arguments, environment: Self.epoch)
    let time = clock.now - start
    #expect(whole.status == 3, "\(whole.errors)")
    let expected = try Self.image(library)
    let microseconds = Int(time.components.seconds) * 1_000_000 + Int(time.components.attoseconds / 1_000_000_000_000)
    var random = SeededRandom(seed: 8)
    var counts = (before: 0, resumed: 0, settled: 0, done: 0)
    for round in 0..<Self.runs {
      try reset()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Paths.command)
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment.merging(Self.epoch) { $1 }
      process.standardError = FileHandle.nullDevice
      try process.run()
      // Half of them near the end, where it is decided.
      let part = round % 2 == 0 ? random.below(105) : 80 + random.below(25)
      usleep(UInt32(microseconds / 100 * part))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let list = try RunList(library)
      switch list.runs.first {
      case let run? where run.id == 2 && run.state == .interrupted:
        let again = try Shell.fleetkit("import", "--resume", "2", "--into", library)
        if again.errors.contains("already") {
          #expect(again.status == 0)
          counts.settled += 1
        } else {
          #expect(again.status == 3, "\(again.errors)")
          counts.resumed += 1
        }
      case let run? where run.id == 2:
        #expect(run.state == .done, "\(run.state)")
        let again = try Shell.fleetkit("import", "--resume", "2", "--into", library)
        #expect(again.status == 4, "\(again.errors)")
        counts.done += 1
      default:
        // It had not begun.
        #expect(try Shell.fleetkit("import", "--resume", "2", "--into", library).status == 64)
        #expect(try Shell.run(Paths.command, arguments, environment: Self.epoch).status == 3)
        counts.before += 1
      }
      let found = try Self.image(library)
      #expect(found == expected, "round \(round): \(Self.difference(found, expected))")
    }
    // What was resumed can be undone as well.
    #expect(try Shell.fleetkit("undo", "2", "--library", library, "-q").status == 0)
    let tables = "SELECT * FROM library_content; SELECT * FROM checklists;"
    #expect(try SQLiteShell.run(library, tables) == SQLiteShell.run(base, tables))
    print("kill -9, resume: \(counts)")
  }

  private static func difference(_ left: String, _ right: String) -> String {
    let (first, second) = (left.split(separator: "\n"), right.split(separator: "\n"))
    for index in 0..<max(first.count, second.count) {
      let one = index < first.count ? first[index].prefix(200) : "(end)"
      let two = index < second.count ? second[index].prefix(200) : "(end)"
      if one != two { return "\(one)\n≠ \(two)" }
    }
    return "none"
  }
}
