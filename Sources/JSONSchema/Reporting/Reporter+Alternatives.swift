import JSONText

/// Reports violations of `anyOf` and `oneOf`: finds the alternative that was probably intended, and reports its
/// violations.
extension Reporter {
  mutating func reportAlternatives(_ instruction: UnsafePointer<Instruction>, _ token: Int) {
    let isOne = instruction.pointee.operation == .oneOf
    let keyword = isOne ? "oneOf" : "anyOf"
    let place = instruction.pointee.place
    defer { forgetAlternatives() }
    let all = (0..<Int(instruction.pointee.b)).map { program.lists[Int(instruction.pointee.a) + $0] }
    evaluator.state.pointee.depth = 0
    let fitting = all.indices.filter { evaluator.evaluate(all[$0], token, -1) }
    if !fitting.isEmpty {
      guard isOne, fitting.count > 1 else { return }
      let numbers = fitting.prefix(4).map { String($0 + 1) }.joined(separator: " and ")
      return add(
        keyword, "\(subject) must match exactly one of \(all.count) alternatives, but matches \(numbers)",
        found: "matches \(fitting.count) of \(all.count)", token, place: place)
    }
    // An alternative for another kind of value cannot have been intended.
    let kinds = all.map { allowedKinds($0, 0) }
    let candidates = all.indices.filter { evaluator.admits(kinds[$0], token) }
    if candidates.isEmpty {
      let union = kinds.reduce(0, |)
      if union == 0 { return addNoMatch(keyword, all.count, token, place) }
      return addType(union, token, keyword: keyword, place: place)
    }
    if isOver { return }
    if candidates.count == 1 { return visit(all[candidates[0]], token, besides: all.count - 1) }
    var reports: [[Finding]] = []
    for index in candidates {
      guard let report = findings(of: all[index], token) else { break }
      reports.append(report)
    }
    guard reports.count == candidates.count else {
      // The nesting is too deep to compare the violations of each alternative, so the alternative whose fixed members
      // match best is used.
      let scores = candidates.map { matchingChoices(all[$0], token, 0) }
      let best = scores.indices.max { scores[$0] < scores[$1] } ?? 0
      return visit(all[candidates[best]], token, besides: all.count - 1)
    }
    if let merged = sharedChoice(reports, keyword, place) { return add(merged) }
    let ranks = zip(candidates, reports).map { rank(all[$0], $1, token) }
    guard let best = ranks.indices.max(by: { ranks[$0] < ranks[$1] }), !reports[best].isEmpty else {
      return addNoMatch(keyword, all.count, token, place)
    }
    for var finding in reports[best] {
      if finding.otherAlternatives == 0 { finding.otherAlternatives = all.count - 1 }
      add(finding)
    }
  }

  private mutating func addNoMatch(_ keyword: String, _ count: Int, _ token: Int, _ place: UInt32) {
    add(
      keyword, "\(subject) matches none of \(Plural.count(count, "alternative"))", found: node(token).shortLabel, token,
      place: place)
  }

  /// Returns one finding with the allowed values of all alternatives, if the same member's value violates every
  /// alternative; otherwise nil.
  private func sharedChoice(_ reports: [[Finding]], _ keyword: String, _ place: UInt32) -> Finding? {
    let choices = reports.map { $0.filter { !$0.choices.isEmpty && $0.pointer.count <= path.count + 1 } }
    guard let first = choices.first?.first,
      let chosen = first.asNamed(in: choices), chosen.allSatisfy({ $0.token == first.token })
    else { return nil }
    var texts: [String] = []
    var known: Set<String> = []
    for text in chosen.lazy.flatMap(\.choices) where known.insert(text).inserted {
      texts.append(text)
      if texts.count == MisspellingFinder.mostCandidates { break }
    }
    let count = max(texts.count, chosen.reduce(0) { $0 + $1.choiceCount })
    return choiceFinding(
      texts, of: texts.count < MisspellingFinder.mostCandidates ? texts.count : count, keyword, first.token, place,
      at: first.pointer)
  }

  /// The likelihood that an alternative was intended. A larger rank is more likely.
  private struct Rank: Comparable {
    var noMismatch: Int
    var matches: Int
    var depth: Int
    var fewness: Int

