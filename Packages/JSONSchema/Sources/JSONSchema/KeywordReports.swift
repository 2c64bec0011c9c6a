import JSONText

/// Reports violations by a value itself: by its type, its size or its content.
extension Reporter {
  /// Reports the violations of the instruction at an index.
  mutating func report(_ at: Int, _ schema: UInt32, _ token: Int) {
    let instruction = program.instructions[at]
    let a = Int(instruction.a)
    let place = instruction.place
    let value = node(token)
    // The reporter also iterates over containers, more slowly than the evaluator.
    if value.kind == .object || value.kind == .array { evaluator.spend(8 * evaluator.memberBound(token)) }
    switch instruction.operation {
    case .never:
      add("false", "\(subject) is not allowed here", found: "not allowed", token, place: place, fix: "remove it")
    case .constant:
      if !evaluator.perform(at, token, -1) { addChoices([program.constants[a]], of: 1, "const", token, place) }
    case .enumeration:
      if !evaluator.perform(at, token, -1) {
        let list = program.values[a]
        let values = (0..<min(Int(list.count), MisspellingFinder.mostCandidates)).map {
          program.constants[Int(list.first) + $0]
        }
        addChoices(values, of: Int(list.count), "enum", token, place)
      }
    case .reference: visit(instruction.a, token)
    case .dynamicReference: visit(evaluator.dynamicTarget(instruction), token)
    case .allOf:
      for index in 0..<Int(instruction.b) { visit(program.lists[a + index], token) }
    case .anyOf, .oneOf: reportAlternatives(instruction, token)
    case .not:
      if evaluator.evaluate(instruction.a, token, -1) { reportNot(instruction.a, token, place) }
    case .conditional:
      let chosen = evaluator.evaluate(program.lists[a], token, -1) ? program.lists[a + 1] : program.lists[a + 2]
      if chosen != Instruction.none { visit(chosen, token) }
    case .minimum: reportLimit("minimum", "must be at least", at, token)
    case .exclusiveMinimum: reportLimit("exclusiveMinimum", "must be more than", at, token)
    case .maximum: reportLimit("maximum", "must be at most", at, token)
    case .exclusiveMaximum: reportLimit("exclusiveMaximum", "must be less than", at, token)
    case .multipleOf:
      if !evaluator.perform(at, token, -1) {
        let divisor = origin.withValue(place) { $0.excerpt } ?? ""
        add("multipleOf", "\(subject) must be a multiple of \(divisor)", found: value.excerpt, token, place: place)
      }
    case .minLength: reportCount("minLength", least: a, value.codePoints, "character", token, place)
    case .maxLength: reportCount("maxLength", most: a, value.codePoints, "character", token, place)
    case .minItems: reportCount("minItems", least: a, value.childCount, "item", token, place)
    case .maxItems: reportCount("maxItems", most: a, value.childCount, "item", token, place)
    case .minProperties: reportCount("minProperties", least: a, value.childCount, "member", token, place)
    case .maxProperties: reportCount("maxProperties", most: a, value.childCount, "member", token, place)
    case .pattern: reportPattern(instruction.a, token, place)
    case .format:
      if !evaluator.perform(at, token, -1) {
        let wanted = "\(subject) must be \(MessageFormat.format(origin.formatNames[a]))"
        addForm("format", wanted, found: value.excerpt, token, place)
      }
    case .uniqueItems: reportDuplicate(token, place)
    case .items: reportItems(instruction, token)
    case .contains: reportContains(at, token)
    case .members: reportMembers(a, token)
    case .dependentRequired: reportDependents(instruction, token)
    case .dependentSchemas:
      for index in 0..<Int(instruction.b)
      where evaluator.value(of: program.lists[a + 2 * index], in: token) >= 0 {
        visit(program.lists[a + 2 * index + 1], token)
      }
    case .unevaluatedItems, .unevaluatedProperties: reportUnevaluated(at, schema, token)
    }
  }

  /// The name of the value in messages: its member name, or its position in an array.
  var subject: String { MessageFormat.subject(path) }

  /// - Parameter replacement: the number that the value contains as text.
  mutating func addType(
    _ types: UInt8, _ token: Int, keyword: String, place: UInt32, replacement: String? = nil
  ) {
    let value = node(token)
    add(
      keyword, "\(subject) must be \(MessageFormat.types(types))", found: value.kindName, token, place: place,
      fix: replacement.map { "write \($0)" } ?? MessageFormat.typeFix(types, value) ?? exampleFix(types, place),
      replacement: replacement)
  }

