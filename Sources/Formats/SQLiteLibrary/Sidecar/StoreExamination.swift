import Content
import Diagnostics
import JSONText
import SQLiteIO

/// Checks a library's store: every page, and every record in it.
package enum StoreExamination {
  /// Checks it, and changes nothing.
  /// - Throws: `RunFailure` with status 4 when something in the sidecar folder is a link or another user's, 2 when the
  ///   store contains what FleetKit never makes; `SQLiteError` when another run holds it.
  package static func run(of library: String, findings: DiagnosticLog) throws {
    let file = Sidecar.path(of: library) + "/" + SidecarFolder.stateName
    do {
      guard let connection = try StateStore.reading(of: library) else { return }
      if let complaint = try IntegrityCheck.complaint(connection, .full) {
        findings.report(Diagnostic(.storeDamaged, complaint, at: Place(file: file)))
      }
      let known = try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'records'")
      guard known > 0 else { return }
      let lines = StoredLines(file: file, findings: findings)
      let statement = try connection.prepare("SELECT kind, id, line FROM records ORDER BY kind, id")
      while try statement.step() {
        let kind = RecordKind(statement.text(at: 0) ?? "")
        let batch = RecordBatch(locator: NoPlaces(file: file), capacity: statement.blob(at: 2).count + 64)
        lines.append(statement.blob(at: 2), kind, id: statement.text(at: 1) ?? "", to: batch)
      }
    } catch let error as SQLiteError where !error.isBusy {
      findings.report(Diagnostic(.storeDamaged, error.message, at: Place(file: file)))
    }
  }

  private struct NoPlaces: RecordLocator {
    let file: String
    func place(of record: Record, at pointer: JSONPointer) -> Place { Place(file: file) }
  }
}
