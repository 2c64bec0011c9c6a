import JSONText

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
