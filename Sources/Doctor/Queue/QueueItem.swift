import Content
import Diagnostics
import JSONText
import SQLiteLibrary

/// The data of an item that the queue's examination needs.
struct QueueItem {
  let row: LibraryScan.Row
  let item: LibraryItem
  /// The whole record, for payloads that must be rebuilt.
  let line: String

  init?(_ found: LibraryScan.Found) throws {
    guard let row = found.rows.first(where: { $0.table == TableMaps.content.table }),
      case .item(let item) = try TypedRecord(json: JSONDocument(parsing: found.line).root)
    else { return nil }
    self.row = row
    self.item = item
    line = String(decoding: found.line, as: UTF8.self)
  }
}
