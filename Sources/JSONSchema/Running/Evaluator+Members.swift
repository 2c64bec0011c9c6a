import JSONText

/// Checks the rules for the members of objects, all in one pass.
extension Evaluator {
  @inline(never) func members(_ table: UnsafePointer<MemberTable>, _ token: Int, _ frame: Int) -> Bool {
    let required = Int(table.pointee.requiredCount)
    // More than 64 required members are counted in a frame of bits.
    if required > 64 { return manyRequired(table, token, frame) }
    var seen: UInt64 = 0
    guard walk(table, token, frame, &seen, -1) else { return false }
    return required == 0 || seen == UInt64.max >> UInt64(64 - required)
  }

  private func manyRequired(_ table: UnsafePointer<MemberTable>, _ token: Int, _ frame: Int) -> Bool {
    let required = Int(table.pointee.requiredCount)
    let bits = state.pointee.pushFrame(required)
    spend(required >> 4)
    defer { popFrame(bits, into: -1) }
    var seen: UInt64 = 0
    guard walk(table, token, frame, &seen, bits) else { return false }
    for bit in 0..<required where !isMarked(bits, bit) { return false }
    return true
  }

  @inline(__always)
  private func walk(
    _ table: UnsafePointer<MemberTable>, _ token: Int, _ frame: Int, _ seen: inout UInt64, _ requiredFrame: Int
  ) -> Bool {
    let tokens = tokens
    let text = state.pointee.text
    let bytes = state.pointee.program.bytes.start
    let entries = state.pointee.program.members.start + Int(table.pointee.first)
    let count = Int(table.pointee.count)
    let end = Int(tokens[token].next)
    var child = token + 1
    var ordinal = 0
    var hint = 0
    defer { spend(ordinal) }
    while child < end {
      var matched = false
      let name = tokens[child]
      // Members are usually in the schema's order.
      var index = hint
      if hint >= count || name.isEscaped || entries[hint].length &+ 2 != name.length
        || !Bytes.same(bytes + Int(entries[hint].name), text + Int(name.start) + 1, Int(entries[hint].length))
      {
        index = find(table, child)
      }
      if index >= 0 {
        hint = index + 1
        let member = entries + index
        if member.pointee.requiredBit >= 0 {
          if requiredFrame < 0 {
            seen |= 1 << UInt64(truncatingIfNeeded: member.pointee.requiredBit)
          } else {
            mark(requiredFrame, Int(member.pointee.requiredBit))
          }
        }
        if member.pointee.schema != Instruction.none {
          matched = true
          if !evaluate(member.pointee.schema, child + 1, -1) { return false }
        }
      }
      if table.pointee.patternCount > 0, !patterns(table, child, &matched) { return false }
      if !matched, table.pointee.additional != Instruction.none {
        matched = true
        if !evaluate(table.pointee.additional, child + 1, -1) { return false }
      }
      if table.pointee.names != Instruction.none, !evaluate(table.pointee.names, child, -1) { return false }
      if frame >= 0, matched { mark(frame, ordinal) }
      ordinal += 1
      child = Int(tokens[child + 1].next)
    }
    return true
  }

  @inline(never)
  private func patterns(_ table: UnsafePointer<MemberTable>, _ child: Int, _ matched: inout Bool) -> Bool {
    var at = state.pointee.program.patterns.start + Int(table.pointee.firstPattern)
    let end = at + Int(table.pointee.patternCount)
    spend(Int(table.pointee.patternCount))
    while at < end {
      if matches(at.pointee.regex, child, table.pointee.patternsPlace) {
        matched = true
        if !evaluate(at.pointee.schema, child + 1, -1) { return false }
      }
      at += 1
    }
    return true
  }

  /// Returns the index of a member's name in a table, or -1 if it is not in the table.
  @inline(never) func find(_ table: UnsafePointer<MemberTable>, _ child: Int) -> Int {
    let token = tokens[child]
    if table.pointee.count == 0 { return -1 }
    spendBytes(child)
    if token.isEscaped { return findEscaped(table, child) }
    return search(table, state.pointee.text + Int(token.start) + 1, Int(token.length) - 2)
  }

  private func search(_ table: UnsafePointer<MemberTable>, _ name: UnsafePointer<UInt8>, _ length: Int) -> Int {
    let members = state.pointee.program.members.start + Int(table.pointee.first)
    let bytes = state.pointee.program.bytes.start
    if table.pointee.slotMask != 0 {
      let slots = state.pointee.program.lists.start + Int(table.pointee.slots)
      let mask = Int(table.pointee.slotMask)
      var slot = Bytes.hash(name, length) & mask
      while slots[slot] != Instruction.none {
        let member = members + Int(slots[slot])
        if Int(member.pointee.length) == length, Bytes.same(bytes + Int(member.pointee.name), name, length) {
          return Int(slots[slot])
        }
        slot = (slot + 1) & mask
      }
      return -1
    }
    for index in 0..<Int(table.pointee.count) where Int(members[index].length) == length {
      if Bytes.same(bytes + Int(members[index].name), name, length) { return index }
    }
    return -1
  }

  private func findEscaped(_ table: UnsafePointer<MemberTable>, _ child: Int) -> Int {
    withText(child) { text in text.baseAddress.map { search(table, $0, text.count) } ?? -1 }
  }
}
