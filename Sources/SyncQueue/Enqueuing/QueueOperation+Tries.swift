extension QueueOperation {
  /// The number of tries before an operation is given up.
  package static let tries = 3
}
