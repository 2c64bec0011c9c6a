import Content
import ContentPack
import Diagnostics
import Foundation
import Interchange

/// Proves a backup that was put together: every record against the index, what lies beside the library and the bytes
/// of attachments against their hashes, as they are on the disk now.
package struct SnapshotProof {
  /// What was proved.
  package struct Outcome {
    /// Records that came back as the index says.
    package var records = 0
    /// Attachments whose bytes came back.
    package var media = 0
    /// Whether what lay beside the library came back; nil when nothing did.
    package var state: Bool?
    /// Whether everything came back as it was.
    package var holds = true
  }

  /// Proves.
  /// - Parameters:
  ///   - backup: what findings call the backup.
  ///   - findings: gets what is wrong.
  /// - Throws: `RunFailure` when the library cannot be read (2) or the index cannot (5).
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
      if outcome.state == false { report(BackupInfo.Path.state, "it is not what the backup says it was") }
    } else if snapshot.state != nil {
      report(BackupInfo.Path.state, "it came back, and the backup does not speak of it")
    }
    for media in info.media {
      try Interruption.check()
      if let path = snapshot.media[media.sha256], try FileDigest.sha256(of: path) == media.sha256 {
        outcome.media += 1
      } else {
        report(BackupInfo.Path.media + media.sha256, "the bytes of an attachment did not come back")
      }
    }
    if info.records != records.same, records.holds {
      outcome.holds = false
      findings.report(
        Diagnostic(
          .backupCounts, "it says \(info.records) records, and \(records.same) came back",
          at: Place(file: backup + "/" + BackupInfo.Path.info)))
    }
    return outcome
  }
}
