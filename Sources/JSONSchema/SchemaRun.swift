import JSONText

/// Holds values against a schema, with memory that is used again for every value: one for each thread.
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

  /// Whether a value is valid. Allocates nothing for values without escaped strings, once the memory has grown.
  ///
  /// What cannot be decided within the limits (a pattern that takes too many steps, schemas that call each other too
  /// deeply) counts as invalid; `violations` says so.
  public mutating func isValid(_ node: JSONNode) -> Bool {
    state.pointee.begin(node)
    let valid = Evaluator(state: state).evaluate(UInt32(truncatingIfNeeded: schema.program.root), node.index, -1)
    return valid && state.pointee.stop == nil
  }

  /// Everything that is wrong with a value, in the order of the text; empty when it is valid.
  /// - Parameter limit: how many are collected at most. When there are more, the last one says so.
  public mutating func violations(_ node: JSONNode, limit: Int = 1000) -> [SchemaViolation] {
    if isValid(node) { return [] }
    var reporter = Reporter(schema: schema, state: state, root: node, limit: limit)
    return reporter.run()
  }
}
