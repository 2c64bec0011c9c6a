import Content
import FleetKit
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary
import TestSupport

/// A library that was made from a source, and the later state of both: edits on both sides, and new, deleted, bad,
/// duplicate and unsupported records.
struct PlanWorld {
  let scratch = Scratch()
  var random: SeededRandom
  /// The conflict policy of the planned import.
  var onConflict = OnConflict.merge
  var settling = ConflictResolution.reject

  static let now = Timestamp(milliseconds: 1_767_607_872_123)

  var library: String { scratch["library.sqlite"] }
  var source: String { scratch["source/curated.jsonl"] }

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    for folder in ["source", "others"] {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
    }
    var records = (0..<3 + random.below(8)).map { Self.record($0, &random) }
    try write(records.map(Self.line), to: "source/curated.jsonl")
    try Self.run(source, into: library) { $0.createsLibrary = true }
    // An edit in the library.
    var edited: [[String: Any]] = []
    for record in records where random.below(3) == 0 { edited.append(edit(record, day: 12)) }
    if !edited.isEmpty {
      try write(edited.map(Self.line), to: "others/edits.jsonl")
      try Self.run(scratch["others/edits.jsonl"], into: library) { $0.onConflict = .replace }
    }
    // An edit in the source.
    records = records.compactMap { record in
      switch random.below(6) {
      case 0: nil
      case 1, 2: edit(record, day: random.pick([11, 13]))
      default: record
      }
    }
    for index in 0..<random.below(4) { records.append(Self.record(100 + index, &random)) }
    var lines = records.map(Self.line)
    for line in Self.oddities where random.below(3) == 0 { lines.insert(line, at: random.below(lines.count + 1)) }
    if let first = lines.first(where: { $0.contains("checklist\"") }), random.below(3) == 0 { lines.append(first) }
    try write(lines, to: "source/curated.jsonl")
    onConflict = random.pick([.merge, .merge, .merge, .newest, .keep, .replace])
    settling = random.pick([.reject, .reject, .ours, .theirs])
  }

  /// Records that no import can use, records without a table in the app, and records for the sidecar.
  private static let oddities = [
    #"{"kind":"item","id":"#,
    #"{"kind":"item","id":"0D0939BC-A71B-49F8-B06C-000000000001","content_type":"checklist","content_data":{"sections":[]}}"#,
    #"{"kind":"item","id":"0D0939BC-A71B-49F8-B06C-000000000002","content_type":"practice_guide","title":"Empty"}"#,
    #"{"kind":"sync_operation","id":7,"content_id":"0D0939BC-A71B-49F8-B06C-000000000002","operation":"publish"}"#,
    #"{"kind":"item","id":"0D0939BC-A71B-49F8-B06C-000000000003","content_type":"flashcard_deck","title":"Lights","content_data":{"cards":[{"front":"Red over white","back":"Fishing at night"}]}}"#,
    #"{"kind":"item","id":"0D0939BC-A71B-49F8-B06C-000000000004","content_type":"practice_guide","title":"Extra","updated_at":"2026-01-12T00:00:00.000Z","content_data":{"markdown":"x"},"extras":{"colour":"red"}}"#,
    #"{"kind":"logbook","id":"0D0939BC-A71B-49F8-B06C-000000000005","text":"A kind that nobody knows"}"#,
    "[1, 2]",
  ]

  private static func record(_ number: Int, _ random: inout SeededRandom) -> [String: Any] {
    let id = String(format: "%08X-0000-4000-8000-000000000000", number + 1)
    if number % 5 == 4 {
      return [
        "kind": "charter", "id": id, "name": "Charter \(number)", "start_date": "2026-05-01T00:00:00.000Z",
        "end_date": "2026-05-08T00:00:00.000Z", "created_at": "2026-01-01T00:00:00.000Z",
        "updated_at": "2026-01-10T00:00:00.000Z",
      ]
    }
    var record: [String: Any] = [
      "kind": "item", "id": id, "title": "Item \(number), \u{201C}quoted\u{201D}\u{202E}",
      "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-10T00:00:00.000Z",
    ]
    if random.below(5) == 0 { record["updated_at"] = nil }
    if random.below(3) == 0 {
      record["content_type"] = "practice_guide"
      record["content_data"] = ["markdown": (0..<12).map { "Line \($0)" }.joined(separator: "\n")]
    } else {
      record["content_type"] = "checklist"
      record["content_data"] = [
        "sections": (0..<1 + random.below(3)).map { section in
          [
            "id": String(format: "%08X-1111-4000-8000-%012X", number + 1, section), "title": "Section \(section)",
            "items": (0..<random.below(5)).map { step in
              [
                "id": String(format: "%08X-2222-4000-8000-%06X%06X", number + 1, section, step),
                "title": "Step \(section).\(step)",
              ]
            },
          ]
        }
      ]
    }
    return record
  }

  private mutating func edit(_ record: [String: Any], day: Int) -> [String: Any] {
    var record = record
    if record["updated_at"] != nil { record["updated_at"] = "2026-01-\(day)T00:00:00.000Z" }
    if record["kind"] as? String == "charter" {
      record["name"] = "Charter of day \(day)"
      return record
    }
    if random.below(2) == 0 { record["title"] = "Title of day \(day)" }
    var data = record["content_data"] as? [String: Any] ?? [:]
    if let text = data["markdown"] as? String {
      data["markdown"] = text.replacing("Line \(random.below(12))\n", with: "Line of day \(day)\n")
    } else if var sections = data["sections"] as? [[String: Any]], !sections.isEmpty {
      let place = random.below(sections.count)
      var items = sections[place]["items"] as? [[String: Any]] ?? []
      switch random.below(4) {
      case 0 where !items.isEmpty: items[random.below(items.count)]["title"] = "Step of day \(day)"
      case 1 where !items.isEmpty: items.remove(at: random.below(items.count))
      case 2: items.reverse()
      default:
        items.append(["id": String(format: "33333333-2222-4000-8000-%012X", day), "title": "New on day \(day)"])
      }
      sections[place]["items"] = items
      data["sections"] = sections
    }
    record["content_data"] = data
    return record
  }

  private static func line(_ record: [String: Any]) -> String {
    let data = (try? JSONSerialization.data(withJSONObject: record, options: [.sortedKeys])) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }

  private func write(_ lines: [String], to name: String) throws {
    let head = #"{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}"#
    _ = try scratch.write(name, ([head] + lines).joined(separator: "\n") + "\n")
  }

  /// Returns the planned import.
  func job(into library: String? = nil) throws -> LibraryImport {
    var job = LibraryImport(sources: try SourceList([source]), library: library ?? self.library)
    job.onConflict = onConflict
    job.settling = settling
    return job
  }

  /// Plans the import.
  @discardableResult
  func plan(_ name: String = "plan.json", into library: String? = nil) throws -> LibraryImport.Rehearsal {
    try job(into: library).plan(
      to: scratch[name], overwrites: true, context: RunContext(dryRun: true, now: Self.now))
  }

  /// Returns the plan, parsed by Foundation.
  func parsed(_ name: String = "plan.json") throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: scratch[name]))
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  /// Copies the library with its sidecar.
  func copy(as name: String) throws -> String {
    for suffix in ["", ".fleetkit"] where FileManager.default.fileExists(atPath: library + suffix) {
      try FileManager.default.copyItem(atPath: library + suffix, toPath: scratch[name] + suffix)
    }
    return scratch[name]
  }

  @discardableResult
  static func run(
    _ source: String, into library: String, _ change: (inout LibraryImport) -> Void = { _ in }
  ) throws -> LibraryImport.Report {
    var job = LibraryImport(sources: try SourceList([source]), library: library)
    change(&job)
    return try job.run(context: RunContext(now: now))
  }

  /// Returns every row of a library and its sidecar, excluding the rows about runs.
  static func rows(_ library: String) throws -> [String] {
    try [
      SQLiteShell.run(library, ".dump"),
      SQLiteShell.run(
        library + ".fleetkit/state.sqlite",
        "SELECT source, kind, id, target, hex(hash), file FROM ledger ORDER BY 1, 2, 3, 6; SELECT * FROM records;"),
    ]
  }
}
