import JSONText

extension JSONNode {
  /// Whether a number has no fraction.
  @inline(__always) var isWhole: Bool { token.isInteger || DecimalView(raw).isWhole }

  /// Whether a number is written as at most 18 digits, without a fraction or exponent, so that it fits in 64 bits.
  @inline(__always) var isSmallInteger: Bool { kind == .number && token.isInteger && token.length <= 18 }

  /// The value of a whole number of at most 18 characters. The kind of the value is not checked.
  @inline(__always) var plainInteger: Int64 {
    var value: Int64 = 0
    var negative = false
    for byte in raw {
      if byte == UInt8(ascii: "-") { negative = true } else { value = value * 10 + Int64(byte & 0x0F) }
    }
    return negative ? -value : value
  }

  /// The number of elements or members of a container. Larger containers are counted, because a token's `count` is at
  /// most 65 535.
  var childCount: Int {
    let counted = Int(token.count)
    if counted < Int(UInt16.max) { return counted }
    var total = 0
    if kind == .array { forEachElement { _ in total += 1 } } else { forEachMember { _, _ in total += 1 } }
    return total
  }

  /// The number of code points in a string with escapes resolved. It is computed without resolving the escapes.
  var codePoints: Int {
    let inner = inner
    if !token.isEscaped {
      if !token.isNonASCII { return inner.count }
      var total = 0
      for byte in inner where byte & 0xC0 != 0x80 { total += 1 }
      return total
    }
    var total = 0
    var at = 0
    while at < inner.count {
      if inner[at] == UInt8(ascii: "\\") {
        guard at + 1 < inner.count, inner[at + 1] == UInt8(ascii: "u") else {
          at += 2
          total += 1
          continue
        }
        // \uD8xx begins a pair of escapes for a single code point.
        let isHighHalf =
          at + 3 < inner.count && inner[at + 2] | 0x20 == UInt8(ascii: "d")
          && (inner[at + 3] | 0x20 == UInt8(ascii: "a") || inner[at + 3] | 0x20 == UInt8(ascii: "b")
            || inner[at + 3] == UInt8(ascii: "8") || inner[at + 3] == UInt8(ascii: "9"))
        at += isHighHalf ? 12 : 6
        total += 1
      } else {
        if inner[at] & 0xC0 != 0x80 { total += 1 }
        at += 1
      }
    }
    return total
  }

  /// Returns the token index of the value of the last member called `name` (not escaped), or -1 if there is no such
  /// member.
  func lastMember(_ name: UnsafeBufferPointer<UInt8>) -> Int {
    guard kind == .object, let wanted = name.baseAddress else { return -1 }
    let end = Int(token.next)
    var child = index + 1
    var found = -1
    while child < end {
      if at(child).spells(wanted, name.count) { found = child + 1 }
      child = Int(tokens[child + 1].next)
    }
    return found
  }

  /// Returns the token index of the value of the last member called `name`, or -1 if there is no such member.
  func lastMember(_ name: String) -> Int {
    var name = name
    return name.withUTF8 { lastMember($0) }
  }

  /// Returns whether a string's text has exactly these bytes.
  @inline(__always) func spells(_ wanted: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    if token.isEscaped { return spellsEscaped(wanted, count) }
    return Int(token.length) - 2 == count && Bytes.same(text + Int(token.start) + 1, wanted, count)
  }

  @inline(never) private func spellsEscaped(_ wanted: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    // An escape is never shorter than its text.
    guard Int(token.length) - 2 >= count, var text = string else { return false }
    return text.withUTF8 { $0.count == count && $0.elementsEqual(UnsafeBufferPointer(start: wanted, count: count)) }
  }
}
