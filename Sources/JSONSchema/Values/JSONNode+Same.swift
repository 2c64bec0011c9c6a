import JSONText

extension JSONNode {
  /// Returns whether two values are equal by the rules of JSON Schema: numbers by value, and members in any order.
  ///
  /// The comparison is exact for numbers of any size. It allocates memory only for strings with escapes.
  func isSame(as other: JSONNode) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .null, .true, .false: return true
    case .number: return DecimalView.compare(DecimalView(raw), DecimalView(other.raw)) == 0
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
