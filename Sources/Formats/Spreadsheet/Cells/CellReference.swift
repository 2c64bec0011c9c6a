import JSONText

/// A cell's address, `AB12`, as bytes of a sheet.
enum CellReference {
  /// The maximum number of columns of a sheet, A to XFD.
  static let columns = 16_384
  /// The maximum number of rows of a sheet.
  static let rows = 1_048_576

  /// Returns column and row, both from 1; nil if the bytes are not an address. `$` before either is skipped.
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> (column: Int, row: Int)? {
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

  /// Returns a number that consists only of digits, up to the largest row.
  static func number(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> Int? {
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

  /// Returns the letters of a column; columns count from 1.
  static func letters(_ column: Int) -> [UInt8] {
    var letters: [UInt8] = []
    var rest = column
    while rest > 0 {
      letters.append(0x41 + UInt8((rest - 1) % 26))
      rest = (rest - 1) / 26
    }
    return letters.reversed()
  }

  /// Returns an address for messages; column and row count from 1.
  static func text(_ column: Int, _ row: Int) -> String { String(decoding: letters(column), as: UTF8.self) + "\(row)" }
}
