import JSONText

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
    case .number: feedNumber(DecimalView(node.raw), into: &hasher)
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
    var next = view.start
    for _ in 0..<view.digits {
      if next.pointee == UInt8(ascii: ".") { next += 1 }
      hasher.combine(next.pointee)
      next += 1
    }
  }

  private static func feedString(_ node: JSONNode, into hasher: inout Hasher) {
    if node.token.isEscaped {
      var text = node.string ?? ""
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    } else {
      hasher.combine(bytes: UnsafeRawBufferPointer(node.inner))
    }
    hasher.combine(UInt8(0xFF))
  }
}
