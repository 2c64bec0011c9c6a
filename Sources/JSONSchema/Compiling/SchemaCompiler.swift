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
