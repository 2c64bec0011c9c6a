import Foundation
import TestSupport
import Testing

@testable import SQLiteRecovery

/// Damaged databases: everything readable is read, and nothing is invented.
@Suite(.serialized) struct DamageTests {
  @Test func readsABitFlip() throws {
    let description = try TestDatabase.describe(TestDatabase.libraries + "/library-v1.4.0.sqlite")
    let image = try DatabaseImage(path: TestDatabase.libraries + "/library-v1.4.0-bitflip.sqlite")
    let findings = try Findings(image, description.shapes())
    var counts: [String: Int] = [:]
    for row in findings.rows { counts[row.table, default: 0] += 1 }
    #expect(Set(findings.lines(Set(RecoveryOrigin.allCases))).isSubset(of: description.rows))
    print("bitflip:", counts.sorted { $0.key < $1.key }, findings.damage.map { "\($0.page) \($0.reason)" })
    #expect(counts["charters"] == 7)
    #expect(counts["library_content"] == 24)
    #expect(counts["practice_guides"] == 9)
    #expect(counts["checklistExecutionStates"] == 7)
    #expect(counts["checklists"] ?? 0 >= 6)
  }

  @Test func readsATruncatedLibrary() throws {
    let description = try TestDatabase.describe(TestDatabase.libraries + "/library-v1.4.0.sqlite")
    let image = try DatabaseImage(path: TestDatabase.libraries + "/library-v1.4.0-truncated.sqlite")
    print(image.notes)
    #expect(image.notes.contains { if case .truncated = $0 { true } else { false } })
    let findings = try Findings(image, description.shapes())
    let rows = Set(findings.lines(Set(RecoveryOrigin.allCases)))
    print("truncated:", rows.count, "of", description.rows.count)
    #expect(rows.isSubset(of: description.rows))
    #expect(!rows.isEmpty)
  }

  @Test(arguments: ["p512", "p4096", "p65536", "utf16le", "utf16be", "vacuum"])
  func readsEverythingWithoutPageOne(kind: String) throws {
    let path = try TestDatabase.make(kind)
    let description = try TestDatabase.describe(path)
    let sound = try DatabaseImage(path: path)
    var data = try Data(contentsOf: URL(filePath: path))
    var generator = SeededRandom(seed: 9)
    for index in 0..<sound.pageSize { data[index] = UInt8.random(in: 0...255, using: &generator) }
    try data.write(to: URL(filePath: path))
    let image = try DatabaseImage(path: path)
    #expect(image.pageSize == sound.pageSize)
    #expect(image.encoding == sound.encoding)
    #expect(image.notes.contains(.pageSizeGuessed) && image.notes.contains(.headerDamaged))
    let findings = try Findings(image, description.shapes(minimum: ["counters": 2]) { _ in nil })
    let rows = findings.lines([.tree, .unreachablePage], columns: description.defaults)
    #expect(Set(rows).subtracting(description.rows).map { $0.prefix(80) } == [])
    #expect(Set(description.rows).subtracting(rows).map { $0.prefix(80) } == [])
    #expect(Set(findings.entryLines([.tree, .unreachablePage])).isSuperset(of: description.entries))
  }

