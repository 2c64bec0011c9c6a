import Content
import DelimitedText
import Diagnostics
import Interchange
import JSONText
import Synchronization
import TableShapes

/// Finds cells of a sheet. `book.xlsx!Steps:17:3` is row 17, column C.
///
/// Places are available immediately. The texts of rows come from a spool that is created at the first request. For the
/// spool, the sheet is read once more, regardless of the number of requests.
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
    for cell in row.cells.indices { writer.append(row.text(cell), to: &text) }
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
