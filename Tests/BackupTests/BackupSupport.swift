import Backup
import Content
import ContentPack
import FleetKit
import Foundation
import TestSupport
import Testing

/// Helpers shared by the backup tests.
enum Backups {
  /// Returns a context whose time grows with every call, so that no two backups have the same time.
  static func context(_ number: Int = 0) -> RunContext {
    RunContext(now: Timestamp(milliseconds: 1_795_303_080_000 + Int64(number) * 60_000))
  }

  /// Makes a backup.
  @discardableResult
  static func make(
    _ library: String, to target: String, since: String? = nil, number: Int = 0
  ) throws -> LibraryBackup.Report {
    var backup = LibraryBackup(library, to: target)
    backup.since = since
    return try backup.run(context: context(number))
  }

  /// Restores a backup into a folder and compares every record with the backup's index.
  static func assemble(_ backup: String, in scratch: Scratch, as name: String) throws -> AssembledSnapshot {
    try FileManager.default.createDirectory(atPath: scratch[name], withIntermediateDirectories: true)
    let snapshot = try SnapshotAssembly(backup).assemble(into: scratch[name])
    let findings = DiagnosticLog()
    let outcome = try SnapshotProof.run(snapshot, backup: backup, findings: findings)
    #expect(outcome.holds, "\(findings.kept.map(\.message))")
    #expect(outcome.records == snapshot.info.records)
    return snapshot
  }

  /// Returns the differences between two databases as `sqldiff` reports them; empty if their contents are equal.
  static func difference(_ left: String, _ right: String) throws -> String {
    let answer = try Shell.run("sqldiff", [left, right])
    let schemas = try [left, right].map {
      try SQLiteShell.run(
        $0,
        "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2; PRAGMA user_version; PRAGMA application_id; PRAGMA page_size;"
      )
    }
    return answer.output + answer.errors + (schemas[0] == schemas[1] ? "" : "the schemas differ")
  }

  /// Returns the bytes and modification times of a library and its sidecar files.
  static func state(of library: String) throws -> [String] {
    try ["", "-wal", "-shm", "-journal"].map { suffix in
      let path = library + suffix
      guard FileManager.default.fileExists(atPath: path) else { return "none" }
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let time = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      return "\(time) \(Digest.hex(Digest.sha256(bytes.span)))"
    }
  }
}
