extension QueueOperation {
  /// How often an operation is tried before it is given up.
  package static let tries = 3
}
