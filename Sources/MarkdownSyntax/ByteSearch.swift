/// Finds bytes of a sort in a text, eight at a time.
///
/// Most rules look for something that begins with a byte which is rare in prose; what lies between costs a fraction of
/// a nanosecond a byte.
public enum ByteSearch {
  /// A byte eight times.
  @inlinable @inline(__always)
  public static func all(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

  /// The high bit of every byte that is one of a range of ASCII bytes; exact for each byte, whatever stands beside it.
  @inlinable @inline(__always)
  public static func within(_ word: UInt64, _ range: ClosedRange<UInt8>) -> UInt64 {
    let low = word & all(0x7F)
    // The sums stay below 0x100, so no byte carries into the next one.
    let notBelow = low &+ all(0x80 - range.lowerBound)
    let above = low &+ all(0x7F - range.upperBound)
    return notBelow & ~above & ~word & all(0x80)
  }

  /// The high bit of every byte that is a certain ASCII byte.
  @inlinable @inline(__always)
  public static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
    let apart = word ^ all(byte)
    return ~((apart & all(0x7F)) &+ all(0x7F) | apart) & all(0x80)
  }

  /// The first byte from `start` on, before `end`, that is one of those looked for; `end` where there is none.
  /// - Parameter matches: the high bits of those bytes among eight.
  @inlinable @inline(__always)
  public static func first(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int, _ matches: (UInt64) -> UInt64
  ) -> Int {
    guard let base = UnsafeRawPointer(bytes.baseAddress) else { return end }
    var at = start
    while at + 8 <= end {
      let found = matches(base.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian)
      if found != 0 { return at + found.trailingZeroBitCount / 8 }
      at += 8
    }
    guard at < end else { return end }
    // What lies behind the end counts as zeros, and as nothing that was found.
    var word: UInt64 = 0
    for index in at..<end { word |= UInt64(bytes[index]) << UInt64(8 * (index - at)) }
    let found = matches(word)
    return found == 0 ? end : min(end, at + found.trailingZeroBitCount / 8)
  }

  /// Where some bytes stand first, at `start` or behind it and whole before `end`; nil where they do not.
  public static func position(
    of sought: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
  ) -> Int? {
    guard sought.count > 1, end <= bytes.count, let base = UnsafeRawPointer(bytes.baseAddress) else { return nil }
    let (one, two) = (sought[0], sought[1])
    var at = start
    while at + sought.count <= end {
      // The first two bytes side by side, at eight places at once.
      if at + 9 <= end {
        let pairs =
          equal(base.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian, one)
          & equal(base.loadUnaligned(fromByteOffset: at + 1, as: UInt64.self).littleEndian, two)
        if pairs == 0 {
          at += 8
          continue
        }
        at += pairs.trailingZeroBitCount / 8
        if at + sought.count > end { return nil }
      }
      if bytes[at] == one, bytes[at + 1] == two, bytes[at..<at + sought.count].elementsEqual(sought) { return at }
      at += 1
    }
    return nil
  }

  /// The first digit from `start` on; the text's end where there is none.
  public static func digit(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    first(in: bytes, from: start, to: bytes.count) { within($0, 0x30...0x39) }
  }
}
