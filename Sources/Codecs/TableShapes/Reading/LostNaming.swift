import Interchange
import JSONText

/// Tells which rows leave their checklist or section to a row that could not be read.
///
/// A row with empty cells continues the row above. Where that one could not be read and may have opened a checklist, the
/// rows behind it would come into the checklist before it: they wait for it in the rejects, up to the next row that
/// names its checklist. The same goes for sections within a checklist.
struct LostNaming: ~Copyable {
  private let sectionCells: [Int]
  private let headers: Int
  private let noun: String
  private let rowNoun: String
  private let listCells: [Int]
  private var tracker: GroupTracker
  /// The number of the row that may have opened the checklist of the rows behind it.
  private var list: Int?
  /// Whether it certainly did.
  private var isOther = false
  /// The number of the row that may have opened their section.
  private var section: Int?
  /// The checklist that the latter one names.
  private var name: [UInt8]?

  /// What can be said of a cell of a row that cannot be read.
  private enum Cell {
    case blank, filled, unknown
  }

  /// - Parameters:
  ///   - key: the cell of the column that tells items apart; -1 for none.
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

  /// Takes a row that can be read.
  /// - Returns: why it cannot be used all the same; nil when it can.
  @inline(__always)
  mutating func take(_ row: borrowing TableRow) -> TableRowError? {
    let isNew = tracker.advance(row)
    return list == nil && section == nil ? nil : look(row, isNew)
  }

  private mutating func look(_ row: borrowing TableRow, _ isNew: Bool) -> TableRowError? {
    func fills(_ cells: [Int]) -> Bool { cells.contains { !CellText.trimmed(row.text($0)).isEmpty } }
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
        name.withUnsafeBufferPointer { !CellText.same($0, CellText.trimmed(row.text(tracker.titleCell))) }
      } ?? isNew)
    if isElsewhere || fills(sectionCells) {
      section = nil
      return nil
    }
    // Rows behind this one that name no checklist mean the one that is named here.
    if namesList { (list, isOther) = (lost, isNew) }
    var error = TableRowError(
      "the row that names its section, \(rowNoun) \(lost), could not be read", cell: sectionCells.first,
      following: .section)
    error.staysInList = !isNew
    error.leavesList = isNew
    return error
  }

  /// Takes a row that cannot be read, with the cells that are known of it.
  /// - Returns: the error, with what is known of the row.
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
        let text = CellText.trimmed(row.text(tracker.titleCell))
        if !text.isEmpty { name = Array(text) }
      }
    } else if section != nil, error.following == nil, opensList == .blank {
      error.following = .section
    }
    return error
  }

  /// Whether some of the cells are filled.
  private func state(
    _ cells: [Int], of row: borrowing TableRow, _ error: TableRowError, isList: Bool
  ) -> Cell {
    var state = Cell.blank
    for cell in cells {
      var range = cell..<cell + 1
      if error.isRagged {
        // A delimiter that was lost moves cells to the left, one too many to the right. The latter is mostly a comma in a
        // text, behind the cells that matter; for a checklist it is not taken for granted.
        let missing = headers - row.cells.count
        range = max(0, cell - max(0, missing))..<cell + 1 + (isList ? max(0, -missing) : 0)
      }
      for index in range {
        if !row.cells.indices.contains(index) {
          state = .unknown
        } else if !CellText.trimmed(row.text(index)).isEmpty {
          return .filled
        }
      }
    }
    return state
  }
}
