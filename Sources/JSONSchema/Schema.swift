import JSONText

/// A compiled schema, which consists of tables that never change. Any number of threads can share a schema.
///
/// `SchemaRun` checks values against it.
public final class Schema: @unchecked Sendable {
  let program: Program
  /// The data with which reports name places. The documents in it also keep the memory of the constants alive.
  let origin: SchemaOrigin

  /// The number of compiled subschemas.
  public var count: Int { program.nodes.count }

  init(tables: ProgramTables, root: UInt32, resourceCount: Int, registry: SchemaRegistry) {
    program = Program(
      nodes: FrozenTable(tables.nodes), instructions: FrozenTable(tables.instructions),
      lists: FrozenTable(tables.lists), tables: FrozenTable(tables.tables), members: FrozenTable(tables.members),
      patterns: FrozenTable(tables.patterns), names: FrozenTable(tables.names), bytes: FrozenTable(tables.bytes),
      numbers: FrozenTable(tables.numbers), divisors: FrozenTable(tables.divisors),
      constants: FrozenTable(tables.constants), values: FrozenTable(tables.values),
      regexes: FrozenTable(tables.regexes.map { Unmanaged.passRetained($0) }), formats: FrozenTable(tables.formats),
      dynamicAnchors: FrozenTable(tables.dynamicAnchors), resourceCount: resourceCount, root: Int(root))
    origin = SchemaOrigin(tables: tables, registry: registry)
  }

  deinit { program.free() }
}
