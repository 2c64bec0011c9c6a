import ArchiveIO
import Diagnostics
import Interchange

/// The rows of a sheet. A separate thread unpacks the sheet and reads ahead by a few batches at most.
final class SheetRows: TableRows {
  private let workbook: Workbook
  private let sheet: Workbook.Sheet
  private let findings: DiagnosticLog?
  private let sharing: SheetContext?
  private let cache: SheetCache?
  private var stream: SheetStream?
  private var ended: SheetNotes?
  private var batch: SheetBatch?
  private var at = 0
  /// The number of the next batch.
  private var index = 0
  private var packed = 0
  /// The last row whose findings were reported. When the sheet is read again, these findings are not repeated.
  private var reported = 0
  private var hasReportedEnd = false

  /// Creates the rows of a sheet. Features that are not imported are reported only once, even if the rows are read
  /// several times.
  /// - Parameter sharing: the state that the sheets of a source share; nil if no rows are kept and the sheet is parsed
  ///   again each time.
  init(
    _ sheet: Workbook.Sheet, of workbook: Workbook, findings: DiagnosticLog?, sharing: SheetContext? = nil
  ) {
    self.workbook = workbook
    self.sheet = sheet
    self.findings = findings
    self.sharing = sharing
    cache = sharing.map { SheetCache($0) }
  }

  func next(into row: inout TableRow) throws -> Bool {
    while true {
      if let batch, at < batch.rows.count {
        let found = batch.rows[at]
        at += 1
        row.removeAll()
        row.bytes.append(batch.bytes.start + found.firstByte, found.endByte - found.firstByte)
        for cell in batch.cells[found.firstCell..<found.endCell] { row.append(cell) }
        (row.number, row.offset, row.length) = (found.number, 0, 0)
        if let error = found.error { throw error }
        return true
      }
      guard let next = try nextBatch() else {
        if let ended { report(ended) }
        return false
      }
      (batch, at, packed) = (next, 0, next.packed)
      report(next)
    }
  }

  func rewind() throws {
    batch = nil
    (at, index, packed) = (0, 0, 0)
    guard cache == nil else { return }
    stream = nil
    ended = nil
  }

  /// Stops the thread. The next row that is not cached starts another thread.
  private func stop() { stream = nil }

  private func nextBatch() throws -> SheetBatch? {
    if let cache, index < cache.count {
      index += 1
      return try cache.batch(index - 1)
    }
    if ended != nil { return nil }
    let stream = self.stream ?? begin()
    guard let batch = try stream.queue.receive() else {
      ended = try stream.notes()
      self.stream = nil
      return nil
    }
    try cache?.append(batch)
    index += 1
    return batch
  }

  var progress: (done: Int, total: Int?) { (packed, workbook.file.packedSize(of: sheet.part)) }

  private func begin() -> SheetStream {
    if let sharing {
      if let other = sharing.live, other !== self { other.stop() }
      sharing.live = self
    }
    let stream = SheetStream(sheet, of: workbook, skipping: cache?.count ?? 0)
    self.stream = stream
    return stream
  }

  private func report(_ batch: SheetBatch) {
    for error in batch.errors where error.row > reported {
      findings?.report(
        Diagnostic(
          .workbookErrorCell, "the cell shows the error \(error.text)", at: place(error.row, error.column)))
    }
    // Each error is in the same batch as its row.
    reported = max(reported, batch.rows.last?.number ?? 0, batch.errors.last?.row ?? 0)
  }

  private func report(_ notes: SheetNotes) {
    guard !hasReportedEnd, let findings else { return }
    hasReportedEnd = true
    if notes.formulas > notes.valueless {
      let count = notes.formulas - notes.valueless
      findings.report(
        Diagnostic(
          .workbookFormulas,
          count == 1
            ? "the last saved value of a formula was read"
            : "the last saved values of \(count) formulas were read", at: place()))
    }
    if let first = notes.firstValueless {
      findings.report(
        Diagnostic(
          .workbookFormulaWithoutValue,
          notes.valueless == 1 ? "a formula has no saved value" : "\(notes.valueless) formulas have no saved value",
          at: place(first.row, first.column)))
    }
    if notes.merged > 0 {
      let more = notes.merged == 1 ? "" : " and \(notes.merged - 1) more"
      findings.report(
        Diagnostic(
          .workbookMerged, "cells are merged across columns: \(notes.firstMerged)\(more)", at: place()))
    }
  }

  private func place(_ row: Int? = nil, _ column: Int? = nil) -> Place {
    Place(file: workbook.file.path, member: sheet.name, line: row, column: column)
  }
}

/// One pass over a sheet, on a separate thread.
private final class SheetStream {
  let queue: BoundedQueue<SheetBatch>
  private let thread: Background<SheetNotes>

  init(_ sheet: Workbook.Sheet, of workbook: Workbook, skipping: Int) {
    // Almost all batches have the same size. A batch with a large row waits until the batches before it are consumed.
    let queue = BoundedQueue<SheetBatch>(capacity: 4 * SheetBatch.room) { $0.cost }
    self.queue = queue
    thread = Background {
      // The thread must not own the stream, because the stream would otherwise never be released.
      let result = Result { try Self.read(sheet, workbook, queue, skipping) }
      queue.end(result.map { _ in })
      return try result.get()
    }
  }

  deinit { queue.abandon() }

  /// Returns the features that are not imported. They are known only after all rows were read.
  func notes() throws -> SheetNotes { try thread.wait() }

  /// The error that ends the thread when the consumer has stopped reading.
  private struct Abandoned: Error {}

  private static func read(
    _ sheet: Workbook.Sheet, _ workbook: Workbook, _ queue: BoundedQueue<SheetBatch>, _ skipping: Int
  ) throws -> SheetNotes {
    // The number of sent batches, and the number of following batches that the consumer already has.
    var (sent, left) = (skipping, skipping)
    var isOverBudget = false
    func part() throws -> SheetPart {
      let strings = SharedStringCursor(try workbook.strings())
      var text = 0
      return SheetPart(formats: workbook.formats, dates: workbook.dates, strings: strings) { batch in
        text += batch.bytes.count
        guard workbook.text.take(text, of: sheet.part) else {
          isOverBudget = true
          throw workbook.text.failure(sheet, row: batch.rows.last?.number, workbook.file.path)
        }
        // Batches are identical in each pass, so cached batches need not be sent again.
        if left > 0 {
          left -= 1
          return
        }
        guard queue.send(batch) else { throw Abandoned() }
        sent += 1
      }
    }
    func check(_ isThere: Bool) throws {
      guard !isThere else { return }
      throw RunFailure(.mismatch, "read '\(workbook.file.path)': damaged: '\(sheet.part)' is missing")
    }
    var feed: PlainFeed<SheetPart>?
    do {
      // Unpack the sheet while the shared texts are being read.
      let ahead = ZipReadAhead(workbook.file, sheet.part)
      let part = try part()
      try check(
        workbook.file.parse(sheet.part, part, ahead: ahead) { parser in
          let made = PlainFeed(parser, part)
          feed = made
          return made
        })
      try part.finish()
      return part.notes
    } catch let error where !(error is Abandoned) && !isOverBudget && feed?.isPlaceLost == true {
      // Read the sheet again with only the parser, to find the error and its place.
      left = sent
      let part = try part()
      try check(workbook.file.parse(sheet.part, part, packed: { part.packed = $0 }))
      try part.finish()
      return part.notes
    }
  }
}
