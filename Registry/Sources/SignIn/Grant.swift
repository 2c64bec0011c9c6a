import RegistryModel

/// The result of a sign-in or a refresh.
public struct Grant: Sendable {
  /// Proves the identity of a request's sender, for a short time.
  public let accessToken: String
  /// Valid once, for the next grant.
  public let refreshToken: String
  /// Seconds until the access token ends.
  public let expiresIn: Int
  /// The user who signed in.
  public let user: User

  /// Makes a grant.
  public init(accessToken: String, refreshToken: String, expiresIn: Int, user: User) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiresIn = expiresIn
    self.user = user
  }
}
