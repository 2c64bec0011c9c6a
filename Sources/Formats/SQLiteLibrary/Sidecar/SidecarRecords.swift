import Content
import Diagnostics
import Foundation
import JSONText
import SQLiteIO

/// Records that live beside a library because the app has no table for them: decks, practice sessions, attachments,
/// foreign records. Read together with the library; never changes anything.
final class SidecarRecords {
  private let connection: SQLiteConnection
  private let statement: SQLiteStatement
  private let lines: StoredLines
  /// Decks, which are items, get their extras here.
  private let deckExtras: ExtrasJoin
  /// The extras of items that stand in the library itself.
  let extras: ExtrasJoin

  /// Opens what lies beside a library; nil when nothing does.
  /// - Throws: `SQLiteError` or `RunFailure` when it is there and cannot be read.
  init?(beside library: String, _ file: LibraryFile, findings: DiagnosticLog) throws {
    guard let connection = try StateStore.reading(of: library) else { return nil }
    self.connection = connection
    let path = Sidecar.path(of: library) + "/" + SidecarFolder.stateName
    lines = StoredLines(file: path, findings: findings)
    let version = try connection.number("PRAGMA user_version")
    if version > 1 {
      findings.report(
        Diagnostic(
          .newerLibrary,
          "a newer FleetKit wrote what lies beside the library; decks and other records there are not read",
          at: Place(file: path)))
    }
    guard version == 1 else { return nil }
    var runs: [String] = []
    let importing = StateStore.importing.map { "'\($0)'" }.joined(separator: ", ")
    let intended = "SELECT id FROM runs WHERE state = 'intended' AND command IN (\(importing))"
    for row in try connection.rows(intended) {
      guard let id = row[0].flatMap(Int64.init) else { continue }
      let lookup = try LibraryLookup(file.connection, file.schema, path: library)
      if try StateStore.isCommitted(id, connection, lookup) { runs.append(String(id)) }
    }
    // What a killed run brought counts from its commit to the library on, and goes over what was there before.
    let staged = "SELECT kind, id, line FROM staged_records WHERE run IN (\(runs.joined(separator: ", ")))"
    let all = """
      \(staged) UNION ALL SELECT kind, id, line FROM records AS old
      WHERE NOT EXISTS (SELECT 1 FROM (\(staged)) AS new WHERE new.kind = old.kind AND new.id = old.id)
      """
    statement = try connection.prepare(
      """
      SELECT kind, id, line FROM (\(all)) WHERE kind <> '\(BesideExtras.kind.name)' ORDER BY kind, id
      """, as: "read what lies beside the library")
    let kept = "SELECT id, line FROM (\(all)) WHERE kind = '\(BesideExtras.kind.name)' ORDER BY id"
    extras = try ExtrasJoin(connection.prepare(kept), lines)
    deckExtras = try ExtrasJoin(connection.prepare(kept))
  }

  /// Appends the next record; false at the end.
  func next(into batch: RecordBatch) throws(SQLiteError) -> Bool {
    guard try statement.step() else { return false }
    lines.append(
      statement.blob(at: 2), RecordKind(statement.text(at: 0) ?? ""), id: statement.text(at: 1) ?? "", to: batch)
    return true
  }

  /// Adds extras to the decks of a batch.
  func joinDecks(_ batch: RecordBatch) throws(SQLiteError) { try deckExtras.join(batch) }
}
