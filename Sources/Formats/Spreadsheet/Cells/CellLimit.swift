/// The limits for cells and rows.
enum CellLimit {
  /// Excel's maximum number of UTF-16 units in a cell.
  static let units = 32_767
  /// The maximum size in bytes of a cell that is read. Other programs allow longer cells than Excel.
  static let bytes = 8 << 20
  /// The maximum size in bytes of a row that is read.
  static let rowBytes = 32 << 20

  /// Throws if text is too long for a cell.
  static func check(_ count: Int) throws {
    guard count <= bytes else { throw PartProblem("a cell has more than \(bytes) bytes") }
  }

  /// Whether text fits into an Excel cell. Excel counts UTF-16 units.
  static func holds(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if text.count <= units { return true }
    var count = 0
    for byte in text where byte & 0xC0 != 0x80 { count += byte >= 0xF0 ? 2 : 1 }
    return count <= units
  }
}