  /// Returns a fix for a value of the wrong type that quotes an example from the schema, or nil if the schema has no
  /// suitable example.
  private func exampleFix(_ types: UInt8, _ place: UInt32) -> String? {
    origin.example(place) { example in
      guard MessageFormat.allows(types, example), example.kind != .object,
        example.kind != .array || example.raw.count <= 60
      else { return nil }
      return "write \(MessageFormat.types(types)), for example \(example.excerpt)"
    }
  }

  private mutating func addChoices(
    _ values: [JSONNode], of count: Int, _ keyword: String, _ token: Int, _ place: UInt32
  ) {
    guard !isOver else { return }
    add(choiceFinding(values.map(\.excerpt), of: count, keyword, token, place, at: path))
  }

  /// Returns a finding about a value that is not one of the allowed values.
  ///
  /// The finding lists up to twelve allowed values and the number of the others. A finding that is compared with others
  /// also stores these twelve.
  /// - Parameter texts: at least one and at most `MisspellingFinder.mostCandidates` of the allowed values.
  /// - Parameter count: the total number of allowed values.
  func choiceFinding(
    _ texts: [String], of count: Int, _ keyword: String, _ token: Int, _ place: UInt32, at path: [JSONPointer.Step]
  ) -> Finding {
    let value = node(token)
    let kept = Array(texts.prefix(MessageFormat.mostChoices))
    let shown = kept.joined(separator: ", ") + (count > kept.count ? " and \(count - kept.count) more" : "")
    var finding = Finding(
      keyword: keyword, message: "\(MessageFormat.subject(path)) must be \(count == 1 ? "" : "one of ")\(shown)",
      found: value.shortLabel, pointer: path, span: value.span, place: place, fix: "write \(shown)", choices: kept,
      choiceCount: count, token: token)
    if count != 1 {
      let nearest = value.kind == .string ? suggestion(for: value.excerpt, among: texts) : nil
      finding.found = "not one of \(count) values"
      finding.fix = nearest.map { "did you mean \($0)?" } ?? "write one of: \(shown)"
    }
    return finding
  }

  private mutating func reportLimit(
    _ keyword: String, _ words: String, _ at: Int, _ token: Int
  ) {
    if evaluator.perform(at, token, -1) { return }
    let instruction = program.instructions[at]
    let limit = program.numbers[Int(instruction.a)].node.excerpt
    add(
      keyword, "\(subject) \(words) \(limit)", found: node(token).excerpt, token, place: instruction.place)
  }

  private mutating func reportCount(
    _ keyword: String, least: Int = 0, most: Int = .max, _ count: Int, _ noun: String, _ token: Int, _ place: UInt32
  ) {
    if count >= least, count <= most { return }
    let message =
      if count < least {
        least == 1 && count == 0
          ? "\(subject) must not be empty" : "\(subject) must have at least \(Plural.count(least, noun))"
      } else {
        "\(subject) must have at most \(Plural.count(most, noun))"
      }
    add(keyword, message, found: count == 0 ? "empty" : Plural.count(count, noun), token, place: place)
  }

  private mutating func reportPattern(_ regex: UInt32, _ token: Int, _ place: UInt32) {
    var budget = evaluator.state.pointee.patternSteps
    let outcome = evaluator.withText(token) { text in
      program.regexes[Int(regex)]._withUnsafeGuaranteedRef { $0.search(text, budget: &budget) }
    }
    evaluator.state.pointee.patternSteps = budget
    if outcome == .match { return }
    if outcome == .outOfSteps { return addSlowPattern(token, place) }
    let pattern = origin.withValue(place) { $0.string } ?? nil
    let wanted = "\(subject) must match the pattern \(MessageFormat.shortened(pattern ?? ""))"
    addForm("pattern", wanted, found: node(token).shortLabel, token, place)
  }

  /// Adds a finding about the form of a string. It quotes the schema's example, which is easier to read than a pattern.
  private mutating func addForm(_ keyword: String, _ wanted: String, found: String, _ token: Int, _ place: UInt32) {
    let example = origin.example(place) { example in
      example.raw.count > 400 ? nil : example.string.flatMap { $0.isEmpty || $0.count > 60 ? nil : $0 }
    }
    add(
      keyword, example.map { "\(subject) does not have the form of \($0)" } ?? wanted, found: found, token,
      place: place, fix: example.map { "write it as \($0)" })
  }

