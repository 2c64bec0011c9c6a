import Content
import Logging
import RegistryModel
import RegistryStore

/// Signs people in, issues and checks tokens, and stores sessions.
///
/// Access tokens are short-lived and signed (HS256); every check asks the store whether the session is live and the
/// user exists. Refresh tokens are random, stored as hashes, and valid once: a second use ends the session, unless it
/// only repeats a request whose answer was lost.
public struct TokenAuthority: SignInService {
  private let store: any RegistryStore
  private let access: AccessTokens
  private let apple: AppleIdentityTokens
  private let settings: TokenSettings
  private let clock: RegistryClock
  private let log: Logger

  /// Prepares the keys; nothing is fetched before the first sign-in.
  public init(
    store: any RegistryStore, keys: SigningKeys, appleKeys: AppleKeys, settings: TokenSettings = TokenSettings(),
    clock: RegistryClock = .system, log: Logger = Logger(label: "sign-in")
  ) async throws {
    self.store = store
    access = try await AccessTokens(keys, settings)
    apple = AppleIdentityTokens(keys: appleKeys, settings: settings)
    self.settings = settings
    self.clock = clock
    self.log = log
  }

  /// Returns the sender of a request, from its `Authorization` header; checks signature, times, session and user.
  public func authenticate(authorization: String?) async throws -> Principal {
    guard let token = Self.bearerToken(authorization) else { throw SignInFailure.missing }
    let claims = try access.verify(token, now: clock.now().seconds)
    guard try await store.isLive(session: claims.sessionID, of: claims.userID) else { throw SignInFailure.revoked }
    return Principal(userID: claims.userID, sessionID: claims.sessionID)
  }

  /// Verifies an identity token and begins a session for its user.
  public func signInWithApple(identityToken: String, nonce: String?) async throws -> Grant {
    let identity = try await apple.verify(identityToken, nonce: nonce, now: clock.now().seconds)
    let email = identity.email.flatMap(EmailAddress.init)
    return try await begin(
      appleID: identity.subject, email: email,
      name: Username.suggestion(for: email, isPrivate: identity.isPrivateEmail))
  }

  /// Begins a session for an unverified address.
  /// - Throws: `SignInFailure.invalid` if the string cannot be an address.
  public func signInForTest(email: String) async throws -> Grant {
    guard let email = EmailAddress(email) else { throw SignInFailure.invalid }
    return try await begin(
      appleID: TestIdentity.prefix + email.text, email: email,
      name: Username.suggestion(for: email, isPrivate: false))
  }

  /// Exchanges a refresh token. A second use of a token ends its session (`SignInFailure.revoked`). A client that did
  /// not receive the answer can get it again for a minute, as long as the new tokens have not been used.
  public func refresh(_ token: String) async throws -> Grant {
    guard let token = RefreshToken(token) else { throw SignInFailure.invalid }
    let next = try access.successor(of: token)
    let now = clock.now()
    let outcome = try await store.rotate(
      tokenHash: token.hash, next: next.hash, at: now, expiresAt: now.adding(seconds: settings.refreshLifetime))
    switch outcome {
    case .rotated(let session, let user): return try grant(session, user, next, at: now)
    case .unknown: throw SignInFailure.invalid
    case .reused:
      // The line does not name the user: it is for an operator who gets many such lines.
      log.notice("a refresh token was used twice: its session was ended")
      throw SignInFailure.revoked
    }
  }

  /// Ends the session, which makes every token that came from it invalid.
  public func signOut(_ principal: Principal) async throws { try await store.endSession(principal.sessionID) }

  private func begin(appleID: String, email: EmailAddress?, name: String) async throws -> Grant {
    let now = clock.now()
    let user = try await store.signIn(appleID: appleID, email: email?.text, usernameHint: name, at: now)
    let token = RefreshToken()
    let session = Session(
      id: RegistryID(), userID: user.id, createdAt: now, expiresAt: now.adding(seconds: settings.refreshLifetime))
    try await store.beginSession(session, tokenHash: token.hash)
    return try grant(session, user, token, at: now)
  }

  private func grant(_ session: Session, _ user: User, _ token: RefreshToken, at now: Timestamp) throws -> Grant {
    let lifetime = min(settings.accessLifetime, settings.refreshLifetime)
    let claims = AccessClaims(
      userID: user.id, sessionID: session.id, issuedAt: now.seconds, expiresAt: now.seconds + lifetime)
    return Grant(
      accessToken: try access.sign(claims), refreshToken: token.text, expiresIn: Int(lifetime), user: user)
  }

  /// Returns the token in `Bearer <token>` (RFC 6750 §2.1); nil if the header is missing or has another scheme.
  static func bearerToken(_ header: String?) -> [UInt8]? {
    guard let header, header.utf8.count <= CompactToken.longest + 16 else { return nil }
    let bytes = Array(header.utf8)
    // The scheme's name is case-insensitive (RFC 9110 §11.1).
    guard bytes.count > 7, bytes[..<7].map({ $0 | 0x20 }).elementsEqual("bearer ".utf8), bytes[6] == 0x20 else {
      return nil
    }
    return Array(bytes[7...].drop { $0 == 0x20 })
  }
}

extension Timestamp {
  /// The time in whole seconds since 1970, rounded down.
  var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

  /// Returns this time plus the given number of seconds.
  func adding(seconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds + seconds * 1000) }
}

/// Authenticates users: verifies identity tokens, and issues and checks this registry's own tokens.
public protocol SignInService: Sendable {
  /// Returns the sender of a request, from the value of its `Authorization` header.
  func authenticate(authorization: String?) async throws -> Principal
  /// Verifies Apple's identity token and begins a session.
  func signInWithApple(identityToken: String, nonce: String?) async throws -> Grant
  /// Begins a session for an unverified address; used only in development.
  func signInForTest(email: String) async throws -> Grant
  /// Exchanges a refresh token.
  func refresh(_ token: String) async throws -> Grant
  /// Ends a sender's session.
  func signOut(_ principal: Principal) async throws
}

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

/// The sender of a request, proved by an access token whose session is live.
public struct Principal: Sendable, Equatable {
  /// The user.
  public let userID: RegistryID
  /// The session that the token came from.
  public let sessionID: RegistryID

  /// Makes a principal.
  public init(userID: RegistryID, sessionID: RegistryID) {
    self.userID = userID
    self.sessionID = sessionID
  }
}

/// The reason why access is denied (401). The caller may be shown the case; it does not help with guessing.
public enum SignInFailure: Error, Sendable, Equatable {
  /// The request has no `Authorization: Bearer …`.
  case missing
  /// The token is forged, of another kind, for another audience, or not from this registry.
  case invalid
  /// The token has expired: the client has to refresh it.
  case expired
  /// The token's session was ended: the user has to sign in again.
  case revoked
  /// Apple's keys could not be fetched (503).
  case keysUnavailable
}

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
