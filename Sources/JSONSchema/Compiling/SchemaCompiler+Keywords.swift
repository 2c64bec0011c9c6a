import JSONText

/// The keywords of one subschema, indexed by name.
struct Keywords {
  private var values: [String: JSONNode] = [:]

  init(_ schema: JSONNode) { schema.forEachMember { name, value in values[name.string ?? ""] = value } }

  subscript(_ keyword: String) -> JSONNode? { values[keyword] }
}

extension SchemaCompiler {
  /// Compiles every keyword of a subschema that belongs to the schema's vocabularies.
  mutating func compileKeywords(of schema: JSONNode, into builder: inout NodeBuilder) throws(SchemaError) {
    let keywords = Keywords(schema)
    if vocabularies.contains(.validation) { try compileEquality(keywords, &builder) }
    try compileReferences(keywords, &builder)
    if vocabularies.contains(.applicator) { try compileCombining(keywords, &builder) }
    if vocabularies.contains(.validation) { try compileNumbers(keywords, &builder) }
    try compileStrings(keywords, &builder)
    try compileArrays(keywords, &builder)
    try compileObjects(keywords, &builder)
  }

  // MARK: Equality and references

  private mutating func compileEquality(_ keywords: Keywords, _ builder: inout NodeBuilder) throws(SchemaError) {
    if let type = keywords["type"] {
      builder.types = try types(type)
      builder.typePlace = place(type)
    }
    if let constant = keywords["const"] {
      tables.constants.append(constant)
      builder.general.append(
        Instruction(
          operation: .constant, a: ProgramTables.index(tables.constants.count - 1), place: place(constant)))
    }
    if let list = keywords["enum"] {
      guard list.kind == .array else { throw wrong(list, "'enum' must be an array of values") }
      builder.general.append(Instruction(operation: .enumeration, a: valueList(list), place: place(list)))
    }
  }

  private func types(_ type: JSONNode) throws(SchemaError) -> UInt8 {
    if type.kind == .string { return try typeBit(type) }
    guard type.kind == .array else { throw wrong(type, "'type' must be the name of a type or an array of such names") }
    var bits: UInt8 = 0
    try type.forEachElement { name throws(SchemaError) in bits |= try typeBit(name) }
    // A type that allows fractions also allows whole numbers.
    return bits & 1 << JSONToken.Kind.number.rawValue != 0 ? bits & SchemaNode.everyType : bits
  }

  private func typeBit(_ name: JSONNode) throws(SchemaError) -> UInt8 {
    switch name.string {
    case "null": return 1 << JSONToken.Kind.null.rawValue
    case "boolean": return 1 << JSONToken.Kind.false.rawValue | 1 << JSONToken.Kind.true.rawValue
    case "number": return 1 << JSONToken.Kind.number.rawValue
    case "integer": return SchemaNode.wholeNumber
    case "string": return 1 << JSONToken.Kind.string.rawValue
    case "array": return 1 << JSONToken.Kind.array.rawValue
    case "object": return 1 << JSONToken.Kind.object.rawValue
    default:
      throw registry.error(
        "unknown type \(String(decoding: name.raw.prefix(40), as: UTF8.self))",
        "write one of: null, boolean, number, integer, string, array, object",
        SchemaPlace(document: current.document, token: name.index))
    }
  }

  private mutating func valueList(_ list: JSONNode) -> UInt32 {
    let first = tables.constants.count
    var kinds: UInt8 = 0
    var hashes: [Int] = []
    list.forEachElement { value in
      tables.constants.append(value)
      kinds |= 1 << value.kind.rawValue
      hashes.append(ValueHash.of(value))
    }
    var values = ValueList(
      first: ProgramTables.index(first), count: ProgramTables.index(hashes.count), kinds: kinds)
    if hashes.count > 12 { (values.slots, values.slotMask) = tables.slots(hashes: hashes) }
    tables.values.append(values)
    return ProgramTables.index(tables.values.count - 1)
  }

  private mutating func compileReferences(_ keywords: Keywords, _ builder: inout NodeBuilder) throws(SchemaError) {
    if let reference = keywords["$ref"] {
      guard reference.kind == .string else { throw wrong(reference, "'$ref' must be a URI reference") }
      let node = try node(at: target(of: reference, in: current))
      builder.general.append(Instruction(operation: .reference, a: node, place: place(reference)))
      builder.handsOn.append(node)
    }
    if let reference = keywords["$dynamicRef"] {
      guard let text = reference.string else { throw wrong(reference, "'$dynamicRef' must be a URI reference") }
      let target = try target(of: reference, in: current)
      let node = try node(at: target)
      let anchored = registry.resources[registry.innermostResource(of: target)].dynamicAnchors
      if let anchor = URIReference(text).fragment, anchored[anchor] == target.token {
        let row = row(ofAnchor: anchor)
        dynamicReferences.append((currentNode, row, node))
        builder.general.append(Instruction(operation: .dynamicReference, a: row, b: node, place: place(reference)))
      } else {
        builder.general.append(Instruction(operation: .reference, a: node, place: place(reference)))
        builder.handsOn.append(node)
      }
    }
  }

  // MARK: Combining

