import JSONText

/// Checks the rules for numbers, strings and equality.
extension Evaluator {
  /// Returns the sign of the value minus the limit.
  func compare(_ limit: UInt32, _ token: Int) -> Int {
    let limit = state.pointee.program.numbers.start + Int(limit)
    let value = node(token)
    if limit.pointee.isSmall, value.isSmallInteger {
      let difference = value.plainInteger - limit.pointee.small
      return difference < 0 ? -1 : difference > 0 ? 1 : 0
    }
    spendBytes(token)
    return DecimalView.compare(DecimalView(value.raw), limit.pointee.exact)
  }

  @inline(never) func divides(_ divisor: UInt32, _ token: Int) -> Bool {
    let divisor = state.pointee.program.divisors.start + Int(divisor)
    spendBytes(token)
    let number = DecimalView(node(token).raw)
    spend(divisor.pointee.steps(for: number))
    return divisor.pointee.divides(number)
  }

  /// Returns whether a value is in an `enum`.
  @inline(never) func isListed(_ list: UInt32, _ token: Int) -> Bool {
    let list = state.pointee.program.values.start + Int(list)
    let value = node(token)
    let kind = value.kind
    guard list.pointee.kinds >> kind.rawValue & 1 != 0 else { return false }
    let constants = state.pointee.program.constants.start + Int(list.pointee.first)
    spendBytes(token)
    if list.pointee.slotMask != 0 { return isHashed(list, constants, value) }
    spend(Int(list.pointee.count) >> 4)
    if kind == .string, !value.token.isEscaped {
      let inner = state.pointee.text + Int(value.token.start) + 1
      let count = Int(value.token.length) - 2
      for index in 0..<Int(list.pointee.count) where constants[index].kind == .string {
        if constants[index].spells(inner, count) { return true }
      }
      return false
    }
    for index in 0..<Int(list.pointee.count) where value.isSame(as: constants[index]) { return true }
    return false
  }

  private func isHashed(
    _ list: UnsafePointer<ValueList>, _ constants: UnsafePointer<JSONNode>, _ value: JSONNode
  ) -> Bool {
    let slots = state.pointee.program.lists.start + Int(list.pointee.slots)
    let mask = Int(list.pointee.slotMask)
    var slot = ValueHash.of(value) & mask
    while slots[slot] != Instruction.none {
      if value.isSame(as: constants[Int(slots[slot])]) { return true }
      slot = (slot + 1) & mask
    }
    return false
  }

  /// Returns whether a string matches a pattern. Running out of steps counts as no match and stops the run.
  @inline(never) func matches(_ regex: UInt32, _ token: Int, _ place: UInt32) -> Bool {
    let regex = state.pointee.program.regexes[Int(regex)]
    var budget = state.pointee.patternSteps
    let outcome = withText(token) { text in regex._withUnsafeGuaranteedRef { $0.search(text, budget: &budget) } }
    state.pointee.patternSteps = budget
    if outcome == .outOfSteps { halt(.slowPattern, token, place) }
    return outcome == .match
  }

  @inline(never) func hasFormat(_ format: UInt32, _ token: Int) -> Bool {
    let format = state.pointee.program.formats.start + Int(format)
    spendBytes(token)
    return withText(token) { format.pointee.accepts($0) }
  }

  /// Passes a string's text with escapes resolved to `body`.
  @inline(__always) func withText<Result>(_ token: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let value = node(token)
    guard value.token.isEscaped else { return body(value.inner) }
    state.pointee.scratch.removeAll()
    JSONStrings.unescape(value.inner, into: &state.pointee.scratch)
    return body(state.pointee.scratch.bytes)
  }
}