  mutating func addSlowPattern(_ token: Int, _ place: UInt32) {
    add(
      "pattern", "\(subject) cannot be checked: the pattern takes too many steps on this text",
      found: node(token).shortLabel, token, place: place, fix: "simplify the pattern in the schema")
  }

  private mutating func reportNot(_ schema: UInt32, _ token: Int, _ place: UInt32) {
    // Schemas use `not` with `required` to forbid a member.
    for at in instructions(of: program.nodes[Int(schema)], token)
    where program.instructions[at].operation == .members {
      let table = program.tables[Int(program.instructions[at].a)]
      guard table.requiredCount == 1, table.additional == Instruction.none, table.count == 1 else { continue }
      let name = memberName(table, 0)
      let member = node(token).lastMember(name)
      if member > 0 {
        path.append(.member(name))
        add("not", "\(subject) is not allowed here", found: "not allowed", member - 1, place: place, fix: "remove it")
        path.removeLast()
        return
      }
    }
    let forbidden = origin.withValue(place) { $0.excerpt } ?? ""
    add("not", "\(subject) must not match \(forbidden)", found: node(token).shortLabel, token, place: place)
  }

  /// Returns the name of an entry in a member table.
  func memberName(_ table: MemberTable, _ index: Int) -> String {
    let member = program.members[Int(table.first) + index]
    return String(decoding: program.bytes.elements.extracting(member.range).span)
  }
}

/// Reports on the elements and members of a value.
extension Reporter {
  mutating func reportItems(_ instruction: Instruction, _ token: Int) {
    let a = Int(instruction.a)
    let prefix = Int(instruction.b)
    var ordinal = 0
    node(token).forEachElement { element in
      if isOver { return }
      let schema = ordinal < prefix ? program.lists[a + 1 + ordinal] : program.lists[a]
      if schema != Instruction.none {
        if isNever(schema) {
          path.append(.element(ordinal))
          let most = Plural.count(prefix, "item")
          add(
            "items",
            prefix == 0
              ? "\(subject) is not allowed here"
              : "\(MessageFormat.subject(path.dropLast())) must have at most \(most)",
            found: "not allowed", element.index, place: neverPlace(schema), fix: "remove it")
          path.removeLast()
        } else {
          check(schema, element.index, .element(ordinal))
        }
      }
      ordinal += 1
    }
  }

  mutating func reportContains(_ at: Int, _ token: Int) {
    if evaluator.perform(at, token, -1) { return }
    let instruction = program.instructions[at]
    let list = (0..<5).map { program.lists[Int(instruction.a) + $0] }
    var found = 0
    node(token).forEachElement { if evaluator.evaluate(list[0], $0.index, -1) { found += 1 } }
    let isFew = found < Int(list[1])
    let wanted = Plural.count(Int(isFew ? list[1] : list[2]), "matching item")
    let keyword = !isFew ? "maxContains" : list[3] == instruction.place ? "contains" : "minContains"
    add(
      keyword, "\(subject) must contain at \(isFew ? "least" : "most") \(wanted)",
      found: Plural.count(found, "matching item"), token, place: isFew ? list[3] : list[4])
  }

  mutating func reportDuplicate(_ token: Int, _ place: UInt32) {
    let second = evaluator.duplicateItem(token)
    guard second >= 0 else { return }
    var ordinal = 0
    var first = -1
    var position = 0
    node(token).forEachElement { element in
      if first < 0, element.index < second, element.isSame(as: node(second)) { first = ordinal }
      if element.index == second { position = ordinal }
      ordinal += 1
    }
    let owner = subject
    path.append(.element(position))
    add(
      "uniqueItems", "items \(first + 1) and \(position + 1) of \(owner) are the same", found: "duplicate",
      second, place: place, fix: "remove one of them")
    path.removeLast()
  }

