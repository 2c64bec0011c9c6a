import ArchiveIO
import Content
import DelimitedText
import Diagnostics
import Foundation
import Interchange
import JSONText
import Synchronization
import TableShapes

/// Finds cells of a sheet. `book.xlsx!Steps:17:3` is row 17, column C.
///
/// Places are available immediately. The texts of rows come from a spool that is created at the first request. Creating
/// the spool takes one additional pass over the sheet, no matter how many requests there are.
final class SheetPlaces: TablePlaces {
  private enum Spool: @unchecked Sendable {
    case unread
    /// The spool, which is only used under the lock.
    case made(SheetSpool)
    case failed
  }

  private let workbook: Workbook
  private let sheet: Workbook.Sheet
  private let spool = Mutex<Spool>(.unread)

  init(_ sheet: Workbook.Sheet, of workbook: Workbook) {
    self.workbook = workbook
    self.sheet = sheet
  }

  var file: String { workbook.file.path }

  func place(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>?) -> LocatedPlace {
    LocatedPlace(Place(file: file, member: sheet.name, line: row.number, column: cell.map { $0 + 1 }))
  }

  func original(row: (number: Int, offset: Int)) -> [UInt8] {
    with(row.number) { Self.line(of: $0) } ?? []
  }

  func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]? { with(row.number) { Array($0.text(cell)) } }

  /// The CSV dialect in which sheet rows are written.
  static let dialect = DelimitedDialect(delimiter: UInt8(ascii: ","))

  /// Returns a row as a CSV line, without a line break.
  static func line(of row: borrowing TableRow) -> [UInt8] {
    var text = ByteBuffer(capacity: 1 << 10)
    var writer = DelimitedWriter(dialect)
    for cell in row.cells.indices { writer.append(row.text(cell).span, to: &text) }
    writer.endRow(&text)
    text.truncate(to: text.count - dialect.lineEnd.count)
    return Array(text.bytes)
  }

  private func with<Result: Sendable>(_ number: Int, _ use: (borrowing TableRow) -> Result) -> Result? {
    spool.withLock { state in
      if case .unread = state {
        let rows = SheetRows(sheet, of: workbook, findings: nil)
        state = (try? SheetSpool(rows)).map { .made($0) } ?? .failed
      }
      guard case .made(let spool) = state else { return nil }
      var row = TableRow()
      guard (try? spool.read(number, into: &row)) == true else { return nil }
      return use(row)
    }
  }
}

/// An unnamed file with all rows of a sheet, which allows random access. The sheet itself can only be read in order.
///
/// The position of every 64th row is stored. Each position takes 16 bytes of memory.
final class SheetSpool {
  private static let stride = 64

  private let descriptor: Int32
  private var marks: [(number: Int, offset: Int)] = []
  private var size = 0
  private var window = ByteBuffer(capacity: 1 << 14)
  private var start = 0

  /// Reads a sheet once.
  /// - Throws: `RunFailure` if the sheet cannot be read or the disk is full.
  init(_ rows: SheetRows) throws {
    let folder = TemporaryFolder.root
    descriptor = try FileBytes.unnamed(in: folder)
    let sink = ByteSink(descriptor: descriptor, name: "a temporary file in \(folder)")
    var row = TableRow()
    var count = 0
    while true {
      do {
        guard try rows.next(into: &row) else { break }
      } catch is TableRowError {
        // An unusable row still has cells.
      }
      if count & 0xFFF == 0 { try Interruption.check() }
      if count % Self.stride == 0 { marks.append((row.number, sink.count)) }
      count += 1
      var numbers: [UInt32] = []
      for (column, cell) in row.cells.enumerated() where cell.length > 0 {
        numbers += [UInt32(column), UInt32(cell.start), UInt32(cell.length)]
      }
      numbers = [UInt32(row.number), UInt32(numbers.count / 3), UInt32(row.bytes.count)] + numbers
      try numbers.withUnsafeBytes { try sink.write($0.bindMemory(to: UInt8.self).span) }
      try sink.write(row.bytes.bytes.span)
    }
    try sink.flush()
    size = sink.count
  }

  deinit { close(descriptor) }

  /// Finds a row by its number.
  /// - Returns: false if no row has this number.
  /// - Throws: `RunFailure` if the file cannot be read.
  func read(_ number: Int, into row: inout TableRow) throws -> Bool {
    // Find the last mark that is not after the row.
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return false }
    var at = marks[low - 1].offset
    while at < size {
      let found = try u32(at)
      let (cells, bytes) = (try u32(at + 4), try u32(at + 8))
      if found == number {
        row.removeAll()
        row.number = number
        for cell in 0..<cells {
          let place = at + 12 + 12 * cell
          row.append(
            SheetBatch.Cell(
              column: UInt32(try u32(place)), start: UInt32(try u32(place + 4)), length: UInt32(try u32(place + 8))))
        }
        try fill(at + 12 + 12 * cells, bytes)
        row.bytes.append(
          window.bytes.span.extracting(droppingFirst: at + 12 + 12 * cells - start).extracting(first: bytes))
        return true
      }
      if found > number { return false }
      at += 12 + 12 * cells + bytes
    }
    return false
  }

  private func u32(_ at: Int) throws -> Int {
    try fill(at, 4)
    return Int(window.bytes.span.halfWord(at: at - start))
  }

  /// Reads bytes of the file into the window, unless they are already there.
  private func fill(_ at: Int, _ count: Int) throws {
    if at >= start, at + count <= start + window.count { return }
    window.removeAll()
    start = at
    while window.count < count {
      let offset = off_t(at + window.count)
      let got = try window.append(room: max(1 << 13, count)) { room throws -> Int in
        let got = pread(descriptor, room.baseAddress, room.count, offset)
        if got < 0 { throw RunFailure(.failed, "read a temporary file: \(SystemError.last)") }
        return got
      }
      guard got > 0 else { throw RunFailure(.internalError, "read a temporary file: it ends too early") }
    }
  }
}
