import JSONText

/// The tables of a compiled schema. They are stored as addresses, so that copying a program copies no references.
struct Program {
  let nodes: FrozenTable<SchemaNode>
  let instructions: FrozenTable<Instruction>
  let lists: FrozenTable<UInt32>
  let tables: FrozenTable<MemberTable>
  let members: FrozenTable<NamedMember>
  let patterns: FrozenTable<PatternMember>
  let names: FrozenTable<Name>
  let bytes: FrozenTable<UInt8>
  let numbers: FrozenTable<NumberLimit>
  let divisors: FrozenTable<Divisor>
  let constants: FrozenTable<JSONNode>
  let values: FrozenTable<ValueList>
  let regexes: FrozenTable<Unmanaged<ECMARegex>>
  let formats: FrozenTable<FormatChecker>
  /// A row of nodes for each anchor that is found dynamically, with one node for each resource; `Instruction.none` for
  /// resources without the anchor.
  let dynamicAnchors: FrozenTable<UInt32>
  let resourceCount: Int
  let root: Int

  /// A name in the program's bytes.
  struct Name {
    var start: UInt32
    var length: UInt32
    /// The range in the program's bytes.
    @inline(__always) var range: Range<Int> { Range(uncheckedBounds: (Int(start), Int(start) &+ Int(length))) }
  }

  func free() {
    nodes.free()
    instructions.free()
    lists.free()
    tables.free()
    members.free()
    patterns.free()
    names.free()
    bytes.free()
    numbers.free()
    divisors.free()
    constants.free()
    values.free()
    for index in 0..<regexes.count { regexes[index].release() }
    regexes.free()
    formats.free()
    dynamicAnchors.free()
  }
}

/// A compiled subschema: the kinds of value that it allows, and the instructions that it runs for each kind.
///
/// The instructions are in one flat table, sorted by the kind of value that they check.
struct SchemaNode {
  /// A bit for each `JSONToken.Kind`; bit 7 is set if only whole numbers are allowed.
  var types: UInt8 = SchemaNode.everyType
  /// Properties that need special treatment while the node runs.
  var flags: Flags = []
  /// The resource to which the subschema belongs.
  var resource: UInt32 = 0
  /// The start of the instructions for any kind of value.
  var first: UInt32 = 0
  /// The ends of the instructions for any kind, numbers, strings, arrays and objects.
  var generalEnd: UInt32 = 0
  var numberEnd: UInt32 = 0
  var stringEnd: UInt32 = 0
  var arrayEnd: UInt32 = 0
  var objectEnd: UInt32 = 0

  static let everyType: UInt8 = 0x7F
  static let wholeNumber: UInt8 = 0x80

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The evaluated members are tracked for `unevaluatedProperties`.
    static let tracksMembers = Flags(rawValue: 1)
    /// The evaluated elements are tracked for `unevaluatedItems`.
    static let tracksItems = Flags(rawValue: 2)
    /// The resource has an anchor that a `$dynamicRef` may find.
    static let entersScope = Flags(rawValue: 4)
  }
}

/// The operation of one keyword, or of a group of keywords that are checked together.
enum Operation: UInt8 {
  // Any kind of value
  case never, constant, enumeration, reference, dynamicReference, allOf, anyOf, oneOf, not, conditional
  // Numbers
  case minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf
  // Strings
  case minLength, maxLength, pattern, format
  // Arrays
  case minItems, maxItems, uniqueItems, items, contains, unevaluatedItems
  // Objects
  case minProperties, maxProperties, members, dependentRequired, dependentSchemas, unevaluatedProperties
}

