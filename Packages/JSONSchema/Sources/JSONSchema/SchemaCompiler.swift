import JSONText

/// Compiles subschemas to the flat tables of a `Program`, one at a time and without recursion.
struct SchemaCompiler {
  let registry: SchemaRegistry
  let options: SchemaOptions
  var tables = ProgramTables()
  /// The subschema that is being compiled.
  var current = SchemaPlace(document: 0, token: 0)
  var vocabularies = Vocabularies.standard
  /// For each subschema, the subschemas that check the same value, through which a schema could call itself endlessly.
  var handsOn: [[UInt32]] = []
  /// The node that is being compiled, and the dynamic references so far.
  var currentNode: UInt32 = 0
  var dynamicReferences: [(node: UInt32, row: UInt32, target: UInt32)] = []

  private var nodeOfPlace: [SchemaPlace: UInt32] = [:]
  private var pending: [UInt32] = []
  private var rowOfAnchor: [String: UInt32] = [:]
  private var anchors: [String] = []
  private var anchorLookups = 0

  init(registry: SchemaRegistry, options: SchemaOptions) {
    self.registry = registry
    self.options = options
  }

  /// Compiles the subschema at a place and all subschemas that are reachable from it.
  mutating func compile(_ place: SchemaPlace) throws(SchemaError) -> Schema {
    let root = try node(at: place)
    var rows: [[Int: UInt32]] = []
    repeat {
      while let next = pending.popLast() { try compileNode(next) }
      // A dynamic reference may find an anchor in any resource that is entered before the reference is reached.
      rows = try dynamicRows()
    } while !pending.isEmpty
    let resourceCount = linkDynamicAnchors(rows)
    try refuseLoops()
    return Schema(tables: tables, root: root, resourceCount: resourceCount, registry: registry)
  }

  /// Returns the node of a subschema. A new subschema is compiled later. A subschema that consists only of a `$ref` is
  /// replaced by its target.
  mutating func node(at start: SchemaPlace) throws(SchemaError) -> UInt32 {
    var place = start
    var seen: Set<SchemaPlace> = []
    while true {
      if let known = nodeOfPlace[place] { return known }
      if !registry.documents[place.document].isChecked { try check(place.document) }
      guard let target = try alias(of: place) else { break }
      guard seen.insert(place).inserted else {
        throw registry.error("this schema is only a reference to itself", "point $ref to a schema", place)
      }
      place = target
    }
    let index = UInt32(truncatingIfNeeded: tables.nodes.count)
    tables.nodes.append(SchemaNode())
    tables.nodePlaces.append(ProgramTables.NodePlace(schema: place, resource: registry.innermostResource(of: place)))
    handsOn.append([])
    nodeOfPlace[place] = index
    pending.append(index)
    return index
  }

  private func alias(of place: SchemaPlace) throws(SchemaError) -> SchemaPlace? {
    let node = registry.node(place)
    guard let reference = node.member("$ref"), reference.kind == .string else { return nil }
    var isAlone = true
    node.forEachMember { name, _ in
      if !Self.silent.contains(name.string ?? "") { isAlone = false }
    }
    guard isAlone else { return nil }
    let target = try target(of: reference, in: place)
    let resource = registry.innermostResource(of: place)
    // Entering a resource adds its anchors to the dynamic scope.
    guard
      registry.resources[resource].dynamicAnchors.isEmpty || resource == registry.innermostResource(of: target)
    else { return nil }
    return target
  }

  private static let silent: Set<String> = [
    "$ref", "$comment", "$id", "$schema", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs", "definitions", "title",
    "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
  ]

  /// Returns the target of a `$ref` or `$dynamicRef` in `place`.
  func target(of reference: JSONNode, in place: SchemaPlace) throws(SchemaError) -> SchemaPlace {
    let text = reference.string ?? ""
    let base = registry.resources[registry.innermostResource(of: place)].uri
    let uri = URIReference(text).resolved(against: base)
    if let target = try registry.resolve(uri) { return target }
    let spot = SchemaPlace(document: place.document, token: reference.index)
    if try registry.resource(at: uri.withoutFragment) == nil {
      throw registry.error(
        "\"\(text)\" refers to \"\(uri.withoutFragment)\", which is unknown",
        "add that schema to the set; schemas are never fetched from a network", spot,
        missing: uri.withoutFragment)
    }
    throw registry.error("\"\(text)\" is not in \"\(uri.withoutFragment)\"", nil, spot)
  }

