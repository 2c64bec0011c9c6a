import JSONText

/// Checks whether a value is valid. The evaluator follows the compiled tables and the tokens, and stops at the first
/// violated rule.
///
/// An evaluator is one address, so it is passed in a register. Its checking functions return whether the value is still
/// valid. A `frame` is the start of the bits of evaluated members or elements, or -1 if these bits are not needed. A
/// frame always belongs to the value itself, never to its content.
struct Evaluator {
  let state: UnsafeMutablePointer<RunState>

  @inline(__always) var program: Program { state.pointee.program }
  @inline(__always) var tokens: UnsafePointer<JSONToken> { state.pointee.tokens }
  @inline(__always) func node(_ token: Int) -> JSONNode {
    JSONNode(text: state.pointee.text, tokens: state.pointee.tokens, index: token)
  }

  /// Returns whether a value is valid against a subschema.
  @inline(__always) func evaluate(_ schema: UInt32, _ token: Int, _ frame: Int) -> Bool {
    let schema = state.pointee.program.nodes.start + Int(schema)
    if !admits(schema.pointee.types, token) { return false }
    if schema.pointee.first == schema.pointee.objectEnd { return true }
    return run(schema, token, frame)
  }

  /// Returns whether the kind of a value is among the allowed ones.
  @inline(__always) func admits(_ types: UInt8, _ token: Int) -> Bool {
    let kind = tokens[token].kind
    if types >> kind.rawValue & 1 != 0 { return true }
    return kind == .number && types & SchemaNode.wholeNumber != 0 && node(token).isWhole
  }

  @inline(never) private func run(_ schema: UnsafePointer<SchemaNode>, _ token: Int, _ frame: Int) -> Bool {
    guard state.pointee.depth < RunState.maximumDepth, state.pointee.steps > 0 else { return giveUp(schema, token) }
    state.pointee.depth += 1
    state.pointee.steps -= 1
    let valid =
      schema.pointee.flags.isEmpty ? execute(schema, token, frame) : runWithCare(schema, token, frame)
    state.pointee.depth -= 1
    return valid
  }

  private func giveUp(_ schema: UnsafePointer<SchemaNode>, _ token: Int) -> Bool {
    let place = state.pointee.program.instructions[Int(schema.pointee.first)].place
    halt(state.pointee.steps > 0 ? .tooDeep : .tooManySteps, token, place)
    return false
  }

  /// Subtracts steps from the budget. The next subschema stops the run if no steps are left.
  @inline(__always) func spend(_ count: Int) { state.pointee.steps -= count }

  /// Subtracts the steps for work that is proportional to the length of a value's text.
  @inline(__always) func spendBytes(_ token: Int) { spend(Int(tokens[token].length) >> 4) }

  /// Returns the number of elements or members of a container. If there are more than 65 535, counting visits all of
  /// them.
  func childCount(_ token: Int) -> Int {
    let count = node(token).childCount
    if count >= Int(UInt16.max) { spend(count) }
    return count
  }

  /// Records the first part that could not be decided.
  func halt(_ reason: RunStop, _ token: Int, _ place: UInt32) {
    guard state.pointee.stop == nil else { return }
    state.pointee.stop = reason
    state.pointee.stopToken = token
    state.pointee.stopPlace = Int(place)
  }

  /// Runs a node that enters a resource or tracks evaluated members or elements.
  @inline(never)
  private func runWithCare(_ schema: UnsafePointer<SchemaNode>, _ token: Int, _ frame: Int) -> Bool {
    let entered = enterScope(schema)
    defer { if entered { leaveScope() } }
    let kind = tokens[token].kind
    let tracks: SchemaNode.Flags = kind == .object ? .tracksMembers : kind == .array ? .tracksItems : []
    guard !tracks.isEmpty, schema.pointee.flags.contains(tracks) else { return execute(schema, token, frame) }
    let own = state.pointee.pushFrame(childCount(token))
    let valid = execute(schema, token, own)
    popFrame(own, into: valid ? frame : -1)
    return valid
  }

  /// Adds the resource of a node to the dynamic scope. Returns whether the resource was not yet in scope.
  func enterScope(_ schema: UnsafePointer<SchemaNode>) -> Bool {
    let resource = Int(schema.pointee.resource)
    guard schema.pointee.flags.contains(.entersScope), !state.pointee.inScope[resource] else { return false }
    state.pointee.inScope[resource] = true
    state.pointee.scope[state.pointee.scopeCount] = UInt32(truncatingIfNeeded: resource)
    state.pointee.scopeCount += 1
    return true
  }

