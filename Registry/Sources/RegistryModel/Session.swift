import Content

/// A sign-in: the family of refresh tokens that came from it, one of which is good.
public struct Session: Sendable, Equatable {
  /// The registry's own id, `sid` in access tokens.
  public let id: RegistryID
  /// Who signed in.
  public let userID: RegistryID
  /// When the sign-in was.
  public let createdAt: Timestamp
  /// When the refresh token that is good now ends.
  public let expiresAt: Timestamp

  /// Seconds in which a refresh token that was exchanged gives the same successor again: whoever did not hear the answer
  /// asks once more.
  public static let grace: Int64 = 60

  /// Makes it of its parts.
  public init(id: RegistryID, userID: RegistryID, createdAt: Timestamp, expiresAt: Timestamp) {
    self.id = id
    self.userID = userID
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}
