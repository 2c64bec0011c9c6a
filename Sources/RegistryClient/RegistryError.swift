/// Why a call to a registry has no good answer. Each case says what may have happened at the other end.
public enum RegistryError: Error, Sendable, Equatable {
  /// Nobody was reached: no network, unknown host, connection refused. The registry never saw the request.
  case unreachable(String)
  /// Somebody was reached, and there is no TLS connection to them that can be trusted. The registry never saw the
  /// request, and trying again does not help.
  case insecure(String, advice: String)
  /// No answer in time. The registry may have done what it was asked.
  case timedOut(String)
  /// The connection ended before the answer did: reset, cut off. The registry may have done what it was asked.
  case broken(String)
  /// There was an answer, and it is none that a registry gives: a proxy's page, JSON of another shape.
  case unreadable(String)
  /// The registry said no, in its own words.
  case refused(RegistryRefusal)
  /// Nobody is signed in, or the session has ended and could not be renewed. The registry did nothing.
  case signInNeeded(String)
}
