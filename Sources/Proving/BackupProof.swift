import Backup
import Foundation
import Interchange
import JSONText
import RecordSources
import SQLiteLibrary
import Synchronization

/// Makes a backup and proves that it can be restored. The backup is restored into a private folder. Every record is
/// compared with the backup's index, and then with the library, value by value.
///
/// The proof runs before older backups are removed and before success is reported. A backup that fails the proof is
/// renamed to end in `.unproved`, so that it is not mistaken for a backup. The proof costs a restore and one more
/// reading of the library.
public struct BackupProof: Sendable {
  /// The backup to make.
  public let backup: LibraryBackup

  /// Prepares to make and prove a backup.
  public init(_ backup: LibraryBackup) { self.backup = backup }

  /// The result of a proof.
  public struct Result: Sendable {
    /// The backup.
    public let report: LibraryBackup.Report
    /// The counts of the proof.
    public let proof: ProofSummary
    /// Whether other programs wrote to the library meanwhile. If so, the backup was only compared with its index.
    public let isOfIndexOnly: Bool
  }

  /// Makes the backup and proves it.
  /// - Throws: the errors of making the backup; `ProofFailure`, or `RunFailure` with status 5, if the proof fails.
  public func run(context: RunContext) throws -> Result {
    let outcome = ProofOutcome()
    var backup = backup
    let stamps = Self.stamps(backup.library)
    let library = backup.library
    let onProgress = backup.onProgress
    backup.proving = { path in
      do {
        let (summary, isOfIndexOnly) = try Self.prove(
          path, library: library, stamps: stamps, context: context, onProgress: onProgress)
        outcome.set(summary, isOfIndexOnly)
      } catch let failure as ProofFailure {
        throw failure.moved(by: Self.renameUnproved(path))
      } catch let failure as RunFailure where failure.status == .mismatch {
        throw RunFailure(
          failure.status, failure.message.replacing("; nothing was written", with: "") + Self.renameUnproved(path),
          advice: failure.advice)
      }
    }
    let report = try backup.run(context: context)
    return Result(report: report, proof: outcome.summary, isOfIndexOnly: outcome.isOfIndexOnly)
  }

  /// Proves an existing backup.
  /// - Parameter stamps: the stamps of the library's files before the backup was made.
  package static func prove(
    _ path: String, library: String, stamps: [FileStamp?], context: RunContext,
    onProgress: (@Sendable (String, Int, Int) -> Void)? = nil
  ) throws -> (ProofSummary, Bool) {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let restored = folder.path + "/" + (library as NSString).lastPathComponent
    var restore = LibraryRestore(path, to: restored)
    restore.onProgress = onProgress
    let index = try restore.run()
    var ofIndex = ProofSummary()
    ofIndex.records = index.records
    guard Self.stamps(library) == stamps else { return (ofIndex, true) }
    var proof = Proof(
      source: try SourceList([library], format: .library), target: try SourceList([restored], format: .library))
    proof.naming = (restored, path)
    let result: Proof.Result
    do {
      result = try proof.run(losses: nil, context: context)
    } catch let failure as RunFailure where failure.status == .mismatch {
      return (ofIndex, true)
    }
    if result.summary.holds { return (result.summary, false) }
    guard Self.stamps(library) == stamps else { return (ofIndex, true) }
    let count = result.summary.differences
    throw ProofFailure(
      summary: result.summary, differences: result.differences,
      failure: RunFailure(
        .mismatch, "prove the backup '\(path)': \(Plural.count(count, "difference")) from '\(library)'",
        advice: "Check the disk and make another backup. Report this with the places above."))
  }

  /// Renames a backup that failed its proof. Returns the end of the message.
  private static func renameUnproved(_ path: String) -> String {
    let name = path + ".unproved"
    return rename(path, name) == 0 ? "; it is now '\(name)'" : "; it could not be renamed and is not a valid backup"
  }

  /// Returns the current stamps of a library's files.
  package static func stamps(_ library: String) -> [FileStamp?] {
    [FileStamp(library), FileStamp(library + "-wal")]
  }
}

extension ProofFailure {
  /// Returns the same failure, with a description of what happened to the target.
  fileprivate func moved(by words: String) -> ProofFailure {
    ProofFailure(
      summary: summary, differences: differences,
      failure: RunFailure(failure.status, failure.message + words, advice: failure.advice))
  }
}

/// The result of a proof inside a run.
private final class ProofOutcome: Sendable {
  private let state = Mutex((summary: ProofSummary(), isOfIndexOnly: false))

  func set(_ summary: ProofSummary, _ isOfIndexOnly: Bool) { state.withLock { $0 = (summary, isOfIndexOnly) } }

  var summary: ProofSummary { state.withLock { $0.summary } }
  var isOfIndexOnly: Bool { state.withLock { $0.isOfIndexOnly } }
}
