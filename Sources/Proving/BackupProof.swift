import Backup
import Foundation
import Interchange
import JSONText
import RecordSources
import SQLiteLibrary
import Synchronization

/// Makes a backup and proves it: it is restored into a private place, every record is held against the backup's index,
/// and then against the library, value by value.
///
/// Before older backups are removed and before a success is said. A backup that does not hold gets the ending
/// `.unproved`, so that nobody takes it for one. Costs a restore and one more reading of the library.
public struct BackupProof: Sendable {
  /// The backup that is made.
  public let backup: LibraryBackup

  /// Plans a backup that is proved.
  public init(_ backup: LibraryBackup) { self.backup = backup }

  /// What a proof came to.
  public struct Result: Sendable {
    /// The backup.
    public let report: LibraryBackup.Report
    /// The numbers.
    public let proof: ProofSummary
    /// Whether others wrote to the library meanwhile: then the backup was held against its index only.
    public let isOfIndexOnly: Bool
  }

  /// Makes the backup, and proves it.
  /// - Throws: what making it throws; `ProofFailure`, or `RunFailure` with status 5, when it does not hold.
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
        throw failure.moved(by: Self.putAside(path))
      } catch let failure as RunFailure where failure.status == .mismatch {
        throw RunFailure(
          failure.status, failure.message.replacing("; nothing was written", with: "") + Self.putAside(path),
          advice: failure.advice)
      }
    }
    let report = try backup.run(context: context)
    return Result(report: report, proof: outcome.summary, isOfIndexOnly: outcome.isOfIndexOnly)
  }

  /// Proves a backup that is there.
  /// - Parameter stamps: what the library's files were before it was made.
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
        .mismatch, "prove the backup '\(path)': \(Plural.count(count, "difference")) to '\(library)'",
        advice: "Look at the disk, and take another backup; report this with the places above."))
  }

  /// Gives a backup that does not hold another name.
  private static func putAside(_ path: String) -> String {
    let name = path + ".unproved"
    return rename(path, name) == 0 ? "; it is '\(name)' now" : "; it is still there, and no backup"
  }

  /// What a library's files are now.
  package static func stamps(_ library: String) -> [FileStamp?] {
    [FileStamp(library), FileStamp(library + "-wal")]
  }
}

extension ProofFailure {
  /// The same, with what became of the target.
  fileprivate func moved(by words: String) -> ProofFailure {
    ProofFailure(
      summary: summary, differences: differences,
      failure: RunFailure(failure.status, failure.message + words, advice: failure.advice))
  }
}

/// What a proof inside of a run came to.
private final class ProofOutcome: Sendable {
  private let state = Mutex((summary: ProofSummary(), isOfIndexOnly: false))

  func set(_ summary: ProofSummary, _ isOfIndexOnly: Bool) { state.withLock { $0 = (summary, isOfIndexOnly) } }

  var summary: ProofSummary { state.withLock { $0.summary } }
  var isOfIndexOnly: Bool { state.withLock { $0.isOfIndexOnly } }
}
