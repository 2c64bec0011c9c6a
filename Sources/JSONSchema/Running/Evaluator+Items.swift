import JSONText

/// Checks the rules for the elements of arrays.
extension Evaluator {
  @inline(never) func items(_ instruction: UnsafePointer<Instruction>, _ token: Int, _ frame: Int) -> Bool {
    let nodes = state.pointee.program.lists.start + Int(instruction.pointee.a)
    let prefix = Int(instruction.pointee.b)
    let end = Int(tokens[token].next)
    var child = token + 1
    var ordinal = 0
    defer { spend(ordinal) }
    while child < end {
      let schema = ordinal < prefix ? nodes[ordinal + 1] : nodes[0]
      if schema == Instruction.none { break }
      if !evaluate(schema, child, -1) { return false }
      if frame >= 0 { mark(frame, ordinal) }
      ordinal += 1
      child = Int(tokens[child].next)
    }
    return true
  }

  @inline(never) func contains(_ instruction: UnsafePointer<Instruction>, _ token: Int, _ frame: Int) -> Bool {
    let list = state.pointee.program.lists.start + Int(instruction.pointee.a)
    let least = Int(list[1])
    let most = list[2] == Instruction.none ? Int.max : Int(list[2])
    if least == 0, most == Int.max, frame < 0 { return true }
    let end = Int(tokens[token].next)
    var child = token + 1
    var ordinal = 0
    var found = 0
    defer { spend(ordinal) }
    while child < end {
      if evaluate(list[0], child, -1) {
        found += 1
        if found > most { return false }
        if frame >= 0 { mark(frame, ordinal) } else if found >= least, most == Int.max { return true }
      }
      ordinal += 1
      child = Int(tokens[child].next)
    }
    return found >= least
  }

  /// Returns the position of the first element that is equal to an earlier one, or -1 if all elements are different.
  @inline(never) func duplicateItem(_ token: Int) -> Int {
    let count = childCount(token)
    guard count > 1 else { return -1 }
    // Every element is either hashed once or compared with at most fifteen others.
    spendBytes(token)
    spend(count)
    if count > 16 { return duplicateAmongMany(token, count) }
    let end = Int(tokens[token].next)
    var right = Int(tokens[token + 1].next)
    while right < end {
      var left = token + 1
      while left < right {
        if node(left).isSame(as: node(right)) { return right }
        left = Int(tokens[left].next)
      }
      right = Int(tokens[right].next)
    }
    return -1
  }

  private func duplicateAmongMany(_ token: Int, _ count: Int) -> Int {
    var size = 64
    while size < count + count / 2 { size *= 2 }
    state.pointee.clearSlots(size)
    let slots = state.pointee.slots
    let end = Int(tokens[token].next)
    var child = token + 1
    while child < end {
      let hash = ValueHash.of(node(child))
      var slot = hash & (size - 1)
      while slots[slot] != 0 {
        if node(child).isSame(as: node(Int(slots[slot]))) { return child }
        slot = (slot + 1) & (size - 1)
      }
      slots[slot] = UInt32(truncatingIfNeeded: child)
      child = Int(tokens[child].next)
    }
    return -1
  }
}