  /// Returns the row of a name in the table of dynamic anchors.
  mutating func row(ofAnchor name: String) -> UInt32 {
    if let known = rowOfAnchor[name] { return known }
    let row = UInt32(truncatingIfNeeded: anchors.count)
    rowOfAnchor[name] = row
    anchors.append(name)
    return row
  }

  /// Returns, for each anchor name, the node of every used resource that has the anchor.
  private mutating func dynamicRows() throws(SchemaError) -> [[Int: UInt32]] {
    guard !anchors.isEmpty else { return [] }
    var rows = [[Int: UInt32]](repeating: [:], count: anchors.count)
    let resources = Set(tables.nodePlaces.map(\.resource)).sorted()
    anchorLookups += anchors.count * resources.count
    guard anchorLookups <= SchemaLimits.anchorLookups else {
      throw registry.error(
        "the schema has too many dynamic references and resources", "split the schema", current, isTooLarge: true)
    }
    for resource in resources {
      let anchored = registry.resources[resource].dynamicAnchors
      guard !anchored.isEmpty else { continue }
      for (row, name) in anchors.enumerated() {
        guard let token = anchored[name] else { continue }
        rows[row][resource] = try node(
          at: SchemaPlace(document: registry.resources[resource].document, token: token))
      }
    }
    return rows
  }

  /// Fills the table of dynamic anchors. A reference to an anchor that only one resource has becomes an ordinary
  /// reference.
  private mutating func linkDynamicAnchors(_ rows: [[Int: UInt32]]) -> Int {
    let live = rows.map { $0.count > 1 }
    var numbers: [Int: Int] = [:]
    for (row, nodes) in rows.enumerated() where live[row] {
      for resource in nodes.keys.sorted() where numbers[resource] == nil { numbers[resource] = numbers.count }
    }
    tables.dynamicAnchors = [UInt32](repeating: Instruction.none, count: rows.count * numbers.count)
    for (row, nodes) in rows.enumerated() where live[row] {
      for (resource, node) in nodes {
        if let number = numbers[resource] { tables.dynamicAnchors[row * numbers.count + number] = node }
      }
    }
    for index in tables.instructions.indices where tables.instructions[index].operation == .dynamicReference {
      if live[Int(tables.instructions[index].a)] { continue }
      tables.instructions[index].operation = .reference
      tables.instructions[index].a = tables.instructions[index].b
    }
    for reference in dynamicReferences where !live[Int(reference.row)] {
      handsOn[Int(reference.node)].append(reference.target)
    }
    for index in tables.nodes.indices {
      guard let number = numbers[tables.nodePlaces[index].resource] else { continue }
      tables.nodes[index].resource = UInt32(truncatingIfNeeded: number)
      tables.nodes[index].flags.insert(.entersScope)
    }
    return numbers.count
  }

  private mutating func compileNode(_ index: UInt32) throws(SchemaError) {
    let place = tables.nodePlaces[Int(index)].schema
    current = place
    currentNode = index
    vocabularies = try registry.vocabularies(of: tables.nodePlaces[Int(index)].resource)
    var builder = NodeBuilder()
    let schema = registry.node(place)
    switch schema.kind {
    case .true: break
    case .false: builder.general.append(Instruction(operation: .never, place: tables.place(place)))
    case .object: try compileKeywords(of: schema, into: &builder)
    default:
      throw registry.error("a schema must be an object, true or false", nil, place)
    }
    builder.finish(&tables, index)
    handsOn[Int(index)] = builder.handsOn
  }

  private func check(_ document: Int) throws(SchemaError) {
    registry.markChecked(document)
    let root = registry.documents[document].root
    let resource = registry.innermostResource(of: SchemaPlace(document: document, token: root))
    _ = try registry.vocabularies(of: resource)
    guard options.checksSchema, let violation = try registry.metaschemaViolation(of: document) else { return }
    throw SchemaError(
      "this is not a valid schema: \(violation.message)", advice: violation.fix,
      at: SchemaError.Place(
        uri: registry.documents[document].uri, pointer: violation.pointer, offset: violation.span.lowerBound))
  }

