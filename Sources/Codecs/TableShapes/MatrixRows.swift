import Content
import Diagnostics
import Interchange
import JSONText

/// Reads a table whose columns are sections, with step titles below the headers, as rows of section and step.
///
/// - Source: formats/tables.md, "Columns that are sections"
final class MatrixRows: TableRows {
  /// The factor that encodes a cell's number in an offset. No row has more cells than this.
  static let stride = 1 << 15
  /// The meaning of the rows that this reader returns.
  static let layout = TableLayout(
    shape: .steps, headers: [TableColumn.section.rawValue, TableColumn.item.rawValue], cells: [.section: 0, .item: 1],
    unknown: [], doubled: [], leftOut: [], key: nil)

  private let source: any TableRows
  private let header: Int
  private let headers: [[UInt8]]
  private var current = TableRow()
  private var cell = 0
  private var skipped = false

  /// - Parameter header: the number of rows above the row with the sections.
  init(_ source: any TableRows, headers: [String], header: Int) throws {
    self.source = source
    self.header = header
    self.headers = headers.map { Array($0.utf8) }
    try rewind()
  }

  func rewind() throws {
    source.expect(cells: headers.count)
    try source.rewind()
    skipped = false
    current.removeAll()
    cell = 0
  }

  var progress: (done: Int, total: Int?) { source.progress }

  func next(into row: inout TableRow) throws -> Bool {
    if !skipped {
      try TableGrouping.rewind(source, behind: header)
      skipped = true
    }
    while true {
      while current.cells.indices.contains(cell) {
        let text = current.trimmed(cell).span
        defer { cell += 1 }
        if text.isEmpty { continue }
        row.removeAll()
        row.number = current.number
        row.offset = current.offset &* Self.stride + min(cell, Self.stride - 1)
        row.length = current.length
        let name = headers.indices.contains(cell) ? headers[cell] : []
        row.bytes.append(name.span)
        row.cells.append(TableRow.Cell(start: 0, length: name.count))
        row.bytes.append(text)
        row.cells.append(TableRow.Cell(start: name.count, length: text.count))
        return true
      }
      cell = 0
      current.removeAll()
      do {
        guard try source.next(into: &current) else { return false }
      } catch {
        row.removeAll()
        row.number = current.number
        row.offset = current.offset &* Self.stride
        row.length = current.length
        current.removeAll()
        throw error
      }
    }
  }

  // MARK: Which tables are read so

  /// Returns the headers of a table whose columns are sections, or nil if it is not certain that the columns are
  /// sections.
  ///
  /// This is certain for a table with at least two columns and two rows of short texts without numbers, in which each
  /// column has a different header of a few words, no text occurs twice in a column, and only the ends of columns are
  /// empty. A table with two columns of the same length may be anything.
  /// - Parameter asked: whether the user declared that the columns are sections. If so, every table is read this way.
  static func headers(of rows: any TableRows, asked: Bool) throws -> [String]? {
    rows.expect(cells: nil)
    try rows.rewind()
    var row = TableRow()
    do {
      guard try rows.next(into: &row) else { return nil }
    } catch is TableRowError {
      return nil
    }
    let headers = row.trimmedTexts
    if asked { return headers }
    guard (2...mostColumns).contains(headers.count), Set(headers.map(HeaderFold.fold)).count == headers.count,
      headers.allSatisfy({ isName($0) })
    else { return nil }
    var seen = Set(headers.enumerated().map { KeyHash($1, column: $0) })
    var lengths = Array(repeating: 0, count: headers.count)
    var words = 0
    var count = 0
    while true {
      do {
        guard try rows.next(into: &row) else { break }
      } catch is TableRowError {
        return nil
      }
      count += 1
      guard count <= mostRows, row.cells.count <= headers.count else { return nil }
      for cell in row.cells.indices {
        let text = row.trimmed(cell).span
        if text.isEmpty { continue }
        guard lengths[cell] == count - 1, text.count <= mostBytes, !text.contains(0x0A), !isNumber(text) else {
          return nil
        }
        let title = String(decoding: text)
        guard seen.insert(KeyHash(title, column: cell)).inserted else { return nil }
        lengths[cell] = count
        words += title.split(separator: " ").count
      }
    }
    let titles = lengths.reduce(0, +)
    guard count > 1, lengths.allSatisfy({ $0 > 0 }), headers.count > 2 || lengths[0] != lengths[1] else { return nil }
    // Sections have short names; steps may have longer titles.
    let headerWords = headers.reduce(0) { $0 + $1.split(separator: " ").count }
    return headerWords * titles <= words * headers.count ? headers : nil
  }

  private static let mostColumns = 40
  private static let mostRows = 2000
  private static let mostBytes = 300

  /// Returns whether a header may be the name of a section.
  private static func isName(_ header: String) -> Bool {
    header.utf8.count <= 80 && header.contains(where: \.isLetter)
      && header.allSatisfy { $0.isLetter || $0 == " " || $0 == "-" || $0 == "&" || $0 == "/" || $0 == "'" }
      && header.split(separator: " ").count <= 3
  }

  /// Returns whether text is a number, an amount or a date, which has digits and fewer letters than digits.
  static func isNumber(_ text: Span<UInt8>) -> Bool {
    var digits = 0
    var letters = 0
    for at in text.indices {
      let byte = text[at]
      if byte &- 0x30 < 10 { digits += 1 } else if (byte | 0x20) &- 0x61 < 26 || byte >= 0xC0 { letters += 1 }
    }
    return digits > 0 && letters <= digits
  }
}

extension KeyHash {
  /// Hashes the text of a cell in a column, ignoring case.
  fileprivate init(_ text: String, column: Int) {
    self = KeyHash((HeaderFold.fold(text) + "\0\(column)").utf8.span, kind: 4)
  }
}

/// Finds the cells of a table whose columns are sections.
struct MatrixPlaces: TablePlaces {
  let places: any TablePlaces

  var file: String { places.file }

  func place(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>?) -> LocatedPlace {
    switch cell {
    case 1?: places.place(row: source(row), cell: column(row), part: part)
    default: places.place(row: source(row), cell: cell == nil ? nil : column(row), part: nil)
    }
  }

  func original(row: (number: Int, offset: Int)) -> [UInt8] { places.original(row: source(row)) }

  func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]? {
    cell == 1 ? places.text(row: source(row), cell: column(row)) : nil
  }

  private func source(_ row: (number: Int, offset: Int)) -> (number: Int, offset: Int) {
    (row.number, row.offset / MatrixRows.stride)
  }

  private func column(_ row: (number: Int, offset: Int)) -> Int { row.offset % MatrixRows.stride }
}
