import Content
import ContentPack
import Diagnostics
import Foundation
import Interchange

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
