/// Faults of a bad network or server, each affecting one request.
enum FaultKind: String, CaseIterable, Sendable {
  /// The connection ends before the registry receives the request.
  case dropBefore
  /// The registry makes the change, but the connection ends before the answer is sent.
  case dropAfter
  /// The answer is delayed.
  case delay
  /// The answer is cut off in the middle.
  case truncate
  /// The connection is reset. The registry may have made the change.
  case reset
  /// The answer is 500. The registry may have made the change.
  case serverError
  /// The answer is 503, and the registry is not called.
  case unavailable
  /// The answer is 429 with `Retry-After: 1`.
  case rateLimited
  /// The answer is 401, although the token is valid.
  case unauthorized
  /// The answer arrives at one byte per second.
  case slowLoris
  /// The registry receives the same request twice.
  case twice
  /// The client gets no answer and stops waiting. The registry receives the request afterwards.
  case late
}
