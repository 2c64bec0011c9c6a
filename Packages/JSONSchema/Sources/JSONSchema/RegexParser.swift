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
  /// The classes of `\p{…}`, so that a property that occurs often takes memory once.
  var propertyClasses: [String: ScalarClass] = [:]

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

extension RegexParser {
  /// Parses a quantifier. Returns nil if the cursor is not at a quantifier.
  mutating func parseQuantifier() throws(RegexSyntaxError) -> RegexQuantifier? {
    guard let scalar = peek else { return nil }
    var quantifier: RegexQuantifier
    switch scalar {
    case "*": quantifier = RegexQuantifier(least: 0, most: RegexQuantifier.unlimited, greedy: true)
    case "+": quantifier = RegexQuantifier(least: 1, most: RegexQuantifier.unlimited, greedy: true)
    case "?": quantifier = RegexQuantifier(least: 0, most: 1, greedy: true)
    case "{": quantifier = try parseBraces()
    default: return nil
    }
    if scalar != "{" { position += 1 }
    if accept("?") { quantifier.greedy = false }
    return quantifier
  }

  private mutating func parseBraces() throws(RegexSyntaxError) -> RegexQuantifier {
    let start = position
    position += 1
    let incomplete = error("'{' does not begin a quantifier; a literal brace is '\\{'", at: start)
    guard let least = parseNumber() else { throw incomplete }
    var most = least
    if accept(",") { most = peek == "}" ? RegexQuantifier.unlimited : try orThrow(parseNumber(), incomplete) }
    guard accept("}") else { throw incomplete }
    guard least <= most else { throw error("the numbers of the quantifier are out of order", at: start) }
    return RegexQuantifier(least: least, most: most, greedy: true)
  }

  private func orThrow(_ number: Int32?, _ error: RegexSyntaxError) throws(RegexSyntaxError) -> Int32 {
    guard let number else { throw error }
    return number
  }

  /// Parses digits as a number. A number that is too large counts as unlimited.
  private mutating func parseNumber() -> Int32? {
    var number: Int64?
    while let digit = peek, ("0"..."9").contains(digit) {
      number = min((number ?? 0) * 10 + Int64(digit.value - 0x30), Int64(RegexQuantifier.unlimited))
      position += 1
    }
    return number.map(Int32.init)
  }
}

extension RegexParser {
  /// Parses a class after its `[`.
  mutating func parseClass(from start: Int) throws(RegexSyntaxError) -> ScalarClass {
    var set = ScalarClass()
    set.inverted = accept("^")
    while let scalar = peek {
      if scalar == "]" {
        position += 1
        return set
      }
      let itemStart = position
      let first = try parseClassAtom()
      guard peek == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
        add(first, to: &set)
        continue
      }
      position += 1
      let last = try parseClassAtom()
      guard case .scalar(let lower) = first, case .scalar(let upper) = last else {
        throw error("a range cannot begin or end with a class", at: itemStart)
      }
      guard lower <= upper else { throw error("the ends of the range are out of order", at: itemStart) }
      set.add(lower...upper)
    }
    throw error("the class is not closed with ']'", at: start)
  }

  private enum ClassAtom {
    case scalar(UInt32)
    case set(ScalarClass)
  }

  private func add(_ atom: ClassAtom, to set: inout ScalarClass) {
    switch atom {
    case .scalar(let scalar): set.add(scalar...scalar)
    case .set(let members):
      set.add(members.ranges)
      for (property, negated) in members.properties { set.add(property, negated: negated) }
    }
  }

  private mutating func parseClassAtom() throws(RegexSyntaxError) -> ClassAtom {
    let start = position
    guard let scalar = next() else { throw error("the class is not closed with ']'") }
    guard scalar == "\\" else { return .scalar(scalar.value) }
    if accept("b") { return .scalar(0x08) }
    if accept("-") { return .scalar(0x2D) }
    if let set = try parseClassEscape(from: start) { return .set(set) }
    return .scalar(try parseCharacterEscape(from: start))
  }
}

extension RegexParser {
  /// Parses an escape outside a class, after its backslash.
  mutating func parseAtomEscape(from start: Int) throws(RegexSyntaxError) -> (RegexNode, isAtom: Bool) {
    guard let scalar = peek else { throw error("the pattern ends with a backslash", at: start) }
    switch scalar {
    case "b", "B":
      position += 1
      return (.wordBoundary(negated: scalar == "B"), false)
    case "1"..."9":
      references.append((.number(parseDecimal()), start))
      return (.backreference(references.count - 1), true)
    case "k":
      position += 1
      guard accept("<") else { throw error("'\\k' needs the name of a group: '\\k<name>'", at: start) }
      references.append((.name(try parseGroupName()), start))
      return (.backreference(references.count - 1), true)
    default:
      if let set = try parseClassEscape(from: start) { return (.set(set), true) }
      return (.scalar(try parseCharacterEscape(from: start)), true)
    }
  }

