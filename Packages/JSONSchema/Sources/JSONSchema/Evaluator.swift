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
  @inline(__always) var tokens: UnsafePointer<JSONToken> { state.pointee.root.tokens }
  @inline(__always) func node(_ token: Int) -> JSONNode { state.pointee.root.at(token) }

  /// Returns whether a value is valid against a subschema.
  @inline(__always) func evaluate(_ schema: UInt32, _ token: Int, _ frame: Int) -> Bool {
    let node = state.pointee.program.nodes[Int(schema)]
    if !admits(node.types, token) { return false }
    if node.first == node.objectEnd { return true }
    return run(schema, token, frame)
  }

  /// Returns whether the kind of a value is among the allowed ones.
  @inline(__always) func admits(_ types: UInt8, _ token: Int) -> Bool {
    let kind = tokens[token].kind
    if types >> kind.rawValue & 1 != 0 { return true }
    return kind == .number && types & SchemaNode.wholeNumber != 0 && node(token).isWhole
  }

  @inline(never) private func run(_ schema: UInt32, _ token: Int, _ frame: Int) -> Bool {
    guard state.pointee.depth < RunState.maximumDepth, state.pointee.steps > 0 else { return giveUp(schema, token) }
    state.pointee.depth += 1
    state.pointee.steps -= 1
    let isPlain = state.pointee.program.nodes[Int(schema)].flags.isEmpty
    let valid = isPlain ? execute(schema, token, frame) : runWithCare(schema, token, frame)
    state.pointee.depth -= 1
    return valid
  }

  private func giveUp(_ schema: UInt32, _ token: Int) -> Bool {
    let first = state.pointee.program.nodes[Int(schema)].first
    let place = state.pointee.program.instructions[Int(first)].place
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
  private func runWithCare(_ schema: UInt32, _ token: Int, _ frame: Int) -> Bool {
    let node = state.pointee.program.nodes[Int(schema)]
    let entered = enterScope(node)
    defer { if entered { leaveScope() } }
    let kind = tokens[token].kind
    let tracks: SchemaNode.Flags = kind == .object ? .tracksMembers : kind == .array ? .tracksItems : []
    guard !tracks.isEmpty, node.flags.contains(tracks) else { return execute(schema, token, frame) }
    let own = state.pointee.pushFrame(childCount(token))
    let valid = execute(schema, token, own)
    popFrame(own, into: valid ? frame : -1)
    return valid
  }

  /// Adds the resource of a node to the dynamic scope. Returns whether the resource was not yet in scope.
  func enterScope(_ schema: SchemaNode) -> Bool {
    let resource = Int(schema.resource)
    guard schema.flags.contains(.entersScope), !state.pointee.inScope[resource] else { return false }
    state.pointee.inScope[resource] = true
    state.pointee.scope.append(schema.resource)
    return true
  }

  /// Removes the innermost resource from the dynamic scope.
  func leaveScope() {
    state.pointee.inScope[Int(state.pointee.scope.removeLast())] = false
  }

  @inline(__always)
  private func execute(_ schema: UInt32, _ token: Int, _ frame: Int) -> Bool {
    let nodes = state.pointee.program.nodes
    let index = Int(schema)
    if !perform(from: nodes[index].first, to: nodes[index].generalEnd, token, frame) { return false }
    let (start, end) =
      switch tokens[token].kind {
      case .null, .true, .false: (UInt32(0), UInt32(0))
      case .number: (nodes[index].generalEnd, nodes[index].numberEnd)
      case .string: (nodes[index].numberEnd, nodes[index].stringEnd)
      case .array: (nodes[index].stringEnd, nodes[index].arrayEnd)
      case .object: (nodes[index].arrayEnd, nodes[index].objectEnd)
      }
    return perform(from: start, to: end, token, frame)
  }

  /// Performs consecutive instructions until one fails.
  @inline(__always)
  private func perform(from start: UInt32, to end: UInt32, _ token: Int, _ frame: Int) -> Bool {
    var at = Int(start)
    while at < Int(end) {
      if !perform(at, token, frame) { return false }
      at += 1
    }
    return true
  }

  /// Performs the instruction at an index.
  func perform(_ at: Int, _ token: Int, _ frame: Int) -> Bool {
    let instruction = state.pointee.program.instructions[at]
    let a = instruction.a
    switch instruction.operation {
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
    case .pattern: return matches(a, token, instruction.place)
    case .format: return hasFormat(a, token)
    case .minItems, .minProperties: return childCount(token) >= Int(a)
    case .maxItems, .maxProperties: return childCount(token) <= Int(a)
    case .uniqueItems: return duplicateItem(token) < 0
    case .items: return items(instruction, token, frame)
    case .contains: return contains(instruction, token, frame)
    case .unevaluatedItems: return unevaluatedItems(a, token, frame)
    case .members: return members(Int(a), token, frame)
    case .dependentRequired: return dependentRequired(instruction, token)
    case .dependentSchemas: return dependentSchemas(instruction, token, frame)
    case .unevaluatedProperties: return unevaluatedProperties(a, token, frame)
    }
  }

  /// Returns the target of a dynamic reference: the node of the outermost resource in scope that has the anchor.
  func dynamicTarget(_ instruction: Instruction) -> UInt32 {
    spend(state.pointee.scope.count >> 2)
    let row = Int(instruction.a) * program.resourceCount
    for resource in state.pointee.scope {
      let found = program.dynamicAnchors[row + Int(resource)]
      if found != Instruction.none { return found }
    }
    return instruction.b
  }
}

