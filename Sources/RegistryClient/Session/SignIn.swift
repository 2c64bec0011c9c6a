import Content
import Interchange

/// Begins and ends sessions, and keeps their tokens for the runs that follow.
public struct SignIn {
  /// What proves who somebody is.
  public enum Proof: Sendable {
    /// Apple's identity token, and what Apple was asked with.
    case apple(identityToken: String, nonce: String?)
    /// An address that nobody proved, for a registry that was started for development.
    case test(email: String)
  }

  /// A session that has begun.
  public struct Session: Sendable {
    /// Whose it is.
    public let user: RegistryUser
    /// When the access token ends, if the registry said it.
    public let expiresAt: Timestamp?
    /// Whether it can be renewed without signing in again.
    public let isRenewable: Bool
    /// The file that keeps it.
    public let path: String
  }

  /// What became of the tokens of a session that has ended.
  public struct End: Sendable {
    /// What could not be said to the registry; nil when it knows.
    public let problem: RegistryError?
    /// Where the tokens were, for words.
    public let place: String
    /// Whether they are gone from there.
    public let isForgotten: Bool
  }

  private let connection: RegistryConnection

  /// For the registry of a connection.
  public init(_ connection: RegistryConnection) { self.connection = connection }

  /// Begins a session and keeps its tokens: in the token file of the connection, else in the credentials.
  ///
  /// Room for the tokens is made before anybody is asked, so that a session is never begun that cannot be kept.
  /// - Throws: `RunFailure`; 77 when the registry does not take the proof.
  public func begin(_ proof: Proof) throws -> Session {
    let doing = "sign in to \(connection.address)"
    let link = try connection.link()
    let place = try KeptTokens(connection)
    return try place.store.exclusively {
      let keep = try place.store.prepare()
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
          .refused, "\(doing): it does not offer this way of signing in",
          advice: "--dev-email is for registries that were started with --dev.")
      } catch RegistryError.refused(let refusal) where [400, 422].contains(refusal.status) {
        guard case .test(let email) = proof else { throw refusal.failure(doing) }
        throw RunFailure(
          .usage, "\(doing): '\(email)' is no e-mail address", advice: "Write it like captain@example.com.")
      } catch RegistryError.refused(let refusal) where refusal.status == 401 {
        throw RunFailure(.signInNeeded, "\(doing): \(refusal.reason)")
      } catch let error as RegistryError {
        throw error.failure(doing)
      }
      guard let user = tokens.user else {
        throw RegistryError.unreadable("the answer to a sign-in has no 'user'").failure(doing)
      }
      tokens.user = user
      try keep(tokens)
      return Session(
        user: user, expiresAt: tokens.expiresAt, isRenewable: tokens.refresh != nil, path: place.path)
    }
  }

  /// Ends the session: at the registry, and here whether or not the registry is reached.
  /// - Returns: nil when nobody was signed in.
  public func end() throws -> End? {
    let store = try connection.store()
    guard let tokens = try store.read() else { return nil }
    let link = try connection.link()
    var problem: RegistryError?
    do {
      _ = try RegistryClient(link, session: TokenSession(tokens, link, store)).signedIn("POST", "/auth/logout")
    } catch {
      switch error {
      // It has ended already.
      case .signInNeeded: break
      default: problem = error
      }
    }
    return End(problem: problem, place: store.name, isForgotten: try store.forget())
  }
}

/// Where a new session is kept.
private struct KeptTokens {
  let store: any TokenStore
  let path: String

  init(_ connection: RegistryConnection) throws {
    if let path = connection.tokenFile {
      store = TokenFile(SecretFile(path: path))
      self.path = path
    } else {
      let credentials = try CredentialsFile(environment: connection.environment, registry: connection.address)
      // One that cannot be read is said before anybody signs in.
      _ = try credentials.read()
      store = credentials
      path = credentials.path
    }
  }
}
