import Content
import RegistryModel
import RegistryStore

/// Authenticates users: verifies identity tokens, issues and checks this registry's own tokens.
public protocol SignInService: Sendable {
  /// The sender of a request, from the value of its `Authorization` header.
  func authenticate(authorization: String?) async throws -> Principal
  /// Verifies Apple's identity token and begins a session.
  func signInWithApple(identityToken: String, nonce: String?) async throws -> Grant
  /// Begins a session for an unverified address; only in development.
  func signInForTest(email: String) async throws -> Grant
  /// Exchanges a refresh token.
  func refresh(_ token: String) async throws -> Grant
  /// Ends the session of a request.
  func signOut(_ principal: Principal) async throws
}
