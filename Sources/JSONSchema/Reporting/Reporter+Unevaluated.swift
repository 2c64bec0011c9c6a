import JSONText

/// Reports violations of `unevaluatedProperties` and `unevaluatedItems`: members and elements that no subschema covers.
///
/// By the specification, an invalid subschema evaluates no members. One error in one member would then report every
/// member. Therefore, all members that a subschema covers count as evaluated here, whether they are valid or not.
extension Reporter {
  mutating func reportUnevaluated(_ instruction: UnsafePointer<Instruction>, _ schema: UInt32, _ token: Int) {
    let state = evaluator.state
    let frame = state.pointee.pushFrame(evaluator.childCount(token))
    var known: [String] = []
    touch(schema, token, frame, besides: instruction, 0, &known)
    let isObject = node(token).kind == .object
    var untouched: [(name: JSONNode, value: JSONNode, ordinal: Int)] = []
    var ordinal = 0
    if isObject {
      node(token).forEachMember { name, value in
        if !evaluator.isMarked(frame, ordinal) { untouched.append((name, value, ordinal)) }
        ordinal += 1
      }
    } else {
      node(token).forEachElement { element in
        if !evaluator.isMarked(frame, ordinal) { untouched.append((element, element, ordinal)) }
        ordinal += 1
      }
    }
    evaluator.popFrame(frame, into: -1)
    let child = instruction.pointee.a
    evaluator.spend(known.count * evaluator.memberBound(token))
    let free = isOver ? [] : known.filter { node(token).lastMember($0) < 0 }
    for (name, value, ordinal) in untouched where !isOver {
      if !isNever(child) {
        check(child, value.index, isObject ? .member(name.string ?? "") : .element(ordinal))
      } else if isObject {
        addUnknown(name, "unevaluatedProperties", instruction.pointee.place, known: free)
      } else {
        path.append(.element(ordinal))
        add(
          "unevaluatedItems", "\(subject) is not allowed here", found: "not allowed", value.index,
          place: instruction.pointee.place, fix: "remove it")
        path.removeLast()
      }
    }
  }

  private func touch(
    _ index: UInt32, _ token: Int, _ frame: Int, besides own: UnsafePointer<Instruction>?, _ depth: Int,
    _ known: inout [String]
  ) {
    let schema = program.nodes.start + Int(index)
    guard depth < 100, evaluator.state.pointee.steps > 0, evaluator.admits(schema.pointee.types, token) else { return }
    evaluator.state.pointee.steps -= 1
    let entered = evaluator.enterScope(schema)
    defer { if entered { evaluator.leaveScope() } }
    for instruction in instructions(of: schema, token) where instruction != own {
      let a = Int(instruction.pointee.a)
      switch instruction.pointee.operation {
      case .reference: touch(instruction.pointee.a, token, frame, besides: nil, depth + 1, &known)
      case .dynamicReference:
        touch(evaluator.dynamicTarget(instruction), token, frame, besides: nil, depth + 1, &known)
      case .allOf:
        for offset in 0..<Int(instruction.pointee.b) {
          touch(program.lists[a + offset], token, frame, besides: nil, depth + 1, &known)
        }
      case .anyOf, .oneOf:
        let all = (0..<Int(instruction.pointee.b)).map { program.lists[a + $0] }
        let fitting = all.filter { evaluator.evaluate($0, token, -1) }
        for node in fitting.isEmpty ? all : fitting {
          touch(node, token, frame, besides: nil, depth + 1, &known)
        }
      case .conditional:
        let fits = evaluator.evaluate(program.lists[a], token, -1)
        if fits { touch(program.lists[a], token, frame, besides: nil, depth + 1, &known) }
        let chosen = program.lists[a + (fits ? 1 : 2)]
        if chosen != Instruction.none { touch(chosen, token, frame, besides: nil, depth + 1, &known) }
      case .dependentSchemas:
        for offset in 0..<Int(instruction.pointee.b)
        where evaluator.value(of: program.lists[a + 2 * offset], in: token) >= 0 {
          touch(program.lists[a + 2 * offset + 1], token, frame, besides: nil, depth + 1, &known)
        }
      case .members: touchMembers(program.tables.start + a, token, frame, &known)
      case .items: touchItems(instruction, token, frame)
      case .contains:
        var ordinal = 0
        node(token).forEachElement { element in
          if evaluator.evaluate(program.lists[a], element.index, -1) { evaluator.mark(frame, ordinal) }
          ordinal += 1
        }
      case .unevaluatedItems, .unevaluatedProperties:
        for ordinal in 0..<evaluator.childCount(token) { evaluator.mark(frame, ordinal) }
      default: break
      }
    }
  }

  private func touchMembers(
    _ table: UnsafePointer<MemberTable>, _ token: Int, _ frame: Int, _ known: inout [String]
  ) {
    let room = max(0, MisspellingFinder.mostCandidates - known.count)
    known += (0..<min(room, Int(table.pointee.count))).map { memberName(table.pointee, $0) }
    var ordinal = 0
    node(token).forEachMember { name, _ in
      let index = evaluator.find(table, name.index)
      let isNamed = index >= 0 && program.members[Int(table.pointee.first) + index].schema != Instruction.none
      let isMatched =
        isNamed || table.pointee.additional != Instruction.none
        || (0..<Int(table.pointee.patternCount)).contains {
          evaluator.matches(
            program.patterns[Int(table.pointee.firstPattern) + $0].regex, name.index, table.pointee.patternsPlace)
        }
      if isMatched { evaluator.mark(frame, ordinal) }
      ordinal += 1
    }
  }

  private func touchItems(_ instruction: UnsafePointer<Instruction>, _ token: Int, _ frame: Int) {
    let rest = program.lists[Int(instruction.pointee.a)]
    let count = evaluator.childCount(token)
    let end = rest == Instruction.none ? min(count, Int(instruction.pointee.b)) : count
    for ordinal in 0..<end { evaluator.mark(frame, ordinal) }
  }
}
