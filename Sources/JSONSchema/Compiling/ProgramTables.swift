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
