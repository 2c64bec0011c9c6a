import Content

/// A sign-in: the family of refresh tokens that came from it, one of which is good.
public struct Session: Sendable, Equatable {
  public let id: RegistryID
  public let userID: RegistryID
  public let createdAt: Timestamp
  /// When the refresh token that is good now ends.
  public let expiresAt: Timestamp

  public init(id: RegistryID, userID: RegistryID, createdAt: Timestamp, expiresAt: Timestamp) {
    self.id = id
    self.userID = userID
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}
