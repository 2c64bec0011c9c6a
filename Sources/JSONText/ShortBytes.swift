/// Compares byte strings that are short, as names are.
public enum ShortBytes {
  /// Whether two stretches of `count` bytes are the same.
  @inlinable @inline(__always)
  public static func same(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
    // Two words that may overlap beat a call to memcmp.
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
}
