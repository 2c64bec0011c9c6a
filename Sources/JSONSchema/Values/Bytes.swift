/// Comparing and hashing short byte strings.
enum Bytes {
  /// Whether two stretches of `count` bytes are the same.
  @inline(__always)
  static func same(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    // Names are short: two words that may overlap beat a call to memcmp.
    let left = UnsafeRawPointer(left)
    let right = UnsafeRawPointer(right)
    if count >= 8 {
      var at = 0
      while at < count - 8 {
        if left.loadUnaligned(fromByteOffset: at, as: UInt64.self)
          != right.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        {
          return false
        }
        at += 8
      }
      return left.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        == right.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    }
    if count >= 4 {
      return left.loadUnaligned(as: UInt32.self) == right.loadUnaligned(as: UInt32.self)
        && left.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
          == right.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
    }
    var index = 0
    while index < count {
      if left.load(fromByteOffset: index, as: UInt8.self) != right.load(fromByteOffset: index, as: UInt8.self) {
        return false
      }
      index += 1
    }
    return true
  }

  /// A hash of a schema's own names: quick, not against attackers (the table is the schema's, its size is fixed).
  @inline(__always) static func hash(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(truncatingIfNeeded: count)
    for index in 0..<count { value = (value ^ UInt64(start[index])) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: value ^ (value >> 29)) & Int.max
  }
}
