/// The first 100 bytes of a database.
/// - Source: https://sqlite.org/fileformat2.html, section 1.3
struct DatabaseHeader {
  static let magic = Array("SQLite format 3\0".utf8)

  /// The page size in bytes; nil if the value cannot be a page size.
  let pageSize: Int?
  /// The number of bytes at the end of every page that SQLite does not use.
  let reserved: Int
  /// The text encoding; nil if the value is not an encoding.
  let encoding: DatabaseEncoding?
  /// The number of pages in the database; nil if the header is not reliable.
  let pageCount: Int?
  let firstTrunk: UInt32
  let freeCount: Int
  let hasPointerMap: Bool
  /// Whether the constant fields of the format have the right values.
  let isPlausible: Bool

  init(_ bytes: [UInt8]) {
    let size = bytes.number16(16) == 1 ? 65_536 : bytes.number16(16)
    let reserved = Int(bytes.byte(20))
    let isSize = size >= 512 && size & (size - 1) == 0
    pageSize = isSize && size - reserved >= 480 ? size : nil
    self.reserved = isSize && size - reserved >= 480 ? reserved : 0
    encoding = DatabaseEncoding(rawValue: bytes.byte(59))
    // The count is valid only if the last writer updated it.
    let count = Int(bytes.number32(28))
    pageCount = count > 0 && bytes.number32(24) == bytes.number32(92) ? count : nil
    firstTrunk = bytes.number32(32)
    freeCount = Int(bytes.number32(36))
    hasPointerMap = bytes.number32(52) != 0
    isPlausible =
      bytes.holds(Self.magic) && (1...2).contains(bytes.byte(18)) && (1...2).contains(bytes.byte(19))
      && bytes.holds([64, 32, 32], at: 21) && (1...4).contains(bytes.number32(44)) && bytes.byte(59) <= 3
  }
}
