import RegistryModel

/// What a sign-in or a refresh gives.
public struct Grant: Sendable {
  public let accessToken: String
  public let refreshToken: String
  /// Seconds until the access token ends.
  public let expiresIn: Int
  public let user: User

  public init(accessToken: String, refreshToken: String, expiresIn: Int, user: User) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiresIn = expiresIn
    self.user = user
  }
}
