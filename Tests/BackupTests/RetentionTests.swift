import Backup
import Content
import Foundation
import Interchange
import TestSupport
import Testing

/// Retention policies: their syntax, and the backups that a policy must never remove.
@Suite struct RetentionTests {
  @Test(arguments: [
    ("7d,4w,12m", "7d,4w,12m"), ("24h", "24h"), ("1y", "1y"), ("12m, 7d", "12m,7d"), ("007d", "7d"),
  ])
  func readsPolicies(_ text: String, _ shown: String) throws {
    #expect(try RetentionPolicy(parsing: text).description == shown)
  }

  @Test(arguments: [
    ("", "empty"), ("7d,", "empty"), ("7", "h, d, w, m or y"), ("d", "number"), ("0d", "keep nothing"),
    ("7d,0w", "keep nothing"), ("-1d", "number"), ("7D", "h, d, w, m or y"), ("7d,2d", "twice"), ("1.5d", "number"),
    ("99999999999999999999d", "too large"), ("100001d", "too large"), ("٧d", "number"), ("7d;4w", "number"),
    ("7s", "h, d, w, m or y"), ("7d\u{301}", "h, d, w, m or y"),
  ])
  func refusesWhatCannotBeMeant(_ text: String, _ reason: String) {
    #expect {
      _ = try RetentionPolicy(parsing: text)
    } throws: { error in
      guard let failure = error as? RunFailure else { return false }
      return failure.status == .usage && failure.message.contains(reason) && failure.advice?.contains("7d,4w") == true
    }
  }

  private func backup(_ time: String, _ name: String? = nil, parent: String? = nil) throws -> RetentionPlan.Backup {
    let taken = try #require(Timestamp.parse(time)).0
    return RetentionPlan.Backup(file: name ?? time, identity: name ?? time, taken: taken, parent: parent)
  }

  @Test func keepsTheNewestOfEachPeriodThatHasOne() throws {
    let times = [
      "2026-03-02T01:00:00Z", "2026-03-01T23:00:00Z", "2026-03-01T01:00:00Z", "2026-02-20T01:00:00Z",
      "2026-02-01T01:00:00Z", "2025-12-31T23:59:59Z", "2025-12-01T01:00:00Z",
    ]
    let all = try times.map { try backup($0) }
    func kept(_ policy: String) throws -> [String] {
      let plan = RetentionPlan(all, policy: try RetentionPolicy(parsing: policy))
      return times.filter { plan.kept[$0] != nil }
    }
    #expect(try kept("2d") == [times[0], times[1]])
    // Days without a backup do not count: the third day is in February.
    #expect(try kept("3d") == [times[0], times[1], times[3]])
    // 2026-03-01 is a Sunday, the end of the week before.
    #expect(try kept("2w") == [times[0], times[1]])
    #expect(try kept("3m") == [times[0], times[3], times[5]])
    #expect(try kept("2y") == [times[0], times[5]])
    #expect(try kept("3h") == Array(times[..<3]))
    #expect(try kept("2d,2y") == [times[0], times[1], times[5]])
  }

  @Test func weeksBeginOnMondayBefore1970Too() throws {
    for (time, monday) in [
      ("1970-01-01T00:00:00Z", "1969-12-29"), ("1969-12-28T23:59:59.999Z", "1969-12-22"),
      ("1969-12-29T00:00:00Z", "1969-12-29"), ("2026-03-02T00:00:00Z", "2026-03-02"),
    ] {
      let plan = RetentionPlan(
        [try backup("2030-01-01"), try backup(time)], policy: RetentionPolicy([.init(.week, 2)]))
      #expect(plan.kept[time] == .period(.week, "week of " + monday))
    }
  }

  @Test func whatCannotBeRestoredTakesNobodysPlace() throws {
    let sound = try backup("2026-03-01T01:00:00Z", "sound")
    let orphan = try backup("2026-03-01T02:00:00Z", "orphan", parent: "gone")
    let newer = try backup("2026-03-02T02:00:00Z", "newer")
    let plan = RetentionPlan([sound, orphan, newer], policy: RetentionPolicy([.init(.day, 2)]))
    #expect(plan.kept == ["newer": .newest, "orphan": .broken, "sound": .period(.day, "2026-03-01")])
    #expect(plan.removed.isEmpty)
  }

  @Test func circlesEndAndCountAsBroken() throws {
    let one = try backup("2026-03-01T01:00:00Z", "one", parent: "two")
    let two = try backup("2026-03-01T02:00:00Z", "two", parent: "one")
    let own = try backup("2026-03-01T03:00:00Z", "own", parent: "own")
    let child = try backup("2026-02-01T03:00:00Z", "child", parent: "one")
    let plan = RetentionPlan([one, two, own, child], policy: RetentionPolicy([.init(.day, 1)]))
    #expect(plan.kept["own"] == .broken && plan.kept["child"] == .broken && plan.removed.isEmpty)
    let chains = BackupChains([("a", "1", nil), ("b", "2", "1"), ("c", "3", "2"), ("copy", "2", "1"), ("d", "4", "x")])
    #expect(["a", "b", "c", "copy", "d", "none"].map { chains.length(of: $0) } == [1, 2, 3, 2, 0, 0])
    #expect(Set(chains.ancestors(of: "c")) == ["b", "copy", "a"])
  }

  /// Returns random folders with chains, copies, equal times and missing parents.
  private func folder(_ random: inout SeededRandom) -> [RetentionPlan.Backup] {
    var all: [RetentionPlan.Backup] = []
    let count = 1 + random.below(60)
    for index in 0..<count {
      let taken = Timestamp(milliseconds: 1_700_000_000_000 + Int64(random.below(120)) * 3_600_000 * 13)
      var parent: String?
      switch random.below(10) {
      case 0: parent = "gone-\(random.below(3))"
      case 1...6 where !all.isEmpty: parent = random.pick(all).identity
      default: break
      }
      let isCopy = random.below(12) == 0 && !all.isEmpty
      let other = isCopy ? random.pick(all) : nil
      all.append(
        RetentionPlan.Backup(
          file: "file-\(index)", identity: other?.identity ?? "id-\(index)", taken: other?.taken ?? taken,
          parent: isCopy ? other?.parent : parent))
    }
    return all
  }

  @Test func keepsItsPromisesWhateverIsInTheFolder() throws {
    var random = SeededRandom(seed: 42)
    var removedInAll = 0
    for _ in 0..<2000 {
      let all = folder(&random)
      var rules: [RetentionPolicy.Rule] = []
      for period in RetentionPolicy.Period.allCases where random.below(2) == 0 {
        rules.append(RetentionPolicy.Rule(period, 1 + random.below(6)))
      }
      let policy = RetentionPolicy(rules)
      let damaged = Set(all.map(\.file).filter { _ in random.below(8) == 0 })
      let plan = RetentionPlan(all, policy: policy, damaged: damaged)
      removedInAll += plan.removed.count
      #expect(Set(plan.kept.keys).union(plan.removed) == Set(all.map(\.file)))
      #expect(Set(plan.kept.keys).isDisjoint(with: plan.removed))
      // The newest backup is kept.
      let newest = all.map(\.taken).max()
      #expect(all.contains { $0.taken == newest && plan.kept[$0.file] != nil })
      // A kept backup that could be restored before can be restored afterwards.
      let left = all.filter { plan.kept[$0.file] != nil }
      let before = BackupChains(all.map { ($0.file, $0.identity, $0.parent) })
      let after = BackupChains(left.map { ($0.file, $0.identity, $0.parent) })
      for backup in left { #expect(before.length(of: backup.file) == after.length(of: backup.file)) }
      // A backup that could not be restored is not removed, because nothing replaces it.
      for file in plan.removed { #expect(!before.isBroken(file) && !damaged.contains(file)) }
      // The newest backup of each of the newest periods is kept.
      for rule in rules {
        let sound = all.filter { !before.isBroken($0.file) && !damaged.contains($0.file) }
        let periods = Dictionary(grouping: sound) { key(rule.period, $0.taken) }
        for (_, members) in periods.sorted(by: { $0.key > $1.key }).prefix(rule.count) {
          let last = members.map(\.taken).max()
          #expect(members.contains { $0.taken == last && plan.kept[$0.file] != nil })
        }
      }
      // A second rotation removes nothing.
      #expect(RetentionPlan(left, policy: policy, damaged: damaged).removed.isEmpty)
      // Damage is never the reason for removing another backup.
      for file in damaged { #expect(!plan.reliesOn(file)) }
    }
    #expect(removedInAll > 1000)
  }

  /// Returns a number that grows from each period to the next. It is computed with Foundation's calendar, as a second
  /// opinion.
  private func key(_ period: RetentionPolicy.Period, _ instant: Timestamp) -> Int {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
    let part: Calendar.Component =
      switch period {
      case .hour: .hour
      case .day: .day
      case .week: .weekOfYear
      case .month: .month
      case .year: .year
      }
    return Int(calendar.dateInterval(of: part, for: date)?.start.timeIntervalSince1970 ?? 0)
  }
}
