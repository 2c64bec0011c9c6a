/// The operator's settings for tokens.
public struct TokenSettings: Sendable {
  /// The lifetime of an access token, in seconds.
  public var accessLifetime: Int64 = 15 * 60
  /// The lifetime of a refresh token, in seconds; every refresh starts it again.
  public var refreshLifetime: Int64 = 7 * 24 * 60 * 60
  /// The issuer of access tokens (`iss`).
  public var issuer = "fleetkit-registry"
  /// The audience of access tokens (`aud`).
  public var audience = "fleetkit-registry-api"
  /// The app's names at Apple; an identity token must be for one of them. If empty, sign-in with Apple is impossible.
  public var appleClientIDs: [String] = []
  /// The tolerated difference of clocks, in seconds: for times of issue in the future, and for the end of Apple's
  /// tokens.
  public var leeway: Int64 = 60

  /// The defaults; sign-in with Apple is impossible until `appleClientIDs` is set.
  public init() {}
}
