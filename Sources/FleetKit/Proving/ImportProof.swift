import FleetKitCore
import Foundation
import Interchange
import Merging

/// Runs an import and proves what it did to the library.
///
/// Three things, each by readers and connections that know nothing of the run: the library holds what the run says
/// that it wrote; records that it did not write are as they were; and the same sources, read again and held against
/// the library as an import would, change nothing any more. Costs about two more readings of the library, a copy of
/// it, and one more reading of the sources; memory does not grow with them.
package final class ImportProof {
  private let libraryImport: LibraryImport
  private let context: RunContext
  private let losses: KeptLosses
  private let writes = ImportWrites()
  private let walk = ImportWalk()
  private var fingerprint: LibraryFingerprint?
  private var before: SortedRecords?

  /// Prepares.
  /// - Throws: `RunFailure` with status 64 when the sources cannot be read twice.
  package init(_ libraryImport: LibraryImport, context: RunContext) throws {
    func refuse(_ why: String, _ advice: String) -> RunFailure {
      RunFailure(.usage, "prove the import into '\(libraryImport.library)': \(why)", advice: advice)
    }
    if context.dryRun { throw refuse("--dry-run writes nothing", "Leave out one of the two.") }
    if libraryImport.sources.entries.contains(where: \.source.isStandardInput) {
      throw refuse("standard input cannot be read again", "Save it to a file first.")
    }
    if libraryImport.retry != nil {
      throw refuse("rows that were rejected go to places that only one import knows", "Import them without a proof.")
    }
    self.libraryImport = libraryImport
    self.context = context
    losses = try KeptLosses(of: context.losses)
  }

  /// Runs the import, and proves it.
  /// - Throws: what the import throws; `ProofFailure` when the library is not what it must be: it was changed then.
  package func run() throws -> LibraryImport.Report {
    try lookBefore()
    var report = try importAll()
    report.summary.proof = try prove(report)
    return report
  }

  /// Reads the library as it is before.
  package func lookBefore() throws {
    guard access(libraryImport.library, F_OK) == 0 else { return }
    fingerprint = try LibraryFingerprint(of: libraryImport.library)
    before = try records()
  }

  /// Imports, and takes note of everything that is written.
  package func importAll() throws -> LibraryImport.Report {
    defer { context.losses.observe(nil) }
    return try libraryImport.run(context: context, observer: writes) { [self] now, _ in
      // What was written since is nothing that the run could answer for.
      guard try now.value()?.sha256 == fingerprint?.sha256 else {
        throw RunFailure(
          .locked,
          "prove the import into '\(libraryImport.library)': another program wrote to the library; nothing was imported",
          advice: "Try again when no other program writes to it.")
      }
    }
  }

  /// Reads the library as it is now, and holds it against everything that is known.
  package func prove(_ report: LibraryImport.Report) throws -> ProofSummary {
    try walk.run(before: before, written: writes.sorted(), after: try records())
    walk.summary.losses = losses.count
    try again()
    guard walk.summary.holds else { throw try failure(report) }
    return walk.summary
  }

  private func records() throws -> SortedRecords {
    try SortedRecords(library(), selection: nil, context: ProofReading(of: context).ofTarget())
  }

  private func library() throws -> SourceList { try SourceList([libraryImport.library], format: "sqlite") }

  /// Holds the sources against the library once more: whatever an import would change now, the first one left out.
  private func again() throws {
    var rehearsal = libraryImport
    rehearsal.proves = false
    rehearsal.createsLibrary = false
    rehearsal.onProgress = nil
    // Nobody is asked twice: what was answered is in the library.
    if case .ask = rehearsal.settling { rehearsal.settling = .reject }
    let reading = ProofReading(of: context)
    let observer = ImportReplay(walk)
    _ = try rehearsal.run(context: reading.ofRehearsal(), observer: observer)
  }

  private func failure(_ report: LibraryImport.Report) throws -> ProofFailure {
    let path = libraryImport.library
    let findings = try ProofPlaces(
      walk.differences, source: libraryImport.sources, target: library(), reading: ProofReading(of: context),
      naming: nil
    ).findings()
    let count = walk.summary.differences
    return ProofFailure(
      summary: walk.summary, differences: findings,
      failure: RunFailure(
        .mismatch,
        "prove run \(report.run) of '\(path)': \(count) difference\(count == 1 ? "" : "s") that nothing explains; "
          + "the library was written to",
        advice: report.isNew
          ? "The library was made by this run: remove it, and report this with the places above."
          : "'fleetkit undo \(path) \(report.run)' takes the run back; report this with the places above."))
  }
}
