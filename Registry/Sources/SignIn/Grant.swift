import RegistryModel

/// The result of a sign-in or a refresh.
public struct Grant: Sendable {
  /// The access token, which proves the identity of a request's sender for a short time.
  public let accessToken: String
  /// The refresh token, which is valid once, for the next grant.
  public let refreshToken: String
  /// The time until the access token expires, in seconds.
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
