import JSONText

extension JSONNode {
  /// A whole number as it is written with digits, held to a billion either way; nil for anything else.
  ///
  /// Reads the bytes in place: rules ask for it at every step of every checklist.
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
