import JSONText

/// Tracks the members and elements that were evaluated, for the keywords that apply to the other members and elements.
extension Evaluator {
  @inline(__always) func mark(_ frame: Int, _ ordinal: Int) {
    state.pointee.bits[frame + (ordinal >> 6)] |= 1 << UInt64(ordinal & 63)
  }

  @inline(__always) func isMarked(_ frame: Int, _ ordinal: Int) -> Bool {
    state.pointee.bits[frame + (ordinal >> 6)] >> UInt64(ordinal & 63) & 1 != 0
  }

  /// Removes a frame from the stack, and adds its marks to an outer frame of the same value, unless `outer` is -1.
  func popFrame(_ frame: Int, into outer: Int) {
    if outer >= 0 {
      let bits = state.pointee.bits
      for word in 0..<state.pointee.bitCount - frame { bits[outer + word] |= bits[frame + word] }
    }
    state.pointee.bitCount = frame
  }

  @inline(never) func unevaluatedProperties(_ schema: UInt32, _ token: Int, _ frame: Int) -> Bool {
    let end = Int(tokens[token].next)
    var child = token + 1
    var ordinal = 0
    defer { spend(ordinal) }
    while child < end {
      if !isMarked(frame, ordinal) {
        if !evaluate(schema, child + 1, -1) { return false }
        mark(frame, ordinal)
      }
      ordinal += 1
      child = Int(tokens[child + 1].next)
    }
    return true
  }

  @inline(never) func unevaluatedItems(_ schema: UInt32, _ token: Int, _ frame: Int) -> Bool {
    let end = Int(tokens[token].next)
    var child = token + 1
    var ordinal = 0
    defer { spend(ordinal) }
    while child < end {
      if !isMarked(frame, ordinal) {
        if !evaluate(schema, child, -1) { return false }
        mark(frame, ordinal)
      }
      ordinal += 1
      child = Int(tokens[child].next)
    }
    return true
  }
}
