import ArchiveIO
import Diagnostics
import Foundation
import Interchange
import JSONText

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
        row.bytes.append(batch.bytes.bytes.span.extracting(found.firstByte..<found.endByte))
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
        guard workbook.text.claim(text, of: sheet.part) else {
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
      // Unpack the sheet while the shared strings are being read.
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

/// A batch of rows that the reading thread of a sheet passes to the consuming thread.
final class SheetBatch: @unchecked Sendable {
  /// The reason why a row cannot be part of a table.
  enum Problem: UInt8, BitwiseCopyable {
    case tooManyColumns, doubledCell
  }

  /// A cell with text: its column, and the range of its text in the row's bytes.
  ///
  /// Cells without text are left out, because a row may have its only cell in column 1024.
  struct Cell: BitwiseCopyable {
    /// The column, from 0.
    var column: UInt32
    var start: UInt32
    var length: UInt32
  }

  /// A row: the ranges of its cells and of their bytes in the batch.
  struct Row: BitwiseCopyable {
    var number: Int
    var firstByte: Int
    var endByte: Int
    var firstCell: Int
    var endCell: Int
    /// The reason why the row cannot be used; nil for a usable row.
    var problem: Problem?
    /// The cell with the problem, from 0.
    var cell: Int

    /// The problem as an error message.
    var error: TableRowError? {
      problem.map { problem in
        let name = CellReference.text(cell + 1, number)
        return switch problem {
        case .tooManyColumns:
          TableRowError("it has a cell \(name), but only \(SheetPart.columns) columns are read", cell: cell)
        case .doubledCell: TableRowError("it has two cells \(name)", cell: cell)
        }
      }
    }
  }

  /// A cell that shows an error, such as `#N/A`.
  struct ErrorCell {
    let row: Int
    let column: Int
    let text: String
  }

  /// The initial capacity in bytes.
  static let room = 1 << 17

  /// The texts of all cells.
  let bytes: ByteBuffer
  /// The cells with text. The cells of a row are in the order of their columns.
  let cells: [Cell]
  /// The rows in order.
  let rows: [Row]
  /// The cells that show errors.
  let errors: [ErrorCell]
  /// The number of archive bytes that were read for the batch.
  let packed: Int

  init(_ bytes: consuming ByteBuffer, _ cells: [Cell], _ rows: [Row], _ errors: [ErrorCell], packed: Int) {
    self.bytes = bytes
    self.cells = cells
    self.rows = rows
    self.errors = errors
    self.packed = packed
  }

  /// The batch's size in memory, in bytes.
  var cost: Int {
    bytes.capacity + cells.count * MemoryLayout<Cell>.stride + rows.count * MemoryLayout<Row>.stride
  }
}

extension TableRow {
  /// Adds a sheet cell, preceded by any empty cells before it.
  mutating func append(_ cell: SheetBatch.Cell) {
    let start = Int(cell.start)
    while cells.count < Int(cell.column) { cells.append(Cell(start: start, length: 0)) }
    cells.append(Cell(start: start, length: Int(cell.length)))
  }
}

/// The state that all sheets of a source share while they are being read. Only one sheet is parsed at a time, and the
/// memory for all rows has one bound.
final class SheetContext {
  /// The sheet whose thread is running. The next sheet that starts stops this thread.
  weak var live: SheetRows?
  /// The number of bytes that are still available for keeping rows in memory.
  var room = 16 << 20
}

/// The rows of a sheet that were already read. They are kept so that the sheet is parsed only once even if it is read
/// again. Rows that exceed the shared memory are kept on disk.
final class SheetCache {
  private enum Kept {
    case memory(SheetBatch)
    case disk(offset: Int, bytes: Int, cells: Int, rows: Int, packed: Int)
  }

  private let sharing: SheetContext
  private var kept: [Kept] = []
  private var descriptor: Int32 = -1
  private var size = 0

  init(_ sharing: SheetContext) { self.sharing = sharing }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The number of batches.
  var count: Int { kept.count }

  /// Stores a batch.
  /// - Throws: `RunFailure` if the disk is full.
  func append(_ batch: SheetBatch) throws {
    if batch.cost <= sharing.room {
      sharing.room -= batch.cost
      kept.append(.memory(batch))
      return
    }
    let folder = TemporaryFolder.root
    let name = "a temporary file in \(folder)"
    if descriptor < 0 { descriptor = try FileBytes.unnamed(in: folder) }
    lseek(descriptor, off_t(size), SEEK_SET)
    try FileBytes.write(batch.bytes.bytes.span.bytes, to: descriptor, name: name)
    let (cells, rows) = (batch.cells, batch.rows)
    try FileBytes.write(cells.span.bytes, to: descriptor, name: name)
    try FileBytes.write(rows.span.bytes, to: descriptor, name: name)
    kept.append(
      .disk(
        offset: size, bytes: batch.bytes.count, cells: batch.cells.count, rows: batch.rows.count,
        packed: batch.packed))
    size +=
      batch.bytes.count + batch.cells.count * MemoryLayout<SheetBatch.Cell>.stride
      + batch.rows.count * MemoryLayout<SheetBatch.Row>.stride
  }

  /// Returns a stored batch, without the errors that its cells showed.
  /// - Throws: `RunFailure` if the batch cannot be read.
  func batch(_ index: Int) throws -> SheetBatch {
    switch kept[index] {
    case .memory(let batch): return batch
    case .disk(let offset, let bytes, let cells, let rows, let packed):
      var text = ByteBuffer(capacity: max(64, bytes))
      _ = try text.append(room: bytes) { room throws -> Int in
        try read(room, at: offset)
        return bytes
      }
      let cellsAt = offset + bytes
      let allCells: [SheetBatch.Cell] = try array(cells, at: cellsAt)
      let allRows: [SheetBatch.Row] = try array(rows, at: cellsAt + cells * MemoryLayout<SheetBatch.Cell>.stride)
      return SheetBatch(text, allCells, allRows, [], packed: packed)
    }
  }

  /// Reads an array of trivial values, which are stored in the process's own memory layout.
  private func array<Element>(_ count: Int, at offset: Int) throws -> [Element] {
    try Array(unsafeUninitializedCapacity: count) { room, initialized in
      try read(UnsafeMutableRawBufferPointer(room), at: offset)
      initialized = count
    }
  }

  private func read(_ room: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    var done = 0
    while done < room.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: room[done...])
      let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else {
        throw RunFailure(.failed, "read a temporary file: \(got < 0 ? SystemError.last : "it ends too early")")
      }
      done += got
    }
  }
}
