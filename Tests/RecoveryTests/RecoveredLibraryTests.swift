import Content
import Doctor
import Foundation
import JSONText
import SQLiteIO
import SQLiteRecovery
import TestSupport
import Testing

/// `doctor LIBRARY --recover NEW`: certain rows are in the new library, uncertain rows are next to it, and lost rows
/// are named.
@Suite(.serialized) struct RecoveredLibraryTests {
  private static let now = Timestamp(milliseconds: 1_767_607_872_345)

  private func recover(_ path: String, to target: String) throws -> LibraryRecovery.Report {
    try LibraryRecovery(path, to: target).run(now: Self.now)
  }

  private func counts(_ path: String) throws -> [String: Int64] {
    let library = try SQLiteConnection(path, .readImmutable, .own)
    var counts: [String: Int64] = [:]
    for table in ["charters", "library_content", "checklists", "practice_guides", "checklistExecutionStates"] {
      counts[table] = try library.number("SELECT count(*) FROM \(table)")
    }
    #expect(try library.rows("PRAGMA integrity_check") == [["ok"]])
    return counts
  }

  @Test func aDamagedPageCostsNothing() throws {
    let scratch = Scratch()
    let report = try recover(Paths.libraries + "/library-v1.4.0-bitflip.sqlite", to: scratch["new.sqlite"])
    let all = try counts(scratch["new.sqlite"])
    #expect(
      all == [
        "charters": 7, "library_content": 24, "checklists": 15, "practice_guides": 9, "checklistExecutionStates": 7,
      ])
    #expect(report.damages.map(\.page) == [41, 40] && report.missingCount == 0 && report.uncertain == 0)
    #expect(report.tables.first { $0.name == "checklists" }?.confirmed == 1)
    // Every row is as it was before the bit flipped, and the text of the app's schema is the same.
    #expect(try dump(scratch["new.sqlite"]) == dump(Paths.libraries + "/library-v1.4.0.sqlite"))
  }

  private func dump(_ path: String) throws -> String {
    try Shell.run("sqlite3", ["-readonly", path, ".dump"]).output.split(separator: "\n").sorted().joined(
      separator: "\n")
  }

  @Test func whatIsCutOffIsNamed() throws {
    let scratch = Scratch()
    let report = try recover(Paths.libraries + "/library-v1.4.0-truncated.sqlite", to: scratch["new.sqlite"])
    let all = try counts(scratch["new.sqlite"])
    #expect(all["charters"] == 7 && all["checklists"] == 5)
    // The original contains 24 items, 15 checklists, 9 guides and 7 executions.
    #expect(report.missingCount == 50)
    let original = try SQLiteConnection(Paths.libraries + "/library-v1.4.0.sqlite", .readImmutable, .foreign)
    for missing in report.missing {
      #expect(try original.number("SELECT count(*) FROM \(missing.table) WHERE id = ?", [missing.id]) == 1)
    }
  }

  @Test(arguments: ["library-v1.0.0.sqlite", "library-v1.6.0-snakecase-queue.sqlite", "library-v2.2.0.sqlite"])
  func aSoundLibraryStaysAsItIs(_ name: String) throws {
    let scratch = Scratch()
    let report = try recover(Paths.libraries + "/" + name, to: scratch["new.sqlite"])
    #expect(report.isWhole)
    #expect(try dump(scratch["new.sqlite"]) == dump(Paths.libraries + "/" + name))
  }

  @Test func theLogIsRead() throws {
    let scratch = Scratch()
    let report = try recover(Paths.libraries + "/library-wal/library.sqlite", to: scratch["new.sqlite"])
    #expect(report.isWhole)
    let wal = try Reading.records(Paths.libraries + "/library-wal/library.sqlite")
    #expect(try Reading.records(scratch["new.sqlite"]).map(\.text) == wal.map(\.text))
  }

  /// Deleted rows are neither restored nor reported as lost, and none of them is public.
  @Test func deletedRowsAreUncertain() throws {
    let scratch = Scratch()
    let path = scratch["library.sqlite"]
    try FileManager.default.copyItem(atPath: Paths.libraries + "/library-v2.2.0.sqlite", toPath: path)
    try SQLiteShell.run(
      path,
      """
      PRAGMA secure_delete = OFF;
      UPDATE library_content SET visibility = 'public', publicID = 'p-' || id;
      DELETE FROM sync_queue; DELETE FROM library_content; DELETE FROM checklists;
      """)
    let report = try recover(path, to: scratch["new.sqlite"])
    let all = try counts(scratch["new.sqlite"])
    #expect(all["library_content"] == 0 && all["checklists"] == 0 && all["practice_guides"] == 9)
    #expect(report.uncertain > 10)
    // The numbers of deleted operations are not assigned again.
    let numbers = "SELECT * FROM sqlite_sequence"
    #expect(try SQLiteShell.run(scratch["new.sqlite"], numbers) == SQLiteShell.run(path, numbers))
    var uncertain: [JSONValue] = []
    for bundle in report.quarantine { uncertain += try Reading.records(bundle) }
    let items = uncertain.filter { $0["kind"]?.string == "item" }
    #expect(!items.isEmpty && items.allSatisfy { $0["visibility"]?.string == "private" })
    #expect(!uncertain.contains { $0["kind"]?.string == "sync_operation" })
    #expect(uncertain.allSatisfy { $0["extras"]?["quarantine"] != nil || $0["kind"]?.string == "foreign" })
    let status = try Shell.fleetkit("doctor", path, "--recover", scratch["again.sqlite"], "--json")
    #expect(status.status == 3)
  }

  /// A page between the root and the leaves is lost. The index names the rows that still exist.
  @Test func leavesWithoutTheirTree() throws {
    let scratch = Scratch()
    let grown = scratch["grown.sqlite"]
    try TestDatabase.python("grow", Paths.libraries + "/library-v2.2.0.sqlite", grown, "1000000")
    let roots = try SQLiteConnection(grown, .readImmutable, .foreign)
    let root = Int(try roots.number("SELECT rootpage FROM sqlite_schema WHERE name = 'practice_guides'"))
    let before = try roots.number("SELECT count(*) FROM practice_guides")
    let size = Int(try roots.number("PRAGMA page_size"))
    var data = try Data(contentsOf: URL(fileURLWithPath: grown))
    #expect(data[(root - 1) * size] == 5)
    for index in (root - 1) * size..<root * size { data[index] = 0 }
    try data.write(to: URL(fileURLWithPath: grown))
    let report = try recover(grown, to: scratch["new.sqlite"])
    #expect(report.tables.first { $0.name == "practice_guides" }?.confirmed == Int(before))
    #expect(!report.missing.contains { $0.table == "practice_guides" && $0.knownFrom.hasPrefix("sqlite_autoindex") })
  }

  @Test func refusals() throws {
    let scratch = Scratch()
    let source = Paths.libraries + "/library-v1.4.0-bitflip.sqlite"
    #expect(
      try Shell.fleetkit("doctor", Paths.libraries + "/library-zero-bytes.sqlite", "--recover", scratch["a"]).status
        == 2)
    #expect(
      try Shell.fleetkit("doctor", Paths.libraries + "/library-not-a-database.sqlite", "--recover", scratch["a"]).status
        == 2)
    #expect(try Shell.fleetkit("doctor", scratch["nowhere"], "--recover", scratch["a"]).status == 2)
    let there = try scratch.write("there.sqlite", "mine")
    #expect(try Shell.fleetkit("doctor", source, "--recover", there).status == 4)
    #expect(try String(contentsOfFile: there, encoding: .utf8) == "mine")
    #expect(try Shell.fleetkit("doctor", source, "--recover", scratch["a"], "--repair").status == 64)
    #expect(!FileManager.default.fileExists(atPath: scratch["a"]))
  }

  /// The advice is to copy the library again, together with the named files that may have been left behind, or else to
  /// use `--recover`.
  @Test(arguments: ["inspect", "validate", "doctor", "list"]) func adviceForDamagedFiles(_ verb: String) throws {
    let scratch = Scratch()
    let path = scratch["library.sqlite"]
    try FileManager.default.copyItem(atPath: Paths.libraries + "/library-v1.4.0-truncated.sqlite", toPath: path)
    let answer = try Shell.fleetkit(verb, path)
    let text = answer.errors + answer.output
    for part in ["library.sqlite-journal", "library.sqlite-wal", "--recover"] { #expect(text.contains(part)) }
  }

  /// This test damages a library of 400 KB 50 times. `make test-recover` damages a library of 1 MB 2,000 times and a
  /// library of 40 MB 200 times.
  @Test func randomDamages() throws {
    let rounds = Damage.isThorough ? 2000 : 50
    try damage(bytes: Damage.isThorough ? 1_000_000 : 400_000, rounds: rounds, seed: 3)
  }

  @Test(.enabled(if: Damage.isThorough, "it takes an hour (make test-recover)")) func randomDamagesOfALargeLibrary()
    throws
  {
    try damage(bytes: 40_000_000, rounds: 200, seed: 5)
  }

  private func damage(bytes: Int, rounds: Int, seed: UInt64) throws {
    let scratch = Scratch()
    let grown = scratch["grown.sqlite"]
    try TestDatabase.python("grow", Paths.libraries + "/library-v2.2.0.sqlite", grown, "\(bytes)")
    let trial = try DamageTrial(grown)
    let known = Set(trial.rows.compactMap { Self.id($0.line) })
    var random = SeededRandom(seed: seed)
    var (expected, found, restored, memory) = (0, 0, 0, 0)
    for round in 0..<rounds {
      let (data, touched, what) = trial.damage(&random)
      let path = scratch["damaged.sqlite"]
      let target = scratch["new-\(round).sqlite"]
      try data.write(to: URL(fileURLWithPath: path))
      let answer = try Shell.run(
        "python3", ["-c", Self.measuring, Paths.command, "doctor", path, "--recover", target, "--json"])
      memory = max(memory, answer.errors.split(separator: "\n").last.flatMap { Int($0) } ?? .max)
      // Status 2 means that no row was left.
      #expect(answer.status == 0 || answer.status == 3 || answer.status == 2, "\(what) \(answer.errors)")
      guard answer.status != 2 else { continue }
      guard let library = try? rows(target) else {
        Issue.record("\(what): the new library lacks a table")
        continue
      }
      let invented = library.subtracting(known)
      #expect(invented.isEmpty, "\(what): \(invented)")
      restored += library.count
      var kept = library
      if let report = try? JSONDocument(parsing: Array(answer.output.utf8)) {
        for bundle in report.root["quarantine"]?.elements ?? [] {
          for record in try Reading.records(bundle.string ?? "") { kept.formUnion(Self.ids(record)) }
        }
      }
      for row in trial.rows where row.pages.isDisjoint(with: touched) {
        guard let id = Self.id(row.line) else { continue }
        expected += 1
        if kept.contains(id) { found += 1 }
      }
      try FileManager.default.removeItem(atPath: target)
      try? FileManager.default.removeItem(atPath: target + ".fleetkit")
    }
    print(
      "\(rounds) damaged libraries of \(bytes) bytes: \(found) of \(expected) rows on sound pages, \(restored) restored"
    )
    #expect(Double(found) >= 0.95 * Double(expected))
    #expect(memory <= 300 << 10, "\(memory) KB")
  }

  /// A script that runs a command and prints its peak memory in kilobytes at the end of standard error.
  private static let measuring = """
    import resource, subprocess, sys
    status = subprocess.run(sys.argv[1:]).returncode
    print("\\n%d" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
    sys.exit(status)
    """

  /// Returns `table|id` of a row that is written as in `databases.py`.
  private static func id(_ line: String) -> String? {
    let parts = line.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2, parts[2].first == "t",
      ["charters", "library_content", "checklists", "practice_guides", "checklistExecutionStates"].contains(
        String(parts[0]))
    else { return nil }
    return parts[0] + "|" + parts[2].dropFirst()
  }

  private static func ids(_ record: JSONValue) -> Set<String> {
    guard let id = record["id"]?.string.map({ hex(Array($0.utf8)) }) else { return [] }
    switch record["kind"]?.string {
    case "charter": return ["charters|" + id]
    case "execution": return ["checklistExecutionStates|" + id]
    default: return ["library_content|" + id, "checklists|" + id, "practice_guides|" + id]
    }
  }

  /// Returns `table|id` of every row of a recovered library.
  private func rows(_ path: String) throws -> Set<String> {
    let library = try SQLiteConnection(path, .readImmutable, .own)
    #expect(try library.rows("PRAGMA quick_check") == [["ok"]])
    var all: Set<String> = []
    for table in ["charters", "library_content", "checklists", "practice_guides", "checklistExecutionStates"] {
      for row in try library.rows("SELECT hex(id) FROM \(table)") {
        all.insert(table + "|" + (row[0] ?? "").lowercased())
      }
    }
    return all
  }
}
