import Content
import ContentPack
import Diagnostics
import Foundation
import Interchange
import SQLiteLibrary

/// Verifies an assembled backup as it is on disk now: compares every record with the index, and compares the sidecar's
/// database and the bytes of attachments with their hashes.
package struct SnapshotProof {
  /// The result of the verification.
  package struct Outcome {
    /// The number of records that were restored as the index lists them.
    package var records = 0
    /// The number of attachments with restored bytes.
    package var media = 0
    /// Whether the sidecar's database was restored; nil if there was no such database.
    package var state: Bool?
    /// Whether everything was restored unchanged.
    package var holds = true
  }

  /// Verifies a snapshot.
  /// - Parameters:
  ///   - backup: the name of the backup in findings.
  ///   - findings: receives the mismatches.
  /// - Throws: `RunFailure` with status 2 if the library cannot be read, 5 if the index cannot be read.
  package static func run(
    _ snapshot: AssembledSnapshot, backup: String, findings: DiagnosticLog,
    onProgress: ((Int, Int) throws -> Void)? = nil
  ) throws -> Outcome {
    var outcome = Outcome()
    let records = try IndexProof.run(snapshot, backup: backup, findings: findings, onProgress: onProgress)
    outcome.records = records.same
    outcome.holds = records.holds
    func report(_ member: String, _ message: String) {
      outcome.holds = false
      findings.report(Diagnostic(.besideNotRestored, message, at: Place(file: backup + "/" + member)))
    }
    let info = snapshot.info
    if let expected = info.stateSHA256 {
      outcome.state = try snapshot.state.map { try FileDigest.sha256(of: $0) == expected } ?? false
      if outcome.state == false { report(BackupInfo.Path.state, "it does not match the checksum in the backup") }
    } else if snapshot.state != nil {
      report(BackupInfo.Path.state, "it was restored, but the backup does not list it")
    }
    for media in info.media {
      try Interruption.check()
      if let path = snapshot.media[media.sha256], try FileDigest.sha256(of: path) == media.sha256 {
        outcome.media += 1
      } else {
        report(BackupInfo.Path.media + media.sha256, "the bytes of an attachment were not restored")
      }
    }
    if info.records != records.same, records.holds {
      outcome.holds = false
      findings.report(
        Diagnostic(
          .backupCounts, "it lists \(info.records) records, but \(records.same) were restored",
          at: Place(file: backup + "/" + BackupInfo.Path.info)))
    }
    return outcome
  }
}

/// Compares the records of a restored library with the index of its backup, both ways.
///
/// The index and the library are in the same order, so they are read in parallel and memory stays small. Records that
/// do not match immediately are kept until the end.
package struct IndexProof {
  /// The result of the comparison.
  package struct Outcome {
    /// The number of records that were restored as the index lists them.
    package var same = 0
    /// The number of records that were not restored, were restored with changes, or are missing from the index.
    package var wrong = 0
    /// Whether all records of the index were restored, and no others.
    package var holds: Bool { wrong == 0 }
  }

  /// The kind and id of a record, which several records may share.
  private struct Key: Hashable {
    let kind: String
    let id: [UInt8]
  }

  /// The hashes that only the index or only the library has for one key.
  private struct Open {
    var index: [String] = []
    var library: [String] = []
  }

  private let findings: DiagnosticLog
  /// The name of the backup in findings.
  private let backup: String
  private var open: [Key: Open] = [:]
  private var outcome = Outcome()

  /// Prepares the comparison.
  package init(backup: String, findings: DiagnosticLog) {
    self.backup = backup
    self.findings = findings
  }

  /// Compares a library with an index.
  /// - Parameters:
  ///   - library: the restored library, with its sidecar.
  ///   - index: the index of its backup.
  ///   - onProgress: called with the number of records done.
  /// - Throws: `RunFailure` with status 2 if the library cannot be read, 5 if the index cannot be read.
  package static func run(
    _ snapshot: AssembledSnapshot, backup: String, findings: DiagnosticLog,
    onProgress: ((Int, Int) throws -> Void)? = nil
  ) throws -> Outcome {
    var proof = IndexProof(backup: backup, findings: findings)
    let index = try IndexFile(snapshot.index, name: backup + "/" + BackupInfo.Path.index)
    // The same findings about the library existed when the backup was made, so they are not reported here.
    let context = RunContext(findings: DiagnosticLog(keepPerCode: 0), now: Timestamp(milliseconds: 0))
    let reader = try SQLiteLibraryFormat().reader(
      of: Source(snapshot.library, name: backup + "/" + BackupInfo.Path.library), context: context)
    var done = 0
    while let batch = try reader.next() {
      try Interruption.check()
      for record in batch.records {
        let hash = record.withLine { Digest.hex(Digest.sha256($0.span)) }
        proof.compare(library: hash, Key(kind: record.kind.name, id: Array(record.id.utf8)), try proof.next(index))
      }
      done += batch.count
      try onProgress?(done, snapshot.info.records)
    }
    while let entry = try proof.next(index) { proof.add(index: entry) }
    proof.finish()
    return proof.outcome
  }

  private func next(_ index: IndexFile) throws -> IndexFile.Entry? {
    do {
      return try index.next()
    } catch {
      throw RunFailure(
        .mismatch, "read '\(index.name)': line \(error.line): \(error.message)",
        advice: "The backup was changed after it was made; use an older one.")
    }
  }

  private mutating func compare(library hash: String, _ key: Key, _ entry: IndexFile.Entry?) {
    if let entry, entry.sha256 == hash, entry.kind == key.kind, entry.id.utf8.elementsEqual(key.id) {
      outcome.same += 1
      return
    }
    add(library: hash, key)
    if let entry { add(index: entry) }
  }

  private mutating func add(library hash: String, _ key: Key) {
    var waiting = open[key] ?? Open()
    if let at = waiting.index.firstIndex(of: hash) {
      waiting.index.remove(at: at)
      outcome.same += 1
    } else {
      waiting.library.append(hash)
    }
    open[key] = waiting.index.isEmpty && waiting.library.isEmpty ? nil : waiting
  }

  private mutating func add(index entry: IndexFile.Entry) {
    let key = Key(kind: entry.kind, id: Array(entry.id.utf8))
    var waiting = open[key] ?? Open()
    if let at = waiting.library.firstIndex(of: entry.sha256) {
      waiting.library.remove(at: at)
      outcome.same += 1
    } else {
      waiting.index.append(entry.sha256)
    }
    open[key] = waiting.index.isEmpty && waiting.library.isEmpty ? nil : waiting
  }

  private mutating func finish() {
    let sorted = open.sorted {
      $0.key.kind != $1.key.kind ? $0.key.kind < $1.key.kind : $0.key.id.lexicographicallyPrecedes($1.key.id)
    }
    for (key, waiting) in sorted {
      let name = "\(key.kind) \(String(decoding: key.id, as: UTF8.self))"
      let place = Place(file: backup + "/" + BackupInfo.Path.index)
      for index in 0..<max(waiting.index.count, waiting.library.count) {
        outcome.wrong += 1
        let code: DiagnosticCode
        let message: String
        if index >= waiting.library.count {
          (code, message) = (.recordNotRestored, "it is in the index, but was not restored")
        } else if index >= waiting.index.count {
          (code, message) = (.recordNotInIndex, "it was restored, but is not in the index")
        } else {
          code = .recordRestoredDifferently
          message =
            "restored as \(waiting.library[index].prefix(12))…; the index has \(waiting.index[index].prefix(12))…"
        }
        findings.report(Diagnostic(code, message, at: place, record: name))
      }
    }
  }
}
