/// Counts the bytes that no text editor writes: those below the tab.
enum ControlCharacters {
  static func count(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var count = 0
    var at = 0
    while at < bytes.count {
      if at + 8 <= bytes.count {
        let word = UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self)
        // Eight bytes at once: a high bit stays where a byte is less than nine.
        if (word &- 0x0909_0909_0909_0909) & ~word & 0x8080_8080_8080_8080 == 0 {
          at += 8
          continue
        }
        for offset in at..<at + 8 where base[offset] < 9 { count += 1 }
        at += 8
        continue
      }
      if base[at] < 9 { count += 1 }
      at += 1
    }
    return count
  }
}
