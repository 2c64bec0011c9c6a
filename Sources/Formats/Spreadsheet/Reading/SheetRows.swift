import ArchiveIO
import Diagnostics
import Interchange

/// The rows of one sheet. A thread of its own unpacks and reads ahead, a few batches at most.
final class SheetRows: TableRows {
  private let workbook: Workbook
  private let sheet: Workbook.Sheet
  private let findings: DiagnosticLog?
  private let sharing: SheetSharing?
  private let cache: SheetCache?
  private var stream: SheetStream?
  private var ended: SheetNotes?
  private var batch: SheetBatch?
  private var at = 0
  /// Which batch comes next.
  private var index = 0
  private var packed = 0
  /// Up to this row findings were reported; they are not reported again when the sheet is read again.
  private var reported = 0
  private var hasReportedEnd = false

  /// Makes rows that report what is not taken over, once, however often they are read.
  /// - Parameter sharing: what the sheets of a source share; nil to keep nothing and to parse the sheet again each time.
  init(
    _ sheet: Workbook.Sheet, of workbook: Workbook, findings: DiagnosticLog?, sharing: SheetSharing? = nil
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

  /// Ends the thread; the next row that is not kept begins another.
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
    // Errors of a row come with the row, so that a batch never splits them.
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
            ? "a formula stands for the value that was saved last"
            : "\(count) formulas stand for the values that were saved last", at: place()))
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

/// One reading of a sheet, on its thread.
private final class SheetStream {
  let queue: BoundedQueue<SheetBatch>
  private let thread: Background<SheetNotes>

  init(_ sheet: Workbook.Sheet, of workbook: Workbook, skipping: Int) {
    // Nearly all batches have the same size; one with a large row waits until those before it are taken.
    let queue = BoundedQueue<SheetBatch>(capacity: 4 * SheetBatch.room) { $0.cost }
    self.queue = queue
    thread = Background {
      // The thread must not hold the stream: then nobody would ever end it.
      let result = Result { try Self.read(sheet, workbook, queue, skipping) }
      queue.end(result.map { _ in })
      return try result.get()
    }
  }

  deinit { queue.abandon() }

  /// What was seen; known when all rows have come.
  func notes() throws -> SheetNotes { try thread.wait() }

  /// Nobody wants more rows.
  private struct Abandoned: Error {}

  private static func read(
    _ sheet: Workbook.Sheet, _ workbook: Workbook, _ queue: BoundedQueue<SheetBatch>, _ skipping: Int
  ) throws -> SheetNotes {
    // How many batches have gone on their way, and how many of those that come now are known.
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
        // Batches are the same each time; those that are kept need not come again.
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
      // The sheet is unpacked while the shared texts are read.
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
      // The parser alone says what is wrong, and where.
      left = sent
      let part = try part()
      try check(workbook.file.parse(sheet.part, part, packed: { part.packed = $0 }))
      try part.finish()
      return part.notes
    }
  }
}
