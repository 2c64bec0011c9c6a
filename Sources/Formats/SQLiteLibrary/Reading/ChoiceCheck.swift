import Content
import SQLiteIO

/// Reports values of closed lists that the app does not know; they are kept as they are.
enum ChoiceCheck {
  static func check(_ index: Int, of row: RowCursor, encoder: borrowing RowEncoder) {
    let column = row.encoded[index]
    guard let choices = column.choices, column.position >= 0, row.statement.storage(at: column.position) == .text
    else { return }
    let bytes = row.statement.bytes(at: column.position)
    for choice in choices where choice.count == bytes.count && Shape.same(choice, bytes) { return }
    report(index, of: row, bytes, encoder)
  }

  private static func report(
    _ index: Int, of row: RowCursor, _ bytes: UnsafeBufferPointer<UInt8>, _ encoder: borrowing RowEncoder
  ) {
    guard case .choice(_, let fallback) = row.map.columns[index].kind else { return }
    let column = row.map.columns[index].column
    encoder.report(
      .unknownValue,
      "'\(column)' is \"\(String(decoding: bytes.prefix(60), as: UTF8.self))\"; the app takes it for \(fallback)", row,
      column)
  }
}