  /// Checks that no schema applies itself to the same value, because checking would never end.
  private func refuseLoops() throws(SchemaError) {
    // 0 means not visited, 1 means being visited, and 2 means done.
    var marks = [UInt8](repeating: 0, count: handsOn.count)
    for start in handsOn.indices where marks[start] == 0 {
      var way: [(node: Int, next: Int)] = [(start, 0)]
      marks[start] = 1
      while let (node, next) = way.last {
        guard next < handsOn[node].count else {
          marks[node] = 2
          way.removeLast()
          continue
        }
        way[way.count - 1].next += 1
        let child = Int(handsOn[node][next])
        if marks[child] == 1 {
          throw registry.error(
            "this schema applies itself to the same value, so checking would never end",
            "move the reference below a member or an element", tables.nodePlaces[child].schema)
        }
        if marks[child] == 0 {
          marks[child] = 1
          way.append((child, 0))
        }
      }
    }
  }
}

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
      guard limit.kind == .number, let divisor = Divisor(DecimalView(limit)) else {
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
    let view = DecimalView(value)
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

/// Compiles the keywords for arrays and objects.
extension SchemaCompiler {
  mutating func compileArrays(_ keywords: Keywords, _ builder: inout NodeBuilder) throws(SchemaError) {
    if vocabularies.contains(.validation) {
      try compileCount(keywords, "minItems", .minItems, &builder.array)
      try compileCount(keywords, "maxItems", .maxItems, &builder.array)
      if let unique = keywords["uniqueItems"] {
        guard unique.kind == .true || unique.kind == .false else {
          throw wrong(unique, "'uniqueItems' must be true or false")
        }
        if unique.kind == .true {
          builder.array.append(Instruction(operation: .uniqueItems, place: place(unique)))
        }
      }
    }
    if vocabularies.contains(.applicator) {
      try compileItems(keywords, &builder)
      try compileContains(keywords, &builder)
    }
    if vocabularies.contains(.unevaluated), let schema = keywords["unevaluatedItems"] {
      builder.flags.insert(.tracksItems)
      builder.array.append(Instruction(operation: .unevaluatedItems, a: try node(schema), place: place(schema)))
    }
  }

  private mutating func compileItems(_ keywords: Keywords, _ builder: inout NodeBuilder) throws(SchemaError) {
    let prefix = keywords["prefixItems"]
    let rest = keywords["items"]
    guard let either = prefix ?? rest else { return }
    if let rest, rest.kind == .array {
      throw registry.error(
        "'items' must be one schema in draft 2020-12",
        "rename it to \"prefixItems\" to give each element its own schema",
        SchemaPlace(document: current.document, token: rest.index))
    }
    var nodes = [Instruction.none]
    if let rest { nodes[0] = try node(rest) }
    if let prefix {
      guard prefix.kind == .array else { throw wrong(prefix, "'prefixItems' must be an array of schemas") }
      try prefix.forEachElement { child throws(SchemaError) in nodes.append(try node(child)) }
    }
    builder.array.append(
      Instruction(
        operation: .items, a: tables.list(nodes), b: ProgramTables.index(nodes.count - 1), place: place(either)))
  }

  private mutating func compileContains(_ keywords: Keywords, _ builder: inout NodeBuilder) throws(SchemaError) {
    guard let schema = keywords["contains"] else { return }
    var least: UInt32 = 1
    var most = Instruction.none
    let place = place(schema)
    var leastPlace = place
    var mostPlace = place
    if vocabularies.contains(.validation) {
      if let value = keywords["minContains"] {
        least = try count(value, "minContains")
        leastPlace = self.place(value)
      }
      if let value = keywords["maxContains"] {
        most = try count(value, "maxContains")
        mostPlace = self.place(value)
      }
    }
    let list = tables.list([try node(schema), least, most, leastPlace, mostPlace])
    builder.array.append(Instruction(operation: .contains, a: list, place: place))
  }

  mutating func compileObjects(_ keywords: Keywords, _ builder: inout NodeBuilder) throws(SchemaError) {
    if vocabularies.contains(.validation) {
      try compileCount(keywords, "minProperties", .minProperties, &builder.object)
      try compileCount(keywords, "maxProperties", .maxProperties, &builder.object)
    }
    try compileMembers(keywords, &builder)
    for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
      if let map = keywords[keyword] { try compileDependents(map, keyword, &builder) }
    }
    if vocabularies.contains(.unevaluated), let schema = keywords["unevaluatedProperties"] {
      builder.flags.insert(.tracksMembers)
      builder.object.append(
        Instruction(operation: .unevaluatedProperties, a: try node(schema), place: place(schema)))
    }
  }

  private mutating func compileMembers(_ keywords: Keywords, _ builder: inout NodeBuilder) throws(SchemaError) {
    let applies = vocabularies.contains(.applicator)
    let properties = applies ? keywords["properties"] : nil
    let patterns = applies ? keywords["patternProperties"] : nil
    let additional = applies ? keywords["additionalProperties"] : nil
    let names = applies ? keywords["propertyNames"] : nil
    let required = vocabularies.contains(.validation) ? keywords["required"] : nil
    guard let any = properties ?? patterns ?? additional ?? names ?? required else { return }

    var table = MemberTable()
    var list: [(name: String, schema: UInt32, requiredBit: Int32)] = []
    // Names are compared as bytes: two encodings of one accented letter are two different names.
    var positions: [[UInt8]: Int] = [:]
    if let properties {
      guard properties.kind == .object else { throw wrong(properties, "'properties' must be an object of schemas") }
      table.propertiesPlace = place(properties)
      try properties.forEachMember { name, schema throws(SchemaError) in
        let text = name.string ?? ""
        positions[name.textBytes] = list.count
        list.append((text, try node(schema), -1))
      }
    }
    if let required {
      guard required.kind == .array else { throw wrong(required, "'required' must be an array of member names") }
      table.requiredPlace = place(required)
      try required.forEachElement { name throws(SchemaError) in
        guard let text = name.string else { throw wrong(name, "'required' must be an array of member names") }
        let position = positions[name.textBytes] ?? list.count
        if position == list.count { list.append((text, Instruction.none, -1)) }
        positions[name.textBytes] = position
        if list[position].requiredBit < 0 {
          list[position].requiredBit = Int32(truncatingIfNeeded: table.requiredCount)
          table.requiredCount += 1
        }
      }
    }
    if let patterns {
      guard patterns.kind == .object else { throw wrong(patterns, "'patternProperties' must be an object of schemas") }
      table.patternsPlace = place(patterns)
      table.firstPattern = ProgramTables.index(tables.patterns.count)
      var entries: [PatternMember] = []
      try patterns.forEachMember { name, schema throws(SchemaError) in
        entries.append(PatternMember(regex: try regex(name), schema: try node(schema)))
      }
      tables.patterns += entries
      table.patternCount = ProgramTables.index(entries.count)
    }
    if let additional {
      table.additional = try node(additional)
      table.additionalPlace = place(additional)
    }
    if let names {
      table.names = try node(names)
      table.namesPlace = place(names)
    }
    write(list, into: &table)
    tables.tables.append(table)
    builder.object.append(
      Instruction(operation: .members, a: ProgramTables.index(tables.tables.count - 1), place: place(any)))
  }

  private mutating func write(
    _ list: [(name: String, schema: UInt32, requiredBit: Int32)], into table: inout MemberTable
  ) {
    table.first = ProgramTables.index(tables.members.count)
    table.count = ProgramTables.index(list.count)
    var hashes: [Int] = []
    for (name, schema, requiredBit) in list {
      let text = tables.text(name)
      tables.members.append(
        NamedMember(
          name: text.start, length: text.length, schema: schema, requiredBit: requiredBit, head: name.utf8.span.head))
      hashes.append(name.utf8.span.nameHash)
    }
    if hashes.count > 8 { (table.slots, table.slotMask) = tables.slots(hashes: hashes) }
  }

  /// Compiles `dependentRequired`, `dependentSchemas`, and `dependencies`, which combines both in older drafts.
  private mutating func compileDependents(
    _ map: JSONNode, _ keyword: String, _ builder: inout NodeBuilder
  ) throws(SchemaError) {
    if !vocabularies.contains(keyword == "dependentRequired" ? .validation : .applicator) { return }
    guard map.kind == .object else { throw wrong(map, "'\(keyword)' must be an object") }
    var required: [UInt32] = []
    var requiredCount = 0
    var schemas: [UInt32] = []
    try map.forEachMember { name, value throws(SchemaError) in
      let name = tables.name(name.string ?? "")
      if keyword == "dependentSchemas" || keyword == "dependencies" && value.kind != .array {
        let node = try node(value)
        schemas += [name, node]
        builder.handsOn.append(node)
        return
      }
      guard value.kind == .array else { throw wrong(value, "this must be an array of member names") }
      var members: [UInt32] = []
      try value.forEachElement { member throws(SchemaError) in
        guard let text = member.string else { throw wrong(member, "this must be the name of a member") }
        members.append(tables.name(text))
      }
      required += [name, ProgramTables.index(members.count)] + members
      requiredCount += 1
    }
    let place = place(map)
    if requiredCount > 0 {
      builder.object.append(
        Instruction(
          operation: .dependentRequired, a: tables.list(required), b: ProgramTables.index(requiredCount), place: place))
    }
    if !schemas.isEmpty {
      builder.object.append(
        Instruction(
          operation: .dependentSchemas, a: tables.list(schemas), b: ProgramTables.index(schemas.count / 2),
          place: place))
    }
  }
}
