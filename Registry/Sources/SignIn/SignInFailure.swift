/// The reason why access is denied (401). The caller may be shown the case; it does not help with guessing.
public enum SignInFailure: Error, Sendable, Equatable {
  /// The request has no `Authorization: Bearer …`.
  case missing
  /// The token is forged, of another kind, for another audience, or not from this registry.
  case invalid
  /// The token has expired: the client has to refresh it.
  case expired
  /// The token's session was ended: the user has to sign in again.
  case revoked
  /// Apple's keys could not be fetched (503).
  case keysUnavailable
}
