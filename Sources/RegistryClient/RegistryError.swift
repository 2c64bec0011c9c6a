/// Why a call to a registry failed. Each case states what may have happened at the registry.
public enum RegistryError: Error, Sendable, Equatable {
  /// The registry was not reached: no network, unknown host, connection refused. It never received the request.
  case unreachable(String)
  /// A server was reached, but there is no TLS connection to it that can be trusted. The registry never received the
  /// request, and trying again does not help.
  case insecure(String, advice: String)
  /// No answer in time. The registry may have carried out the request.
  case timedOut(String)
  /// The connection ended before the answer was complete: reset, cut off. The registry may have carried out the
  /// request.
  case broken(String)
  /// There was an answer, but not one that a registry gives: a proxy's page, JSON of another shape.
  case unreadable(String)
  /// The registry refused the request, in its own words.
  case refused(RegistryRefusal)
  /// No user is signed in, or the session has ended and could not be renewed. The registry did nothing.
  case signInNeeded(String)
}
