/// Why access is denied (401). The cases may be shown to the caller; they do not help to guess.
public enum SignInFailure: Error, Sendable, Equatable {
  /// No `Authorization: Bearer …`.
  case missing
  /// Not a token of this registry, forged, of another kind, or for another audience.
  case invalid
  /// It has expired: refresh.
  case expired
  /// Its session was ended: sign in again.
  case revoked
  /// Apple's keys could not be fetched (503).
  case keysUnavailable
}
