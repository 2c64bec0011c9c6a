import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary
import SyncQueue

/// Repairs an open library inside a transaction that the caller has begun. The caller commits it or rolls it back.
///
/// The repair starts with the schema. The ids of rows that belong together follow, then the form of every record,
/// references to missing records, and the queue. Then everything is read once more, and any remaining problem is an
/// error. Nothing is deleted: records that are removed from the library are in `quarantine`, and records that lose
/// content are in `originals`.
final class LibraryRepair {
  let connection: SQLiteConnection
  private(set) var schema: LibrarySchema
  let file: String
  let now: Timestamp
  /// The findings before the repair.
  let found: RepairFindings
  /// The findings after the repair.
  let left: RepairFindings
  /// Records that are removed from the library.
  let quarantine: QuarantineWriter
  /// Records as they were read, if the repaired form has less content.
  let originals: QuarantineWriter
  private let onStep: (String, Int, Int) throws -> Void

  init(
    _ connection: SQLiteConnection, _ schema: LibrarySchema, file: String, now: Timestamp, keptFindings: Int,
    onStep: @escaping (String, Int, Int) throws -> Void
  ) throws {
    self.connection = connection
    self.schema = schema
    self.file = file
    self.now = now
    self.onStep = onStep
    found = RepairFindings(keepPerCode: keptFindings)
    left = RepairFindings(keepPerCode: keptFindings)
    quarantine = try QuarantineWriter()
    originals = try QuarantineWriter()
  }

  /// Repairs everything.
  /// - Throws: `RunFailure`: 4 if the library cannot be repaired here, 5 if it is not sound afterwards; `SQLiteError`.
  ///   In these cases, the transaction must be rolled back.
  func run() throws {
    try onStep("Looking", 0, 6)
    _ = try Examination(connection: connection, schema: schema, file: file).run(report: found.report)
    try onStep("Repairing", 1, 6)
    try repairSchema()
    try RowMatching(connection: connection, schema: schema, file: file, quarantine: quarantine).run()
    try onStep("Repairing", 2, 6)
    try repairForms()
    try onStep("Repairing", 3, 6)
    try Orphans(self).run()
    try onStep("Repairing", 4, 6)
    try QueueRepair(self).run()
    try onStep("Checking again", 5, 6)
    try verify()
  }

  // MARK: Schema

  private func repairSchema() throws {
    if found.log.counts[.columnMissing] != nil {
      throw RunFailure(
        .refused, "repair '\(file)': a table lacks a column that exists in every version; nothing was changed",
        advice: "Restore a backup; 'fleetkit export' saves the content of the other columns.")
    }
    let bodies = ["checklists", "practice_guides"].contains { schema.tables[$0] != nil }
    if bodies, schema.tables["library_content"] == nil {
      throw RunFailure(
        .refused, "repair '\(file)': the table 'library_content' is missing; nothing was changed",
        advice: "Restore a backup, or write a new library with 'fleetkit convert'.")
    }
    if schema.hasOldQueue {
      try SchemaRepair.renameQueueColumns(connection, schema)
      schema = try LibrarySchema.read(connection, file: file)
    }
    let gaps = try SchemaRepair.gaps(connection, schema)
    if !gaps.impossible.isEmpty {
      throw RunFailure(
        .refused,
        "repair '\(file)': \(gaps.impossible.joined(separator: ", ")) never ran, but later steps did; nothing was changed",
        advice: "Restore a backup, or write a new library with 'fleetkit convert'.")
    }
    if !gaps.isEmpty {
      try SchemaRepair.close(gaps, connection, schema)
      schema = try LibrarySchema.read(connection, file: file)
    }
    try SchemaRepair.makeIDsText(connection, schema)
  }

  // MARK: Forms

  /// Findings that are settled by writing the record as the app would.
  private static let formCodes: Set<DiagnosticCode> = [
    .duplicateMember, .contentNotJSON, .contentNotSections, .partLost, .missingMember, .wrongType, .itemIDNotUUID,
    .duplicateItemID, .unknownMember, .tagsNotStrings, .dateUndecodable, .dateNotCanonical, .dateRollsOver,
    .unknownValue, .idCase, .idNotUUID, .zeroCreator, .unexpectedStorage, .textNotUTF8, .publicMetadataUndecodable,
    .bodyWithoutMetadata, .bodyOfOtherType, .itemStatesUndecodable, .itemStateKeyNotUUID, .itemStateDateNotStrict,
  ]
  /// Findings about records that contain their original in themselves, not under `extras.raw`.
  private static let shrinkingCodes: Set<DiagnosticCode> = [
    .unknownValue, .unknownMember, .publicMetadataUndecodable, .payloadUndecodable,
  ]

  /// Findings about records that were only read in part. Writing the parts that were read would lose the rest.
  private static let unreadCodes: Set<DiagnosticCode> = [.recordTooLarge, .endlessMarks]

  static func isUnread(_ found: LibraryScan.Found) -> Bool {
    found.findings.contains { unreadCodes.contains($0.code) }
  }

