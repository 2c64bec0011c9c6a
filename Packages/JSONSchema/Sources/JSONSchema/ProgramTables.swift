import JSONText

/// The tables of a program while it is being compiled.
struct ProgramTables {
  /// The origin of a node, for reports.
  struct NodePlace {
    let schema: SchemaPlace
    let resource: Int
    var typePlace: UInt32 = 0
  }

  var nodes: [SchemaNode] = []
  var nodePlaces: [NodePlace] = []
  var instructions: [Instruction] = []
  var lists: [UInt32] = []
  var tables: [MemberTable] = []
  var members: [NamedMember] = []
  var patterns: [PatternMember] = []
  var names: [Program.Name] = []
  var bytes: [UInt8] = []
  var numbers: [NumberLimit] = []
  var divisors: [Divisor] = []
  var constants: [JSONNode] = []
  var values: [ValueList] = []
  var regexes: [ECMARegex] = []
  var formats: [FormatChecker] = []
  var formatNames: [String] = []
  var dynamicAnchors: [UInt32] = []
  var places: [SchemaPlace] = []
  /// The number of bytes of `SchemaLimits.patternBytes` that are used.
  private(set) var patternBytes = 0
  private var regexOfPattern: [[UInt8]: UInt32] = [:]

  /// Adds the place of a keyword and returns its index.
  mutating func place(_ place: SchemaPlace) -> UInt32 {
    places.append(place)
    return Self.index(places.count - 1)
  }

  /// Appends text to the bytes and returns its start and length.
  mutating func text(_ text: String) -> Program.Name {
    let start = Self.index(bytes.count)
    bytes.append(contentsOf: text.utf8)
    return Program.Name(start: start, length: Self.index(text.utf8.count))
  }

  /// Adds a name and returns its index.
  mutating func name(_ text: String) -> UInt32 {
    names.append(self.text(text))
    return Self.index(names.count - 1)
  }

  /// Compiles a pattern and returns its index, or returns the index of an equal pattern that is already compiled.
  mutating func regex(_ pattern: String) throws(RegexSyntaxError) -> UInt32 {
    if let known = regexOfPattern[Array(pattern.utf8)] { return known }
    patternBytes += pattern.utf8.count + SchemaLimits.patternOverhead
    regexes.append(try ECMARegex(pattern))
    let index = Self.index(regexes.count - 1)
    regexOfPattern[Array(pattern.utf8)] = index
    return index
  }

  /// Appends a list and returns its start.
  mutating func list(_ elements: [UInt32]) -> UInt32 {
    lists.append(contentsOf: elements)
    return Self.index(lists.count - elements.count)
  }

  /// Appends hash slots for the given hashes, numbered from 0, and returns the start of the slots and the mask for slot
  /// indices.
  mutating func slots(hashes: [Int]) -> (start: UInt32, mask: UInt32) {
    var size = 16
    while size < hashes.count * 2 { size *= 2 }
    var slots = [UInt32](repeating: Instruction.none, count: size)
    for (number, hash) in hashes.enumerated() {
      var slot = hash & (size - 1)
      while slots[slot] != Instruction.none { slot = (slot + 1) & (size - 1) }
      slots[slot] = Self.index(number)
    }
    return (list(slots), Self.index(size - 1))
  }

  /// Returns a count as a table index. Every index fits, because schema texts are smaller than 4 GiB.
  static func index(_ count: Int) -> UInt32 { UInt32(truncatingIfNeeded: count) }
}

/// Collects the instructions of one node, grouped by the kind of value that they check.
struct NodeBuilder {
  var types = SchemaNode.everyType
  var flags: SchemaNode.Flags = []
  var typePlace: UInt32 = 0
  var general: [Instruction] = []
  var number: [Instruction] = []
  var string: [Instruction] = []
  var array: [Instruction] = []
  var object: [Instruction] = []
  /// The nodes that check the same value as this node.
  var handsOn: [UInt32] = []

