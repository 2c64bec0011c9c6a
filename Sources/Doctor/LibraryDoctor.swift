import Content
import Diagnostics
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Finds the problems of a library, and repairs them.
///
/// ```swift
/// let doctor = LibraryDoctor("anyfleet.sqlite")
/// let checkup = try doctor.examine()
/// if checkup.repairable > 0 { print(try doctor.repair(now: now)) }
/// ```
public struct LibraryDoctor: Sendable {
  /// The path of the library.
  public let library: String
  /// The number of findings of one kind that are kept in full.
  public var keptFindings = 500
  /// Receives, at intervals, the current step, the amount done and the total.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Creates a doctor for a library.
  public init(_ library: String) { self.library = library }

  /// The problems of a library.
  public struct Checkup: Sendable {
    /// The newest schema version with a completed migration; nil if none is listed.
    public let version: String?
    /// Whether a newer app wrote the library.
    public let isNewer: Bool
    /// All findings. Findings that can be repaired have a `--repair` fix.
    public let findings: DiagnosticLog
    /// The number of findings that a repair settles.
    public let repairable: Int

    /// Whether data is lost, hidden or refused if nothing is done.
    public var hasErrors: Bool { findings.worst == .error }
  }

  /// Examines everything and changes nothing, not even in the sidecar.
  /// - Throws: `RunFailure`: 2 if the file is damaged or is not a readable library, 7 if another program writes to it.
  public func examine() throws -> Checkup {
    do {
      let file = try LibraryFile(library)
      let findings = RepairFindings(keepPerCode: keptFindings)
      if let reason = file.copiedBecause {
        findings.report(
          Diagnostic(.readThroughCopy, "read through a private copy, because \(reason)", at: Place(file: library)))
      }
      _ = try Examination(connection: file.connection, schema: file.schema, file: library).run(
        report: findings.report)
      try file.finishCheck()
      let beside = DiagnosticLog(keepPerCode: .max)
      try StoreExamination.run(of: library, findings: beside)
      for finding in beside.kept { findings.report(finding) }
      return Checkup(
        version: file.schema.version, isNewer: file.schema.isNewer, findings: findings.log,
        repairable: findings.repairable)
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, library)
    }
  }
}

extension LibraryDoctor {
  /// A record that is kept in a bundle in the sidecar.
  public struct KeptRecord: Sendable, Equatable {
    /// The kind of the record.
    public let kind: RecordKind
    /// The record's id.
    public let id: String
    /// The record's title; nil if it has none.
    public let title: String?
    /// The reason why the record was removed from the library; nil if only its original is kept.
    public let reason: String?
  }

  /// The result of a repair or of a dry run.
  public struct Repair: Sendable {
    /// The problems before the repair.
    public let before: Checkup
    /// The number of settled findings of each kind.
    public let settled: [DiagnosticCode: Int]
    /// The remaining findings: notes, and problems that FleetKit does not repair.
    public let left: DiagnosticLog
    /// Records that were removed from the library.
    public let quarantined: [KeptRecord]
    /// The bundle that contains the quarantined records; nil if no record was removed.
    public let quarantine: String?
    /// Records with less content in the repaired form than in the original.
    public let shortened: [KeptRecord]
    /// The bundle with the originals of these records; nil if no such record exists.
    public let originals: String?
    /// The text file with the originals of damaged columns; nil if no such file was written.
    public let originalTexts: String?
    /// The backup of the library from before the repair; nil if nothing was changed.
    public let backup: String?
    /// The operations that the app will send at its next start, if the queue was repaired: the operation (`publish`)
    /// and the title.
    public let sending: [(operation: String, title: String)]

    /// The number of parts of damaged texts that could not be recovered.
    public var partsLost: Int { settled[.partLost] ?? 0 }
    /// Whether there was nothing to repair.
    public var isEmpty: Bool { before.repairable == 0 }
  }

  /// Repairs everything that can be repaired, in one transaction. Nothing is deleted.
  /// - Parameters:
  ///   - now: the time used in place of unknown times.
  ///   - dryRun: whether to work on a private copy and change nothing.
  /// - Throws: `RunFailure`: 2 if the file is not a readable library or cannot be written, 4 if only a backup can help,
  ///   5 if the result would not be sound, 6 if a newer app wrote the library, 7 if another program uses it. In these
  ///   cases, the library is unchanged.
  public func repair(now: Timestamp, dryRun: Bool = false) throws -> Repair {
    let before = try examine()
    if before.isNewer {
      throw RunFailure(
        .newer, "repair '\(library)': a newer app wrote it; nothing was changed", advice: "Update FleetKit.")
    }
    guard before.repairable > 0 else {
      return Repair(
        before: before, settled: [:], left: before.findings, quarantined: [], quarantine: nil, shortened: [],
        originals: nil, originalTexts: nil, backup: nil, sending: [])
    }
    do {
      return try dryRun ? rehearse(now) : perform(now)
    } catch let error as SQLiteError {
      throw WritableLibrary.failure(error, library)
    }
  }

