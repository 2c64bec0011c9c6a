import Content
import Diagnostics
import SQLiteIO

/// Reports queued operations that cannot do what they are meant to do.
enum OperationCheck {
  /// Whether the app marked the operation as sent: then it is history, and how it was written matters no more.
  static func isDone(_ row: RowCursor) -> Bool {
    guard let index = row.map.columns.firstIndex(where: { $0.column == "syncedAt" }), row.positions[index] >= 0
    else { return false }
    return row.statement.storage(at: row.positions[index]) != .null
  }

  /// Whether an operation only takes something back. What it is called in words that nobody knows, it may be.
  static func isWithdrawal(_ row: RowCursor) -> Bool {
    guard let index = row.map.columns.firstIndex(where: { $0.column == "operation" }), row.positions[index] >= 0,
      row.statement.storage(at: row.positions[index]) == .text
    else { return true }
    return !(row.statement.text(at: row.positions[index]) ?? "").hasPrefix("publish")
  }

  static func check(
    _ row: RowCursor, ids: IDNormalizer, encoder: borrowing RowEncoder
  ) throws(SQLiteError) {
    func text(_ column: String) -> String? {
      guard let index = row.map.columns.firstIndex(where: { $0.column == column }), row.positions[index] >= 0
      else { return nil }
      return row.statement.text(at: row.positions[index])
    }
    if text("payload") == nil {
      let isDone = isDone(row)
      encoder.report(
        text("operation") == "unpublish" ? .payloadMissing : .payloadUndecodable,
        "the payload is NULL" + (isDone ? ", and the operation is marked as done" : ""), row, "payload",
        severity: isDone ? .note : nil)
    }
    if let content = text("contentID"), !ids.hasItem(content) {
      encoder.report(.operationWithoutContent, "the item \(content) is not there", row, "contentID")
    }
  }
}
