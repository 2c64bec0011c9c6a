import Content
import Interchange

/// Records that are rows of tables, or say only some of what a record can say.
extension LibraryImportWriter {
  /// What a source says of a record that says only some of it, or is rows of a table.
  func addRows(to incoming: inout Incoming, _ record: Record, _ said: Int?) {
    incoming.said = said.map { saids[$0] }
    incoming.rows = Int(record.slot.rows)
    if incoming.rows > 0 { incoming.originalRows = { record.batch.locator.originalRows(of: record) } }
    guard record.slot.isPartial else { return }
    incoming.extent = isRetry ? .some(record.batch.locator.stepAnchors(of: record)) : .mostly
  }

  /// Keeps a record for the end of its source.
  func wait(_ incoming: Incoming) throws {
    try unmatched.add(
      incoming.kind, place: incoming.place().description, file: incoming.file, before: nil,
      original: incoming.original, line: incoming.line, rows: RowDelta(new: incoming.rows),
      isPartial: incoming.extent != .whole,
      said: incoming.said?.number)
  }

  /// The number under which members that a source can say are kept.
  func number(_ members: SaidMembers) -> Int {
    if let known = saids.firstIndex(where: { $0.members == members }) { return known }
    saids.append(SaidSource(number: saids.count, members))
    return saids.count - 1
  }
}
