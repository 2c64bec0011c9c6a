import Content
import Diagnostics
import Foundation
import JSONText

/// Moves every record from readers to a writer and accounts for each of them.
///
/// Reading and writing overlap on two threads with a few batches between them. If a step fails, the writer is aborted
/// and nothing is visible.
public struct Pipeline: Sendable {
  /// The shared state of the run.
  public let context: RunContext
  /// The records to use; nil for all.
  public let selection: Selection?
  /// Receives, at intervals, the bytes done, the total (nil if unknown) and the records done.
  public let onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  /// Creates a pipeline.
  public init(
    context: RunContext, selection: Selection? = nil,
    onProgress: (@Sendable (Int, Int?, Int) -> Void)? = nil
  ) {
    self.context = context
    self.selection = selection
    self.onProgress = onProgress
  }

  /// Runs the pipeline to its end.
  /// - Parameter makeReaders: opens the sources one after another, on the reading thread.
  /// - Returns: The summary, whose counts have been reconciled.
  /// - Throws: `RunFailure`; in that case, the writer was aborted.
  public func run(
    _ makeReaders: [@Sendable () throws -> any ContentReader], into writer: any ContentWriter,
    rejects: RejectsWriter
  ) throws -> RunSummary {
    let started = Date()
    let queue = BoundedQueue.filled(capacity: 3) { [self] queue in try read(makeReaders, into: queue) }
    let arriving = writer.scout.map { Self.scouted(queue, by: $0) } ?? queue
    do {
      var tally = Tally()
      var damaged: Set<String> = []
      while let batch = try arriving.receive() {
        try Interruption.check()
        try write(batch, into: writer, tally: &tally, rejects: rejects)
        collectDamaged(batch, in: &damaged)
      }
      try writer.prepare(tally: &tally, rejects: rejects)
      try checkLimits(tally, final: true)
      if context.noLoss, context.losses.total > 0 {
        throw RunFailure(
          .refused,
          "\(Plural.count(context.losses.total, "loss", "losses")), and --no-loss forbids \(context.losses.total == 1 ? "it" : "them"); nothing was written",
          advice: "To list the losses, use --dry-run instead of --no-loss. A bundle keeps everything.")
      }
      tally.countRemainingRows()
      let total = tally.total
      if selection != nil, total.created + total.updated + total.unchanged + total.rejected == 0 {
        throw RunFailure(
          .refused, "none of \(Plural.count(total.read, "record")) matches the selection; nothing was written",
          advice: "To see what the selectors match, run 'fleetkit list' with them.")
      }
      guard tally.balances else {
        throw RunFailure(
          .internalError, "the record counts do not add up; nothing was written", advice: "Please report this.")
      }
      try Interruption.check()
      if context.dryRun {
        writer.abort()
        return RunSummary(
          tally: tally, bytesWritten: 0, notes: writer.noteCount, seconds: Date().timeIntervalSince(started),
          rejectsPaths: [], context: context, partsLost: partsLost(damaged))
      }
      // Rejects come first: if they cannot be stored, the target without them must not become visible.
      let rejectsPaths = try rejects.publish()
      let size = try writer.finish()
      return RunSummary(
        tally: tally, bytesWritten: size, notes: writer.noteCount, seconds: Date().timeIntervalSince(started),
        rejectsPaths: rejectsPaths, context: context, partsLost: partsLost(damaged))
    } catch {
      writer.abort()
      arriving.abandon()
      throw error
    }
  }

  /// Returns the batches of a queue after a prefetcher has processed them, on a thread between reader and writer.
  private static func scouted(
    _ queue: BoundedQueue<RecordBatch>, by scout: any BatchPrefetcher
  ) -> BoundedQueue<RecordBatch> {
    .filled(capacity: 2) { looked in
      // The reader may still wait for room. At the end of its records, this does nothing.
      defer { queue.abandon() }
      while let batch = try queue.receive() {
        scout.scout(batch)
        if !looked.send(batch) { return }
      }
    }
  }

  // MARK: The reading side

