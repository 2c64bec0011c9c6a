/// The operator's settings for tokens.
public struct TokenSettings: Sendable {
  /// The lifetime of an access token, in seconds.
  public var accessLifetime: Int64 = 15 * 60
  /// The lifetime of a refresh token, in seconds, which starts again with every refresh.
  public var refreshLifetime: Int64 = 7 * 24 * 60 * 60
  /// The issuer of access tokens (`iss`).
  public var issuer = "fleetkit-registry"
  /// The audience of access tokens (`aud`).
  public var audience = "fleetkit-registry-api"
  /// The app's client ids at Apple; an identity token must be for one of them. If there are none, sign-in with Apple is
  /// impossible.
  public var appleClientIDs: [String] = []
  /// The tolerated clock difference, in seconds: for issue times in the future, and for the expiry of Apple's tokens.
  public var leeway: Int64 = 60

  /// Creates the default settings, with which sign-in with Apple is impossible until `appleClientIDs` is set.
  public init() {}
}
