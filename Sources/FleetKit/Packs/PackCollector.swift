import ContentPack
import FleetKitCore
import Interchange
import JSONText
import Synchronization

/// Takes what a validation lets pass into a pack, and accounts for every record.
///
/// The reading thread only counts; everything else is one thread's.
final class PackCollector: ValidationFollower, @unchecked Sendable {
  private struct State {
    var tally = Tally()
    /// Attachments that wait until all items are known, each in a batch of its own.
    var attachments: [Record] = []
  }

  private let assembly: PackAssembly
  private let losses: LossLog
  private let state = Mutex(State())

  init(_ assembly: PackAssembly, losses: LossLog) {
    self.assembly = assembly
    self.losses = losses
  }

  /// What became of the records so far.
  var tally: Tally {
    state.withLock { state in
      var tally = state.tally
      for kind in tally.order {
        // What nobody took was left out by the selection, or was never meant.
        let counted = tally[kind]
        let rest = counted.read - counted.created - counted.rejected - counted.skipped.values.reduce(0, +)
        guard rest > 0 else { continue }
        tally[kind].skipped[kind == .item ? .notSelected : .notContent, default: 0] += rest
      }
      return tally
    }
  }

  func read(_ batch: RecordBatch) {
    state.withLock { state in
      for slot in batch.slots { state.tally[slot.kind].read += 1 }
      for record in batch.rejected {
        state.tally[record.kind].read += 1
        state.tally[record.kind].rejected += 1
      }
    }
  }

  func take(_ batch: RecordBatch, failed: Bool) throws -> [Diagnostic] {
    var findings: [Diagnostic] = []
    // Nothing is built any more; the rest is only checked.
    if failed || !batch.rejected.isEmpty { return [] }
    for (record, outcome) in zip(batch.records, try assembly.begin(items: batch, losses: losses)) {
      switch outcome {
      case .taken: state.withLock { $0.tally[.item].created += 1 }
      case .repeated:
        findings.append(
          Diagnostic(
            .duplicateRecord, "the pack has an item \(record.id) already", at: record.place(),
            record: "item \(record.id)", title: record.title))
      case .noItem: if record.kind == .attachment { keep(record) }
      }
    }
    return findings
  }

  private func keep(_ record: Record) {
    let own = RecordBatch(like: record.batch, capacity: 512)
    record.withLine { own.canonical.append($0) }
    own.appendSlot(.attachment, from: 0)
    state.withLock { $0.attachments.append(Record(batch: own, index: 0)) }
  }

  /// Adds the attachments that items of the pack use, with their bytes.
  func addAttachments() throws {
    for record in state.withLock({ $0.attachments }) {
      let used = (try? record.document())?.root["item_ids"]?.elements.compactMap(\.string) ?? []
      if !used.contains(where: assembly.hasItem) {
        state.withLock { $0.tally[.attachment].skipped[.unusedAttachment, default: 0] += 1 }
      } else if try assembly.add(mediaOf: record) {
        try assembly.add(records: record.batch)
        state.withLock { $0.tally[.attachment].created += 1 }
      } else {
        state.withLock { $0.tally[.attachment].skipped[.missingBytes, default: 0] += 1 }
      }
    }
  }
}