  /// Parses `\d \D \s \S \w \W \p{…} \P{…}` after the backslash. Returns nil for any other escape.
  mutating func parseClassEscape(from start: Int) throws(RegexSyntaxError) -> ScalarClass? {
    guard let scalar = peek else { return nil }
    let members: [ClosedRange<UInt32>]
    switch scalar {
    case "d", "D": members = ScalarClass.digits
    case "s", "S": members = ScalarClass.space
    case "w", "W": members = ScalarClass.word
    case "p", "P":
      position += 1
      let end = scalars[position...].firstIndex(of: "}") ?? position
      let key = String(String.UnicodeScalarView([scalar] + scalars[position..<end]))
      if let known = propertyClasses[key] {
        position = end + 1
        return known
      }
      var set = ScalarClass()
      set.add(try parseProperty(from: start), negated: scalar == "P")
      propertyClasses[key] = set
      return set
    default: return nil
    }
    position += 1
    let negated = ("A"..."Z").contains(scalar)
    return ScalarClass(ranges: negated ? ScalarClass.complement(of: members) : members)
  }

  /// Parses `{Name}` or `{Name=Value}` after `\p`.
  private mutating func parseProperty(from start: Int) throws(RegexSyntaxError) -> UnicodeProperty {
    guard accept("{") else { throw error("'\\p' needs the name of a property: '\\p{L}'", at: start) }
    var text = ""
    while let scalar = next(), scalar != "}" { text.unicodeScalars.append(scalar) }
    guard scalars[position - 1] == "}" else { throw error("the property name is not closed with '}'", at: start) }
    guard let property = UnicodeProperty.named(text) else {
      throw error("ECMA-262 has no property '\(text)'", at: start)
    }
    return property
  }

  /// Parses an escape for one code point, after its backslash, inside or outside a class.
  mutating func parseCharacterEscape(from start: Int) throws(RegexSyntaxError) -> UInt32 {
    guard let scalar = next() else { throw error("the pattern ends with a backslash", at: start) }
    switch scalar {
    case "f": return 0x0C
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "v": return 0x0B
    case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/": return scalar.value
    case "0":
      if let digit = peek, ("0"..."9").contains(digit) { throw error("ECMA-262 has no octal escapes", at: start) }
      return 0
    case "c":
      guard let letter = next(), letter.isASCIILetter
      else { throw error("'\\c' needs a letter", at: start) }
      return letter.value % 32
    case "x":
      guard let value = parseHex(digits: 2) else { throw error("'\\x' needs two hexadecimal digits", at: start) }
      return value
    case "u": return try parseUnicodeEscape(from: start)
    default: throw error("'\\\(scalar)' is not an ECMA-262 escape", at: start)
    }
  }

  /// Parses an escape after `\u`. Two escapes that form a surrogate pair are one code point.
  private mutating func parseUnicodeEscape(from start: Int) throws(RegexSyntaxError) -> UInt32 {
    if accept("{") {
      var value: UInt32?
      while let digit = peek?.hexValue {
        value = (value ?? 0) * 16 + digit
        position += 1
        if let value, value > ScalarClass.lastScalar { throw error("code points end at 10FFFF", at: start) }
      }
      guard let value, accept("}") else { throw error("'\\u{' needs hexadecimal digits and '}'", at: start) }
      return value
    }
    guard let high = parseHex(digits: 4) else { throw error("'\\u' needs four hexadecimal digits", at: start) }
    guard (0xD800...0xDBFF).contains(high) else { return high }
    let afterHigh = position
    if accept("\\"), accept("u"), let low = parseHex(digits: 4), (0xDC00...0xDFFF).contains(low) {
      return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
    }
    position = afterHigh
    return high
  }

