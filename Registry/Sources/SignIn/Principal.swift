import RegistryModel

/// Who sends a request, proved by an access token whose session is live.
public struct Principal: Sendable, Equatable {
  public let userID: RegistryID
  public let sessionID: RegistryID

  public init(userID: RegistryID, sessionID: RegistryID) {
    self.userID = userID
    self.sessionID = sessionID
  }
}
