import Content
import Diagnostics
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
    incoming.lostRows = { record.batch.locator.lostRows(of: record) }
  }

  /// Says which steps were kept although no row has them any more: a row that was rejected may have been theirs, so
  /// nothing goes, and what somebody deleted waits.
  func reportKept(_ steps: [RecordOverlay.Kept], of incoming: Incoming) {
    guard !steps.isEmpty else { return }
    let lost = incoming.lostRows()
    // What a rejected row says stays, as anybody would expect.
    let kept = steps.filter { step in
      guard let lost else { return true }
      return !lost.ids.contains(step.id) && !lost.titles.contains(step.title)
    }
    guard !kept.isEmpty else { return }
    let noun = incoming.isDeck ? "card" : "step"
    let isOne = kept.count == 1
    let names = kept.prefix(3).map { "'\(String(decoding: $0.title.prefix(200), as: UTF8.self))'" }
    let more = kept.count > names.count ? " …" : ""
    var why = "a row of it was rejected"
    if let lost {
      let number = lost.first.line.map { "row \($0)" } ?? "a row"
      let others = lost.count - 1
      why =
        others == 0
        ? "\(number) was rejected" : "\(number) and \(others) other\(others == 1 ? "" : "s") were rejected"
    }
    context.findings.report(
      Diagnostic(
        .keptForRejected,
        "\(kept.count) \(noun)\(isOne ? "" : "s") that no other row of the table has (\(names.joined(separator: ", "))\(more)) "
          + "\(isOne ? "was" : "were") kept, because \(why)",
        at: incoming.place(), record: "\(incoming.isDeck ? "deck" : "checklist") \(incoming.idText)",
        title: incoming.title))
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
