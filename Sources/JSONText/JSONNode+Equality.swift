extension JSONNode {
  /// Whether two values mean the same: member order, escapes, white space and number spelling do not count.
  package func means(_ other: JSONNode) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .null, .true, .false: return true
    case .number: return JSONNumber.equal(raw, other.raw)
    case .string: return sameString(as: other)
    case .array: return sameElements(as: other)
    case .object: return sameMembers(as: other) { _ in false }
    }
  }

  /// Whether two objects mean the same but for some of their members.
  /// - Parameter ignores: given the name of a member, whether it does not count.
  package func means(_ other: JSONNode, ignoring ignores: (JSONNode) -> Bool) -> Bool {
    kind == .object && other.kind == .object && sameMembers(as: other, ignoring: ignores)
  }

  private func sameElements(as other: JSONNode) -> Bool {
    var left = index + 1
    var right = other.index + 1
    let leftEnd = Int(token.next)
    let rightEnd = Int(other.token.next)
    while left < leftEnd, right < rightEnd {
      guard at(left).means(other.at(right)) else { return false }
      left = Int(tokens[left].next)
      right = Int(other.tokens[right].next)
    }
    return left >= leftEnd && right >= rightEnd
  }

  private func sameMembers(as other: JSONNode, ignoring ignores: (JSONNode) -> Bool) -> Bool {
    // Bytes: Swift's strings take two spellings of one accent for the same, JSON does not.
    var theirs: [[UInt8]: JSONNode] = [:]
    other.forEachMember { name, value in
      if !ignores(name) { theirs[name.textBytes] = value }
    }
    var mine: [[UInt8]: JSONNode] = [:]
    forEachMember { name, value in
      if !ignores(name) { mine[name.textBytes] = value }
    }
    guard mine.count == theirs.count else { return false }
    return mine.allSatisfy { name, value in theirs[name].map(value.means) ?? false }
  }
}
