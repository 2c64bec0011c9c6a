import Content
import Diagnostics
import Interchange

/// What the format of notes made of the documents of some rows.
struct ReadNotes {
  /// The records by the ids of their rows, and the number of each note.
  var records: [UUIDBits: (record: Record, index: Int)] = [:]
  /// Why others are none.
  var problems: [UUIDBits: [RowProblem]] = [:]

  init() {}

  /// Reads the notes; what is found in them is reported at the places of their cells.
  init(
    _ notes: CatalogueNotes, _ format: any MemberFormat, _ rows: [CatalogueRow], _ context: RunContext,
    _ facts: TableFacts
  ) throws {
    // What is found stands in notes that nobody has; it is said again with the places of cells.
    let findings = DiagnosticLog(keepPerCode: 5000)
    var options = context.reading
    options.collectsIDs = false
    let inner = RunContext(findings: findings, reading: options, now: context.now)
    let reader = try format.reader(of: notes, context: inner)
    while let batch = try reader.next() {
      for record in batch.records where record.kind == .item {
        guard let index = notes.index(shown: record.batch.locator.file(of: record)), rows.indices.contains(index)
        else { continue }
        records[rows[index].id] = (record, index)
      }
    }
    let cell = facts.cell(.document)
    for finding in findings.kept {
      // The time of a note is what its row says, or nothing.
      if finding.code == .timeFromFile { continue }
      guard let index = notes.index(shown: finding.place.file), rows.indices.contains(index) else {
        // What is said of all of them together.
        context.findings.report(finding)
        continue
      }
      let row = rows[index]
      var part: Range<Int>?
      if let line = finding.place.line,
        let offset = notes.offset(line: line, column: finding.place.column ?? 1, in: index)
      {
        part = offset..<offset
      }
      if records[row.id] == nil, finding.severity == .error {
        problems[row.id, default: []].append(RowProblem(finding.code, finding.message, cell: cell))
        continue
      }
      let found = facts.places.place(row: row.row.place, cell: cell, part: part)
      context.findings.report(
        Diagnostic(
          finding.code, finding.message, at: found.place, record: finding.record, title: finding.title,
          severity: finding.severity, fix: finding.fix, excerpt: found.excerpt))
    }
    for explanation in inner.explanations.all {
      guard let index = notes.index(shown: explanation.file), rows.indices.contains(index) else { continue }
      let place = facts.places.place(row: rows[index].row.place, cell: cell, part: nil).place
      context.explanations.add(
        Explanation(
          file: place.description, takenFor: explanation.takenFor, certainty: explanation.certainty,
          reasons: explanation.reasons.map { Explanation.Reason($0.text, weight: $0.weight) }))
    }
  }
}
