import JSONText

extension JSONNode {
  /// The whole number that the digits represent, clamped to a billion in either direction; nil for any other value.
  ///
  /// The bytes are read in place, because rules need the number for every step of every checklist.
  var plainInteger: Int? {
    guard kind == .number, token.flags.contains(.integer) else { return nil }
    var value = 0
    var isNegative = false
    for byte in raw {
      if byte == UInt8(ascii: "-") {
        isNegative = true
      } else {
        value = min(value * 10 + Int(byte &- UInt8(ascii: "0")), 1_000_000_000)
      }
    }
    return isNegative ? -value : value
  }
}