  /// Writes every record that must be converted, in the form of the app.
  func repairForms() throws {
    // One pass repairs most records. Problems that the pass could not yet detect need another pass.
    for _ in 0..<4 {
      if try repairFormsOnce() == 0 { return }
    }
  }

  private func repairFormsOnce() throws -> Int {
    let form = FormRepair(author: try author())
    let work = try RecordWork()
    try LibraryScan(connection, schema, file: file).run { found in
      try Interruption.check()
      let mine = found.findings.filter { Self.formCodes.contains($0.code) && RepairAdvice.of($0) != nil }
      // Items without a body are handled later.
      guard !mine.isEmpty, !Self.isUnread(found),
        !found.findings.contains(where: { $0.code == .metadataWithoutBody })
      else { return }
      try storeOriginal(found)
      let isSent = found.kind == .syncOperation && found.line.contains("\"synced_at\":\"")
      let touchesPayload = mine.contains { $0.place.row?.column == "payload" }
      try work.add(try form.line(of: found), found, keepsPayload: isSent && !touchesPayload)
    }
    let editor = try RowEditor(connection, schema, now: now)
    try work.forEach { line, kind, rows, keepsPayload in
      try connection.execute("SAVEPOINT record")
      do {
        try editor.write(line, kind, over: rows, keepsPayload: keepsPayload)
        try connection.execute("RELEASE record")
      } catch let conflict as RowEditor.Conflict {
        try connection.execute("ROLLBACK TO record; RELEASE record")
        try quarantine.add(line, because: conflict.reason)
        try editor.remove(rows)
      }
    }
    return work.count
  }

  /// Stores a record as it was read, if writing it again loses content.
  private func storeOriginal(_ found: LibraryScan.Found) throws {
    let isShrinking = found.findings.contains { Self.shrinkingCodes.contains($0.code) && RepairAdvice.of($0) != nil }
    guard isShrinking || found.line.contains("\"extras\":{\"raw\":") else { return }
    try originals.add(found.line)
  }

  /// Returns the name under which this library's owner publishes, as found in other items.
  private func author() throws -> String {
    guard schema.tables["library_content"]?.contains("publicMetadata") ?? false else { return "" }
    return try Publication.Author(of: connection)?.username ?? ""
  }

  // MARK: Verification

  /// Findings that may remain, because FleetKit does not repair tables and columns of newer apps.
  private static let tolerated: Set<DiagnosticCode> = [.unknownTable, .unknownColumn]

  private func verify() throws {
    // The first finding of each record counts. Records that were only read in part stay unchanged.
    var wrong: [(id: String?, finding: Diagnostic)] = []
    var seen: Set<String?> = []
    var unread: Set<String?> = []
    _ = try Examination(connection: connection, schema: schema, file: file).run { finding in
      left.report(finding)
      let id = finding.place.row?.id
      if Self.unreadCodes.contains(finding.code) { unread.insert(id) }
      guard finding.severity > .note, !Self.tolerated.contains(finding.code), seen.insert(id).inserted else { return }
      wrong.append((id, finding))
    }
    let worst = wrong.first { !unread.contains($0.id) }?.finding
    if let worst {
      throw RunFailure(
        .mismatch,
        "repair '\(file)': \(worst.place): \(worst.message) (\(worst.code.id)) remains; nothing was changed",
        advice: "Please report this.")
    }
    if let row = try connection.rows("PRAGMA foreign_key_check").first {
      throw RunFailure(
        .mismatch,
        "repair '\(file)': a row of \(row[0] ?? "") still refers to a missing row of \(row[2] ?? ""); "
          + "nothing was changed",
        advice: "Please report this.")
    }
    if let damage = try IntegrityCheck.complaint(connection, .full) {
      throw RunFailure(
        .mismatch, "repair '\(file)': the library would not be sound (\(damage)); nothing was changed",
        advice: "Please report this.")
    }
  }
}

/// Records to be written when reading has ended. Their lines wait on disk.
final class RecordWork {
  private struct Entry {
    let kind: RecordKind
    let rows: [LibraryScan.Row]
    let keepsPayload: Bool
  }

  private let spool: LineSpool
  private var entries: [Entry] = []

  init() throws { spool = try LineSpool() }

  var count: Int { entries.count }

  /// Adds the new form of a record.
  func add(_ line: String, _ found: LibraryScan.Found, keepsPayload: Bool = false) throws {
    try spool.append(line.utf8.span)
    entries.append(Entry(kind: found.kind, rows: found.rows, keepsPayload: keepsPayload))
  }

  /// Calls `body` once with each record, in the order in which the records were added.
  func forEach(
    _ body: (_ line: UnsafeBufferPointer<UInt8>, RecordKind, [LibraryScan.Row], _ keepsPayload: Bool) throws -> Void
  ) throws {
    try spool.rewind()
    for entry in entries {
      guard try spool.advance() else { return }
      try body(spool.line, entry.kind, entry.rows, entry.keepsPayload)
    }
  }
}
