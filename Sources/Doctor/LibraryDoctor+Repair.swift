import Content
import Diagnostics
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

extension LibraryDoctor {
  /// A record that is kept in a bundle beside the library.
  public struct KeptRecord: Sendable, Equatable {
    /// What it is.
    public let kind: RecordKind
    /// Its id.
    public let id: String
    /// What it is called; nil when it has no title.
    public let title: String?
    /// Why it left the library; nil when only its original is kept.
    public let reason: String?
  }

  /// What a repair did, or would do.
  public struct Repair: Sendable {
    /// What was found before.
    public let before: Checkup
    /// How many findings of each kind were settled.
    public let settled: [DiagnosticCode: Int]
    /// What is left: notes, and what is none of ours to repair.
    public let left: DiagnosticLog
    /// Records that left the library.
    public let quarantined: [KeptRecord]
    /// The bundle that they are in; nil when there is none.
    public let quarantine: String?
    /// Records whose repaired form says less than the original.
    public let shortened: [KeptRecord]
    /// The bundle with their originals; nil when there is none.
    public let originals: String?
    /// The text file with the originals of damaged columns; nil when there is none.
    public let originalTexts: String?
    /// The library from before; nil when nothing was changed.
    public let backup: String?
    /// What the app will send when it starts next, when something of the queue was repaired: "publish" and the title.
    public let sending: [(operation: String, title: String)]

    /// How many parts of damaged texts could not be recovered.
    public var partsLost: Int { settled[.partLost] ?? 0 }
    /// Whether there was nothing to repair.
    public var isEmpty: Bool { before.repairable == 0 }
  }

  /// Repairs what can be repaired, all of it or nothing. Nothing is deleted.
  /// - Parameters:
  ///   - now: stands in for times that nobody knows.
  ///   - dryRun: works on a private copy and leaves everything as it is.
  /// - Throws: `RunFailure`: 2 when it is no readable library or cannot be written, 4 when it needs what only a
  ///   backup has, 5 when the result would not be sound, 6 when a newer app wrote it, 7 when another program uses it.
  ///   The library is then as it was.
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
    try store.settleKilledRuns(library)
    let run = try store.begin("doctor")
    do {
      return try perform(now, on: library, store, run)
    } catch {
      library.rollback()
      UndoJournal.remove(run.id, from: library.sidecar.folder)
      try? store.settle(run.id, .void)
      throw error
    }
  }

  private func perform(
    _ now: Timestamp, on library: WritableLibrary, _ store: StateStore, _ run: StateStore.Run
  ) throws -> Repair {
    let sidecar = library.sidecar
    // Somebody may have been here since the first look.
    let repair = try LibraryRepair(
      library.connection, library.schema, file: self.library, now: now, keptFindings: keptFindings, onStep: step)
    let backups = LibraryBackups(sidecar)
    let copy = try library.backUp(reason: "doctor") { try step("Backing up", $0, $1) }
    // The repair may write to the file long before it commits.
    try copy.finish()
    let backup = copy.path
    var made = [backup]
    let journal = try UndoJournalWriter(of: run, library.connection, in: sidecar)
    do {
      try repair.run()
      // One stamp for both, so that they stand side by side.
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
      // It is done, whether that can be noted or not.
      try? store.settle(run.id, .done)
      UndoJournal.rotate(sidecar)
      backups.rotate(keeping: backup)
      return report(
        repair, quarantine: quarantine, originals: originals, originalTexts: originalTexts, backup: backup,
        sending: sending)
    } catch {
      // Copies of what did not change would only raise questions.
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

  /// The queue's live operations, if a repair touched the queue: its owner should know before the app sends them.
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
