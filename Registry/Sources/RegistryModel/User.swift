import Content

/// A person who has signed in. Public endpoints return only the username.
public struct User: Sendable, Equatable {
  /// The registry's own id, `sub` in access tokens.
  public let id: RegistryID
  /// Apple's stable id of the person (`sub`); for a test sign-in, `test:` and the address.
  public let appleID: String
  /// The address, when Apple provided one.
  public let email: String?
  /// The unique username, made from the local part of the address or else random.
  public let username: String
  /// The time of the first sign-in.
  public let createdAt: Timestamp
  /// The time of the account's last change.
  public let updatedAt: Timestamp

  /// Creates an instance from its members.
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
