import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SignIn
import Synchronization

/// Data about a request in addition to the request itself.
public struct RegistryContext: RequestContext {
  /// The router's data about the request.
  public var coreContext: CoreRequestContextStorage
  /// The other end of the connection: an IP address without a port; nil for a local socket.
  public let peer: String?
  /// The sender; only `requirePrincipal` sets it.
  public var principal: Principal?
  /// The client's address for rate limits and logs; it differs from `peer` only behind a trusted proxy.
  public var clientAddress: String
  /// The data that the routes report to the middleware around them.
  package let notes = RequestNotes()

  /// The name for the other end of a socket that has no addresses.
  static let localPeer = "local"

  /// Creates a request's context on its connection.
  public init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    peer = source.channel.remoteAddress?.ipAddress
    clientAddress = peer ?? Self.localPeer
  }
}

/// The data that routes report about a request while it is answered, for the middleware around them.
package final class RequestNotes: Sendable {
  private let standing = Mutex<RateLimiter.Standing?>(nil)

  init() {}

  /// Records the caller's remaining limit. The last call counts, because it is the closest to the request's action.
  func record(_ standing: RateLimiter.Standing?) {
    guard let standing else { return }
    self.standing.withLock { $0 = standing }
  }

  /// The values for the answer's rate-limit fields.
  var rateLimit: RateLimiter.Standing? { standing.withLock { $0 } }
}

/// Returns the sender of a request, from its `Authorization: Bearer …` header.
///
/// Every call verifies the token and asks the store whether its session is live and its user exists.
/// - Throws: `Problem` 401 with `WWW-Authenticate` (RFC 6750); store errors unchanged.
func principal(of request: Request, _ registry: Registry) async throws -> Principal {
  let values = request.headers[values: .authorization]
  // Two headers are ambiguous; another hop may have used the other header.
  guard values.count <= 1 else { throw Problem(refusing: .invalid) }
  do {
    return try await registry.signIn.authenticate(authorization: values.first)
  } catch let failure as SignInFailure {
    throw Problem(refusing: failure)
  }
}

extension RegistryContext {
  /// Returns the sender of the request; asks `registry` once and records the answer, which the rate limits and the log
  /// use as well.
  mutating func requirePrincipal(of request: Request, _ registry: Registry) async throws -> Principal {
    if let principal { return principal }
    let found = try await RegistryAPI.principal(of: request, registry)
    principal = found
    return found
  }
}

extension Problem {
  /// Creates the problem for a caller without access.
  init(refusing failure: SignInFailure) {
    switch failure {
    case .missing:
      self.init(
        .unauthorized, "unauthorized", "This needs a sign-in: send `Authorization: Bearer` and an access token.",
        headers: [.wwwAuthenticate: #"Bearer realm="fleetkit""#])
    case .invalid:
      self.init(unauthorised: "The token is not valid: sign in again.", error: "not valid")
    case .expired:
      self.init(unauthorised: "The access token has expired: refresh it.", error: "expired")
    case .revoked:
      self.init(unauthorised: "The session was ended: sign in again.", error: "revoked")
    case .keysUnavailable:
      self.init(
        .serviceUnavailable, "unavailable", "Apple's keys cannot be fetched now: try again in a minute.",
        headers: [.retryAfter: "60"])
    }
  }

  /// Creates the problem for a caller whose identity token is not accepted.
  init(refusingIdentity failure: SignInFailure) {
    switch failure {
    case .keysUnavailable: self.init(refusing: failure)
    case .expired: self.init(unauthorised: "The identity token has expired: ask Apple for a new one.", error: "expired")
    case .missing, .invalid, .revoked:
      self.init(unauthorised: "The identity token is not valid: ask Apple for a new one.", error: "not valid")
    }
  }

  private init(unauthorised detail: String, error: String) {
    self.init(
      .unauthorized, "unauthorized", detail,
      headers: [
        .wwwAuthenticate: #"Bearer realm="fleetkit", error="invalid_token", error_description="\#(error)""#
      ])
  }
}
