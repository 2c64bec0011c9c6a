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
      var set = ScalarClass()
      set.add(try parseProperty(from: start), negated: scalar == "P")
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
