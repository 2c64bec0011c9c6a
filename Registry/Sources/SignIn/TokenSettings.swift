/// What an operator decides about tokens.
public struct TokenSettings: Sendable {
  /// Seconds that an access token holds.
  public var accessLifetime: Int64 = 15 * 60
  /// Seconds that a refresh token holds; every refresh begins them anew.
  public var refreshLifetime: Int64 = 7 * 24 * 60 * 60
  /// Who signs access tokens (`iss`).
  public var issuer = "fleetkit-registry"
  /// Whom access tokens are for (`aud`).
  public var audience = "fleetkit-registry-api"
  /// The app's names at Apple; an identity token must be for one of them. None: nobody can sign in with Apple.
  public var appleClientIDs: [String] = []
  /// Seconds that clocks may differ: for times of issue that lie in the future, and for the end of Apple's tokens.
  public var leeway: Int64 = 60

  /// The defaults; nobody can sign in with Apple until `appleClientIDs` says for which app.
  public init() {}
}
