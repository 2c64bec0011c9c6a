import Content
import JSONText

/// An id in sixteen bytes, for rules that store a million ids.
struct RecordKey: Hashable {
  let high: UInt64
  let low: UInt64

  /// Reads a UUID in upper or lower case. Fails for any other value.
  init?(_ node: JSONNode?) {
    guard let node, node.kind == .string else { return nil }
    self.init(node.inner)
  }

  /// Reads a UUID in upper or lower case. Fails for any other text.
  init?(_ text: String) {
    var text = text
    guard let key = text.withUTF8({ RecordKey($0) }) else { return nil }
    self = key
  }

  private init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard CanonicalUUID.form(of: text) != .none, let base = UnsafeRawPointer(text.baseAddress) else { return nil }
    // The groups have 8-4-4-4-12 digits. The groups of four in the middle are read in pairs.
    @inline(__always) func four(_ at: Int) -> UInt64 {
      UInt64(base.loadUnaligned(fromByteOffset: at, as: UInt32.self).littleEndian)
    }
    @inline(__always) func eight(_ at: Int) -> UInt64 {
      base.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian
    }
    high = Self.value(eight(0)) << 32 | Self.value(four(9) | four(14) << 32)
    low = Self.value(four(19) | four(24) << 32) << 32 | Self.value(eight(28))
  }

  /// Returns the value of eight hexadecimal digits, the first digit in the lowest byte.
  @inline(__always) private static func value(_ digits: UInt64) -> UInt64 {
    // A letter has bit 6 set, and its value is its lower half plus nine.
    let halves = (digits & 0x0F0F_0F0F_0F0F_0F0F) &+ ((digits >> 6) & 0x0101_0101_0101_0101) &* 9
    let bytes = (halves & 0x00FF_00FF_00FF_00FF) << 4 | (halves >> 8) & 0x00FF_00FF_00FF_00FF
    return (bytes & 0xFF) << 24 | (bytes >> 16 & 0xFF) << 16 | (bytes >> 32 & 0xFF) << 8 | bytes >> 48 & 0xFF
  }

  /// A hash of the id. Different ids rarely share it.
  var number: UInt64 { (high ^ (low << 23 | low >> 41)) &* 0x9E37_79B9_7F4A_7C15 }

  /// The id as the app writes it.
  var text: String {
    let hex = [high, low].map { half in
      let digits = String(half, radix: 16, uppercase: true)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    var out = ""
    for (position, digit) in hex.enumerated() {
      if [8, 12, 16, 20].contains(position) { out += "-" }
      out.append(digit)
    }
    return out
  }
}
