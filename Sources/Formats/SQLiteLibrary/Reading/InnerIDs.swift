import JSONText

/// Ids of the sections and items of one checklist.
enum InnerIDs {
  /// An id that occurs twice among the tokens, and the token of the second one; nil when there is none.
  static func firstDuplicate(_ indices: [Int], in node: JSONNode) -> (id: String, token: Int)? {
    guard indices.count > 1 else { return nil }
    if indices.count > 64 {
      var seen = Set<String>()
      for index in indices {
        let id = (node.at(index).string ?? "").uppercased()
        if !seen.insert(id).inserted { return (id, index) }
      }
      return nil
    }
    // Few ids: comparing the first and last eight bytes of each pair is faster than hashing.
    for right in 1..<indices.count {
      let key = prefix(node.at(indices[right]))
      for left in 0..<right where prefix(node.at(indices[left])) == key {
        if let id = node.at(indices[right]).string, id.uppercased() == node.at(indices[left]).string?.uppercased() {
          return (id, indices[right])
        }
      }
    }
    return nil
  }

  @inline(__always)
  private static func prefix(_ node: JSONNode) -> UInt64 {
    let inner = node.inner
    guard inner.count >= 8, let base = inner.baseAddress else { return UInt64(inner.count) }
    // Bit 5 is what tells a lower-case letter from an upper-case one.
    return UnsafeRawPointer(base).loadUnaligned(as: UInt64.self) | 0x2020_2020_2020_2020
  }
}
