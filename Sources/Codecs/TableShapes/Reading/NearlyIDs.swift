import Diagnostics

/// Texts in columns of ids that were meant to be UUIDs, by their looks, and are taken for names: the first one is said at
/// its cell, of the others how many there are.
struct NearlyIDs {
  /// How many there were.
  private(set) var count = 0

  /// Takes a text that is no UUID.
  /// - Returns: what has to be said about it; nil for nothing.
  mutating func take(_ text: UnsafeBufferPointer<UInt8>, cell: Int, _ layout: TableLayout) -> RowProblem? {
    guard Self.isNearly(text) else { return nil }
    count += 1
    if count > 1 { return nil }
    return RowProblem(
      .nearlyID,
      "'\(layout.header(cell))' says '\(CellText.shown(text))', which is nearly a UUID and is taken for a name",
      cell: cell)
  }

  /// Whether a text is a UUID in another form, or one that lost or won some letters: in braces, without dashes.
  static func isNearly(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 26, text.count <= 60 else { return false }
    var digits = 0
    var tells = false
    var others = 0
    for byte in text {
      let letter = (byte | 0x20) &- 0x61
      if byte &- 0x30 < 10 {
        digits += 1
      } else if letter < 6 {
        digits += 1
        tells = true
      } else if byte == 0x2D {
        tells = true
      } else if letter < 26 || byte >= 0x80 {
        others += 1
      }
    }
    // 'urn:uuid:' has seven letters that are no digits.
    return tells && (26...38).contains(digits) && others <= (text.contains(0x3A) ? 7 : 2)
  }
}
