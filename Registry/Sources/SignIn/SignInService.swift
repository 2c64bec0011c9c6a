import Content
import RegistryModel
import RegistryStore

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