/// One step of a compiled schema. The meaning of `a` and `b` depends on the operation:
///
/// - a limit: the index of the number, or the count, in `a`;
/// - one subschema: its node in `a`; several subschemas: their start in `lists` in `a` and their number in `b`;
/// - `conditional`: three nodes in `lists` from `a` (if, then, else);
/// - `items`: the node for the remaining elements, then `b` nodes for the prefix, in `lists` from `a`;
/// - `contains`: the node, the smallest count and the largest count, in `lists` from `a`;
/// - `dependentRequired`: `b` times (name, count, names …) in `lists` from `a`;
/// - `dependentSchemas`: `b` times (name, node) in `lists` from `a`;
/// - `dynamicReference`: the row of the anchor table in `a`, and in `b` the node to use if no anchor is in scope.
struct Instruction {
  var operation: Operation
  var a: UInt32 = 0
  var b: UInt32 = 0
  /// The index of the keyword's place, which is used only for reports.
  var place: UInt32 = 0

  /// The value that means no subschema.
  static let none = UInt32.max
}

/// A member that a schema names in `properties`, in `required`, or in both.
struct NamedMember {
  /// The start of the name in the program's bytes, and the length of the name.
  var name: UInt32
  var length: UInt32
  /// The node for the member's value; `Instruction.none` if only `required` names the member.
  var schema: UInt32
  /// The bit that marks the member as present; -1 if it is optional.
  var requiredBit: Int32
  /// The first bytes of the name. Comparing them with one branch decides most searches.
  var head: UInt64
  /// The range of the name in the program's bytes.
  @inline(__always) var range: Range<Int> { Range(uncheckedBounds: (Int(name), Int(name) &+ Int(length))) }
}

/// A compiled `patternProperties` entry.
struct PatternMember {
  var regex: UInt32
  var schema: UInt32
}

/// All rules that are checked in one pass over an object's members.
struct MemberTable {
  /// The named members, in the order of the schema.
  var first: UInt32 = 0
  var count: UInt32 = 0
  /// The slots of a hash table in `lists`, for tables that are too long to search. The mask is 0 if there is no hash
  /// table.
  var slots: UInt32 = 0
  var slotMask: UInt32 = 0
  /// The entries of `patternProperties`.
  var firstPattern: UInt32 = 0
  var patternCount: UInt32 = 0
  /// The node for other members, and the node for all names; `Instruction.none` if the schema does not restrict them.
  var additional: UInt32 = Instruction.none
  var names: UInt32 = Instruction.none
  /// The number of required members.
  var requiredCount: UInt32 = 0
  /// The places of the keywords, for reports.
  var requiredPlace: UInt32 = 0
  var additionalPlace: UInt32 = 0
  var namesPlace: UInt32 = 0
  var propertiesPlace: UInt32 = 0
  var patternsPlace: UInt32 = 0
}

/// A number with which a schema compares values.
struct NumberLimit {
  /// The number as written in the schema.
  var node: JSONNode
  var exact: DecimalView
  /// The number's value, if it is whole and has at most 18 digits.
  var small: Int64
  var isSmall: Bool

  init(_ node: JSONNode) {
    self.node = node
    exact = DecimalView(node)
    isSmall = node.isSmallInteger
    small = isSmall ? node.plainInteger : 0
  }
}

/// The values of an `enum`.
struct ValueList {
  /// The start of the values in the constants.
  var first: UInt32
  var count: UInt32
  /// A bit for each kind of value that occurs.
  var kinds: UInt8
  /// The slots of a hash table in `lists`. The mask is 0 if the list is short enough to search.
  var slots: UInt32 = 0
  var slotMask: UInt32 = 0
}

/// A table that never changes once it is made. It consists of an address and a length, without reference counts.
///
/// The owner calls `free` when the table is no longer read.
struct FrozenTable<Element> {
  /// The elements, in place. They are valid until `free`.
  let elements: UnsafeMutableBufferPointer<Element>
  var count: Int { elements.count }

  init(_ elements: [Element]) {
    self.elements = .allocate(capacity: elements.count)
    _ = self.elements.initialize(fromContentsOf: elements)
  }

  func free() {
    elements.deinitialize()
    elements.deallocate()
  }

  @inline(__always) subscript(index: Int) -> Element { elements[index] }
}