  /// Removes the innermost resource from the dynamic scope.
  func leaveScope() {
    state.pointee.scopeCount -= 1
    state.pointee.inScope[Int(state.pointee.scope[state.pointee.scopeCount])] = false
  }

  @inline(__always)
  private func execute(_ schema: UnsafePointer<SchemaNode>, _ token: Int, _ frame: Int) -> Bool {
    let instructions = state.pointee.program.instructions.start
    var at = instructions + Int(schema.pointee.first)
    var end = instructions + Int(schema.pointee.generalEnd)
    let kindStart: UInt32
    let kindEnd: UInt32
    switch tokens[token].kind {
    case .null, .true, .false:
      kindStart = 0
      kindEnd = 0
    case .number:
      kindStart = schema.pointee.generalEnd
      kindEnd = schema.pointee.numberEnd
    case .string:
      kindStart = schema.pointee.numberEnd
      kindEnd = schema.pointee.stringEnd
    case .array:
      kindStart = schema.pointee.stringEnd
      kindEnd = schema.pointee.arrayEnd
    case .object:
      kindStart = schema.pointee.arrayEnd
      kindEnd = schema.pointee.objectEnd
    }
    while at < end {
      if !perform(at, token, frame) { return false }
      at += 1
    }
    at = instructions + Int(kindStart)
    end = instructions + Int(kindEnd)
    while at < end {
      if !perform(at, token, frame) { return false }
      at += 1
    }
    return true
  }

  /// Performs one instruction.
  func perform(_ instruction: UnsafePointer<Instruction>, _ token: Int, _ frame: Int) -> Bool {
    let a = instruction.pointee.a
    switch instruction.pointee.operation {
    case .never: return false
    case .constant:
      let constant = state.pointee.program.constants[Int(a)]
      spend(Int(min(tokens[token].length, constant.token.length)) >> 4)
      return node(token).isSame(as: constant)
    case .enumeration: return isListed(a, token)
    case .reference: return evaluate(a, token, frame)
    case .dynamicReference: return evaluate(dynamicTarget(instruction), token, frame)
    case .allOf: return all(instruction, token, frame)
    case .anyOf: return any(instruction, token, frame)
    case .oneOf: return one(instruction, token, frame)
    case .not: return !evaluate(a, token, -1)
    case .conditional: return conditional(instruction, token, frame)
    case .minimum: return compare(a, token) >= 0
    case .exclusiveMinimum: return compare(a, token) > 0
    case .maximum: return compare(a, token) <= 0
    case .exclusiveMaximum: return compare(a, token) < 0
    case .multipleOf: return divides(a, token)
    case .minLength:
      spendBytes(token)
      return node(token).codePoints >= Int(a)
    case .maxLength:
      spendBytes(token)
      return node(token).codePoints <= Int(a)
    case .pattern: return matches(a, token, instruction.pointee.place)
    case .format: return hasFormat(a, token)
    case .minItems, .minProperties: return childCount(token) >= Int(a)
    case .maxItems, .maxProperties: return childCount(token) <= Int(a)
    case .uniqueItems: return duplicateItem(token) < 0
    case .items: return items(instruction, token, frame)
    case .contains: return contains(instruction, token, frame)
    case .unevaluatedItems: return unevaluatedItems(a, token, frame)
    case .members: return members(state.pointee.program.tables.start + Int(a), token, frame)
    case .dependentRequired: return dependentRequired(instruction, token)
    case .dependentSchemas: return dependentSchemas(instruction, token, frame)
    case .unevaluatedProperties: return unevaluatedProperties(a, token, frame)
    }
  }

  /// Returns the target of a dynamic reference: the node of the outermost resource in scope that has the anchor.
  func dynamicTarget(_ instruction: UnsafePointer<Instruction>) -> UInt32 {
    spend(state.pointee.scopeCount >> 2)
    let row = program.dynamicAnchors.start + Int(instruction.pointee.a) * program.resourceCount
    for index in 0..<state.pointee.scopeCount {
      let found = row[Int(state.pointee.scope[index])]
      if found != Instruction.none { return found }
    }
    return instruction.pointee.b
  }
}

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
        // Members evaluated by any matching alternative count as evaluated, so the remaining alternatives must run even
        // after one has matched.
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
