import Content
import Interchange

/// What ids of a table's items are derived from, and what is the same for all of its rows.
struct TableScope: Sendable {
  /// Where the table is from; rejected rows that are read again are from the table that rejected them.
  let origin: TableOrigin
  /// What a list is called that does not say it: the sheet, or the file without its ending.
  let name: String
  /// Whether every record is partial: rows that are read again are never all rows of their item.
  let isPartial: Bool

  /// Begins the name of an item's id.
  func begin(_ deriver: inout IDDeriver, kind: StaticString) {
    deriver.begin()
    deriver.add(origin.source)
    deriver.add(origin.path)
    deriver.add(origin.sheet.map { "\(kind) \($0)" } ?? "\(kind)")
  }
}
