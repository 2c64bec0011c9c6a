import Interchange

/// Rejected rows that are imported again. Values that a row took from the rows above it are filled in, because the rows
/// above are not in the file.
final class RetriedRows: TableRows {
  private let source: any TableRows
  private let layout: TableLayout
  private let retry: RetryOrigin
  private let header: Int
  /// Whether the file still has all rows with which it was written.
  let isWhole: Bool
  private var given = 0
  /// The number of an unreadable row that may name the checklist or section of the following rows.
  private var broken: Int?

  /// The key under which the reasons record that a row depends on the rejected row above it, which is also in the file.
  static let follows = "follows"

  /// - Parameter header: the number of rows above the header.
  init(_ source: any TableRows, _ layout: TableLayout, header: Int, retry: RetryOrigin) throws {
    self.source = source
    self.layout = layout
    self.header = header
    self.retry = retry
    var row = TableRow()
    var count = 0
    try source.rewind()
    while true {
      do {
        guard try source.next(into: &row) else { break }
      } catch is TableRowError {}
      count += 1
    }
    isWhole = count - header - 1 == retry.rowCount
    try source.rewind()
  }

  func rewind() throws {
    given = 0
    broken = nil
    try source.rewind()
  }

  func expect(cells: Int?) { source.expect(cells: cells) }

  var progress: (done: Int, total: Int?) { source.progress }

  func next(into row: inout TableRow) throws -> Bool {
    given += 1
    do {
      guard try source.next(into: &row) else { return false }
    } catch let error as TableRowError {
      if following == nil { broken = row.number }
      throw error
    }
    if given <= header + 1 { return true }
    let list: [TableColumn] = layout.shape == .cards ? [.deck, .deckID] : [.checklist, .checklistID]
    let namesList = list.contains { !isBlank(row, layout.cells[$0]) }
    let known = self.known
    if let following { try follow(row, following, namesList) } else { broken = nil }
    if following == .list { return true }
    let leftList = list.contains { known[$0.rawValue] != nil } || known["key"] != nil
    if !namesList, list.contains(where: layout.has), !leftList || !isWhole, isBlank(row, layout.key) {
      throw TableRowError(
        "it has no \(list[0].rawValue), and the rows above it are not in this file", cell: layout.cells[list[0]])
    }
    // A row that names another checklist also begins another section.
    if namesList, leftList, names(another: known, row) { return true }
    for (name, value) in known {
      let cell = name == "key" ? layout.key : TableColumn(rawValue: name).flatMap { layout.cells[$0] }
      if let cell, isBlank(row, cell) { set(value, cell, &row) }
    }
    return true
  }

  /// The values that the current row took from the rows above it.
  private var known: [String: String] { isWhole && given > header + 1 ? retry.above(row: given - header - 1) : [:] }

  private var following: TableRowError.Following? { known[Self.follows].flatMap(TableRowError.Following.init) }

  /// Throws an error if the row that should name this row's checklist or section cannot be read.
  private func follow(
    _ row: borrowing TableRow, _ following: TableRowError.Following, _ namesList: Bool
  ) throws(TableRowError) {
    let own: [TableColumn] = following == .list ? [] : [.section, .sectionID]
    guard let broken, !(following == .list && namesList), !own.contains(where: { !isBlank(row, layout.cells[$0]) })
    else { return }
    let noun = following == .section ? "section" : layout.shape == .cards ? "deck" : "checklist"
    let cell: TableColumn = following == .section ? .section : layout.shape == .cards ? .deck : .checklist
    throw TableRowError(
      "the row that names its \(noun), line \(broken), could not be read", cell: layout.cells[cell],
      following: following)
  }

  /// Returns whether a row names a different checklist than the one to which it belonged.
  private func names(another known: [String: String], _ row: borrowing TableRow) -> Bool {
    let list: [TableColumn] = layout.shape == .cards ? [.deck, .deckID] : [.checklist, .checklistID]
    return !list.allSatisfy { column in
      guard let cell = layout.cells[column], !isBlank(row, cell), let value = known[column.rawValue] else {
        return true
      }
      return row.trimmed(cell).span.equals(value.utf8.span)
    }
  }

  private func isBlank(_ row: borrowing TableRow, _ cell: Int?) -> Bool {
    cell.map { row.trimmed($0).isEmpty } ?? true
  }

  private func set(_ text: String, _ cell: Int, _ row: inout TableRow) {
    while row.cells.count <= cell { row.cells.append(TableRow.Cell(start: row.bytes.count, length: 0)) }
    let start = row.bytes.count
    row.bytes.append(utf8: text)
    row.cells[cell] = TableRow.Cell(start: start, length: row.bytes.count - start)
  }
}
