import Content

/// A sign-in: a family of refresh tokens that came from it, one of which is valid.
public struct Session: Sendable, Equatable {
  /// The registry's own id, `sid` in access tokens.
  public let id: RegistryID
  /// The user who signed in.
  public let userID: RegistryID
  /// The time of the sign-in.
  public let createdAt: Timestamp
  /// When the currently valid refresh token expires.
  public let expiresAt: Timestamp

  /// How long, in seconds, an exchanged refresh token returns the same successor again, for clients that did not
  /// receive the answer.
  public static let grace: Int64 = 60

  /// Creates an instance from its members.
  public init(id: RegistryID, userID: RegistryID, createdAt: Timestamp, expiresAt: Timestamp) {
    self.id = id
    self.userID = userID
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}