  /// Two pages of any kind are swapped.
  @Test func readsSwappedPages() throws {
    let path = TestDatabase.folder + "/swap.sqlite"
    try TestDatabase.python("grow", TestDatabase.libraries + "/library-v2.2.0.sqlite", path, "1000000")
    let trial = try DamageTrial(path)
    var generator = SeededRandom(seed: 4)
    var kinds: [String: (runs: Int, expected: Int, found: Int)] = [:]
    let byKind = Dictionary(grouping: 1...trial.pageCount, by: { trial.kinds[$0] ?? "free" })
    for one in byKind.keys.sorted() {
      for two in byKind.keys.sorted() where one <= two {
        for _ in 0..<4 {
          let a = byKind[one, default: []].randomElement(using: &generator) ?? 1
          let b = byKind[two, default: []].randomElement(using: &generator) ?? 1
          if a == b { continue }
          var data = trial.data
          let (x, y) = (trial.range(a), trial.range(b))
          (data[x], data[y]) = (trial.data[y], trial.data[x])
          var moved: [Int: Int] = [a: b, b: a]
          if one == "overflow" || two == "overflow" { moved = [:] }
          let result = try trial.run(data, touched: [a, b], moved: moved)
          kinds["\(one) and \(two)", default: (0, 0, 0)].runs += 1
          kinds["\(one) and \(two)"]?.expected += result.expected
          kinds["\(one) and \(two)"]?.found += result.found
          #expect(result.wrong == [])
        }
      }
    }
    for (kind, counts) in kinds.sorted(by: { $0.key < $1.key }) {
      print("swapped \(kind): \(counts.runs) runs, \(counts.found) of \(counts.expected) rows")
      #expect(Double(counts.found) >= 0.99 * Double(counts.expected))
    }
  }

  @Test func readsDamagedLibraries() throws {
    let path = TestDatabase.folder + "/grown.sqlite"
    try TestDatabase.python("grow", TestDatabase.libraries + "/library-v2.2.0.sqlite", path, "1000000")
    try damage(DamageTrial(path), rounds: Damage.isThorough ? 2000 : 50, named: "libraries", seed: 1)
  }

  @Test(arguments: ["p512", "p4096", "utf16le", "vacuum"])
  func readsDamagedDatabases(kind: String) throws {
    let trial = try DamageTrial(TestDatabase.make(kind), minimum: ["counters": 2])
    try damage(trial, rounds: Damage.isThorough ? 300 : 10, named: kind, seed: 6)
  }

  private func damage(_ trial: DamageTrial, rounds: Int, named name: String, seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    var (expected, found, partly) = (0, 0, 0)
    var worst = 1.0
    for round in 0..<rounds {
      let (data, touched, what) = trial.damage(&generator)
      let result = try trial.run(data, touched: touched, moved: [:])
      expected += result.expected
      found += result.found
      partly += result.fromTouched
      let share = result.expected > 0 ? Double(result.found) / Double(result.expected) : 1
      if share < 0.98 { print("round \(round): \(what) \(result.found) of \(result.expected)") }
      worst = min(worst, share)
      if !result.wrong.isEmpty { print("round \(round): \(what)") }
      #expect(result.wrong == [])
    }
    print(
      "\(rounds) damages of \(name): \(found) of \(expected) rows on whole pages (\(Double(found) / Double(expected)));",
      "worst run \(worst); \(partly) more rows from damaged pages")
    #expect(Double(found) >= 0.95 * Double(expected))
  }

  @Test func survivesMutations() throws {
    let path = try TestDatabase.make("small")
    let description = try TestDatabase.describe(path)
    let shapes = description.shapes(minimum: ["counters": 2])
    let original = try Data(contentsOf: URL(filePath: path))
    let target = TestDatabase.folder + "/mutated.sqlite"
    let rounds = Damage.isThorough ? 50_000 : 1000
    var generator = SeededRandom(seed: 2)
    var rows = 0
    for _ in 0..<rounds {
      var data = original
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        let at = Int.random(in: 0..<data.count, using: &generator)
        // Page headers are the most sensitive to damage.
        let place = Bool.random(using: &generator) ? at : at / 1024 * 1024 + Int.random(in: 0..<40, using: &generator)
        if place < data.count { data[place] = UInt8.random(in: 0...255, using: &generator) }
      }
      if Int.random(in: 0..<10, using: &generator) == 0 {
        data = data.prefix(Int.random(in: 0...data.count, using: &generator))
      }
      try data.write(to: URL(filePath: target))
      rows += try Findings(DatabaseImage(path: target), shapes).rows.count
    }
    print("\(rounds) mutations of \(original.count) bytes: \(rows) rows")
  }
}
