import Diagnostics
import FleetKit
import Foundation
import JSONText
import SQLiteIO
import TestSupport
import Testing

/// When one bit of a checklist's content is wrong, all other steps are recovered, none is invented, and the loss is
/// named.
@Suite struct BrokenTextTests {
  private static let library = "library-v1.4.0.sqlite"
  /// The members of a step that the app writes.
  private static let names: Set<String> = [
    "id", "title", "itemDescription", "isOptional", "isRequired", "tags", "estimatedMinutes", "sortOrder",
  ]

  private struct Flip {
    let checklist: Int
    let byte: Int
    let bit: UInt8
    let id: String
  }

  private struct Result {
    var steps = 0
    var recovered = 0
    var broken = 0
    var invented: [String] = []
    var unnamed: [String] = []
    var changed: [String] = []
  }

  /// This test flips 500 random bits; `make test-recover` flips one bit in every byte.
  @Test func oneFlippedBit() throws {
    let texts = try Self.texts()
    var random = SeededRandom(seed: Self.seed)
    var flips: [Flip] = []
    for (checklist, text) in texts.enumerated() {
      let all = Damage.isThorough
      let bytes = all ? Array(text.bytes.indices) : (0..<100).map { _ in random.below(text.bytes.count) }
      for byte in bytes {
        flips.append(
          Flip(checklist: checklist, byte: byte, bit: UInt8(random.below(8)), id: UUID().uuidString))
      }
    }
    var result = Result()
    for start in stride(from: 0, to: flips.count, by: 1000) {
      try Self.check(Array(flips[start..<min(flips.count, start + 1000)]), texts, &result)
    }
    #expect(result.broken > flips.count / 10)
    #expect(Double(result.recovered) >= 0.95 * Double(result.steps), "\(result.recovered) of \(result.steps) steps")
    #expect(result.invented == [])
    #expect(result.unnamed == [])
    #expect(result.changed == [])
    print(
      "\(flips.count) flips, \(result.broken) of them break the JSON or a step: "
        + "\(result.recovered) of \(result.steps) steps recovered")
  }

  private static var seed: UInt64 {
    ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_SEED"].flatMap { UInt64($0) } ?? 14
  }

  /// Returns five checklists with 24, 32, 18, 22 and 26 steps. Two of them contain Russian text or emoji.
  private static func texts() throws -> [(id: String, bytes: [UInt8])] {
    let connection = try SQLiteConnection(Paths.libraries + "/" + library, .readImmutable, .foreign)
    let rows = try connection.rows(
      """
      SELECT id, content FROM checklists WHERE length(content) > 3000 ORDER BY length(content)
      """)
    return [0, 2, 4, 6, 8].filter { $0 < rows.count }.map { (rows[$0][0] ?? "", Array((rows[$0][1] ?? "").utf8)) }
  }

  private static func check(_ flips: [Flip], _ texts: [(id: String, bytes: [UInt8])], _ result: inout Result) throws {
    let scratch = Scratch()
    let path = scratch["flips.sqlite"]
    try FileManager.default.copyItem(atPath: Paths.libraries + "/" + library, toPath: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try {
      let connection = try SQLiteConnection(path, .write, .own)
      let items = try connection.rows("SELECT group_concat(name) FROM pragma_table_info('library_content')")[0][0] ?? ""
      let bodies = try connection.rows("SELECT group_concat(name) FROM pragma_table_info('checklists')")[0][0] ?? ""
      try connection.execute("BEGIN")
      for flip in flips {
        var text = texts[flip.checklist].bytes
        text[flip.byte] ^= 1 << flip.bit
        for (table, columns) in [("library_content", items), ("checklists", bodies)] {
          let chosen = columns.split(separator: ",").map { $0 == "id" ? "?1" : $0 == "content" ? "?2" : String($0) }
          let insert = try connection.prepare(
            "INSERT INTO \(table) (\(columns)) SELECT \(chosen.joined(separator: ",")) FROM \(table) WHERE id = ?3")
          insert.bind(flip.id, at: 1)
          if table == "checklists" { insert.bind(utf8: text, at: 2) }
          insert.bind(texts[flip.checklist].id, at: 3)
          try insert.run()
        }
      }
      try connection.execute("COMMIT")
    }()
    var found: [String: [Diagnostic]] = [:]
    for finding in try Reading.findings(path) { found[finding.place.row?.id ?? "", default: []].append(finding) }
    var records: [String: JSONValue] = [:]
    for record in try Reading.records(path) { records[record["id"]?.string ?? ""] = record }
    let originals = try texts.map { try steps(JSONDocument(parsing: $0.bytes).root) }
    for flip in flips {
      let record = try #require(records[flip.id])
      let sections = try #require(record["content_data"]?["sections"])
      judge(flip, originals[flip.checklist], try steps(sections), found[flip.id] ?? [], &result)
    }
  }

  private struct Step {
    let pointer: String
    let members: [String: String]
  }

  private static func steps(_ sections: JSONValue) throws -> [Step] {
    var all: [Step] = []
    for (number, section) in sections.elements.enumerated() {
      for (index, item) in (section["items"]?.elements ?? []).enumerated() {
        let members = item.members.filter { names.contains($0.name) && !$0.value.isNull }
          .map { ($0.name, $0.value.string ?? $0.value.text) }
        all.append(
          Step(pointer: "/\(number)/items/\(index)", members: Dictionary(members) { $1 }))
      }
    }
    return all
  }

  private static func judge(
    _ flip: Flip, _ originals: [Step], _ steps: [Step], _ findings: [Diagnostic], _ result: inout Result
  ) {
    let what = "checklist \(flip.checklist), byte \(flip.byte), bit \(flip.bit)"
    let isBroken = findings.contains { $0.severity == .error }
    var left = steps
    var missing: [Step] = []
    for original in originals {
      if let index = left.firstIndex(where: { same($0, original) }) {
        left.remove(at: index)
      } else {
        missing.append(original)
      }
    }
    // Each remaining step has a damaged part and corresponds to one of the missing steps.
    var damaged = 0
    for step in left {
      let origin = missing.firstIndex { original in
        let alike = original.members.filter { step.members[$0.key] == $0.value }.count
        return alike >= 4
          && (step.members["id"] == original.members["id"] || step.members["title"] == original.members["title"])
      }
      guard let origin else {
        result.invented.append(what + " " + step.pointer)
        continue
      }
      missing.remove(at: origin)
      damaged += 1
      let isNamed = findings.contains { $0.place.pointer.hasPrefix(step.pointer) || $0.code == .contentNotJSON }
      if isBroken, !isNamed { result.unnamed.append(what + " " + step.pointer) }
    }
    guard isBroken else {
      if damaged + missing.count > 1 { result.changed.append(what) }
      return
    }
    if !missing.isEmpty, !findings.contains(where: { $0.code == .partLost }) { result.unnamed.append(what) }
    result.broken += 1
    result.steps += originals.count
    result.recovered += originals.count - missing.count - damaged
  }

  /// Whether a recovered step has all members of the original. Defaults that were filled in do not matter.
  private static func same(_ step: Step, _ original: Step) -> Bool {
    original.members.allSatisfy { step.members[$0.key] == $0.value }
  }
}
