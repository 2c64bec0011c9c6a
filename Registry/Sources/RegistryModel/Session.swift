import Content

/// A sign-in: the family of refresh tokens that came from it, one of which is valid.
public struct Session: Sendable, Equatable {
  /// The registry's own id, `sid` in access tokens.
  public let id: RegistryID
  /// The user who signed in.
  public let userID: RegistryID
  /// The time of the sign-in.
  public let createdAt: Timestamp
  /// The end of the refresh token that is valid now.
  public let expiresAt: Timestamp

  /// Seconds during which an exchanged refresh token returns the same successor again, for clients that did not receive
  /// the answer.
  public static let grace: Int64 = 60

  /// Makes it from its parts.
  public init(id: RegistryID, userID: RegistryID, createdAt: Timestamp, expiresAt: Timestamp) {
    self.id = id
    self.userID = userID
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}
