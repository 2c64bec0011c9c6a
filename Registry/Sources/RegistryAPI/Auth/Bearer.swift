import HTTPTypes
import Hummingbird
import SignIn

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
  /// Returns the sender of the request; asks `registry` once and records the answer, also for the rate limits and the
  /// log.
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
