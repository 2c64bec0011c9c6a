/// The faults of a bad network, or a bad machine at its other end, for a request.
enum FaultKind: String, CaseIterable, Sendable {
  /// The connection ends before the registry sees the request.
  case dropBefore
  /// The registry makes the change, and the connection ends before it can answer.
  case dropAfter
  /// The answer takes a while, but comes.
  case delay
  /// The answer ends in its middle.
  case truncate
  /// The connection is reset; the registry may have done it.
  case reset
  /// 500; the registry may have done it.
  case serverError
  /// 503, without calling the registry.
  case unavailable
  /// 429 with `Retry-After: 1`.
  case rateLimited
  /// 401, although the token is good.
  case unauthorized
  /// The answer arrives with a byte a second.
  case slowLoris
  /// The registry gets the same request twice.
  case twice
  /// The client gets no answer and gives up; the registry gets the request afterwards.
  case late
}
