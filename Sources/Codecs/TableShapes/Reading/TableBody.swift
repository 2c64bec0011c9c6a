import Diagnostics
import Interchange
import JSONText

/// The rows of a table after its header was found, without repeated headers, rows of totals, and rows with an unknown
/// checklist or section.
///
/// Rows of the last kind are thrown as `TableRowError`, like those that cannot be read.
final class TableBody: TableRows {
  private let source: any TableRows
  private let layout: TableLayout
  private let header: Int
  private let places: any TablePlaces
  private let findings: DiagnosticLog
  private let isSheet: Bool
  private let mayHaveTotals: Bool
  private let groups: [Int]
  private let headers: [[UInt8]]
  private let first: UInt8?
  private var key = -1
  private var lost: OrphanedRows
  private let isGuarded: Bool
  private var given = 0
  /// The last row that was reported: a table is read more than once.
  private var reported = 0

  /// - Parameter header: the number of rows above the header; -1 for a table without one.
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
    mayHaveTotals = layout.shape == .steps && !layout.isExact
    groups = [TableColumn.checklist, .section].compactMap { layout.cells[$0] }
    lost = OrphanedRows(layout, key: -1, isSheet: isSheet)
    // In a catalogue and in a list of charters every row is complete.
    isGuarded = layout.shape == .steps || layout.shape == .cards
  }

  /// Makes a column distinguish items from now on.
  /// - Parameter key: its cell; -1 for none.
  func tellItems(by key: Int) {
    self.key = key
    lost = OrphanedRows(layout, key: key, isSheet: isSheet)
  }

  func rewind() throws {
    given = 0
    lost = OrphanedRows(layout, key: key, isSheet: isSheet)
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
      if header >= 0, isHeader(row) {
        report(row, .repeatedHeader, "this row repeats the header and is not a row of its own")
        continue
      }
      if mayHaveTotals, TotalRow.isTotal(row, groups: groups) {
        report(row, .totalRow, "this row is a total, not a step")
        continue
      }
      if isGuarded, let error = lost.take(row) { throw error }
      return true
    }
  }

  /// Returns a cell with more combining marks than any record may have.
  @inline(__always)
  private func cellOfMarks(_ row: borrowing TableRow) -> Int? {
    for cell in row.cells.indices where row.cells[cell].length > 2 * JSONLimits.combiningMarks {
      if MarkRuns.isTooLong(in: row.text(cell)) { return cell }
    }
    return nil
  }

  /// Returns whether a row repeats the header.
  @inline(__always)
  private func isHeader(_ row: borrowing TableRow) -> Bool {
    // Nearly all rows begin with another letter.
    if let first, row.bytes.count > 0, let cell = row.cells.first, cell.length > 0, row.text(0)[0] != first,
      row.text(0)[0] > 0x20, row.text(0)[0] < 0x80
    {
      return false
    }
    return repeatsHeader(row)
  }

  private func repeatsHeader(_ row: borrowing TableRow) -> Bool {
    for (cell, header) in headers.enumerated() {
      guard header.withUnsafeBufferPointer({ CellScanner.same($0, CellScanner.trimmed(row.text(cell))) }) else {
        return false
      }
    }
    return row.cells.indices.dropFirst(headers.count).allSatisfy { CellScanner.trimmed(row.text($0)).isEmpty }
  }

  private func report(_ row: borrowing TableRow, _ code: DiagnosticCode, _ message: String) {
    guard row.number > reported else { return }
    reported = row.number
    let found = places.place(row: (row.number, row.offset), cell: nil, part: nil)
    findings.report(
      Diagnostic(code, message, at: found.place, excerpt: found.excerpt))
  }
}

/// Determines which rows take their checklist or section from a row that could not be read.
///
/// A row with empty cells continues the row above. If that one could not be read and may have opened a checklist, the
/// rows after it would be added to the checklist before it. Instead they are rejected, up to the next row that names
/// its checklist. The same applies to sections within a checklist.
private struct OrphanedRows: ~Copyable {
  private let sectionCells: [Int]
  private let headers: Int
  private let noun: String
  private let rowNoun: String
  private let listCells: [Int]
  private var tracker: GroupTracker
  /// The number of the row that may have opened the checklist of the following rows.
  private var list: Int?
  /// Whether it certainly did.
  private var isOther = false
  /// The number of the row that may have opened the section of the following rows.
  private var section: Int?
  /// The checklist that this second row names.
  private var name: [UInt8]?

