import Content
import Diagnostics
import SQLiteIO

/// Reports queued operations that cannot do what they are meant to do.
enum OperationCheck {
  static func check(
    _ row: RowCursor, ids: IDNormalizer, encoder: borrowing RowEncoder
  ) throws(SQLiteError) {
    func text(_ column: String) -> String? {
      guard let index = row.map.columns.firstIndex(where: { $0.column == column }), row.positions[index] >= 0
      else { return nil }
      return row.statement.text(at: row.positions[index])
    }
    if text("payload") == nil {
      let isDone = text("syncedAt") != nil
      encoder.report(
        text("operation") == "unpublish" ? .payloadMissing : .payloadUndecodable,
        "the payload is NULL" + (isDone ? ", and the operation is marked as done" : ""), row, "payload")
    }
    if let content = text("contentID"), !ids.hasItem(content) {
      encoder.report(.operationWithoutContent, "the item \(content) is not there", row, "contentID")
    }
  }
}
