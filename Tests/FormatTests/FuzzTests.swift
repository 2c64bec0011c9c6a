import FleetKit
import Foundation
import TestSupport
import Testing

/// Real files with randomly changed bytes: reading must never trap, and the counts of records must always add up.
///
/// `FLEETKIT_FUZZ_ROUNDS` sets the number of rounds; `make fuzz-random` runs many rounds.
@Suite struct FuzzTests {
  private static let rounds = Int(ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_ROUNDS"] ?? "") ?? 60
  private static let seed = UInt64(ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_SEED"] ?? "") ?? 1

  private static func mutate(_ data: Data, _ random: inout SeededRandom) -> Data {
    var bytes = data
    for _ in 0...random.below(8) {
      let at = random.below(bytes.count)
      switch random.below(5) {
      case 0: bytes[at] = UInt8(random.below(256))
      case 1: bytes[at] = random.pick(Array("{}[]\",:\\0e-\n".utf8))
      case 2: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(20)))
      case 3: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 1 + random.below(40))], at: at)
      default: bytes = bytes.prefix(max(1, at))
      }
      if bytes.isEmpty { bytes = Data([0x7B]) }
    }
    return bytes
  }

  private static func attempt(_ source: String, _ target: String) throws {
    do {
      let summary = try Run.convert(source, to: target)
      #expect(summary.tally.balances)
      if target.hasSuffix("jsonl") {
        // FleetKit can read everything that it writes.
        let again = Run.context()
        #expect(try Run.records(target, context: again).count == summary.tally.total.created)
        #expect(again.findings.count(.error) == 0, "\(again.findings.kept.prefix(2).map(\.message))")
      }
    } catch let failure as RunFailure {
      #expect(failure.status != .internalError, "\(failure)")
    }
    for path in [target, target + ".rejects.jsonl", target + ".rejects.json", target + ".rejects.reasons.jsonl"] {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  @Test(arguments: ["curated-checklists.jsonl", "crew-handbook.json"])
  func bundles(_ name: String) throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: Self.seed)
    let sound = try Data(contentsOf: URL(fileURLWithPath: Paths.root + "/samples/" + name))
    for round in 0..<Self.rounds {
      let source = scratch["x." + (name.split(separator: ".").last ?? "")]
      try Self.mutate(sound, &random).write(to: URL(fileURLWithPath: source))
      try Self.attempt(source, scratch[round % 3 == 0 ? "out.sqlite" : "out.jsonl"])
    }
  }

  @Test func libraries() throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: Self.seed)
    let sound = try Data(contentsOf: URL(fileURLWithPath: Libraries.path("library-v1.6.0-buggy-queue.sqlite")))
    for round in 0..<Self.rounds {
      var bytes = sound
      // The header is left intact; otherwise every round would end at the first check.
      for _ in 0...random.below(30) {
        bytes[200 + random.below(bytes.count - 200)] =
          round % 2 == 0 ? random.pick(Array("{}[]\",:x0".utf8)) : UInt8(random.below(256))
      }
      try bytes.write(to: URL(fileURLWithPath: scratch["x.sqlite"]))
      try Self.attempt(scratch["x.sqlite"], scratch["out.jsonl"])
    }
  }

  /// When only the JSON columns are damaged, the pages are sound and every record can be recovered.
  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func columns() throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: Self.seed)
    for _ in 0..<max(4, Self.rounds / 8) {
      let path = try scratch.copy("library-v2.2.0.sqlite", as: "x.sqlite")
      var sql = ""
      for (table, column) in [
        ("checklists", "content"), ("checklists", "tags"), ("library_content", "tags"),
        ("library_content", "createdAt"),
        ("checklistExecutionStates", "itemStates"), ("sync_queue", "payload"), ("library_content", "publicMetadata"),
      ] {
        let cut = 1 + random.below(400)
        let new = random.pick(["'", "{", "}", "]", ",", ":", "null", "\"", "\\", "\u{7}", "[[", "7.5", "é"]).replacing(
          "'", with: "''")
        sql +=
          "UPDATE \(table) SET \(column) = substr(\(column), 1, \(cut)) || '\(new)' || substr(\(column), \(cut + random.below(3))) "
        sql += "WHERE \(column) IS NOT NULL AND rowid % \(2 + random.below(4)) = 0;\n"
      }
      try SQLiteShell.run(path, sql)
      let context = Run.context()
      #expect(try Run.records(path, context: context).count == 49)
      try Self.attempt(path, scratch["out.jsonl"])
      try Self.attempt(path, scratch["out.sqlite"])
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
