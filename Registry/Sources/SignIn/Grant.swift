import RegistryModel

/// What a sign-in or a refresh gives.
public struct Grant: Sendable {
  /// Proves who sends a request, for a short time.
  public let accessToken: String
  /// Good once, for the next grant.
  public let refreshToken: String
  /// Seconds until the access token ends.
  public let expiresIn: Int
  /// Who signed in.
  public let user: User

  /// Makes a grant.
  public init(accessToken: String, refreshToken: String, expiresIn: Int, user: User) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiresIn = expiresIn
    self.user = user
  }
}
