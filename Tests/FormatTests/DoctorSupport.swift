import Doctor
import FleetKit
import Foundation
import TestSupport
import Testing

/// Helpers shared by the doctor tests.
enum Clinic {
  static let now = Timestamp(milliseconds: 1_767_607_872_345)

  static func examine(_ path: String) throws -> LibraryDoctor.Checkup {
    var doctor = LibraryDoctor(path)
    doctor.keptFindings = 10_000
    return try doctor.examine()
  }

  @discardableResult
  static func repair(_ path: String, dryRun: Bool = false) throws -> LibraryDoctor.Repair {
    var doctor = LibraryDoctor(path)
    doctor.keptFindings = 10_000
    return try doctor.repair(now: now, dryRun: dryRun)
  }

  /// Returns `kind id` for every record.
  static func keys(_ records: [JSONValue]) -> Set<String> {
    Set(records.map { "\($0["kind"]?.string ?? "") \($0["id"]?.string ?? $0["id"]?.text ?? "")" })
  }

  static func backups(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path + ".fleetkit/backups")) ?? []).sorted()
  }

  /// Checks the conditions that hold after every repair: SQLite and FleetKit find no damage, and no record is lost.
  /// - Parameter before: the records that the reader recovered before the repair.
  static func expectSound(
    _ path: String, _ repair: LibraryDoctor.Repair, before: [JSONValue], _ note: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try SQLiteShell.run(path, "PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n", note,
      sourceLocation: sourceLocation)
    let after = try examine(path)
    let left = after.findings.kept.filter { $0.severity > .note }
    #expect(
      left.isEmpty && after.repairable == 0, "\(left.map { "\($0.place) \($0.code.id) \($0.message)" })",
      sourceLocation: sourceLocation)
    var known = keys(try Run.records(path))
    if let quarantine = repair.quarantine { known.formUnion(keys(try Run.records(quarantine))) }
    let gone = keys(before).subtracting(known)
    #expect(gone.isEmpty, "\(gone)", sourceLocation: sourceLocation)
    // One repair is enough: a second repair changes nothing.
    let made = backups(path)
    let again = try Clinic.repair(path)
    #expect(again.isEmpty && again.backup == nil && backups(path) == made, sourceLocation: sourceLocation)
  }

  /// Returns the steps, text and tags of every item that has a body, by id.
  static func texts(_ records: [JSONValue]) -> [String: String] {
    var texts: [String: String] = [:]
    for record in records where record["kind"]?.string == "item" {
      guard let id = record["id"]?.string, let body = record["content_data"], body.kind == .object else { continue }
      var text = (record["title"]?.string ?? "") + "|" + (record["tags"]?.text ?? "") + "|" + (body["tags"]?.text ?? "")
      text += "|" + (body["markdown"]?.string ?? "") + "|" + (record["created_at"]?.text ?? "")
      for section in body["sections"]?.elements ?? [] {
        text += "\n" + (section["title"]?.string ?? "") + (section["description"]?.string ?? "")
        for step in section["items"]?.elements ?? [] {
          for name in ["title", "itemDescription", "estimatedMinutes", "isRequired", "isOptional", "tags"] {
            // A null member means the same as a missing one.
            text += "\t" + (step[name].flatMap { $0.isNull ? nil : $0.text } ?? "")
          }
        }
      }
      texts[id] = text
    }
    return texts
  }
}
