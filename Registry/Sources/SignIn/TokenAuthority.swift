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
    guard try await store.isLive(session: claims.sessionID), try await store.user(claims.userID) != nil else {
      throw SignInFailure.revoked
    }
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
  /// - Throws: `SignInFailure.invalid` when the string cannot be an address.
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

  /// Returns the token in `Bearer <token>` (RFC 6750 §2.1); nil when the header is missing or has another scheme.
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
