import Content
import Diagnostics
import Interchange
import JSONText

/// Says what is wrong with rows: as findings, and as rejects where they cannot be used.
struct RowReports {
  let facts: TableFacts
  let findings: DiagnosticLog

  /// Reports what has to be said about a row.
  /// - Parameter record: the item that it belongs to, as findings name it.
  func report(_ problems: [RowProblem], of row: BatchRows.Row, record: String?, title: String?) {
    for problem in problems {
      let found = facts.places.place(row: row.place, cell: problem.cell, part: nil)
      findings.report(
        Diagnostic(
          problem.code, problem.message, at: found.place, record: record, title: title, excerpt: found.excerpt))
    }
  }

  /// Says how many ids are nearly UUIDs, beyond the first, which its row says.
  func report(_ ids: NearlyIDs) {
    guard ids.count > 1 else { return }
    let more = ids.count == 2 ? "1 more text" : "\(ids.count - 1) more texts"
    findings.report(
      Diagnostic(
        .nearlyID,
        "\(more) in columns of ids \(ids.count == 2 ? "is" : "are") nearly \(ids.count == 2 ? "a UUID" : "UUIDs") and taken for names",
        at: Place(file: facts.places.file)))
  }

  /// Says which languages were found out.
  func report(languages: [String: Int], isDeck: Bool) {
    for (language, count) in languages.sorted(by: { $0.key < $1.key }) {
      let noun = isDeck ? "deck" : "checklist"
      let what = count == 1 ? "1 \(noun) was" : "\(count) \(noun)s were"
      findings.report(
        Diagnostic(
          .titleLanguage, "\(what) taken for '\(language)' by the letters of the title",
          at: Place(file: facts.places.file)))
    }
  }

  /// A row as a reject.
  /// - Parameters:
  ///   - isPart: whether its item goes on without it.
  ///   - isBehind: whether it leaves its item or section to a row that cannot be read.
  func reject(
    _ problems: [RowProblem], of row: BatchRows.Row, isPart: Bool = true, isBehind: Bool = false,
    after: StepAnchor = .unknown,
    above: [String: String] = [:]
  ) -> RejectedRecord {
    let place = facts.places.place(row: row.place, cell: nil, part: nil).place
    let reasons = problems.filter(\.rejects).map { problem in
      RejectReason(
        code: problem.code.id, message: problem.message,
        place: facts.places.place(row: row.place, cell: problem.cell, part: nil).place.description)
    }
    return RejectedRecord(
      kind: .item, bytes: facts.places.original(row: row.place), place: place.description, reasons: reasons,
      position: place.line.map { TextPosition(line: $0, column: place.column ?? 1) }, rows: 1, isPart: isPart,
      table: facts.rejects,
      after: known(row, isBehind) ?? after,
      above: above)
  }

  /// Where a row belongs that is rejected again: where it belonged the first time, unless the row has been read by now
  /// that it left its item to.
  private func known(_ row: BatchRows.Row, _ isBehind: Bool) -> StepAnchor? {
    guard let retry = facts.retry else { return nil }
    let ordinal = Int(row.ordinal)
    return isBehind || retry.above(row: ordinal)[RetriedRows.follows] == nil ? retry.anchor(ofRow: ordinal) : nil
  }
}

/// Something about a row that has to be said: an error rejects the row, anything less does not.
struct RowProblem {
  let code: DiagnosticCode
  let message: String
  /// The cell, from 0; nil for the whole row.
  let cell: Int?

  init(_ code: DiagnosticCode, _ message: String, cell: Int?) {
    self.code = code
    self.message = message
    self.cell = cell
  }

  /// Whether the row cannot be used.
  var rejects: Bool { code.severity == .error }

  /// A cell that does not say what its column asks for.
  /// - Parameter why: what is wrong with it, as the end of a sentence.
  static func value(
    _ text: UnsafeBufferPointer<UInt8>, _ cell: Int, _ why: String, _ layout: TableLayout
  ) -> RowProblem {
    RowProblem(.cellValue, "'\(layout.header(cell))' says '\(CellText.shown(text))', \(why)", cell: cell)
  }

  /// A text that was meant to be a UUID and is none.
  static func noID(_ text: UnsafeBufferPointer<UInt8>, _ cell: Int, _ layout: TableLayout) -> RowProblem {
    value(text, cell, "which is no id", layout)
  }

  /// A cell that does not say of a checklist or deck what an earlier row says.
  static func differing(_ text: UnsafeBufferPointer<UInt8>, _ cell: Int, _ layout: TableLayout) -> RowProblem {
    let noun = layout.shape == .cards ? "deck" : "checklist"
    return RowProblem(
      .differingRows,
      "'\(layout.header(cell))' says '\(CellText.shown(text))', an earlier row of the \(noun) something else",
      cell: cell)
  }
}
