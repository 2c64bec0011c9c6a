/// How much one cell may have.
enum CellLimit {
  /// How many UTF-16 units Excel takes in a cell.
  static let units = 32_767
  /// How many bytes of a cell are read; other programs keep more than Excel.
  static let bytes = 8 << 20
  /// How many bytes of a row are read.
  static let rowBytes = 32 << 20

  /// Refuses a text that no cell has.
  static func check(_ count: Int) throws {
    guard count <= bytes else { throw PartProblem("a cell has more than \(bytes) bytes") }
  }

  /// Whether a cell of Excel holds a text: it counts UTF-16 units.
  static func holds(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if text.count <= units { return true }
    var count = 0
    for byte in text where byte & 0xC0 != 0x80 { count += byte >= 0xF0 ? 2 : 1 }
    return count <= units
  }
}
