extension JSONNode {
  /// The first member name, anywhere in this value, that its object holds twice; nil when there is none.
  ///
  /// Names are compared with escapes resolved. Linear in the number of members for large objects.
  package var duplicateName: JSONNode? {
    let end = Int(token.next)
    var index = index
    while index < end {
      if tokens[index].kind == .object, let found = at(index).duplicateOwnName { return found }
      index += 1
    }
    return nil
  }

  /// The first name that this object, without what it contains, holds twice.
  package var duplicateOwnName: JSONNode? {
    let count = Int(token.count)
    guard count > 1 else { return nil }
    if count > 12 { return duplicateAmongMany }
    let end = Int(token.next)
    var right = Int(tokens[index + 2].next)
    while right < end {
      var left = index + 1
      while left < right {
        if at(left).sameString(as: at(right)) { return at(right) }
        left = Int(tokens[left + 1].next)
      }
      right = Int(tokens[right + 1].next)
    }
    return nil
  }

  private var duplicateAmongMany: JSONNode? {
    // Each slot holds half of a name's hash, and the name's token.
    let most = token.count < .max ? Int(token.count) : (Int(token.next) - index) / 2
    var slots = [UInt64](repeating: 0, count: 2 << (Int.bitWidth - most.leadingZeroBitCount))
    var child = index + 1
    let end = Int(token.next)
    while child < end {
      let name = at(child)
      let hash = name.textHash
      var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
      while slots[slot] != 0 {
        if slots[slot] >> 32 == hash >> 32, at(Int(slots[slot] & 0xFFFF_FFFF)).sameString(as: name) { return name }
        slot = (slot + 1) & (slots.count - 1)
      }
      slots[slot] = (hash >> 32) << 32 | UInt64(child)
      child = Int(tokens[child + 1].next)
    }
    return nil
  }

  /// A hash of the bytes of a string. Swift's strings take two spellings of one accent for the same, JSON does not.
  private var textHash: UInt64 {
    var hasher = Hasher()
    if token.flags.contains(.escaped) {
      textBytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    } else {
      hasher.combine(bytes: UnsafeRawBufferPointer(inner))
    }
    return UInt64(truncatingIfNeeded: UInt(bitPattern: hasher.finalize()))
  }

  /// Whether two strings say the same text, however they are escaped.
  package func sameString(as other: JSONNode) -> Bool {
    if !token.flags.contains(.escaped), !other.token.flags.contains(.escaped) {
      let mine = inner
      let theirs = other.inner
      guard mine.count == theirs.count else { return false }
      for index in 0..<mine.count where mine[index] != theirs[index] { return false }
      return true
    }
    return textBytes == other.textBytes
  }
}
