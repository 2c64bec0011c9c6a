import FleetKitCore

/// Keeps the records that were selected, and what a reader said about them; what it said about others is not asked.
///
/// What concerns no record (a file, text that cannot be read) is always kept. Memory grows by the ids of the selected
/// rows of a library, and by the names of a vault's notes that were not selected; for other text there is none.
struct SelectedFindings {
  private let selection: Selection
  /// Rows that were selected, by id: a library's reader may speak of them later.
  private var rows: Set<String> = []
  /// Files of a source of many files that have records, none of them selected.
  private var unselectedFiles: Set<String> = []

  init(_ selection: Selection) { self.selection = selection }

  /// Takes the other records out of a batch, and answers what is left of the reader's findings.
  mutating func keep(_ batch: RecordBatch, _ findings: [Diagnostic]) -> [Diagnostic] {
    if batch.traits.hasManyFiles { return keepFiles(batch, findings) }
    var starts: [(line: Int, column: Int, isSelected: Bool)] = []
    var isSelected: [Bool] = []
    for record in batch.records {
      let takes = selection.takes(record)
      isSelected.append(takes)
      starts.append((record.slot.sourceLine, record.slot.sourceColumn, takes))
      if takes, let row = record.place().row { rows.insert(row.id) }
    }
    for rejected in batch.rejected {
      if let position = rejected.position { starts.append((position.line, position.column, true)) }
    }
    batch.keep { isSelected[$0.index] }
    guard !findings.isEmpty else { return [] }
    starts.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    return findings.filter { finding in
      if let row = finding.place.row { return row.id.isEmpty || rows.contains(row.id) }
      guard let line = finding.place.line else { return true }
      return Self.isSelected(line, finding.place.column ?? .max, starts)
    }
  }

  /// Mostly a note is one record; where it has more, one that was selected keeps what is said about the note.
  private mutating func keepFiles(_ batch: RecordBatch, _ findings: [Diagnostic]) -> [Diagnostic] {
    var selected: Set<String> = []
    batch.keep { record in
      let takes = selection.takes(record)
      let file = batch.locator.file(of: record)
      if takes { selected.insert(file) } else { unselectedFiles.insert(file) }
      return takes
    }
    unselectedFiles.subtract(selected)
    return findings.filter { !unselectedFiles.contains($0.place.file) }
  }

  /// Whether the record that a place lies in was selected; it is the last one that begins before the place.
  private static func isSelected(
    _ line: Int, _ column: Int, _ starts: [(line: Int, column: Int, isSelected: Bool)]
  ) -> Bool {
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if (starts[middle].line, starts[middle].column) <= (line, column) { low = middle + 1 } else { high = middle }
    }
    return low == 0 || starts[low - 1].isSelected
  }
}
