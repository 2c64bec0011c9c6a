import Diagnostics
import Interchange
import JSONText

/// The rows of a table below its header, without repeated headers, total rows, and rows whose checklist or section is
/// unknown.
///
/// For rows whose checklist or section is unknown, a `TableRowError` is thrown, as for rows that cannot be read.
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
  /// The number of the last row that was reported. It is stored because a table is read more than once.
  private var reported = 0

  /// - Parameter header: the number of rows above the header; -1 for a table without a header.
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
    // In catalogues and charter tables, every row is complete.
    isGuarded = layout.shape == .steps || layout.shape == .cards
  }

  /// Sets the column that distinguishes items from now on.
  /// - Parameter key: the cell of the column; -1 if no column distinguishes items.
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
        let error = TableRowError("more than \(limit) consecutive combining marks are out of order", cell: cell)
        throw isGuarded ? lost.lose(row, error) : error
      }
      if header >= 0, isHeader(row) {
        report(row, .repeatedHeader, "this row repeats the header")
        continue
      }
      if mayHaveTotals, TotalRow.isTotal(row, groups: groups) {
        report(row, .totalRow, "this row is a total, not a step")
        continue
      }
      if isGuarded, let error = lost.check(row) { throw error }
      return true
    }
  }

  /// Returns the index of a cell with more consecutive combining marks than a record may have, or nil if all cells are
  /// valid.
  @inline(__always)
  private func cellOfMarks(_ row: borrowing TableRow) -> Int? {
    for cell in row.cells.indices where row.cells[cell].length > 2 * JSONLimits.combiningMarks {
      if MarkRuns.isTooLong(in: row.text(cell).span) { return cell }
    }
    return nil
  }

  /// Returns whether a row repeats the header.
  @inline(__always)
  private func isHeader(_ row: borrowing TableRow) -> Bool {
    // Nearly every row begins with a different letter than the header.
    if let first, row.bytes.count > 0, let cell = row.cells.first, cell.length > 0, row.text(0)[0] != first,
      row.text(0)[0] > 0x20, row.text(0)[0] < 0x80
    {
      return false
    }
    return repeatsHeader(row)
  }

  private func repeatsHeader(_ row: borrowing TableRow) -> Bool {
    for (cell, header) in headers.enumerated() {
      guard row.trimmed(cell).span.equals(header.span) else { return false }
    }
    return row.cells.indices.dropFirst(headers.count).allSatisfy { row.trimmed($0).isEmpty }
  }

  private func report(_ row: borrowing TableRow, _ code: DiagnosticCode, _ message: String) {
    guard row.number > reported else { return }
    reported = row.number
    let found = places.place(row: (row.number, row.offset), cell: nil, part: nil)
    findings.report(
      Diagnostic(code, message, at: found.place, excerpt: found.excerpt))
  }
}

/// Determines which rows depend on a row that could not be read for their checklist or section.
///
/// A row with empty cells continues the row above. If the row above could not be read and may have begun a checklist,
/// the rows after it would be added to the wrong checklist. Instead, they are rejected, up to the next row that names
/// its checklist. The same applies to sections within a checklist.
private struct OrphanedRows: ~Copyable {
  private let sectionCells: [Int]
  private let headers: Int
  private let noun: String
  private let rowNoun: String
  private let listCells: [Int]
  private var tracker: GroupTracker
  /// The number of the unreadable row that may have begun the checklist of the following rows.
  private var list: Int?
  /// Whether that row certainly began another checklist.
  private var isOther = false
  /// The number of the unreadable row that may have begun the section of the following rows.
  private var section: Int?
  /// The checklist that the row in `section` names.
  private var name: [UInt8]?

  /// The known state of a cell in an unreadable row.
  private enum Cell {
    case blank, filled, unknown
  }

  /// - Parameters:
  ///   - key: the cell of the column that distinguishes items; -1 if no column does.
  ///   - isSheet: whether the rows are rows of a sheet and not lines of a file.
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
  /// - Returns: the reason why the row still cannot be used, or nil if it can be used.
  @inline(__always)
  mutating func check(_ row: borrowing TableRow) -> TableRowError? {
    let isNew = tracker.advance(row)
    return list == nil && section == nil ? nil : checkLosses(row, isNew)
  }

