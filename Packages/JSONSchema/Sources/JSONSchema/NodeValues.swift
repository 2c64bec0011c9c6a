import JSONText

extension JSONNode {
  /// Whether a number has no fraction.
  @inline(__always) var isWhole: Bool { token.isInteger || DecimalView(self).isWhole }

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

  /// The number of elements or members of a container. A token's `count` is at most 65 535, so the children of larger
  /// containers are counted here.
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
  func lastMember(_ name: Span<UInt8>) -> Int {
    guard kind == .object else { return -1 }
    let end = Int(token.next)
    var child = index + 1
    var found = -1
    while child < end {
      if at(child).spells(name) { found = child + 1 }
      child = Int(tokens[child + 1].next)
    }
    return found
  }

  /// Returns the token index of the value of the last member called `name`, or -1 if there is no such member.
  func lastMember(_ name: String) -> Int { lastMember(name.utf8.span) }

  /// Returns whether a string's text has exactly these bytes.
  @inline(__always) func spells(_ wanted: Span<UInt8>) -> Bool {
    token.isEscaped ? spellsEscaped(wanted) : inner.span.equals(wanted)
  }

  @inline(never) private func spellsEscaped(_ wanted: Span<UInt8>) -> Bool {
    // An escape is never shorter than its text.
    guard Int(token.length) - 2 >= wanted.count, let text = string else { return false }
    return text.utf8.span.equals(wanted)
  }
}

extension JSONNode {
  /// Returns whether two values are equal under the rules of JSON Schema, which compare numbers by value and members in
  /// any order.
  ///
  /// The comparison is exact for numbers of any size. It allocates memory only for strings with escapes.
  func isSame(as other: JSONNode) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .null, .true, .false: return true
    case .number: return DecimalView.compare(DecimalView(self), DecimalView(other)) == 0
    case .string: return sameString(as: other)
    case .array: return isSameArray(as: other)
    case .object: return isSameObject(as: other)
    }
  }

  private func isSameArray(as other: JSONNode) -> Bool {
    guard token.count == other.token.count else { return false }
    var left = index + 1
    var right = other.index + 1
    let leftEnd = Int(token.next)
    let rightEnd = Int(other.token.next)
    while left < leftEnd, right < rightEnd {
      guard at(left).isSame(as: other.at(right)) else { return false }
      left = Int(tokens[left].next)
      right = Int(other.tokens[right].next)
    }
    return left >= leftEnd && right >= rightEnd
  }

  private func isSameObject(as other: JSONNode) -> Bool {
    let count = childCount
    guard token.count == other.token.count, count == other.childCount else { return false }
    if count > 64 { return isSameLargeObject(as: other) }
    let end = Int(token.next)
    let otherEnd = Int(other.token.next)
    var child = index + 1
    // Members are usually in the same order, so each search begins where the previous one ended.
    var hint = other.index + 1
    while child < end {
      if hint >= otherEnd { hint = other.index + 1 }
      let begin = hint
      var found = -1
      repeat {
        if at(child).sameString(as: other.at(hint)) { found = hint }
        hint = Int(other.tokens[hint + 1].next)
        if hint >= otherEnd { hint = other.index + 1 }
      } while found < 0 && hint != begin
      guard found >= 0, at(child + 1).isSame(as: other.at(found + 1)) else { return false }
      child = Int(tokens[child + 1].next)
    }
    return true
  }

  /// Returns whether two large objects are equal. It does not search all members for each name, because the members may
  /// be in reverse order.
  private func isSameLargeObject(as other: JSONNode) -> Bool {
    var theirs: [[UInt8]: Int] = [:]
    other.forEachMember { name, value in theirs[name.textBytes] = value.index }
    let end = Int(token.next)
    var child = index + 1
    while child < end {
      guard let found = theirs[at(child).textBytes], at(child + 1).isSame(as: other.at(found)) else { return false }
      child = Int(tokens[child + 1].next)
    }
    return true
  }
}

extension JSONNode {
  /// Returns the path from this value to a token inside it. For the token of a name, this is the path of the member.
  func pointer(to token: Int) -> JSONPointer {
    var pointer = JSONPointer()
    var node = self
    while node.index < token {
      let isObject = node.kind == .object
      guard isObject || node.kind == .array else { break }
      let end = Int(node.token.next)
      var child = node.index + 1
      var position = 0
      var next: Int?
      while child < end, next == nil {
        let value = isObject ? child + 1 : child
        let after = Int(tokens[value].next)
        if token < after {
          pointer.steps.append(isObject ? .member(at(child).string ?? "") : .element(position))
          if token < value { return pointer }
          next = value
        }
        child = after
        position += 1
      }
      guard let next else { break }
      node = at(next)
    }
    return pointer
  }
}

extension JSONToken {
  // The named flags are in another module, so accessing them requires a call. In these loops, the call would be a tenth
  // of the work.

  /// Whether a string has a backslash escape.
  @inline(__always) var isEscaped: Bool { flags.rawValue & 1 != 0 }
  /// Whether a string has bytes above 0x7F.
  @inline(__always) var isNonASCII: Bool { flags.rawValue & 2 != 0 }
  /// Whether a number has neither fraction nor exponent.
  @inline(__always) var isInteger: Bool { flags.rawValue & 8 != 0 }
}

/// Hashes of JSON values that agree with `JSONNode.isSame`.
///
/// The hashes are seeded for each process, so that an attacker cannot prepare colliding values.
enum ValueHash {
  /// Returns the hash of a value.
  static func of(_ node: JSONNode) -> Int {
    var hasher = Hasher()
    feed(node, into: &hasher)
    return hasher.finalize()
  }

  private static func feed(_ node: JSONNode, into hasher: inout Hasher) {
    hasher.combine(node.kind.rawValue)
    switch node.kind {
    case .null, .true, .false: break
    case .number: feedNumber(DecimalView(node), into: &hasher)
    case .string: feedString(node, into: &hasher)
    case .array:
      let end = Int(node.token.next)
      var child = node.index + 1
      while child < end {
        feed(node.at(child), into: &hasher)
        child = Int(node.tokens[child].next)
      }
      hasher.combine(UInt8(0xFF))
    case .object:
      // The members' hashes are added, so their order does not matter.
      let end = Int(node.token.next)
      var child = node.index + 1
      var sum = 0
      while child < end {
        var member = Hasher()
        feedString(node.at(child), into: &member)
        feed(node.at(child + 1), into: &member)
        sum &+= member.finalize()
        child = Int(node.tokens[child + 1].next)
      }
      hasher.combine(sum)
    }
  }

  private static func feedNumber(_ view: DecimalView, into hasher: inout Hasher) {
    hasher.combine(view.isNegative)
    hasher.combine(view.exponent)
    view.forEachDigit { hasher.combine($0) }
  }

  private static func feedString(_ node: JSONNode, into hasher: inout Hasher) {
    if node.token.isEscaped {
      (node.string ?? "").utf8.span.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    } else {
      node.inner.span.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    hasher.combine(UInt8(0xFF))
  }
}

extension Span<UInt8> {
  /// A hash for a name in a schema. It is fast but not resistant to attacks, which is sufficient because the schema
  /// determines the table and its size.
  @inline(__always) var nameHash: Int {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(truncatingIfNeeded: count)
    for index in indices { value = (value ^ UInt64(self[index])) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: value ^ (value >> 29)) & Int.max
  }
}
