import MarkdownSyntax

/// Which of 64 bytes of ASCII are letters, digits and blanks: one bit for each byte, the first in the lowest.
struct ASCIIBlock {
  private(set) var letters: UInt64 = 0
  private(set) var digits: UInt64 = 0
  private(set) var blanks: UInt64 = 0

  /// Looks at 64 bytes; nil where the text ends before, or not all of them are ASCII.
  @inline(__always) init?(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
    guard start + 64 <= bytes.count, let base = UnsafeRawPointer(bytes.baseAddress) else { return nil }
    var all: UInt64 = 0
    for offset in stride(from: 0, to: 64, by: 8) {
      all |= base.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self)
    }
    guard all & ByteSearch.all(0x80) == 0 else { return nil }
    for offset in stride(from: 0, to: 64, by: 8) {
      let eight = base.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self).littleEndian
      let shift = UInt64(offset)
      letters |= Self.bits(ByteSearch.within(eight | ByteSearch.all(0x20), 0x61...0x7A)) << shift
      digits |= Self.bits(ByteSearch.within(eight, 0x30...0x39)) << shift
      blanks |= Self.bits(ByteSearch.equal(eight, 0x20)) << shift
    }
  }

  /// The high bits of eight bytes, side by side.
  @inline(__always) private static func bits(_ marks: UInt64) -> UInt64 {
    ((marks >> 7) &* 0x0102_0408_1020_4080) >> 56
  }
}
