import JSONText

/// Reports on the elements and members of a value.
extension Reporter {
  mutating func reportItems(_ instruction: UnsafePointer<Instruction>, _ token: Int) {
    let a = Int(instruction.pointee.a)
    let prefix = Int(instruction.pointee.b)
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

  mutating func reportContains(_ instruction: UnsafePointer<Instruction>, _ token: Int) {
    if evaluator.perform(instruction, token, -1) { return }
    let list = program.lists.start + Int(instruction.pointee.a)
    var found = 0
    node(token).forEachElement { if evaluator.evaluate(list[0], $0.index, -1) { found += 1 } }
    let isFew = found < Int(list[1])
    let wanted = Plural.count(Int(isFew ? list[1] : list[2]), "matching item")
    let keyword = !isFew ? "maxContains" : list[3] == instruction.pointee.place ? "contains" : "minContains"
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

  mutating func reportMembers(_ table: MemberTable, _ token: Int) {
    var present: Set<Int> = []
    var unknown: [String] = []
    let pointer = withUnsafePointer(to: table) { table in
      var indexes: [Int] = []
      node(token).forEachMember { name, _ in indexes.append(evaluator.find(table, name.index)) }
      return indexes
    }
    // These are the possible meanings of an unknown member: the names in the table that the value does not have. They
    // are computed only once.
    lazy var free = freeNames(table, Set(pointer))
    var ordinal = 0
    node(token).forEachMember { name, value in
      let index = pointer[ordinal]
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

  mutating func reportDependents(_ instruction: UnsafePointer<Instruction>, _ token: Int) {
    var at = Int(instruction.pointee.a)
    for _ in 0..<instruction.pointee.b {
      let count = Int(program.lists[at + 1])
      if evaluator.value(of: program.lists[at], in: token) >= 0 {
        for index in 0..<count
        where !isOver && evaluator.value(of: program.lists[at + 2 + index], in: token) < 0 {
          let trigger = name(program.lists[at])
          let missing = name(program.lists[at + 2 + index])
          add(
            "dependentRequired", "'\(missing)' is missing: '\(trigger)' requires it",
            found: "no '\(missing)'", token, place: instruction.pointee.place, fix: "add \"\(missing)\"")
        }
      }
      at += 2 + count
    }
  }

  private func name(_ index: UInt32) -> String {
    let name = program.names[Int(index)]
    return MessageFormat.shortened(
      String(
        decoding: UnsafeBufferPointer(start: program.bytes.start + Int(name.start), count: Int(name.length)),
        as: UTF8.self))
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
