/// Why somebody is not let in (401). The words are for the caller; nothing in them helps to guess.
public enum SignInFailure: Error, Sendable, Equatable {
  /// No `Authorization: Bearer …`.
  case missing
  /// Not a token of ours, forged, of another kind, or for somebody else.
  case invalid
  /// Its time is over: refresh.
  case expired
  /// Its session was ended: sign in again.
  case revoked
  /// Apple's keys could not be had (503).
  case keysUnavailable
}