  /// Parses a group name and the `>` after it.
  mutating func parseGroupName() throws(RegexSyntaxError) -> String {
    let start = position
    var name = String.UnicodeScalarView()
    while let scalar = next() {
      if scalar == ">" {
        if name.isEmpty { throw error("the group name is empty", at: start) }
        return String(name)
      }
      var written = scalar
      if scalar == "\\" {
        let escape = position - 1
        guard accept("u"), let value = Unicode.Scalar(try parseUnicodeEscape(from: escape)) else {
          throw error("the only escape in a group name is '\\u'", at: escape)
        }
        written = value
      }
      let isPart =
        written == "$" || (name.isEmpty ? written == "_" : written == "\u{200C}" || written == "\u{200D}")
        || (name.isEmpty ? written.properties.isIDStart : written.properties.isIDContinue)
      guard isPart else { throw error("'\(written)' is not allowed in a group name", at: position - 1) }
      name.append(written)
    }
    throw error("the group name is not closed with '>'", at: start)
  }

  private mutating func parseHex(digits: Int) -> UInt32? {
    var value: UInt32 = 0
    let start = position
    for _ in 0..<digits {
      guard let digit = peek?.hexValue else {
        position = start
        return nil
      }
      value = value * 16 + digit
      position += 1
    }
    return value
  }

  /// Parses digits as a number. Larger numbers become a million, because no pattern has that many groups.
  private mutating func parseDecimal() -> Int {
    var number = 0
    while let digit = peek, ("0"..."9").contains(digit) {
      number = min(number * 10 + Int(digit.value - 0x30), 1_000_000)
      position += 1
    }
    return number
  }
}

extension Unicode.Scalar {
  /// The value of an ASCII hexadecimal digit; nil for other scalars.
  fileprivate var hexValue: UInt32? {
    switch self {
    case "0"..."9": value - 0x30
    case "a"..."f": value - 0x61 + 10
    case "A"..."F": value - 0x41 + 10
    default: nil
    }
  }

  fileprivate var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}

/// The syntax tree of a regular expression, with one case for each construct of ECMA-262.
///
/// `RegexParser.maximumDepth` bounds the depth of the tree, and thereby the depth of recursion over it.
indirect enum RegexNode {
  /// Matches without consuming anything.
  case empty
  /// One code point. A surrogate (`\uD800`) cannot occur in text and never matches.
  case scalar(UInt32)
  /// One code point of a class.
  case set(ScalarClass)
  /// A sequence of nodes.
  case sequence([RegexNode])
  /// Alternatives, of which the first one that allows a match is used.
  case alternatives([RegexNode])
  /// A capturing group. The first group has index 1.
  case group(RegexNode, index: Int)
  /// A quantifier, with the indices of the groups inside it, which are cleared in every round.
  case repetition(RegexNode, RegexQuantifier, groups: Range<Int>)
  /// `^`.
  case start
  /// `$`.
  case end
  /// `\b`, or `\B` when negated.
  case wordBoundary(negated: Bool)
  /// A lookahead or lookbehind.
  case look(RegexNode, ahead: Bool, negated: Bool)
  /// `\1` or `\k<name>`, as an index into `ParsedRegex.references`.
  case backreference(Int)
}

/// The bounds of a quantifier.
struct RegexQuantifier {
  /// The value that means no upper limit. No searched text has this many bytes.
  static let unlimited = Int32.max

  /// The smallest number of rounds.
  var least: Int32
  /// The largest number of rounds.
  var most: Int32
  /// Whether more rounds are tried before fewer rounds.
  var greedy: Bool
}

/// The output of the parser for the compiler.
struct ParsedRegex {
  /// The whole expression.
  var root: RegexNode
  /// The number of capturing groups.
  var groupCount: Int
  /// The group of every backreference, in source order.
  var references: [Int]
}

extension RegexNode {
  /// Whether the node may match without consuming text. In doubtful cases, this is true.
  var canBeEmpty: Bool {
    switch self {
    case .scalar, .set: false
    case .sequence(let parts): parts.allSatisfy(\.canBeEmpty)
    case .alternatives(let parts): parts.contains(where: \.canBeEmpty)
    case .group(let body, _): body.canBeEmpty
    case .repetition(let body, let quantifier, _): quantifier.least == 0 || body.canBeEmpty
    case .empty, .start, .end, .wordBoundary, .look, .backreference: true
    }
  }

  /// The class of a node that consumes exactly one code point; nil for other nodes.
  var singleClass: ScalarClass? {
    switch self {
    case .scalar(let scalar): ScalarClass(scalar...scalar)
    case .set(let set): set
    default: nil
    }
  }

  /// Whether every match begins at the start of the text.
  var isAnchored: Bool {
    switch self {
    case .start: true
    case .sequence(let parts): parts.first?.isAnchored ?? false
    case .alternatives(let parts): parts.allSatisfy(\.isAnchored)
    case .group(let body, _): body.isAnchored
    default: false
    }
  }
}
