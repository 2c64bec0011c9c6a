extension QueueOperation {
  /// The number of tries after which an operation has failed.
  package static let tries = 3
}