  /// What is known of a cell in an unreadable row.
  private enum Cell {
    case blank, filled, unknown
  }

  /// - Parameters:
  ///   - key: the cell of the column that distinguishes items; -1 for none.
  ///   - isSheet: whether rows are those of a sheet, not lines.
  init(_ layout: TableLayout, key: Int, isSheet: Bool) {
    tracker = GroupTracker(layout, key: key)
    let isDeck = layout.shape == .cards
    listCells = [tracker.titleCell, tracker.idCell, key].filter { $0 >= 0 }
    sectionCells = isDeck ? [] : [layout.cell(.section), layout.cell(.sectionID)].filter { $0 >= 0 }
    headers = layout.headers.count
    noun = isDeck ? "deck" : "checklist"
    rowNoun = isSheet ? "row" : "line"
  }

  /// Checks a readable row.
  /// - Returns: why it still cannot be used; nil if it can.
  @inline(__always)
  mutating func take(_ row: borrowing TableRow) -> TableRowError? {
    let isNew = tracker.advance(row)
    return list == nil && section == nil ? nil : look(row, isNew)
  }

  private mutating func look(_ row: borrowing TableRow, _ isNew: Bool) -> TableRowError? {
    func fills(_ cells: [Int]) -> Bool { cells.contains { !CellScanner.trimmed(row.text($0)).isEmpty } }
    let namesList = fills(listCells)
    if let lost = list {
      guard namesList else {
        var error = TableRowError(
          "the row that names its \(noun), \(rowNoun) \(lost), could not be read", cell: listCells.first,
          following: .list)
        error.leavesList = isOther
        return error
      }
      list = nil
    }
    guard let lost = section else { return nil }
    let isElsewhere =
      namesList
      && (name.map { name in
        name.withUnsafeBufferPointer { !CellScanner.same($0, CellScanner.trimmed(row.text(tracker.titleCell))) }
      } ?? isNew)
    if isElsewhere || fills(sectionCells) {
      section = nil
      return nil
    }
    // Later rows without a checklist belong to the one that is named here.
    if namesList { (list, isOther) = (lost, isNew) }
    var error = TableRowError(
      "the row that names its section, \(rowNoun) \(lost), could not be read", cell: sectionCells.first,
      following: .section)
    error.staysInList = !isNew
    error.leavesList = isNew
    return error
  }

  /// Handles an unreadable row, of which some cells are known.
  /// - Returns: the error, completed with what is known of the row.
  mutating func lose(_ row: borrowing TableRow, _ error: TableRowError) -> TableRowError {
    var error = error
    if error.isBehind { return error }
    let opensList = state(listCells, of: row, error, isList: true)
    let opensSection = state(sectionCells, of: row, error, isList: false)
    if opensList == .blank {
      if list != nil { (error.following, error.leavesList) = (.list, isOther) } else { error.staysInList = true }
    } else if opensList == .filled, list == nil, tracker.isSame(row) {
      error.staysInList = true
    } else {
      (list, isOther) = (row.number, opensList == .filled)
      error.leavesList = isOther
    }
    if opensSection != .blank {
      section = row.number
      name = nil
      if opensList == .filled, tracker.titleCell >= 0 {
        let text = CellScanner.trimmed(row.text(tracker.titleCell))
        if !text.isEmpty { name = Array(text) }
      }
    } else if section != nil, error.following == nil, opensList == .blank {
      error.following = .section
    }
    return error
  }

  /// Returns whether one of the cells is filled.
  private func state(
    _ cells: [Int], of row: borrowing TableRow, _ error: TableRowError, isList: Bool
  ) -> Cell {
    var state = Cell.blank
    for cell in cells {
      var range = cell..<cell + 1
      if error.isRagged {
        // A missing delimiter moves cells to the left, an additional one to the right. The latter is mostly a comma in
        // a text, after the relevant cells; for a checklist this is not assumed.
        let missing = headers - row.cells.count
        range = max(0, cell - max(0, missing))..<cell + 1 + (isList ? max(0, -missing) : 0)
      }
      for index in range {
        if !row.cells.indices.contains(index) {
          state = .unknown
        } else if !CellScanner.trimmed(row.text(index)).isEmpty {
          return .filled
        }
      }
    }
    return state
  }
}