  private mutating func checkLosses(_ row: borrowing TableRow, _ isNew: Bool) -> TableRowError? {
    func fills(_ cells: [Int]) -> Bool { cells.contains { !row.trimmed($0).isEmpty } }
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
      && (name.map { !row.trimmed(tracker.titleCell).span.equals($0.span) } ?? isNew)
    if isElsewhere || fills(sectionCells) {
      section = nil
      return nil
    }
    // Later rows without a checklist belong to the checklist that this row names.
    if namesList { (list, isOther) = (lost, isNew) }
    var error = TableRowError(
      "the row that names its section, \(rowNoun) \(lost), could not be read", cell: sectionCells.first,
      following: .section)
    error.staysInList = !isNew
    error.leavesList = isNew
    return error
  }

  /// Handles an unreadable row, some of whose cells are known.
  /// - Returns: the error, completed with the known facts about the row.
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
        let text = row.trimmed(tracker.titleCell)
        if !text.isEmpty { name = Array(text) }
      }
    } else if section != nil, error.following == nil, opensList == .blank {
      error.following = .section
    }
    return error
  }

  /// Returns `.filled` if one of the cells is filled, `.blank` if all are blank, and `.unknown` otherwise.
  private func state(
    _ cells: [Int], of row: borrowing TableRow, _ error: TableRowError, isList: Bool
  ) -> Cell {
    var state = Cell.blank
    for cell in cells {
      var range = cell..<cell + 1
      if error.isRagged {
        // A missing delimiter moves cells to the left; an additional delimiter moves them to the right. An additional
        // delimiter is usually a comma in the text after the relevant cells, but this is not assumed for a checklist.
        let missing = headers - row.cells.count
        range = max(0, cell - max(0, missing))..<cell + 1 + (isList ? max(0, -missing) : 0)
      }
      for index in range {
        if !row.cells.indices.contains(index) {
          state = .unknown
        } else if !row.trimmed(index).isEmpty {
          return .filled
        }
      }
    }
    return state
  }
}

/// Recognizes total rows, which consist of numbers and a word for a sum.
///
/// - Source: formats/tables.md, "Rows that are not steps"
enum TotalRow {
  /// Returns whether the only text in a row is a word for a sum, and all other cells are empty or numbers, with at
  /// least one number.
  /// - Parameter groups: the columns of lists and sections, which may have text if the word is in another column.
  static func isTotal(_ row: borrowing TableRow, groups: [Int]) -> Bool {
    var word: Int?
    var group: Int?
    var hasNumber = false
    for cell in row.cells.indices {
      let text = row.trimmed(cell).span
      if text.isEmpty { continue }
      if isNumber(text) {
        hasNumber = true
      } else if groups.contains(cell) {
        group = cell
      } else if word == nil {
        word = cell
      } else {
        return false
      }
    }
    guard hasNumber, let found = word ?? group else { return false }
    return isWord(row.trimmed(found).span)
  }

  private static func isWord(_ text: Span<UInt8>) -> Bool {
    // The first letters rule out nearly all rows.
    guard text.count <= 64, text.withUnsafeBufferPointer({ beginnings.contains(beginning($0)) }) else { return false }
    return words.contains(HeaderFold.fold(String(decoding: text)))
  }

  /// Returns the first two bytes, with ASCII letters in lower case.
  private static func beginning(_ text: some Sequence<UInt8>) -> UInt32 {
    text.prefix(2).reduce(0) { $0 << 8 | UInt32($1 &- 0x41 < 26 ? $1 | 0x20 : $1) }
  }

  /// Returns whether a cell is an amount rather than a name.
  static func isAmount(_ cell: String) -> Bool {
    let text = cell.utf8.span
    return isNumber(text.extracting(CellScanner.trimmed(text)))
  }

  /// Returns whether a cell is an amount: digits, possibly with signs or a unit of up to three letters.
  private static func isNumber(_ text: Span<UInt8>) -> Bool {
    guard text.count <= 40 else { return false }
    var digits = 0
    var letters = 0
    for at in text.indices {
      let byte = text[at]
      if byte &- 0x30 < 10 { digits += 1 } else if (byte | 0x20) &- 0x61 < 26 || byte >= 0xC0 { letters += 1 }
    }
    return digits > 0 && letters <= 3
  }

  private static let words: Set<String> = Set(
    ("total, totals, subtotal, sub total, grand total, sum, overall, summe, gesamt, gesamtsumme, insgesamt, "
      + "zwischensumme, total général, total generale, sous-total, somme, total general, suma, suma total, totale, "
      + "totale generale, subtotale, somma, итого, всего, итог, сумма, общий итог, промежуточный итог, total time, "
      + "gesamtdauer, gesamtzeit, durée totale, tiempo total, tempo totale, общее время")
      .split(separator: ",").map { HeaderFold.fold(String($0)) })

  private static let beginnings = Set(words.flatMap { [beginning($0.utf8), beginning($0.uppercased().utf8)] })
}
