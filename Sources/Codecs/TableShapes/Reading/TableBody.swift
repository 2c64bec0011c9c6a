import Diagnostics
import Interchange
import JSONText

/// The rows of a table of which the header is known: without headers that are repeated, and without rows of which
/// nobody can say what they belong to.
///
/// Rows of the latter kind are thrown as `TableRowError`, as those that cannot be read.
final class TableBody: TableRows {
  private let source: any TableRows
  private let layout: TableLayout
  private let header: Int
  private let places: any TablePlaces
  private let findings: DiagnosticLog
  private let isSheet: Bool
  private let headers: [[UInt8]]
  private let first: UInt8?
  private var key = -1
  private var lost: LostNaming
  private let isGuarded: Bool
  private var given = 0
  /// Headers up to this row were reported: a table is read more than once.
  private var reported = 0

  /// - Parameter header: how many rows stand above the header.
  init(
    _ source: any TableRows, _ layout: TableLayout, header: Int, isSheet: Bool, places: any TablePlaces,
    findings: DiagnosticLog
  ) {
    self.source = source
    self.layout = layout
    self.header = header
    self.isSheet = isSheet
    self.places = places
    self.findings = findings
    headers = layout.headers.map { Array($0.utf8) }
    first = headers.first?.first
    lost = LostNaming(layout, key: -1, isSheet: isSheet)
    // Every row of a catalogue says what it is.
    isGuarded = layout.shape != .catalogue
  }

  /// From now on a column tells items apart.
  /// - Parameter key: its cell; -1 for none.
  func tellItems(by key: Int) {
    self.key = key
    lost = LostNaming(layout, key: key, isSheet: isSheet)
  }

  func rewind() throws {
    given = 0
    lost = LostNaming(layout, key: key, isSheet: isSheet)
    try source.rewind()
  }

  func expect(cells: Int?) { source.expect(cells: cells) }

  var progress: (done: Int, total: Int?) { source.progress }

  func next(into row: inout TableRow) throws -> Bool {
    while true {
      given += 1
      do {
        guard try source.next(into: &row) else { return false }
      } catch let error as TableRowError {
        if given <= header + 1 || !isGuarded { throw error }
        throw lost.lose(row, error)
      }
      if given <= header + 1 { return true }
      if let cell = cellOfMarks(row) {
        let limit = JSONLimits.combiningMarks
        let error = TableRowError("more than \(limit) combining marks follow each other out of order", cell: cell)
        throw isGuarded ? lost.lose(row, error) : error
      }
      if isHeader(row) {
        report(row)
        continue
      }
      if isGuarded, let error = lost.take(row) { throw error }
      return true
    }
  }

  /// A cell of more combining marks than any record may have.
  @inline(__always)
  private func cellOfMarks(_ row: borrowing TableRow) -> Int? {
    for cell in row.cells.indices where row.cells[cell].length > 2 * JSONLimits.combiningMarks {
      if MarkRuns.isTooLong(in: row.text(cell)) { return cell }
    }
    return nil
  }

  /// Whether a row says what the header says.
  @inline(__always)
  private func isHeader(_ row: borrowing TableRow) -> Bool {
    // Nearly all rows begin with another letter.
    if let first, row.bytes.count > 0, let cell = row.cells.first, cell.length > 0, row.text(0)[0] != first,
      row.text(0)[0] > 0x20, row.text(0)[0] < 0x80
    {
      return false
    }
    return saysHeader(row)
  }

  private func saysHeader(_ row: borrowing TableRow) -> Bool {
    for (cell, header) in headers.enumerated() {
      guard header.withUnsafeBufferPointer({ CellText.same($0, CellText.trimmed(row.text(cell))) }) else {
        return false
      }
    }
    return row.cells.indices.dropFirst(headers.count).allSatisfy { CellText.trimmed(row.text($0)).isEmpty }
  }

  private func report(_ row: borrowing TableRow) {
    guard row.number > reported else { return }
    reported = row.number
    let found = places.place(row: (row.number, row.offset), cell: nil, part: nil)
    findings.report(
      Diagnostic(
        .repeatedHeader, "this row says what the header says, and is no row of its own", at: found.place,
        excerpt: found.excerpt))
  }
}
