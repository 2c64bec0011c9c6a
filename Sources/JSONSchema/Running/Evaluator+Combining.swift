import JSONText

/// Checks keywords that apply several subschemas to the same value.
extension Evaluator {
  @inline(never) func all(_ instruction: UnsafePointer<Instruction>, _ token: Int, _ frame: Int) -> Bool {
    var at = state.pointee.program.lists.start + Int(instruction.pointee.a)
    let end = at + Int(instruction.pointee.b)
    while at < end {
      if !evaluate(at.pointee, token, frame) { return false }
      at += 1
    }
    return true
  }

  @inline(never) func any(_ instruction: UnsafePointer<Instruction>, _ token: Int, _ frame: Int) -> Bool {
    var at = state.pointee.program.lists.start + Int(instruction.pointee.a)
    let end = at + Int(instruction.pointee.b)
    var found = false
    while at < end {
      if frame < 0 {
        if evaluate(at.pointee, token, -1) { return true }
      } else if evaluateApart(at.pointee, token, frame) {
        // The members that any matching alternative evaluates count, so the other alternatives must run too.
        found = true
      }
      at += 1
    }
    return found
  }

  @inline(never) func one(_ instruction: UnsafePointer<Instruction>, _ token: Int, _ frame: Int) -> Bool {
    var at = state.pointee.program.lists.start + Int(instruction.pointee.a)
    let end = at + Int(instruction.pointee.b)
    var found = false
    while at < end {
      if evaluateApart(at.pointee, token, frame) {
        if found { return false }
        found = true
      }
      at += 1
    }
    return found
  }

  @inline(never) func conditional(_ instruction: UnsafePointer<Instruction>, _ token: Int, _ frame: Int) -> Bool {
    let nodes = state.pointee.program.lists.start + Int(instruction.pointee.a)
    let chosen = evaluateApart(nodes[0], token, frame) ? nodes[1] : nodes[2]
    return chosen == Instruction.none || evaluate(chosen, token, frame)
  }

  @inline(never)
  func dependentSchemas(_ instruction: UnsafePointer<Instruction>, _ token: Int, _ frame: Int) -> Bool {
    var at = state.pointee.program.lists.start + Int(instruction.pointee.a)
    let end = at + Int(instruction.pointee.b) * 2
    while at < end {
      if value(of: at[0], in: token) >= 0, !evaluate(at[1], token, frame) { return false }
      at += 2
    }
    return true
  }

  func dependentRequired(_ instruction: UnsafePointer<Instruction>, _ token: Int) -> Bool {
    let place = instruction.pointee.place
    var at = state.pointee.program.lists.start + Int(instruction.pointee.a)
    for _ in 0..<instruction.pointee.b {
      let count = Int(at[1])
      if value(of: at[0], in: token) >= 0 {
        for index in 0..<count {
          // An undecided result counts as invalid and has its own reason.
          guard state.pointee.steps > 0 else {
            halt(.tooManySteps, token, place)
            return false
          }
          if value(of: at[2 + index], in: token) < 0 { return false }
        }
      }
      at += 2 + count
    }
    return true
  }

  /// Returns the number of members, or an upper bound if the members were not counted.
  func memberBound(_ token: Int) -> Int {
    let counted = Int(tokens[token].count)
    return counted < Int(UInt16.max) ? counted : (Int(tokens[token].next) - token) / 2
  }

  /// Returns the token of a named member's value, or -1 if the object does not have the member.
  func value(of name: UInt32, in token: Int) -> Int {
    spend(memberBound(token))
    let name = state.pointee.program.names[Int(name)]
    let start = state.pointee.program.bytes.start + Int(name.start)
    return node(token).lastMember(UnsafeBufferPointer(start: start, count: Int(name.length)))
  }

  /// Runs a subschema whose marks are kept only if the value is valid.
  private func evaluateApart(_ schema: UInt32, _ token: Int, _ frame: Int) -> Bool {
    if frame < 0 { return evaluate(schema, token, -1) }
    let apart = state.pointee.pushFrame(childCount(token))
    let valid = evaluate(schema, token, apart)
    popFrame(apart, into: valid ? frame : -1)
    return valid
  }
}
