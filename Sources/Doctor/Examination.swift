import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Examines an open library: the schema, every record, the queue, and references to missing rows.
struct Examination {
  let connection: SQLiteConnection
  let schema: LibrarySchema
  /// The library as the user named it.
  let file: String

  /// Examines everything.
  /// - Parameters:
  ///   - report: receives every finding.
  ///   - each: called with every record.
  /// - Returns: The necessary changes to the queue.
  /// - Throws: `RunFailure`, `SQLiteError`.
  func run(
    report: (Diagnostic) -> Void, each: (LibraryScan.Found) throws -> Void = { _ in }
  ) throws -> [QueuePlan] {
    try reportSchema(report)
    var queue = try QueueExamination(connection, schema, file: file)
    var count = 0
    try LibraryScan(connection, schema, file: file).run { found in
      count += 1
      if count % 256 == 0 { try Interruption.check() }
      for finding in found.findings { report(finding) }
      if found.kind == .item, isEmptyChecklist(found) { reportEmpty(found, report) }
      try queue.collect(found)
      try each(found)
    }
    let plans = queue.plans()
    for plan in plans {
      for finding in plan.findings { report(finding) }
    }
    try reportForeignKeys(report)
    return plans
  }

  // MARK: Schema

  private func reportSchema(_ report: (Diagnostic) -> Void) throws {
    let log = DiagnosticLog(keepPerCode: .max)
    schema.report(to: log, file: file)
    for finding in log.kept { report(finding) }
    guard !schema.isNewer, log.counts[.migrationsIncomplete] == nil else { return }
    let gaps = try SchemaRepair.gaps(connection, schema)
    guard !gaps.isEmpty else { return }
    let missing = (gaps.unlisted + gaps.skipped + gaps.impossible).sorted().joined(separator: ", ")
    report(Diagnostic(.migrationsIncomplete, "not listed: \(missing)", at: Place(file: file + "#grdb_migrations")))
  }

  /// Reports references between rows that no finding about a record covers.
  private func reportForeignKeys(_ report: (Diagnostic) -> Void) throws {
    for row in try connection.rows("PRAGMA foreign_key_check") {
      guard let table = row[0], table != "checklistExecutionStates", table != "sync_queue" else { continue }
      report(
        Diagnostic(
          .foreignKeyViolated, "row \(row[1] ?? "?") refers to a row of '\(row[2] ?? "?")' that does not exist",
          at: Place(file: file, row: Place.Row(table: table, id: row[1] ?? ""))))
    }
  }

  // MARK: Items

  private func isEmptyChecklist(_ found: LibraryScan.Found) -> Bool {
    guard found.rows.contains(where: { $0.table == TableMaps.checklists.table }),
      !found.findings.contains(where: { $0.code == .recordTooLarge })
    else { return false }
    // The cheap check comes first, because only a few lines contain an empty list of sections.
    guard found.line.contains(",\"sections\":[]"), let root = try? JSONDocument(parsing: found.line.span).root else {
      return false
    }
    return root["content_data"]?["sections"]?.elements.isEmpty ?? false
  }

  private func reportEmpty(_ found: LibraryScan.Found, _ report: (Diagnostic) -> Void) {
    let title = RecordLine.title(of: found.line.span)
    guard let row = found.rows.first(where: { $0.table == TableMaps.checklists.table }) else { return }
    report(
      Diagnostic(
        .contentEmpty, "the checklist has no sections",
        at: Place(file: file, row: Place.Row(table: row.table, id: row.id, column: "content")),
        record: "checklist \(RecordLine.id(of: found.line.span) ?? row.id)", title: title))
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the bytes contain `text`.
  func contains(_ text: StaticString) -> Bool {
    guard let base = baseAddress, text.utf8CodeUnitCount > 0 else { return false }
    var at = 0
    while at + text.utf8CodeUnitCount <= count,
      let found = memchr(base + at, Int32(text.utf8Start[0]), count - at - text.utf8CodeUnitCount + 1)
    {
      if memcmp(found, text.utf8Start, text.utf8CodeUnitCount) == 0 { return true }
      at = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
    }
    return false
  }
}