    static func < (left: Rank, right: Rank) -> Bool {
      (left.noMismatch, left.matches, left.depth, left.fewness)
        < (right.noMismatch, right.matches, right.depth, right.fewness)
    }
  }

  private func rank(_ alternative: UInt32, _ report: [Finding], _ token: Int) -> Rank {
    let isMismatched = report.contains {
      ($0.keyword == "const" || $0.choiceCount == 1) && $0.pointer.count <= path.count + 1
    }
    let deepest = report.map(\.pointer.count).max() ?? 0
    return Rank(
      noMismatch: isMismatched ? 0 : 1, matches: matchingChoices(alternative, token, 0), depth: deepest,
      fewness: -report.count)
  }

  /// Returns the number of members whose value satisfies a `const` or `enum` of the alternative.
  private func matchingChoices(_ index: UInt32, _ token: Int, _ depth: Int) -> Int {
    guard depth < 8, evaluator.state.pointee.steps > 0 else { return 0 }
    evaluator.spend(1)
    var count = 0
    for instruction in instructions(of: program.nodes.start + Int(index), token) {
      let a = Int(instruction.pointee.a)
      switch instruction.pointee.operation {
      case .reference: count += matchingChoices(instruction.pointee.a, token, depth + 1)
      case .allOf:
        for offset in 0..<Int(instruction.pointee.b) {
          count += matchingChoices(program.lists[a + offset], token, depth + 1)
        }
      case .members:
        let table = program.tables[a]
        for offset in 0..<Int(table.count) {
          let member = program.members[Int(table.first) + offset]
          guard member.schema != Instruction.none, isChoice(member.schema) else { continue }
          evaluator.spend(evaluator.memberBound(token))
          guard evaluator.state.pointee.steps > 0 else { return count }
          let value = node(token).lastMember(memberName(table, offset))
          if value >= 0, evaluator.evaluate(member.schema, value, -1) { count += 1 }
        }
      default: break
      }
    }
    return count
  }

  private func isChoice(_ index: UInt32) -> Bool {
    let schema = program.nodes[Int(index)]
    guard schema.generalEnd > schema.first else { return false }
    let operation = program.instructions[Int(schema.first)].operation
    return operation == .constant || operation == .enumeration
  }

  /// Returns the kinds of value that a subschema can allow, as the bits of a node's `types`.
  private func allowedKinds(_ index: UInt32, _ depth: Int) -> UInt8 {
    let schema = program.nodes[Int(index)]
    var kinds = schema.types
    guard depth < 8, evaluator.state.pointee.steps > 0 else { return kinds }
    evaluator.spend(1)
    for at in Int(schema.first)..<Int(schema.generalEnd) {
      let instruction = program.instructions[at]
      let a = Int(instruction.a)
      switch instruction.operation {
      case .never: return 0
      case .constant: kinds = Self.common(kinds, 1 << program.constants[a].kind.rawValue)
      case .enumeration: kinds = Self.common(kinds, program.values[a].kinds)
      case .reference: kinds = Self.common(kinds, allowedKinds(instruction.a, depth + 1))
      case .allOf:
        for offset in 0..<Int(instruction.b) {
          kinds = Self.common(kinds, allowedKinds(program.lists[a + offset], depth + 1))
        }
      default: break
      }
    }
    return kinds
  }

  /// Returns the kinds that both sets allow. Whole numbers are a subset of numbers.
  private static func common(_ left: UInt8, _ right: UInt8) -> UInt8 {
    let number: UInt8 = 1 << JSONToken.Kind.number.rawValue
    var both = left & right
    if left & SchemaNode.wholeNumber != 0, right & number != 0 { both |= SchemaNode.wholeNumber }
    if right & SchemaNode.wholeNumber != 0, left & number != 0 { both |= SchemaNode.wholeNumber }
    return both
  }
}

extension Finding {
  /// Returns, for each report, its finding about the same member's value as this finding, or nil if one of the reports
  /// has none.
  fileprivate func asNamed(in reports: [[Finding]]) -> [Finding]? {
    var all: [Finding] = []
    for report in reports {
      guard let same = report.first(where: { $0.pointer == pointer }) else { return nil }
      all.append(same)
    }
    return all
  }
}
