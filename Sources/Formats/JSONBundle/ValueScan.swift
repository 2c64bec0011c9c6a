/// Finds the end of a JSON value by its brackets and quotes, across chunks; says nothing about its insides.
struct ValueScan {
  private var at: Int
  private let start: Int
  private var depth = 0
  private var inString = false

  init(start: Int) {
    at = start
    self.start = start
  }

  /// Offset behind the value, or nil when more bytes are needed.
  mutating func run(_ bytes: UnsafeBufferPointer<UInt8>, atEnd: Bool) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let count = bytes.count
    var at = at
    var depth = depth
    var inString = inString
    defer {
      self.at = at
      self.depth = depth
      self.inString = inString
    }
    while at < count {
      let byte = base[at]
      if inString {
        if byte == UInt8(ascii: "\\") {
          if at + 1 >= count { return nil }
          at += 2
          continue
        }
        at += 1
        if byte == UInt8(ascii: "\"") {
          inString = false
          if depth == 0 { return at }
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        inString = true
        at += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        at += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth <= 1 { return depth == 1 ? at + 1 : at }
        depth -= 1
        at += 1
      case UInt8(ascii: ","), UInt8(ascii: " "), 0x0A, 0x0D, 0x09:
        // A scalar ends at the first of these.
        if depth == 0, at > start { return at }
        at += 1
      default: at += 1
      }
    }
    return atEnd && depth == 0 && !inString && at > start ? at : nil
  }
}
