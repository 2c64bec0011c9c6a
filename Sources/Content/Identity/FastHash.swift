/// A fast 64-bit hash, the same in every run and on every machine.
///
/// It tells accidents apart, not attacks.
public struct FastHash: Sendable {
  @usableFromInline var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Begins without anything added.
  @inlinable public init() {}

  /// The hash of everything that was added.
  @inlinable public var value: UInt64 { state }

  /// The 16 hexadecimal digits of the hash of some bytes.
  public static func digits(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var hash = FastHash()
    hash.add(bytes)
    return (0..<16).map { place in
      let digit = UInt8(truncatingIfNeeded: hash.state >> (60 - 4 * place)) & 15
      return digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
    }
  }

  /// Adds a number.
  @inlinable @inline(__always)
  public mutating func add(_ word: UInt64) {
    let (high, low) = (state ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    state = (high ^ low) &+ 0xE703_7ED1_A0B4_28DB
  }

  /// Adds bytes and their count.
  @inlinable
  public mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    add(UInt64(bytes.count))
    // Nothing may have an address or none.
    guard bytes.count > 0, let start = UnsafeRawPointer(bytes.baseAddress) else { return }
    var at = 0
    while at + 8 <= bytes.count {
      add(UInt64(littleEndian: start.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
      at += 8
    }
    var last: UInt64 = 0
    while at < bytes.count {
      last = last << 8 | UInt64(bytes[at])
      at += 1
    }
    add(last)
  }
}
