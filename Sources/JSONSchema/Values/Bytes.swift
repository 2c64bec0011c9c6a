import JSONText

/// Compares and hashes short byte strings.
enum Bytes {
  /// Returns whether two ranges of `count` bytes are equal.
  @inline(__always)
  static func same(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    ShortBytes.same(left, right, count)
  }

  /// Returns a hash for a name in a schema. It is fast but not resistant to attacks, which is sufficient because the
  /// schema determines the table and its size.
  @inline(__always) static func hash(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(truncatingIfNeeded: count)
    for index in 0..<count { value = (value ^ UInt64(start[index])) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: value ^ (value >> 29)) & Int.max
  }
}
