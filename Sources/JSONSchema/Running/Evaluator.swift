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