  private mutating func compileCombining(_ keywords: Keywords, _ builder: inout NodeBuilder) throws(SchemaError) {
    for (keyword, operation) in [("allOf", Operation.allOf), ("anyOf", .anyOf), ("oneOf", .oneOf)] {
      guard let list = keywords[keyword] else { continue }
      guard list.kind == .array else { throw wrong(list, "'\(keyword)' must be an array of schemas") }
      var nodes: [UInt32] = []
      try list.forEachElement { child throws(SchemaError) in nodes.append(try node(child)) }
      builder.handsOn += nodes
      builder.general.append(
        Instruction(
          operation: operation, a: tables.list(nodes), b: ProgramTables.index(nodes.count), place: place(list)))
    }
    if let schema = keywords["not"] {
      let node = try node(schema)
      builder.handsOn.append(node)
      builder.general.append(Instruction(operation: .not, a: node, place: place(schema)))
    }
    if let condition = keywords["if"] {
      var nodes = [try node(condition), Instruction.none, Instruction.none]
      if let then = keywords["then"] { nodes[1] = try node(then) }
      if let otherwise = keywords["else"] { nodes[2] = try node(otherwise) }
      builder.handsOn += nodes.filter { $0 != Instruction.none }
      builder.general.append(Instruction(operation: .conditional, a: tables.list(nodes), place: place(condition)))
    }
  }

  // MARK: Numbers and strings

  private mutating func compileNumbers(_ keywords: Keywords, _ builder: inout NodeBuilder) throws(SchemaError) {
    let limits: [(String, Operation)] = [
      ("minimum", .minimum), ("exclusiveMinimum", .exclusiveMinimum), ("maximum", .maximum),
      ("exclusiveMaximum", .exclusiveMaximum),
    ]
    for (keyword, operation) in limits {
      guard let limit = keywords[keyword] else { continue }
      guard limit.kind == .number else { throw wrong(limit, "'\(keyword)' must be a number") }
      tables.numbers.append(NumberLimit(limit))
      builder.number.append(
        Instruction(operation: operation, a: ProgramTables.index(tables.numbers.count - 1), place: place(limit)))
    }
    if let limit = keywords["multipleOf"] {
      guard limit.kind == .number, let divisor = Divisor(DecimalView(limit.raw)) else {
        throw wrong(
          limit, "'multipleOf' must be a number above 0 with at most \(Divisor.maximumDigits) digits")
      }
      tables.divisors.append(divisor)
      builder.number.append(
        Instruction(operation: .multipleOf, a: ProgramTables.index(tables.divisors.count - 1), place: place(limit)))
    }
  }

  private mutating func compileStrings(_ keywords: Keywords, _ builder: inout NodeBuilder) throws(SchemaError) {
    if vocabularies.contains(.validation) {
      try compileCount(keywords, "minLength", .minLength, &builder.string)
      try compileCount(keywords, "maxLength", .maxLength, &builder.string)
      if let pattern = keywords["pattern"] {
        guard pattern.kind == .string else { throw wrong(pattern, "'pattern' must be a regular expression") }
        builder.string.append(Instruction(operation: .pattern, a: try regex(pattern), place: place(pattern)))
      }
    }
    let asserts = vocabularies.contains(.formatAssertion) || options.assertsFormat
    // An unknown format is only an annotation.
    if asserts, let format = keywords["format"], let name = format.string, let checker = FormatChecker(name) {
      tables.formats.append(checker)
      tables.formatNames.append(name)
      builder.string.append(
        Instruction(operation: .format, a: ProgramTables.index(tables.formats.count - 1), place: place(format)))
    }
  }

  // MARK: Helpers

  /// Compiles a keyword whose value is a count.
  mutating func compileCount(
    _ keywords: Keywords, _ keyword: String, _ operation: Operation, _ instructions: inout [Instruction]
  ) throws(SchemaError) {
    guard let value = keywords[keyword] else { return }
    instructions.append(Instruction(operation: operation, a: try count(value, keyword), place: place(value)))
  }

  /// Reads a count. A count that no text of 4 GiB can reach is replaced with the largest supported count.
  func count(_ value: JSONNode, _ keyword: String) throws(SchemaError) -> UInt32 {
    guard value.kind == .number, value.isWhole else { throw wrong(value, "'\(keyword)' must be a whole number") }
    let view = DecimalView(value.raw)
    guard !view.isNegative else { throw wrong(value, "'\(keyword)' must not be negative") }
    if view.digits == 0 { return 0 }
    guard view.exponent <= 10 else { return UInt32.max - 1 }
    var result = 0
    view.forEachDigit { result = result * 10 + Int($0) }
    for _ in 0..<view.trailingZeros { result *= 10 }
    return UInt32(min(result, Int(UInt32.max - 1)))
  }

  /// Compiles a pattern from a string or a member name.
  mutating func regex(_ pattern: JSONNode) throws(SchemaError) -> UInt32 {
    guard tables.patternBytes <= SchemaLimits.patternBytes else {
      throw registry.error(
        "the patterns of the schema have more than \(SchemaLimits.patternBytes) bytes in total", "split the schema",
        SchemaPlace(document: current.document, token: pattern.index), isTooLarge: true)
    }
    do throws(RegexSyntaxError) {
      return try tables.regex(pattern.string ?? "")
    } catch {
      throw registry.error(
        "this is not a regular expression: \(error.message) (at byte \(error.offset) of the pattern)", nil,
        SchemaPlace(document: current.document, token: pattern.index))
    }
  }

  /// Returns the node of a subschema in the current document.
  mutating func node(_ schema: JSONNode) throws(SchemaError) -> UInt32 {
    try node(at: SchemaPlace(document: current.document, token: schema.index))
  }

  /// Adds the place of a keyword's value.
  mutating func place(_ value: JSONNode) -> UInt32 {
    tables.place(SchemaPlace(document: current.document, token: value.index))
  }

  /// Returns the error for a keyword with an invalid value.
  func wrong(_ value: JSONNode, _ message: String) -> SchemaError {
    registry.error(message, nil, SchemaPlace(document: current.document, token: value.index))
  }
}