  /// Writes the node and its instructions to the tables.
  func finish(_ tables: inout ProgramTables, _ index: UInt32) {
    var node = SchemaNode(types: types, flags: flags)
    node.first = ProgramTables.index(tables.instructions.count)
    tables.instructions += general
    node.generalEnd = ProgramTables.index(tables.instructions.count)
    tables.instructions += number
    node.numberEnd = ProgramTables.index(tables.instructions.count)
    tables.instructions += string
    node.stringEnd = ProgramTables.index(tables.instructions.count)
    tables.instructions += array
    node.arrayEnd = ProgramTables.index(tables.instructions.count)
    tables.instructions += object
    node.objectEnd = ProgramTables.index(tables.instructions.count)
    tables.nodes[Int(index)] = node
    tables.nodePlaces[Int(index)].typePlace = typePlace
  }
}

/// The origins of the parts of a compiled schema in its documents.
struct SchemaOrigin: Sendable {
  private struct Resource: Sendable {
    let uri: String
    let root: Int
    let end: Int
  }

  private let documents: [JSONDocument]
  /// The resources of each document, in ascending order of their roots.
  private let resources: [[Resource]]
  private let places: [SchemaPlace]
  let typePlaces: [UInt32]
  let formatNames: [String]

  init(tables: ProgramTables, registry: SchemaRegistry) {
    documents = registry.documents.map(\.document)
    var byDocument = [[Resource]](repeating: [], count: registry.documents.count)
    for resource in registry.resources {
      let end = Int(registry.documents[resource.document].node(resource.root).token.next)
      byDocument[resource.document].append(
        Resource(uri: resource.uri.withoutFragment, root: resource.root, end: end))
    }
    resources = byDocument.map { $0.sorted { $0.root < $1.root } }
    places = tables.places
    typePlaces = tables.nodePlaces.map(\.typePlace)
    formatNames = tables.formatNames
  }

  /// Passes the value at a place of the schema to `body`.
  func withValue<Result>(_ place: UInt32, _ body: (JSONNode) -> Result) -> Result? {
    guard places.indices.contains(Int(place)) else { return nil }
    return documents[places[Int(place)].document].withNode(places[Int(place)].token, body)
  }

  /// Returns the absolute URI of a place: the URI of the resource, with the path in the resource as the fragment.
  func location(_ place: UInt32) -> String {
    guard places.indices.contains(Int(place)) else { return "" }
    let place = places[Int(place)]
    guard let resource = resources[place.document].last(where: { $0.root <= place.token && place.token < $0.end })
    else { return "" }
    let pointer = documents[place.document].withNode(resource.root) { $0.pointer(to: place.token) }
    return resource.uri + "#" + URIReference.fragmentEncoded(pointer.description)
  }

  /// Passes the examples of the schema that contains a keyword to `body` until `body` returns a result. Returns nil if
  /// no example is suitable.
  func example<Result>(_ place: UInt32, _ body: (JSONNode) -> Result?) -> Result? {
    guard places.indices.contains(Int(place)) else { return nil }
    let place = places[Int(place)]
    let document = documents[place.document]
    var pointer = document.withNode(document.root.tokenIndex) { $0.pointer(to: place.token) }
    guard !pointer.steps.isEmpty else { return nil }
    pointer.steps.removeLast()
    guard let examples = document.root.at(pointer)?["examples"], examples.kind == .array else { return nil }
    for example in examples.elements.prefix(8) {
      if let result = document.withNode(example.tokenIndex, body) { return result }
    }
    return nil
  }

  /// Returns the `description` of the schema that contains a keyword, or nil if it has no description. The result is
  /// cut after a thousand scalars, because each violation includes it.
  func description(_ place: UInt32) -> String? {
    guard places.indices.contains(Int(place)) else { return nil }
    let place = places[Int(place)]
    let document = documents[place.document]
    var pointer = document.withNode(document.root.tokenIndex) { $0.pointer(to: place.token) }
    guard !pointer.steps.isEmpty else { return nil }
    pointer.steps.removeLast()
    guard let text = document.root.at(pointer)?["description"]?.string else { return nil }
    if text.utf8.count <= 1000 { return text }
    let scalars = text.unicodeScalars
    return scalars.count > 1000 ? String(String.UnicodeScalarView(scalars.prefix(1000))) + "…" : text
  }
}
