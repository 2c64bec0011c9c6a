import Interchange
import JSONText

/// Tells where the rows of another checklist or deck begin, row by row.
///
/// A row belongs to the item that its id names; without one to that of its key, without one to that of its title, and
/// without anything to that of the row above.
struct GroupTracker: ~Copyable {
  let idCell: Int
  let titleCell: Int
  let keyCell: Int
  /// What the current group is known by; empty for what its first row does not say.
  private(set) var id = ByteBuffer(capacity: 64)
  private(set) var title = ByteBuffer(capacity: 256)
  private(set) var key = ByteBuffer(capacity: 64)
  private var hasGroup = false

  /// What a group is known by.
  enum Anchor {
    case id, key, title
  }

  /// - Parameter key: the cell of the column that tells items apart; -1 for none.
  init(_ layout: TableLayout, key: Int) {
    let isDeck = layout.shape == .cards
    idCell = layout.cell(isDeck ? .deckID : .checklistID)
    titleCell = layout.cell(isDeck ? .deck : .checklist)
    keyCell = key
  }

  /// Whether there is anything to tell items apart by.
  var tellsApart: Bool { idCell >= 0 || titleCell >= 0 || keyCell >= 0 }

  /// What the current group is known by.
  var anchor: Anchor { id.count > 0 ? .id : key.count > 0 ? .key : .title }

  /// Moves to a row.
  /// - Returns: whether another group begins with it.
  @inline(__always)
  mutating func advance(_ row: borrowing TableRow) -> Bool {
    let rowID = CellText.trimmed(row.text(idCell))
    let rowKey = CellText.trimmed(row.text(keyCell))
    let rowTitle = CellText.trimmed(row.text(titleCell))
    if continues(rowID, rowKey, rowTitle) { return false }
    hasGroup = true
    id.removeAll()
    id.append(rowID)
    key.removeAll()
    key.append(rowKey)
    title.removeAll()
    title.append(rowTitle)
    return true
  }

  /// Whether a row belongs to the current group.
  func isSame(_ row: borrowing TableRow) -> Bool {
    continues(
      CellText.trimmed(row.text(idCell)), CellText.trimmed(row.text(keyCell)), CellText.trimmed(row.text(titleCell)))
  }

  @inline(__always)
  private func continues(
    _ rowID: UnsafeBufferPointer<UInt8>, _ rowKey: UnsafeBufferPointer<UInt8>, _ rowTitle: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard hasGroup else { return false }
    if !rowID.isEmpty { return CellText.same(rowID, id.bytes) }
    if !rowKey.isEmpty { return CellText.same(rowKey, key.bytes) }
    return rowTitle.isEmpty || CellText.same(rowTitle, title.bytes)
  }

  /// Forgets the group.
  mutating func begin() { hasGroup = false }
}