/// Checks the rules for the members of objects, all in one pass.
extension Evaluator {
  @inline(never) func members(_ table: Int, _ token: Int, _ frame: Int) -> Bool {
    let required = Int(state.pointee.program.tables[table].requiredCount)
    // More than 64 required members are counted in a frame of bits.
    if required > 64 { return manyRequired(table, token, frame) }
    var seen: UInt64 = 0
    guard walk(table, token, frame, &seen, -1) else { return false }
    return required == 0 || seen == UInt64.max >> UInt64(64 - required)
  }

  private func manyRequired(_ table: Int, _ token: Int, _ frame: Int) -> Bool {
    let required = Int(state.pointee.program.tables[table].requiredCount)
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
    _ index: Int, _ token: Int, _ frame: Int, _ seen: inout UInt64, _ requiredFrame: Int
  ) -> Bool {
    let tokens = tokens
    let bytes = state.pointee.program.bytes.elements
    let tables = state.pointee.program.tables
    let first = Int(tables[index].first)
    let count = Int(tables[index].count)
    let members = state.pointee.program.members.elements.extracting(first..<first + count)
    let end = Int(tokens[token].next)
    var child = token + 1
    var ordinal = 0
    var hint = 0
    defer { spend(ordinal) }
    while child < end {
      var matched = false
      let name = tokens[child]
      // Members are usually in the schema's order.
      var found = hint
      if hint >= count || name.isEscaped || members[hint].length &+ 2 != name.length
        || !node(child).inner.span.equals(bytes.span.extracting(unchecked: members[hint].range))
      {
        found = find(index, child)
      }
      if found >= 0 {
        hint = found + 1
        let member = members[found]
        if member.requiredBit >= 0 {
          if requiredFrame < 0 {
            seen |= 1 << UInt64(truncatingIfNeeded: member.requiredBit)
          } else {
            mark(requiredFrame, Int(member.requiredBit))
          }
        }
        if member.schema != Instruction.none {
          matched = true
          if !evaluate(member.schema, child + 1, -1) { return false }
        }
      }
      if tables[index].patternCount > 0, !patterns(index, child, &matched) { return false }
      if !matched, tables[index].additional != Instruction.none {
        matched = true
        if !evaluate(tables[index].additional, child + 1, -1) { return false }
      }
      if tables[index].names != Instruction.none, !evaluate(tables[index].names, child, -1) { return false }
      if frame >= 0, matched { mark(frame, ordinal) }
      ordinal += 1
      child = Int(tokens[child + 1].next)
    }
    return true
  }

  @inline(never)
  private func patterns(_ table: Int, _ child: Int, _ matched: inout Bool) -> Bool {
    let table = state.pointee.program.tables[table]
    let first = Int(table.firstPattern)
    spend(Int(table.patternCount))
    for at in first..<first + Int(table.patternCount) {
      let pattern = state.pointee.program.patterns[at]
      if matches(pattern.regex, child, table.patternsPlace) {
        matched = true
        if !evaluate(pattern.schema, child + 1, -1) { return false }
      }
    }
    return true
  }

  /// Returns the index of a member's name in a table, or -1 if it is not in the table.
  @inline(never) func find(_ table: Int, _ child: Int) -> Int {
    if state.pointee.program.tables[table].count == 0 { return -1 }
    spendBytes(child)
    return withText(child) { search(table, $0) }
  }

