import FleetKit
import Foundation
import TestSupport
import Testing

/// Random edits on both sides, import after import, compared with a simple merge of single members.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct MergePropertyTests {
  /// The members of one step; nil where a member is missing.
  private typealias Values = [String: String]

  private static func values(_ list: SharedList) -> Values {
    var values = ["title": list.title]
    for step in list.steps {
      values[step.id + " title"] = step.title
      if let text = step.text { values[step.id + " text"] = text }
    }
    return values
  }

  private static func ids(_ list: SharedList) -> Set<String> { Set(list.steps.map(\.id)) }

  private enum Expected: Equatable {
    case conflict
    case values(Values)
  }

  /// Merges both sides, member by member.
  private static func merge(_ base: SharedList, _ ours: SharedList, _ theirs: SharedList) -> Expected {
    var (old, mine, yours) = (values(base), values(ours), values(theirs))
    var result: Values = [:]
    for id in ids(base) {
      let here = ids(ours).contains(id)
      let there = ids(theirs).contains(id)
      if here && there { continue }
      // When one side deleted a step, any change that the other side made in it is a conflict.
      for (isThere, side) in [(here, mine), (there, yours)] where isThere {
        if ["title", "text"].contains(where: { side["\(id) \($0)"] != old["\(id) \($0)"] }) { return .conflict }
      }
      for name in ["\(id) title", "\(id) text"] {
        old[name] = nil
        mine[name] = nil
        yours[name] = nil
      }
    }
    for name in Set(old.keys).union(mine.keys).union(yours.keys) {
      let (b, o, t) = (old[name], mine[name], yours[name])
      if o == t || b == t { result[name] = o } else if b == o { result[name] = t } else { return .conflict }
    }
    return .values(result)
  }

  private static let words = ["oil", "belt", "springs", "fenders", "radio", "anchor", "gas", "hatch", "bilge", "flag"]

  /// Makes a few random edits.
  private static func edit(_ list: SharedList, _ random: inout SeededRandom, _ next: inout Int) -> SharedList {
    var list = list
    func word() -> String { "\(random.pick(words)) \(random.pick(words)) \(random.below(1_000_000))" }
    for _ in 0..<random.below(3) {
      switch random.below(7) {
      case 0: list.title = word()
      case 1, 2:
        if list.steps.isEmpty { continue }
        list.steps[random.below(list.steps.count)].title = word()
      case 3, 4:
        if list.steps.isEmpty { continue }
        list.steps[random.below(list.steps.count)].text = random.below(4) == 0 ? nil : word()
      case 5:
        next += 1
        let step = SharedList.Step(id: SharedList.step(next), title: word(), text: nil)
        list.steps.insert(step, at: random.below(list.steps.count + 1))
      default:
        if list.steps.count < 2 { continue }
        list.steps.remove(at: random.below(list.steps.count))
      }
    }
    return list
  }

  @Test(arguments: 0..<12)
  func noEditOfOneSideIsLost(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let bench = try Bench()
    let saysWhen = seed % 3 != 0
    var next = 100
    func time(_ round: Int) -> String { String(format: "2026-02-%02dT00:00:00.000Z", round + 1) }
    // Several lists in one bundle are edited independently.
    var sources = (0..<8).map { number in
      var list = SharedList.of("Oil", "Coolant", "Springs off", "Fenders in", updated: saysWhen ? time(0) : nil)
      list.id = String(format: "11111111-1111-4111-8111-%012X", number)
      for index in list.steps.indices { list.steps[index].id = SharedList.step(number * 10 + index + 1_000_000) }
      return list
    }
    func importAll(_ round: Int) throws -> LibraryImport.Report {
      _ = try bench.scratch.write("source.jsonl", sources.map(\.line).joined())
      var job = LibraryImport(sources: try SourceList([bench.source]), library: bench.library)
      job.createsLibrary = true
      // Each round is an hour after the last one and later than every time on either side.
      let now = Timestamp(milliseconds: 1_780_000_000_000 + Int64(round) * 3_600_000)
      let report = try job.run(context: RunContext(now: now))
      #expect(report.summary.tally.balances)
      return report
    }
    #expect(try importAll(0).summary.tally[.item].created == sources.count)
    var bases = sources
    var outcomes: Set<String> = []
    for round in 1..<8 {
      var counts = (updated: 0, unchanged: 0, skipped: 0, rejected: 0)
      var expected: [Expected] = []
      var before: [SharedList] = []
      for index in sources.indices {
        var mine = try SharedList.read(bench.library, sources[index].id)
        let edited = Self.edit(mine, &random, &next)
        if edited != mine {
          let stamp = Timestamp(milliseconds: 1_780_000_000_000 + Int64(round) * 3_600_000 - 1_000)
          mine = edited
          try mine.put(into: bench.library, at: stamp.columnText)
        }
        before.append(mine)
        let changed = Self.edit(sources[index], &random, &next)
        if changed != sources[index] {
          sources[index] = changed
          if saysWhen { sources[index].updated = time(round) }
        }
        let merged = Self.merge(bases[index], mine, sources[index])
        expected.append(merged)
        switch merged {
        case .conflict: counts.rejected += 1
        case .values(let values):
          if values != Self.values(mine) { counts.updated += 1 } else { counts.unchanged += 1 }
        }
      }
      let report = try importAll(round)
      let tally = report.summary.tally[.item]
      let skipped = tally.skipped.values.reduce(0, +)
      #expect(tally.rejected == counts.rejected, "seed \(seed), round \(round)")
      #expect(tally.updated <= counts.updated + counts.unchanged && tally.updated >= counts.updated)
      #expect(tally.updated + tally.unchanged + skipped == counts.updated + counts.unchanged)
      #expect((report.conflicts != nil) == (counts.rejected > 0))
      for index in sources.indices {
        let after = try SharedList.read(bench.library, sources[index].id)
        switch expected[index] {
        case .conflict:
          #expect(after == before[index], "seed \(seed), round \(round): a conflict changes nothing")
          outcomes.insert("conflict")
        case .values(let values):
          #expect(Self.values(after) == values, "seed \(seed), round \(round)")
          outcomes.insert(values == Self.values(before[index]) ? "kept" : "taken")
          bases[index] = sources[index]
        }
      }
      // A second import of the same source changes nothing.
      let again = try importAll(round).summary.tally[.item]
      #expect(again.updated == 0 && again.rejected == counts.rejected, "seed \(seed), round \(round)")
    }
    #expect(outcomes == ["conflict", "kept", "taken"])
    #expect(try bench.sql("PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
  }
}
