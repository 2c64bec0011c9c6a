import Content

/// Somebody who signed in. Nothing of this but the username ever leaves through public endpoints.
public struct User: Sendable, Equatable {
  /// The registry's own id, `sub` in access tokens.
  public let id: RegistryID
  /// Apple's stable name of the person (`sub`); `test:` and the address for test sign-in.
  public let appleID: String
  /// The address, when Apple passed one on.
  public let email: String?
  /// Unique; from the address's local part, else random.
  public let username: String
  /// When they first signed in.
  public let createdAt: Timestamp
  /// When the account last changed.
  public let updatedAt: Timestamp

  /// Makes it of its parts.
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
