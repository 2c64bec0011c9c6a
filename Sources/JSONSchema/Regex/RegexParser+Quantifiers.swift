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
