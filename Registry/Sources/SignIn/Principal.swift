import RegistryModel

/// The sender of a request, proved by an access token whose session is live.
public struct Principal: Sendable, Equatable {
  /// The user.
  public let userID: RegistryID
  /// The session that the token came from.
  public let sessionID: RegistryID

  /// Makes a principal.
  public init(userID: RegistryID, sessionID: RegistryID) {
    self.userID = userID
    self.sessionID = sessionID
  }
}
