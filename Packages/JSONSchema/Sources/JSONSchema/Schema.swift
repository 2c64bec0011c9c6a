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

/// Checks values against a schema, with memory that is reused for every value. Use one run for each thread.
public struct SchemaRun: ~Copyable, @unchecked Sendable {
  private let schema: Schema
  private let state: UnsafeMutablePointer<RunState>

  /// Prepares a run.
  public init(_ schema: Schema) {
    self.schema = schema
    state = .allocate(capacity: 1)
    state.initialize(to: RunState(schema.program))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Returns whether a value is valid. Once its memory has grown, a run allocates no more memory for values without
  /// escaped strings.
  ///
  /// If validity cannot be decided within the limits (because a pattern takes too many steps or schemas call each other
  /// too deeply), the value counts as invalid and `violations` reports the reason.
  public mutating func isValid(_ node: JSONNode) -> Bool {
    state.pointee.begin(node)
    let valid = Evaluator(state: state).evaluate(UInt32(truncatingIfNeeded: schema.program.root), node.index, -1)
    return valid && state.pointee.stop == nil
  }

  /// Returns all violations of a value, in the order of the text; empty if it is valid.
  /// - Parameter limit: the largest number of violations to return. If there are more, the last one states this.
  public mutating func violations(_ node: JSONNode, limit: Int = 1000) -> [SchemaViolation] {
    if isValid(node) { return [] }
    var reporter = Reporter(schema: schema, state: state, root: node, limit: limit)
    return reporter.run()
  }
}

/// A violation of a schema's rule by a value, with its exact place in the schema and in the value.
public struct SchemaViolation: Sendable, Equatable {
  /// The violated keyword, such as `type` or `required`.
  public let keyword: String
  /// A message in plain terms, such as `'duration' must be a whole number`.
  public let message: String
  /// A short description of the value for the label under a code frame, such as `string` or `7 items`.
  public let found: String
  /// The path from the validated value to the offending value.
  public let pointer: JSONPointer
  /// The byte range of the offending value in the text of the validated value. For a member that is not allowed or has
  /// a wrong name, this is the range of the name.
  public let span: Range<Int>
  /// The keyword's absolute URI with a JSON pointer as its fragment.
  public let schemaLocation: String
  /// The schema's `description` for such a value; nil if the schema has no description.
  public let reason: String?
  /// Advice on correcting the value; nil if no advice is available.
  public let fix: String?
  /// The JSON that corrects the value, for a string that contains exactly a number that the schema accepts.
  public let replacement: String?
  /// The number of other alternatives in an `anyOf` or `oneOf` that did not match either.
  public let otherAlternatives: Int
}
