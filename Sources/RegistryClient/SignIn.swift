import Content
import Interchange

/// Begins and ends sessions, and stores their tokens for later runs.
public struct SignIn {
  /// The proof of a user's identity.
  public enum Proof: Sendable {
    /// Apple's identity token, and the nonce that was sent to Apple.
    case apple(identityToken: String, nonce: String?)
    /// An unverified e-mail address, for a registry that was started for development.
    case test(email: String)
  }

  /// A session that has begun.
  public struct Session: Sendable {
    /// The user of the session.
    public let user: RegistryUser
    /// When the access token expires, if the registry named the time.
    public let expiresAt: Timestamp?
    /// Whether the session can be renewed without signing in again.
    public let isRenewable: Bool
    /// The file that stores the session.
    public let path: String
  }

  /// The result of ending a session.
  public struct End: Sendable {
    /// Why the registry could not be informed; nil if it was informed.
    public let problem: RegistryError?
    /// The former location of the tokens, for messages.
    public let place: String
    /// Whether the tokens have been removed from that location.
    public let isForgotten: Bool
  }

  private let connection: RegistryConnection

  /// Prepares signing in to a connection's registry.
  public init(_ connection: RegistryConnection) { self.connection = connection }

  /// Begins a session and stores its tokens in the connection's token file, or else in the credentials file.
  ///
  /// Room for the tokens is made before the registry is called, so that every session that begins can be stored.
  /// - Throws: `RunFailure`: 77 if the registry does not accept the proof.
  public func begin(_ proof: Proof) throws -> Session {
    let doing = "sign in to \(connection.address)"
    let link = try connection.link()
    let place = try SessionLocation(connection)
    return try place.store.exclusively {
      let write = try place.store.prepare()
      var tokens: SessionTokens
      do {
        tokens = try link.untilInterrupted {
          switch proof {
          case .apple(let token, let nonce): try link.signIn(identityToken: token, nonce: nonce)
          case .test(let email): try link.signInForTest(email: email)
          }
        }
      } catch RegistryError.refused(let refusal) where refusal.status == 404 {
        throw RunFailure(
          .refused, "\(doing): the registry does not offer this kind of sign-in",
          advice: "--dev-email is for registries that were started with --dev.")
      } catch RegistryError.refused(let refusal) where [400, 422].contains(refusal.status) {
        guard case .test(let email) = proof else { throw refusal.failure(doing) }
        throw RunFailure(
          .usage, "\(doing): '\(email)' is not an e-mail address", advice: "Write it like captain@example.com.")
      } catch RegistryError.refused(let refusal) where refusal.status == 401 {
        throw RunFailure(.signInNeeded, "\(doing): \(refusal.reason)")
      } catch let error as RegistryError {
        throw error.failure(doing)
      }
      guard let user = tokens.user else {
        throw RegistryError.unreadable("the answer to a sign-in has no 'user'").failure(doing)
      }
      tokens.user = user
      try write(tokens)
      return Session(
        user: user, expiresAt: tokens.expiresAt, isRenewable: tokens.refresh != nil, path: place.path)
    }
  }

  /// Ends the session at the registry. The tokens are removed here even if the registry is not reached.
  /// - Returns: nil if no user was signed in.
  public func end() throws -> End? {
    let store = try connection.store()
    guard let tokens = try store.read() else { return nil }
    let link = try connection.link()
    var problem: RegistryError?
    do {
      _ = try RegistryClient(link, session: TokenSession(tokens, link, store)).signedIn("POST", "/auth/logout")
    } catch {
      switch error {
      // The session has already ended.
      case .signInNeeded: break
      default: problem = error
      }
    }
    return End(problem: problem, place: store.name, isForgotten: try store.forget())
  }
}

/// The location where a new session is stored.
private struct SessionLocation {
  let store: any TokenStore
  let path: String

  init(_ connection: RegistryConnection) throws {
    if let path = connection.tokenFile {
      store = TokenFile(SecretFile(path: path))
      self.path = path
    } else {
      let credentials = try CredentialsFile(environment: connection.environment, registry: connection.address)
      // An unreadable file is reported before the sign-in.
      _ = try credentials.read()
      store = credentials
      path = credentials.path
    }
  }
}