  private func rehearse(_ now: Timestamp) throws -> Repair {
    let copy = try PrivateCopy(of: library)
    let connection = try SQLiteConnection(copy.path, .write, .own)
    try connection.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
    defer { try? connection.execute("ROLLBACK") }
    let repair = try LibraryRepair(
      connection, try LibrarySchema.read(connection, file: library), file: library, now: now,
      keptFindings: keptFindings, onStep: step)
    try repair.run()
    return report(
      repair, quarantine: nil, originals: nil, originalTexts: nil, backup: nil,
      sending: try Self.sending(repair, connection))
  }

  private func perform(_ now: Timestamp) throws -> Repair {
    let library = try WritableLibrary(self.library, profile: .repair)
    let store = try StateStore(library.sidecar)
    try store.resolveKilledRuns(library)
    let run = try store.begin("doctor")
    do {
      return try perform(now, on: library, store, run)
    } catch {
      library.rollback()
      UndoJournal.remove(run.id, from: library.sidecar.folder)
      try? store.recordState(.void, of: run.id)
      throw error
    }
  }

  private func perform(
    _ now: Timestamp, on library: WritableLibrary, _ store: StateStore, _ run: StateStore.Run
  ) throws -> Repair {
    let sidecar = library.sidecar
    // Another program may have changed the library since the first examination.
    let repair = try LibraryRepair(
      library.connection, library.schema, file: self.library, now: now, keptFindings: keptFindings, onStep: step)
    let backups = LibraryBackups(sidecar)
    let copy = try library.backUp(reason: "doctor") { try step("Backing up", $0, $1) }
    // The copy is completed now, because the repair may write to the file long before it commits.
    try copy.finish()
    let backup = copy.path
    var made = [backup]
    let journal = try UndoJournalWriter(of: run, library.connection, in: sidecar)
    do {
      try repair.run()
      // Both names have the same timestamp, so that they sort next to each other.
      let (folder, name) = try sidecar.freshName(.quarantine, "doctor", "jsonl")
      let path = folder.path(name)
      var quarantine: String?
      var originals: String?
      var originalTexts: String?
      if !repair.quarantine.isEmpty {
        try repair.quarantine.publish(to: path, now: now)
        made.append(path)
        quarantine = path
      }
      if !repair.originals.isEmpty {
        let path = String(path.dropLast(".jsonl".count)) + "-originals.jsonl"
        try repair.originals.publish(to: path, now: now)
        made.append(path)
        originals = path
        let texts = OriginalTexts((path as NSString).lastPathComponent.replacing(".jsonl", with: ".txt")) { folder }
        try repair.originals.addTexts(to: texts)
        try texts.publish()
        originalTexts = texts.path
        if let path = originalTexts { made.append(path) }
      }
      let sending = try Self.sending(repair, library.connection)
      try Interruption.check()
      try journal.finish()
      try store.intend(run.id, backup: (backup as NSString).lastPathComponent)
      try library.commit()
      made = []
      // The repair is complete, whether its end can be recorded or not.
      try? store.recordState(.done, of: run.id)
      UndoJournal.rotate(sidecar)
      backups.rotate(keeping: backup)
      return report(
        repair, quarantine: quarantine, originals: originals, originalTexts: originalTexts, backup: backup,
        sending: sending)
    } catch {
      // Copies of unchanged content would only confuse the user.
      for path in made { unlink(path) }
      throw error
    }
  }

  private func step(_ what: String, _ done: Int, _ total: Int) throws {
    try Interruption.check()
    onProgress?(what, done, total)
  }

  private func report(
    _ repair: LibraryRepair, quarantine: String?, originals: String?, originalTexts: String?, backup: String?,
    sending: [(operation: String, title: String)]
  ) -> Repair {
    Repair(
      before: Checkup(
        version: repair.schema.version, isNewer: false, findings: repair.found.log, repairable: repair.found.repairable),
      settled: repair.found.counts, left: repair.left.log, quarantined: repair.quarantine.entries,
      quarantine: quarantine, shortened: repair.originals.entries, originals: originals,
      originalTexts: originalTexts, backup: backup, sending: sending)
  }

  /// Returns the queue's live operations, if a repair changed the queue. The user should see them before the app sends
  /// them.
  private static func sending(
    _ repair: LibraryRepair, _ connection: SQLiteConnection
  ) throws(SQLiteError) -> [(operation: String, title: String)] {
    guard repair.found.counts.keys.contains(where: { $0.id.hasPrefix("LIB08") }),
      repair.schema.tables["sync_queue"] != nil
    else { return [] }
    return try connection.rows(
      """
      SELECT operation, title FROM sync_queue LEFT JOIN library_content ON library_content.id = contentID
      WHERE syncedAt IS NULL AND retryCount < 3 ORDER BY sync_queue.createdAt, sync_queue.id
      """
    ).map { ($0[0] ?? "", $0[1] ?? "") }
  }
}
