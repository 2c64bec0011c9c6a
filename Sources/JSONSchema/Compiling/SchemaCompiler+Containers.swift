import JSONText

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
        NamedMember(name: text.start, length: text.length, schema: schema, requiredBit: requiredBit))
      hashes.append(
        Array(name.utf8).withUnsafeBufferPointer { $0.baseAddress.map { Bytes.hash($0, name.utf8.count) } ?? 0 })
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