  @inline(__always) private func search(_ table: Int, _ name: Span<UInt8>) -> Int {
    let tables = state.pointee.program.tables
    if tables[table].slotMask != 0 { return searchHashed(table, name) }
    let members = state.pointee.program.members
    let bytes = state.pointee.program.bytes.elements
    let first = Int(tables[table].first)
    let end = first &+ Int(tables[table].count)
    let head = name.head
    var at = first
    while at < end {
      let member = members[at]
      if member.head == head, Int(member.length) == name.count,
        name.count <= 8 || bytes.span.extracting(unchecked: member.range).equals(name)
      {
        return at &- first
      }
      at &+= 1
    }
    return -1
  }

  @inline(never) private func searchHashed(_ table: Int, _ name: Span<UInt8>) -> Int {
    let table = state.pointee.program.tables[table]
    let bytes = state.pointee.program.bytes.elements
    let lists = state.pointee.program.lists
    let mask = Int(table.slotMask)
    var slot = name.nameHash & mask
    while lists[Int(table.slots) + slot] != Instruction.none {
      let index = lists[Int(table.slots) + slot]
      let member = state.pointee.program.members[Int(table.first) + Int(index)]
      if bytes.span.extracting(unchecked: member.range).equals(name) { return Int(index) }
      slot = (slot + 1) & mask
    }
    return -1
  }
}

/// Checks the rules for the elements of arrays.
extension Evaluator {
  @inline(never) func items(_ instruction: Instruction, _ token: Int, _ frame: Int) -> Bool {
    let lists = state.pointee.program.lists
    let first = Int(instruction.a)
    let rest = lists[first]
    let prefix = Int(instruction.b)
    let end = Int(tokens[token].next)
    var child = token + 1
    var ordinal = 0
    defer { spend(ordinal) }
    while child < end {
      let schema = ordinal < prefix ? lists[first + ordinal + 1] : rest
      if schema == Instruction.none { break }
      if !evaluate(schema, child, -1) { return false }
      if frame >= 0 { mark(frame, ordinal) }
      ordinal += 1
      child = Int(tokens[child].next)
    }
    return true
  }