  private func read(
    _ makeReaders: [@Sendable () throws -> any ContentReader], into queue: BoundedQueue<RecordBatch>
  ) throws {
    for makeReader in makeReaders {
      let reader = try makeReader()
      var records = 0
      while let batch = try reader.next() {
        records += batch.count
        onProgress?(reader.progress.done, reader.progress.total, records)
        if !queue.send(batch) { return }
        try Interruption.check()
      }
    }
  }

  // MARK: The writing side

  private func write(
    _ batch: RecordBatch, into writer: any ContentWriter, tally: inout Tally, rejects: RejectsWriter
  ) throws {
    for record in batch.rejected {
      if !record.isPart { tally[record.kind].read += 1 }
      tally.rows.read += Int(record.rows)
      guard record.isSelected else {
        if !record.isPart { tally[record.kind].skipped[.notSelected, default: 0] += 1 }
        tally.rows.skipped += Int(record.rows)
        continue
      }
      if !record.isPart { tally[record.kind].rejected += 1 }
      tally.rows.rejected += Int(record.rows)
      if context.onInvalid == .stop {
        let reason = record.reasons.first
        throw RunFailure(
          .failed, "\(reason?.place ?? record.place): \(reason?.message ?? "cannot be used"); nothing was written",
          advice: "Correct the record, or add --on-invalid reject to continue without it.")
      }
      try rejects.add(record)
    }
    count(batch, into: &tally)
    if let selection { select(selection, in: batch, tally: &tally) }
    try writer.write(batch, tally: &tally, rejects: rejects)
    try checkLimits(tally, final: false)
  }

  /// Collects the ids of selected records that lost a part. The findings about them were reported earlier.
  private func collectDamaged(_ batch: RecordBatch, in damaged: inout Set<String>) {
    guard selection != nil, context.findings.counts[.partLost] != nil else { return }
    let lost = Set(context.findings.only(.partLost).kept.compactMap { $0.place.row?.id.uppercased() })
    for slot in batch.slots {
      if let id = RecordLine.id(of: batch.line(slot).span), lost.contains(id) { damaged.insert(id) }
    }
  }

  /// Returns the number of lost parts of the selected records.
  private func partsLost(_ damaged: Set<String>) -> Int {
    guard selection != nil else { return context.findings.counts[.partLost] ?? 0 }
    return context.findings.only(.partLost).kept.filter { damaged.contains($0.place.row?.id.uppercased() ?? "") }.count
  }

  /// Counts consecutive records of one kind together, because sources list records kind by kind.
  private func count(_ batch: RecordBatch, into tally: inout Tally) {
    var index = 0
    while index < batch.slots.count {
      let kind = batch.slots[index].kind
      let first = index
      while index < batch.slots.count, batch.slots[index].kind == kind {
        tally.rows.read += Int(batch.slots[index].rows)
        index += 1
      }
      tally[kind].read += index - first
    }
  }

  private func select(_ selection: Selection, in batch: RecordBatch, tally: inout Tally) {
    var kept: [RecordSlot] = []
    for (index, slot) in batch.slots.enumerated() {
      if selection.takes(Record(batch: batch, index: index)) {
        kept.append(slot)
      } else {
        tally[slot.kind].skipped[.notSelected, default: 0] += 1
        tally.rows.skipped += Int(slot.rows)
      }
    }
    batch.slots = kept
  }

  /// Throws if there are too many rejects. Rows count too, if there are any: one bad row of a checklist does not reject
  /// its record.
  private func checkLimits(_ tally: Tally, final: Bool) throws {
    let total = tally.total
    let countsRows = tally.rows.rejected > total.rejected
    let (rejected, read) = countsRows ? (tally.rows.rejected, tally.rows.read) : (total.rejected, total.read)
    let tooMany: Bool
    switch context.errorLimit {
    case .none: return
    case .count(let limit): tooMany = rejected > limit
    // A percentage is meaningful only when everything has been read.
    case .percent(let limit): tooMany = final && Double(rejected) * 100 > limit * Double(read)
    }
    if tooMany {
      throw RunFailure(
        .failed,
        "\(rejected) of \(read) \(countsRows ? "rows" : "records") cannot be used, which is more than "
          + "--max-errors allows; nothing was written")
    }
  }
}
