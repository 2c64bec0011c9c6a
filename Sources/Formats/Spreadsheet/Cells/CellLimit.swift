/// The maximum size of a cell.
enum CellLimit {
  /// The maximum number of UTF-16 units in a cell in Excel.
  static let units = 32_767
  /// The maximum number of bytes of a cell that are read; other programs allow more than Excel.
  static let bytes = 8 << 20
  /// The maximum number of bytes of a row that are read.
  static let rowBytes = 32 << 20

  /// Throws when a text is too long for a cell.
  static func check(_ count: Int) throws {
    guard count <= bytes else { throw PartProblem("a cell has more than \(bytes) bytes") }
  }

  /// Whether a text fits into a cell of Excel, which counts UTF-16 units.
  static func holds(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if text.count <= units { return true }
    var count = 0
    for byte in text where byte & 0xC0 != 0x80 { count += byte >= 0xF0 ? 2 : 1 }
    return count <= units
  }
}
