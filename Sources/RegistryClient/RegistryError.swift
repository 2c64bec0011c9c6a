/// The reason why a call to a registry failed. Each case states what may have happened at the registry.
public enum RegistryError: Error, Sendable, Equatable {
  /// The registry was not reached: no network, unknown host, or connection refused. It never received the request.
  case unreachable(String)
  /// A server was reached, but no trusted TLS connection to it could be made. The registry never received the request,
  /// and trying again does not help.
  case insecure(String, advice: String)
  /// No answer arrived in time. The registry may have carried out the request.
  case timedOut(String)
  /// The connection was reset or closed before the answer was complete. The registry may have carried out the request.
  case broken(String)
  /// An answer arrived, but not one that a registry gives: a proxy's page, or JSON of another shape.
  case unreadable(String)
  /// The registry refused the request; the value has its reason.
  case refused(RegistryRefusal)
  /// No user is signed in, or the session has ended and could not be renewed. The registry did nothing.
  case signInNeeded(String)
}
