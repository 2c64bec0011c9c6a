import Content
import SQLiteIO

/// Reports values of closed lists that the app does not know; they are kept as they are.
enum ChoiceCheck {
  @inline(__always)
  static func check(_ index: Int, of row: RowCursor, encoder: borrowing RowEncoder) {
    if row.encoded[index].isChoice { look(index, of: row, encoder: encoder) }
  }

  private static func look(_ index: Int, of row: RowCursor, encoder: borrowing RowEncoder) {
    guard case .choice(let known, let fallback) = row.map.columns[index].kind, row.positions[index] >= 0,
      row.statement.storage(at: row.positions[index]) == .text
    else { return }
    let bytes = row.statement.bytes(at: row.positions[index])
    if known.contains(where: { $0.utf8.count == bytes.count && $0.utf8.elementsEqual(bytes) }) { return }
    let column = row.map.columns[index].column
    encoder.report(
      .unknownValue,
      "'\(column)' is \"\(String(decoding: bytes.prefix(60), as: UTF8.self))\"; the app takes it for \(fallback)", row,
      column)
  }
}
