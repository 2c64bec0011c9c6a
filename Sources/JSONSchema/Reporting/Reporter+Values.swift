import JSONText

/// Reports violations by a value itself: by its type, its size or its content.
extension Reporter {
  mutating func report(_ instruction: UnsafePointer<Instruction>, _ schema: UInt32, _ token: Int) {
    let a = Int(instruction.pointee.a)
    let place = instruction.pointee.place
    let value = node(token)
    // The reporter also iterates over containers, more slowly than the evaluator.
    if value.kind == .object || value.kind == .array { evaluator.spend(8 * evaluator.memberBound(token)) }
    switch instruction.pointee.operation {
    case .never:
      add("false", "\(subject) is not allowed here", found: "not allowed", token, place: place, fix: "remove it")
    case .constant:
      if !evaluator.perform(instruction, token, -1) { addChoices([program.constants[a]], of: 1, "const", token, place) }
    case .enumeration:
      if !evaluator.perform(instruction, token, -1) {
        let list = program.values[a]
        let values = (0..<min(Int(list.count), MisspellingFinder.mostCandidates)).map {
          program.constants[Int(list.first) + $0]
        }
        addChoices(values, of: Int(list.count), "enum", token, place)
      }
    case .reference: visit(instruction.pointee.a, token)
    case .dynamicReference: visit(evaluator.dynamicTarget(instruction), token)
    case .allOf:
      for index in 0..<Int(instruction.pointee.b) { visit(program.lists[a + index], token) }
    case .anyOf, .oneOf: reportAlternatives(instruction, token)
    case .not:
      if evaluator.evaluate(instruction.pointee.a, token, -1) { reportNot(instruction.pointee.a, token, place) }
    case .conditional:
      let chosen = evaluator.evaluate(program.lists[a], token, -1) ? program.lists[a + 1] : program.lists[a + 2]
      if chosen != Instruction.none { visit(chosen, token) }
    case .minimum: reportLimit("minimum", "must be at least", instruction, token)
    case .exclusiveMinimum: reportLimit("exclusiveMinimum", "must be more than", instruction, token)
    case .maximum: reportLimit("maximum", "must be at most", instruction, token)
    case .exclusiveMaximum: reportLimit("exclusiveMaximum", "must be less than", instruction, token)
    case .multipleOf:
      if !evaluator.perform(instruction, token, -1) {
        let divisor = origin.withValue(place) { $0.excerpt } ?? ""
        add("multipleOf", "\(subject) must be a multiple of \(divisor)", found: value.excerpt, token, place: place)
      }
    case .minLength: reportCount("minLength", least: a, value.codePoints, "character", token, place)
    case .maxLength: reportCount("maxLength", most: a, value.codePoints, "character", token, place)
    case .minItems: reportCount("minItems", least: a, value.childCount, "item", token, place)
    case .maxItems: reportCount("maxItems", most: a, value.childCount, "item", token, place)
    case .minProperties: reportCount("minProperties", least: a, value.childCount, "member", token, place)
    case .maxProperties: reportCount("maxProperties", most: a, value.childCount, "member", token, place)
    case .pattern: reportPattern(instruction.pointee.a, token, place)
    case .format:
      if !evaluator.perform(instruction, token, -1) {
        let wanted = "\(subject) must be \(MessageFormat.format(origin.formatNames[a]))"
        addForm("format", wanted, found: value.excerpt, token, place)
      }
    case .uniqueItems: reportDuplicate(token, place)
    case .items: reportItems(instruction, token)
    case .contains: reportContains(instruction, token)
    case .members: reportMembers(program.tables[a], token)
    case .dependentRequired: reportDependents(instruction, token)
    case .dependentSchemas:
      for index in 0..<Int(instruction.pointee.b)
      where evaluator.value(of: program.lists[a + 2 * index], in: token) >= 0 {
        visit(program.lists[a + 2 * index + 1], token)
      }
    case .unevaluatedItems, .unevaluatedProperties: reportUnevaluated(instruction, schema, token)
    }
  }

  /// The name of the value in messages: its member name, or its position in an array.
  var subject: String { MessageFormat.subject(path) }

  mutating func addType(_ types: UInt8, _ token: Int, keyword: String, place: UInt32) {
    let value = node(token)
    add(
      keyword, "\(subject) must be \(MessageFormat.types(types))", found: value.kindName, token, place: place,
      fix: MessageFormat.typeFix(types, value) ?? exampleFix(types, place))
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
    _ keyword: String, _ words: String, _ instruction: UnsafePointer<Instruction>, _ token: Int
  ) {
    if evaluator.perform(instruction, token, -1) { return }
    let limit = program.numbers[Int(instruction.pointee.a)].node.excerpt
    add(
      keyword, "\(subject) \(words) \(limit)", found: node(token).excerpt, token, place: instruction.pointee.place)
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

  /// Adds a finding about the form of a text. It quotes the schema's example, which is easier to read than a pattern.
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
    let start = program.nodes.start + Int(schema)
    // Schemas use `not` with `required` to forbid a member.
    for instruction in instructions(of: start, token) where instruction.pointee.operation == .members {
      let table = program.tables[Int(instruction.pointee.a)]
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
    let bytes = UnsafeBufferPointer(start: program.bytes.start + Int(member.name), count: Int(member.length))
    return String(decoding: bytes, as: UTF8.self)
  }
}
