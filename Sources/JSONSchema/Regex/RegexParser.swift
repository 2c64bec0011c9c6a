/// Parses a pattern by the rules of ECMA-262 with the flag `u`, which makes every ambiguity an error.
///
/// `maximumDepth` limits the nesting. Time and memory grow with the length of the pattern.
struct RegexParser {
  /// The largest depth of nested groups. Patterns that people write stay far below this depth, and a hostile pattern
  /// must not overflow the stack.
  static let maximumDepth = 48

  let scalars: [Unicode.Scalar]
  var position = 0
  var depth = 0
  var groupCount = 0
  var names: [String: Int] = [:]
  var references: [(target: Reference, offset: Int)] = []

  /// The target of a backreference.
  enum Reference {
    case number(Int)
    case name(String)
  }

  private init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

  /// Parses a whole pattern.
  static func parse(_ pattern: String) throws(RegexSyntaxError) -> ParsedRegex {
    var parser = RegexParser(pattern)
    let root = try parser.parseDisjunction()
    if parser.position < parser.scalars.count { throw parser.error("')' does not close a group") }
    return ParsedRegex(root: root, groupCount: parser.groupCount, references: try parser.resolvedReferences())
  }

  /// Parses alternatives up to `)` or the end of the pattern.
  private mutating func parseDisjunction() throws(RegexSyntaxError) -> RegexNode {
    var alternatives = [try parseAlternative()]
    while accept("|") { alternatives.append(try parseAlternative()) }
    if alternatives.count == 1 { return alternatives[0] }
    // a|b|[cd] is the class [abcd], which needs no branches.
    var union = ScalarClass()
    let isClass = alternatives.allSatisfy { alternative in
      guard let members = alternative.singleClass else { return false }
      return union.add(members)
    }
    return isClass ? .set(union) : .alternatives(alternatives)
  }

  private mutating func parseAlternative() throws(RegexSyntaxError) -> RegexNode {
    var terms: [RegexNode] = []
    while let next = peek, next != "|", next != ")" {
      let groupsBefore = groupCount
      let start = position
      let (term, isAtom) = try parseTerm()
      if let quantifier = try parseQuantifier() {
        guard isAtom else { throw error("there is nothing to repeat before the quantifier", at: start) }
        terms.append(.repetition(term, quantifier, groups: groupsBefore + 1..<groupCount + 1))
      } else {
        terms.append(term)
      }
    }
    switch terms.count {
    case 0: return .empty
    case 1: return terms[0]
    default: return .sequence(terms)
    }
  }

  /// Parses one term without its quantifier, and returns whether the term may have a quantifier.
  private mutating func parseTerm() throws(RegexSyntaxError) -> (RegexNode, isAtom: Bool) {
    let start = position
    guard let scalar = next() else { throw error("the pattern ends too early") }
    switch scalar {
    case "^": return (.start, false)
    case "$": return (.end, false)
    case "(": return try parseGroup(from: start)
    case ".": return (.set(ScalarClass(ranges: ScalarClass.complement(of: ScalarClass.lineTerminators))), true)
    case "[": return (.set(try parseClass(from: start)), true)
    case "\\": return try parseAtomEscape(from: start)
    case "*", "+", "?": throw error("'\(scalar)' has nothing to repeat", at: start)
    case "{": throw error("'{' has nothing to repeat; a literal brace is '\\{'", at: start)
    case "}", "]": throw error("unmatched '\(scalar)'; as a literal, write '\\\(scalar)'", at: start)
    default: return (.scalar(scalar.value), true)
    }
  }

  private mutating func parseGroup(from start: Int) throws(RegexSyntaxError) -> (RegexNode, isAtom: Bool) {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.maximumDepth { throw error("groups nest deeper than \(Self.maximumDepth) levels", at: start) }

    guard accept("?") else { return (try parseCapture(from: start, name: nil), true) }
    if accept(":") {
      let body = try parseDisjunction()
      try closeGroup(from: start)
      return (body, true)
    }
    if accept("=") { return (try parseLook(from: start, ahead: true, negated: false), false) }
    if accept("!") { return (try parseLook(from: start, ahead: true, negated: true), false) }
    guard accept("<") else { throw error("'(?' does not begin an ECMA-262 group", at: start) }
    if accept("=") { return (try parseLook(from: start, ahead: false, negated: false), false) }
    if accept("!") { return (try parseLook(from: start, ahead: false, negated: true), false) }
    return (try parseCapture(from: start, name: try parseGroupName()), true)
  }

  private mutating func parseCapture(from start: Int, name: String?) throws(RegexSyntaxError) -> RegexNode {
    groupCount += 1
    let index = groupCount
    if let name, names.updateValue(index, forKey: name) != nil {
      throw error("two groups are named '\(name)'", at: start)
    }
    let body = try parseDisjunction()
    try closeGroup(from: start)
    return .group(body, index: index)
  }

  private mutating func parseLook(
    from start: Int, ahead: Bool, negated: Bool
  ) throws(RegexSyntaxError) -> RegexNode {
    let body = try parseDisjunction()
    try closeGroup(from: start)
    return .look(body, ahead: ahead, negated: negated)
  }

  private mutating func closeGroup(from start: Int) throws(RegexSyntaxError) {
    guard accept(")") else { throw error("the group is not closed", at: start) }
  }

  private func resolvedReferences() throws(RegexSyntaxError) -> [Int] {
    var result: [Int] = []
    for (target, offset) in references {
      switch target {
      case .number(let number):
        guard number <= groupCount else { throw error("there is no group \(number)", at: offset) }
        result.append(number)
      case .name(let name):
        guard let index = names[name] else { throw error("there is no group named '\(name)'", at: offset) }
        result.append(index)
      }
    }
    return result
  }
}

// MARK: - The cursor

extension RegexParser {
  /// The scalar at the cursor; nil at the end.
  var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  /// Consumes the scalar at the cursor.
  mutating func next() -> Unicode.Scalar? {
    guard position < scalars.count else { return nil }
    position += 1
    return scalars[position - 1]
  }

  /// Consumes `scalar` if it is next.
  mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
    guard position < scalars.count, scalars[position] == scalar else { return false }
    position += 1
    return true
  }

  /// Creates an error at a position, or at the cursor.
  func error(_ message: String, at offset: Int? = nil) -> RegexSyntaxError {
    RegexSyntaxError(message: message, offset: offset ?? position)
  }
}
