import Content
import Diagnostics
import Interchange
import JSONText

/// Reports the problems of rows as findings, and as rejects if the rows cannot be used.
struct RowReporter {
  let facts: TableContext
  let findings: DiagnosticLog
  /// The records to use; nil for all.
  let selection: Selection?

  init(_ facts: TableContext, _ context: RunContext) {
    self.facts = facts
    findings = context.findings
    selection = context.selection
  }

  /// Whether the record of a row may be selected. Values that are nil are unknown.
  func maySelect(
    _ row: BatchRows.Row, kind: RecordKind = .item, type: ContentType?, id: UUIDBits?, title: String?, tags: [String]?
  ) -> Bool {
    guard let selection else { return true }
    let place = facts.places.place(row: row.place, cell: nil, part: nil).place
    return selection.mayTake(
      kind, type: type?.rawValue, id: id?.text, title: title, tags: tags, path: place.member ?? place.file)
  }

  /// Reports the problems of a row.
  /// - Parameter record: the name of the row's item in findings.
  func report(_ problems: [RowProblem], of row: BatchRows.Row, record: String?, title: String?) {
    for problem in problems {
      let found = facts.places.place(row: row.place, cell: problem.cell, part: nil)
      findings.report(
        Diagnostic(
          problem.code, problem.message, at: found.place, record: record, title: title, excerpt: found.excerpt))
    }
  }

  /// Reports the number of ids that are almost UUIDs, except the first one, which was reported with its row.
  func report(_ ids: MalformedIDs) {
    guard ids.count > 1 else { return }
    let more = ids.count == 2 ? "1 more value" : "\(ids.count - 1) more values"
    findings.report(
      Diagnostic(
        .nearlyID,
        "\(more) in id columns \(ids.count == 2 ? "is" : "are") almost \(ids.count == 2 ? "a UUID" : "UUIDs") "
          + "and treated as \(ids.count == 2 ? "a name" : "names")",
        at: Place(file: facts.places.file)))
  }

  /// Reports the languages that were detected.
  func report(languages: [String: Int], isDeck: Bool) {
    for (language, count) in languages.sorted(by: { $0.key < $1.key }) {
      let noun = isDeck ? "deck" : "checklist"
      let what = count == 1 ? "1 \(noun) was" : "\(count) \(noun)s were"
      findings.report(
        Diagnostic(
          .titleLanguage, "\(what) recognized as '\(language)' by the letters of the title",
          at: Place(file: facts.places.file)))
    }
  }

  /// Creates a reject from a row.
  /// - Parameters:
  ///   - isPart: whether the row's item is read without the row.
  ///   - isBehind: whether the row's item or section depends on a row that cannot be read.
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

  /// Returns the anchor of a row that is rejected again. It is the original anchor, unless the row on which it depends
  /// has been read in the meantime.
  private func known(_ row: BatchRows.Row, _ isBehind: Bool) -> StepAnchor? {
    guard let retry = facts.retry else { return nil }
    let ordinal = Int(row.ordinal)
    return isBehind || retry.above(row: ordinal)[RetriedRows.follows] == nil ? retry.anchor(ofRow: ordinal) : nil
  }
}

/// A problem of a row. An error rejects the row; a lesser problem does not.
struct RowProblem {
  let code: DiagnosticCode
  let message: String
  /// The index of the cell, from 0; nil for the whole row.
  let cell: Int?

  init(_ code: DiagnosticCode, _ message: String, cell: Int?) {
    self.code = code
    self.message = message
    self.cell = cell
  }

  /// Whether the row cannot be used.
  var rejects: Bool { code.severity == .error }

  /// Returns the problem of a cell whose value does not match its column.
  /// - Parameter why: the reason, as the end of a sentence.
  static func value(
    _ text: Span<UInt8>, _ cell: Int, _ why: String, _ layout: TableLayout
  ) -> RowProblem {
    RowProblem(.cellValue, "'\(layout.header(cell))' is '\(CellScanner.shown(text))', \(why)", cell: cell)
  }

  /// Returns the problem of text that was meant to be a UUID but is not one.
  static func noID(_ text: Span<UInt8>, _ cell: Int, _ layout: TableLayout) -> RowProblem {
    value(text, cell, "which is not an id", layout)
  }

  /// Returns the problem of a cell that contradicts an earlier row of the same checklist or deck.
  static func differing(_ text: Span<UInt8>, _ cell: Int, _ layout: TableLayout) -> RowProblem {
    let noun = layout.shape == .cards ? "deck" : "checklist"
    return RowProblem(
      .differingRows,
      "'\(layout.header(cell))' is '\(CellScanner.shown(text))', but an earlier row of the \(noun) "
        + "has a different value",
      cell: cell)
  }
}
