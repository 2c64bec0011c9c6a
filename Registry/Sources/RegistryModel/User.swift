import Content

/// A person who has signed in. Public endpoints return nothing of this except the username.
public struct User: Sendable, Equatable {
  /// The registry's own id, `sub` in access tokens.
  public let id: RegistryID
  /// Apple's stable id of the person (`sub`); for a test sign-in `test:` and the address.
  public let appleID: String
  /// The address, when Apple provided one.
  public let email: String?
  /// Unique; from the local part of the address, else random.
  public let username: String
  /// The time of the first sign-in.
  public let createdAt: Timestamp
  /// The time of the account's last change.
  public let updatedAt: Timestamp

  /// Makes it from its parts.
  public init(
    id: RegistryID, appleID: String, email: String?, username: String, createdAt: Timestamp, updatedAt: Timestamp
  ) {
    self.id = id
    self.appleID = appleID
    self.email = email
    self.username = username
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}