  mutating func reportMembers(_ index: Int, _ token: Int) {
    let table = program.tables[index]
    var present: Set<Int> = []
    var unknown: [String] = []
    var indexes: [Int] = []
    node(token).forEachMember { name, _ in indexes.append(evaluator.find(index, name.index)) }
    // These are the possible meanings of an unknown member: the names in the table that the value does not have. They
    // are computed only once.
    lazy var free = freeNames(table, Set(indexes))
    var ordinal = 0
    node(token).forEachMember { name, value in
      let index = indexes[ordinal]
      ordinal += 1
      if isOver { return }
      let step = JSONPointer.Step.member(name.string ?? "")
      var matched = false
      if index >= 0 {
        present.insert(index)
        let schema = program.members[Int(table.first) + index].schema
        if schema != Instruction.none {
          matched = true
          checkMember(schema, name, value, step, "properties")
        }
      }
      for offset in 0..<Int(table.patternCount) {
        let pattern = program.patterns[Int(table.firstPattern) + offset]
        guard evaluator.matches(pattern.regex, name.index, table.patternsPlace) else { continue }
        matched = true
        checkMember(pattern.schema, name, value, step, "patternProperties")
      }
      if !matched, unknown.count < MisspellingFinder.mostCandidates { unknown.append(name.string ?? "") }
      if !matched, table.additional != Instruction.none {
        if isNever(table.additional) {
          addUnknown(name, "additionalProperties", table.additionalPlace, known: free)
        } else {
          check(table.additional, value.index, step)
        }
      }
      if table.names != Instruction.none {
        if isNever(table.names) {
          path.append(step)
          add(
            "propertyNames", "\(subject) is not allowed here", found: "not allowed", name.index, place: table.namesPlace
          )
          path.removeLast()
        } else {
          check(table.names, name.index, step)
        }
      }
    }
    for index in 0..<Int(table.count) where !isOver && !present.contains(index) {
      guard program.members[Int(table.first) + index].requiredBit >= 0 else { continue }
      addMissing(memberName(table, index), token, table.requiredPlace, unknown: unknown)
    }
  }

  private mutating func addMissing(_ name: String, _ token: Int, _ place: UInt32, unknown: [String]) {
    let misspelt = suggestion(for: name, among: unknown)
    let owner = path.isEmpty ? "" : " in \(subject)"
    let name = MessageFormat.shortened(name)
    add(
      "required", "'\(name)' is missing\(owner)", found: "no '\(name)'", token, place: place,
      fix: misspelt.map { "rename \"\($0)\" to \"\(name)\"" } ?? "add \"\(name)\"")
  }

  /// Checks a member, or reports that it is not allowed.
  private mutating func checkMember(
    _ schema: UInt32, _ name: JSONNode, _ value: JSONNode, _ step: JSONPointer.Step, _ keyword: String
  ) {
    guard isNever(schema) else { return check(schema, value.index, step) }
    path.append(step)
    add(
      keyword, "\(subject) is not allowed here", found: "not allowed", name.index, place: neverPlace(schema),
      fix: "remove it")
    path.removeLast()
  }

  /// Reports an unknown member, with a suggestion for its name.
  mutating func addUnknown(_ name: JSONNode, _ keyword: String, _ place: UInt32, known: [String]) {
    let text = name.string ?? ""
    path.append(.member(text))
    let nearest = suggestion(for: text, among: known)
    add(
      keyword,
      "'\(MessageFormat.shortened(text))' is not a known member\(path.count > 1 ? " of \(MessageFormat.subject(path.dropLast()))" : "")",
      found: "unknown", name.index, place: place,
      fix: nearest.map { "did you mean \"\($0)\"?" } ?? "remove it")
    path.removeLast()
  }

  /// Returns member names of a table that the value does not have yet, up to the number of candidates for suggestions.
  private func freeNames(_ table: MemberTable, _ present: Set<Int>) -> [String] {
    (0..<Int(table.count)).lazy.filter { !present.contains($0) }.prefix(MisspellingFinder.mostCandidates)
      .map { memberName(table, $0) }
  }

  mutating func reportDependents(_ instruction: Instruction, _ token: Int) {
    var at = Int(instruction.a)
    for _ in 0..<instruction.b {
      let count = Int(program.lists[at + 1])
      if evaluator.value(of: program.lists[at], in: token) >= 0 {
        for index in 0..<count
        where !isOver && evaluator.value(of: program.lists[at + 2 + index], in: token) < 0 {
          let trigger = name(program.lists[at])
          let missing = name(program.lists[at + 2 + index])
          add(
            "dependentRequired", "'\(missing)' is missing: '\(trigger)' requires it",
            found: "no '\(missing)'", token, place: instruction.place, fix: "add \"\(missing)\"")
        }
      }
      at += 2 + count
    }
  }

  private func name(_ index: UInt32) -> String {
    let name = program.names[Int(index)]
    return MessageFormat.shortened(String(decoding: program.bytes.elements.extracting(name.range).span))
  }

