/// Reads numbers of the file format. An offset outside the bytes reads as zero and never traps.
/// - Source: https://sqlite.org/fileformat2.html, sections 1.3 and 1.6
extension Array where Element == UInt8 {
  @inline(__always)
  func byte(_ offset: Int) -> UInt8 {
    offset >= 0 && offset < count ? self[offset] : 0
  }

  @inline(__always)
  func number16(_ offset: Int) -> Int {
    Int(byte(offset)) << 8 | Int(byte(offset &+ 1))
  }

  @inline(__always)
  func number32(_ offset: Int) -> UInt32 {
    UInt32(number16(offset)) << 16 | UInt32(number16(offset &+ 2))
  }

  /// Reads a varint of one to nine bytes.
  /// - Returns: its value and the offset after it; nil if it does not end before `end`.
  @inline(__always)
  func varint(_ offset: Int, before end: Int) -> (value: Int64, next: Int)? {
    guard offset >= 0, offset < end, end <= count else { return nil }
    let first = self[offset]
    if first < 0x80 { return (Int64(first), offset + 1) }
    return longVarint(offset, before: end)
  }

  private func longVarint(_ offset: Int, before end: Int) -> (value: Int64, next: Int)? {
    var value: UInt64 = 0
    for index in 0..<9 {
      let position = offset + index
      guard position < end else { return nil }
      let byte = self[position]
      if index == 8 { return (Int64(bitPattern: value << 8 | UInt64(byte)), position + 1) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return (Int64(bitPattern: value), position + 1) }
    }
    return nil
  }

  /// Returns whether the bytes at `offset` equal `prefix`.
  func holds(_ prefix: [UInt8], at offset: Int = 0) -> Bool {
    guard offset >= 0, offset + prefix.count <= count else { return false }
    return prefix.indices.allSatisfy { self[offset + $0] == prefix[$0] }
  }
}
