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
