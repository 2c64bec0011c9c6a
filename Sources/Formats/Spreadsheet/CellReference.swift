import JSONText

/// Parses and renders cell addresses such as `AB12`.
enum CellReference {
  /// The maximum number of columns in a sheet, A to XFD.
  static let columns = 16_384
  /// The maximum number of rows in a sheet.
  static let rows = 1_048_576

  /// Returns the column and the row, both from 1; nil if the bytes are not an address. A `$` before the column or the
  /// row is skipped.
  static func parse(_ bytes: Span<UInt8>) -> (column: Int, row: Int)? {
    var (column, row, at) = (0, 0, 0)
    if at < bytes.count, bytes[at] == 0x24 { at += 1 }
    while at < bytes.count {
      let letter = bytes[at] & 0xDF
      guard letter >= 0x41, letter <= 0x5A, bytes[at] >= 0x41 else { break }
      column = column * 26 + Int(letter - 0x40)
      guard column <= columns else { return nil }
      at += 1
    }
    if at < bytes.count, bytes[at] == 0x24 { at += 1 }
    guard column > 0, at < bytes.count, let number = number(bytes, from: at), number > 0 else { return nil }
    row = number
    return (column, row)
  }

  /// Returns the number in a string of digits; nil if other bytes occur or the number exceeds the last row.
  static func number(_ bytes: Span<UInt8>, from start: Int = 0) -> Int? {
    guard start < bytes.count else { return nil }
    var value = 0
    for at in start..<bytes.count {
      let digit = Int(bytes[at]) - 0x30
      guard digit >= 0, digit <= 9 else { return nil }
      value = value * 10 + digit
      guard value <= rows else { return nil }
    }
    return value
  }

  /// Returns a column's letters. Columns are numbered from 1.
  static func letters(_ column: Int) -> [UInt8] {
    var letters: [UInt8] = []
    var rest = column
    while rest > 0 {
      letters.append(0x41 + UInt8((rest - 1) % 26))
      rest = (rest - 1) / 26
    }
    return letters.reversed()
  }

  /// Returns an address for messages. Columns and rows are numbered from 1.
  static func text(_ column: Int, _ row: Int) -> String { String(decoding: letters(column), as: UTF8.self) + "\(row)" }
}