  @inline(never) func contains(_ instruction: Instruction, _ token: Int, _ frame: Int) -> Bool {
    let lists = state.pointee.program.lists
    let first = Int(instruction.a)
    let least = Int(lists[first + 1])
    let most = lists[first + 2] == Instruction.none ? Int.max : Int(lists[first + 2])
    if least == 0, most == Int.max, frame < 0 { return true }
    let end = Int(tokens[token].next)
    var child = token + 1
    var ordinal = 0
    var found = 0
    defer { spend(ordinal) }
    while child < end {
      if evaluate(lists[first], child, -1) {
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
    let end = Int(tokens[token].next)
    var child = token + 1
    while child < end {
      let hash = ValueHash.of(node(child))
      var slot = hash & (size - 1)
      while state.pointee.slots[slot] != 0 {
        if node(child).isSame(as: node(Int(state.pointee.slots[slot]))) { return child }
        slot = (slot + 1) & (size - 1)
      }
      state.pointee.slots[slot] = UInt32(truncatingIfNeeded: child)
      child = Int(tokens[child].next)
    }
    return -1
  }
}

/// Checks the rules for numbers, strings and equality.
extension Evaluator {
  /// Returns the sign of the value minus the limit.
  func compare(_ limit: UInt32, _ token: Int) -> Int {
    let limit = state.pointee.program.numbers[Int(limit)]
    let value = node(token)
    if limit.isSmall, value.isSmallInteger {
      let difference = value.plainInteger - limit.small
      return difference < 0 ? -1 : difference > 0 ? 1 : 0
    }
    spendBytes(token)
    return DecimalView.compare(DecimalView(value), limit.exact)
  }

  @inline(never) func divides(_ divisor: UInt32, _ token: Int) -> Bool {
    // Reading the divisor in place does not count references.
    let divisors = state.pointee.program.divisors.elements
    spendBytes(token)
    let number = DecimalView(node(token))
    spend(divisors[Int(divisor)].steps(for: number))
    return divisors[Int(divisor)].divides(number)
  }

  /// Returns whether a value is in an `enum`.
  @inline(never) func isListed(_ list: UInt32, _ token: Int) -> Bool {
    let list = state.pointee.program.values[Int(list)]
    let value = node(token)
    let kind = value.kind
    guard list.kinds >> kind.rawValue & 1 != 0 else { return false }
    let constants = state.pointee.program.constants
    let range = Int(list.first)..<Int(list.first) + Int(list.count)
    spendBytes(token)
    if list.slotMask != 0 { return isHashed(list, value) }
    spend(Int(list.count) >> 4)
    if kind == .string, !value.token.isEscaped {
      let inner = value.inner
      for index in range where constants[index].kind == .string {
        if constants[index].spells(inner.span) { return true }
      }
      return false
    }
    for index in range where value.isSame(as: constants[index]) { return true }
    return false
  }

  private func isHashed(_ list: ValueList, _ value: JSONNode) -> Bool {
    let lists = state.pointee.program.lists
    let mask = Int(list.slotMask)
    var slot = ValueHash.of(value) & mask
    while lists[Int(list.slots) + slot] != Instruction.none {
      let index = Int(list.first) + Int(lists[Int(list.slots) + slot])
      if value.isSame(as: state.pointee.program.constants[index]) { return true }
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
    spendBytes(token)
    return withText(token) { state.pointee.program.formats.elements[Int(format)].accepts($0) }
  }

  /// Passes a string's text with escapes resolved to `body`.
  @inline(__always) func withText<Result>(_ token: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    let value = node(token)
    guard value.token.isEscaped else { return body(value.inner.span) }
    state.pointee.scratch.removeAll()
    JSONStrings.unescape(value.inner.span, into: &state.pointee.scratch)
    let text = state.pointee.scratch.bytes
    return body(text.span)
  }
}

/// Checks keywords that apply several subschemas to the same value.
extension Evaluator {
  @inline(never) func all(_ instruction: Instruction, _ token: Int, _ frame: Int) -> Bool {
    let lists = state.pointee.program.lists
    let first = Int(instruction.a)
    for at in first..<first + Int(instruction.b) {
      if !evaluate(lists[at], token, frame) { return false }
    }
    return true
  }

  @inline(never) func any(_ instruction: Instruction, _ token: Int, _ frame: Int) -> Bool {
    let lists = state.pointee.program.lists
    let first = Int(instruction.a)
    var found = false
    for at in first..<first + Int(instruction.b) {
      if frame < 0 {
        if evaluate(lists[at], token, -1) { return true }
      } else if evaluateApart(lists[at], token, frame) {
        // Members evaluated by any matching alternative count as evaluated, so the remaining alternatives must run even
        // after one has matched.
        found = true
      }
    }
    return found
  }

  @inline(never) func one(_ instruction: Instruction, _ token: Int, _ frame: Int) -> Bool {
    let lists = state.pointee.program.lists
    let first = Int(instruction.a)
    var found = false
    for at in first..<first + Int(instruction.b) where evaluateApart(lists[at], token, frame) {
      if found { return false }
      found = true
    }
    return found
  }

  @inline(never) func conditional(_ instruction: Instruction, _ token: Int, _ frame: Int) -> Bool {
    let lists = state.pointee.program.lists
    let first = Int(instruction.a)
    let chosen = lists[evaluateApart(lists[first], token, frame) ? first + 1 : first + 2]
    return chosen == Instruction.none || evaluate(chosen, token, frame)
  }

  @inline(never)
  func dependentSchemas(_ instruction: Instruction, _ token: Int, _ frame: Int) -> Bool {
    let lists = state.pointee.program.lists
    var at = Int(instruction.a)
    let end = at + Int(instruction.b) * 2
    while at < end {
      if value(of: lists[at], in: token) >= 0, !evaluate(lists[at + 1], token, frame) { return false }
      at += 2
    }
    return true
  }

  func dependentRequired(_ instruction: Instruction, _ token: Int) -> Bool {
    let place = instruction.place
    let lists = state.pointee.program.lists
    var at = Int(instruction.a)
    for _ in 0..<instruction.b {
      let count = Int(lists[at + 1])
      if value(of: lists[at], in: token) >= 0 {
        for index in 0..<count {
          // An undecided result counts as invalid and has its own reason.
          guard state.pointee.steps > 0 else {
            halt(.tooManySteps, token, place)
            return false
          }
          if value(of: lists[at + 2 + index], in: token) < 0 { return false }
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
    let range = state.pointee.program.names[Int(name)].range
    return node(token).lastMember(state.pointee.program.bytes.elements.extracting(range).span)
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
      for word in 0..<state.pointee.bits.count - frame {
        state.pointee.bits[outer + word] |= state.pointee.bits[frame + word]
      }
    }
    state.pointee.bits.removeLast(state.pointee.bits.count - frame)
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
