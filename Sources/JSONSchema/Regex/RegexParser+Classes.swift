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
      for range in members.ranges { set.add(range) }
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
