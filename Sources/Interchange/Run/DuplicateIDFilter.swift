import Content
import Diagnostics

/// Keeps the first item of each id and rejects later ones, for formats that identify items by their ids.
///
/// Stores sixteen bytes for each item.
package struct DuplicateIDFilter {
  /// Two hashes of an id. Two ids practically never have both hashes in common.
  private struct Key: Hashable {
    let first, second: Int

    init(_ id: String) {
      var hasher = Hasher()
      hasher.combine(id)
      first = hasher.finalize()
      hasher = Hasher()
      hasher.combine(1)
      hasher.combine(id)
      second = hasher.finalize()
    }
  }

  private let context: RunContext
  /// The name of the target in messages: `the table`.
  private let target: String
  private var seen: Set<Key> = []

  package init(_ context: RunContext, in target: String) {
    self.context = context
    self.target = target
  }

  /// Rejects items of a batch with ids that occurred before.
  /// - Throws: `RunFailure` with status 2 if rejects stop the run.
  package mutating func rejectOthers(in batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    var repeated: Set<Int> = []
    for (index, slot) in batch.slots.enumerated() where slot.kind == .item {
      guard let id = RecordLine.id(of: batch.line(slot)), !seen.insert(Key(id)).inserted else { continue }
      repeated.insert(index)
    }
    if repeated.isEmpty { return }
    for index in repeated.sorted() {
      try reject(Record(batch: batch, index: index), tally: &tally, rejects: rejects)
    }
    batch.slots = batch.slots.enumerated().filter { !repeated.contains($0.offset) }.map(\.element)
  }

  private func reject(_ record: Record, tally: inout Tally, rejects: RejectsWriter) throws {
    let place = record.place()
    let message = "\(target) already has an item \(record.id); the first one is kept"
    context.findings.report(
      Diagnostic(
        .duplicateRecord, message, at: place, record: "item \(record.id)", title: record.title,
        why: "rows with the same id are one item, so the second would be merged into the first"))
    if context.onInvalid == .stop {
      throw RunFailure(
        .failed, "\(place): \(message); nothing was written",
        advice: "Correct the record, or add --on-invalid reject to continue without it.")
    }
    tally[.item].rejected += 1
    tally.rows.rejected += Int(record.slot.rows)
    try rejects.add(
      RejectedRecord(
        record, place: place.description,
        reasons: [RejectReason(code: DiagnosticCode.duplicateRecord.id, message: message, place: place.description)]))
  }
}
