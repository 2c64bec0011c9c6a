import Content
import Interchange
import JSONText

/// The cells that say whose work a checklist or deck is: the first row that fills one counts, the others repeat it.
///
/// A checklist is one fork of one original, so every row says the same.
struct LineageCells: ~Copyable {
  /// Whether the table has one of them.
  let isThere: Bool
  private var forkedFrom: GroupCell
  private var forkCount: GroupCell
  private var author: GroupCell
  private var authorID: GroupCell
  private var publicID: GroupCell

  init(_ layout: TableLayout) {
    isThere = TableColumn.lineage.contains(where: layout.has)
    forkedFrom = GroupCell(layout.cell(.forkedFromID))
    forkCount = GroupCell(layout.cell(.forkCount))
    author = GroupCell(layout.cell(.originalAuthorUsername))
    authorID = GroupCell(layout.cell(.originalAuthorUserID))
    publicID = GroupCell(layout.cell(.originalContentPublicID))
  }

  /// Forgets the group.
  mutating func begin() {
    forkedFrom.begin()
    forkCount.begin()
    author.begin()
    authorID.begin()
    publicID.begin()
  }

  /// Takes what a row says.
  mutating func take(_ row: borrowing TableRow, _ layout: TableLayout, _ problems: inout [RowProblem]) {
    Self.take(CellText.trimmed(row.text(forkedFrom.cell)), .forkedFromID, &forkedFrom, layout, &problems)
    Self.take(CellText.trimmed(row.text(forkCount.cell)), .forkCount, &forkCount, layout, &problems)
    Self.take(CellText.trimmed(row.text(author.cell)), .originalAuthorUsername, &author, layout, &problems)
    Self.take(CellText.trimmed(row.text(authorID.cell)), .originalAuthorUserID, &authorID, layout, &problems)
    Self.take(CellText.trimmed(row.text(publicID.cell)), .originalContentPublicID, &publicID, layout, &problems)
  }

  private static func take(
    _ text: UnsafeBufferPointer<UInt8>, _ column: TableColumn, _ cell: inout GroupCell, _ layout: TableLayout,
    _ problems: inout [RowProblem]
  ) {
    switch cell.look(text) {
    case .nothing: return
    case .other: problems.append(ListBuilder.differing(cell.cell, text, layout))
    case .first:
      guard let value = json(column, text) else {
        let said = "'\(layout.header(cell.cell))' says '\(CellText.shown(text))', \(why(column))"
        return problems.append(RowProblem(.cellValue, said, cell: cell.cell))
      }
      cell.set(text) { $0.append(utf8: value) }
    }
  }

  /// Writes a member's value.
  func write(_ column: TableColumn, into out: inout ByteBuffer) {
    switch column {
    case .forkedFromID where forkedFrom.isSet: out.append(forkedFrom.json.bytes)
    case .forkCount: if forkCount.isSet { out.append(forkCount.json.bytes) } else { out.append("0") }
    case .originalAuthorUsername where author.isSet: out.append(author.json.bytes)
    case .originalAuthorUserID where authorID.isSet: out.append(authorID.json.bytes)
    case .originalContentPublicID where publicID.isSet: out.append(publicID.json.bytes)
    default: out.append("null")
    }
  }

  // MARK: Values

  /// The value of a cell as JSON; nil when it is none.
  static func json(_ column: TableColumn, _ text: UnsafeBufferPointer<UInt8>) -> String? {
    switch column {
    case .forkedFromID, .originalAuthorUserID:
      return UUIDBits(text).map { "\"\($0.text)\"" }
    case .forkCount:
      guard let count = CellValue.integer(text), count >= 0 else { return nil }
      return String(count)
    default:
      var out = ByteBuffer(capacity: text.count + 2)
      out.appendJSONString(text)
      return String(decoding: out.bytes, as: UTF8.self)
    }
  }

  /// The member of an item that a column says.
  static func member(_ column: TableColumn, of item: JSONNode) -> JSONNode? {
    switch column {
    case .forkedFromID: item.member("forked_from_id")
    case .forkCount: item.member("fork_count")
    case .originalAuthorUsername: item.member("original_author_username")
    case .originalAuthorUserID: item.member("original_author_user_id")
    case .originalContentPublicID: item.member("original_content_public_id")
    default: nil
    }
  }

  /// Why a cell of a column has no value.
  static func why(_ column: TableColumn) -> String {
    column == .forkCount ? "which is no number of copies" : "which is no id"
  }

  // MARK: Writing

  private static let start = Array(",\"forked_from_id\":".utf8)
  private static let nothing = Array(
    (",\"forked_from_id\":null,\"fork_count\":0,\"original_author_username\":null,"
      + "\"original_author_user_id\":null,\"original_content_public_id\":null,").utf8)

  /// Whether an item's canonical line says whose work it is. What it repeats stands before its document.
  static func isSaid(in line: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = 0
    while at + start.count <= line.count {
      if line[at] == start[0], line[at...].starts(with: start) {
        return !line[at...].starts(with: nothing)
      }
      at += 1
    }
    return false
  }
}