  /// Returns whether a node is `false`.
  func isNever(_ index: UInt32) -> Bool {
    let schema = program.nodes[Int(index)]
    return schema.generalEnd > schema.first && program.instructions[Int(schema.first)].operation == .never
  }

  private func neverPlace(_ index: UInt32) -> UInt32 {
    program.instructions[Int(program.nodes[Int(index)].first)].place
  }
}

/// Reports violations of `unevaluatedProperties` and `unevaluatedItems`: members and elements that no subschema covers.
///
/// Under the specification, an invalid subschema evaluates no members. One error in one member would then report every
/// member. Therefore, all members that a subschema covers count as evaluated here, whether they are valid or not.
extension Reporter {
  mutating func reportUnevaluated(_ at: Int, _ schema: UInt32, _ token: Int) {
    let instruction = program.instructions[at]
    let state = evaluator.state
    let frame = state.pointee.pushFrame(evaluator.childCount(token))
    var known: [String] = []
    touch(schema, token, frame, besides: at, 0, &known)
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
    let child = instruction.a
    evaluator.spend(known.count * evaluator.memberBound(token))
    let free = isOver ? [] : known.filter { node(token).lastMember($0) < 0 }
    for (name, value, ordinal) in untouched where !isOver {
      if !isNever(child) {
        check(child, value.index, isObject ? .member(name.string ?? "") : .element(ordinal))
      } else if isObject {
        addUnknown(name, "unevaluatedProperties", instruction.place, known: free)
      } else {
        path.append(.element(ordinal))
        add(
          "unevaluatedItems", "\(subject) is not allowed here", found: "not allowed", value.index,
          place: instruction.place, fix: "remove it")
        path.removeLast()
      }
    }
  }

  private func touch(
    _ index: UInt32, _ token: Int, _ frame: Int, besides own: Int?, _ depth: Int,
    _ known: inout [String]
  ) {
    let schema = program.nodes[Int(index)]
    guard depth < 100, evaluator.state.pointee.steps > 0, evaluator.admits(schema.types, token) else { return }
    evaluator.state.pointee.steps -= 1
    let entered = evaluator.enterScope(schema)
    defer { if entered { evaluator.leaveScope() } }
    for at in instructions(of: schema, token) where at != own {
      let instruction = program.instructions[at]
      let a = Int(instruction.a)
      switch instruction.operation {
      case .reference: touch(instruction.a, token, frame, besides: nil, depth + 1, &known)
      case .dynamicReference:
        touch(evaluator.dynamicTarget(instruction), token, frame, besides: nil, depth + 1, &known)
      case .allOf:
        for offset in 0..<Int(instruction.b) {
          touch(program.lists[a + offset], token, frame, besides: nil, depth + 1, &known)
        }
      case .anyOf, .oneOf:
        let all = (0..<Int(instruction.b)).map { program.lists[a + $0] }
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
        for offset in 0..<Int(instruction.b)
        where evaluator.value(of: program.lists[a + 2 * offset], in: token) >= 0 {
          touch(program.lists[a + 2 * offset + 1], token, frame, besides: nil, depth + 1, &known)
        }
      case .members: touchMembers(a, token, frame, &known)
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
    _ index: Int, _ token: Int, _ frame: Int, _ known: inout [String]
  ) {
    let table = program.tables[index]
    let room = max(0, MisspellingFinder.mostCandidates - known.count)
    known += (0..<min(room, Int(table.count))).map { memberName(table, $0) }
    var ordinal = 0
    node(token).forEachMember { name, _ in
      let found = evaluator.find(index, name.index)
      let isNamed = found >= 0 && program.members[Int(table.first) + found].schema != Instruction.none
      let isMatched =
        isNamed || table.additional != Instruction.none
        || (0..<Int(table.patternCount)).contains {
          evaluator.matches(
            program.patterns[Int(table.firstPattern) + $0].regex, name.index, table.patternsPlace)
        }
      if isMatched { evaluator.mark(frame, ordinal) }
      ordinal += 1
    }
  }

  private func touchItems(_ instruction: Instruction, _ token: Int, _ frame: Int) {
    let rest = program.lists[Int(instruction.a)]
    let count = evaluator.childCount(token)
    let end = rest == Instruction.none ? min(count, Int(instruction.b)) : count
    for ordinal in 0..<end { evaluator.mark(frame, ordinal) }
  }
}
