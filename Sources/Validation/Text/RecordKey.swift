import JSONText

/// An id in sixteen bytes, for rules that remember a million of them.
struct RecordKey: Hashable {
  let high: UInt64
  let low: UInt64

  /// Reads a UUID in either case; nil for anything else.
  init?(_ node: JSONNode?) {
    guard let node, node.kind == .string, node.inner.count == 36 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for byte in node.inner {
      let value: UInt64
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt64(byte &- 0x30)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = UInt64(byte &- 0x37)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = UInt64(byte &- 0x57)
      case UInt8(ascii: "-"): continue
      default: return nil
      }
      if digits < 16 { halves.0 = halves.0 << 4 | value } else { halves.1 = halves.1 << 4 | value }
      digits += 1
    }
    guard digits == 32 else { return nil }
    (high, low) = halves
  }

  /// A number for the id; different ids seldom share one.
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
