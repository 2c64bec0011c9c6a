import HTTPTypes
import Hummingbird
import JSONText
import RegistryModel
import SignIn

/// What the routes about who somebody is do.
struct AuthHandlers: Sendable {
  /// Bytes of a body with tokens; they have about 2,000.
  static let bodyLimit = 32 * 1024

  let registry: Registry

  /// `POST /auth/apple-signin`: an identity token of Apple's for tokens of ours.
  func signInWithApple(_ request: Request, _ context: RegistryContext) async throws -> Response {
    // Before anything is looked at: refused attempts count, too.
    try registry.limiter.charge(.signIn, context)
    var members = try await AuthMembers(request, registry)
    let token = members.required("identity_token", alias: "identityToken")
    let nonce = members.optional("nonce")
    try members.check()
    do {
      return answer(try await registry.signIn.signInWithApple(identityToken: token, nonce: nonce))
    } catch let failure as SignInFailure {
      throw Problem(refusingIdentity: failure)
    }
  }

  /// `POST /auth/test-signin`: tokens for an address that nobody proved.
  func signInForTest(_ request: Request, _ context: RegistryContext) async throws -> Response {
    try registry.limiter.charge(.signIn, context)
    var query = QueryParameters(target: request.head.path ?? "")
    let asked = query.single("email")
    try query.check()
    guard let asked else {
      var members = try await AuthMembers(request, registry)
      let email = members.email("email")
      try members.check()
      return answer(try await registry.signIn.signInForTest(email: email))
    }
    guard let email = EmailAddress(asked) else {
      query.refuse(
        "email", "`email` is no address", why: "the account is named by it", fix: "give one like `captain@example.com`")
      throw Problem.invalidParameters(query.findings)
    }
    return answer(try await registry.signIn.signInForTest(email: email.text))
  }

  /// `POST /auth/refresh`: a refresh token for new tokens.
  func refresh(_ request: Request) async throws -> Response {
    var members = try await AuthMembers(request, registry)
    let token = members.required("refresh_token", alias: "refreshToken")
    try members.check()
    do {
      return answer(try await registry.signIn.refresh(token))
    } catch let failure as SignInFailure {
      throw Problem(refusing: failure)
    }
  }

  /// `POST /auth/logout`: ends the session.
  func signOut(_ request: Request) async throws -> Response {
    try await registry.signIn.signOut(try await principal(of: request, registry))
    return Response(status: .noContent)
  }

  /// `GET /users/me`: one's own account.
  func account(_ request: Request) async throws -> Response {
    let principal = try await principal(of: request, registry)
    // Deleted between the two looks: the same as deleted before.
    guard let user = try await registry.store.user(principal.userID) else { throw Problem(refusing: .revoked) }
    var out = JSONOutput(capacity: 256)
    write(user, into: &out)
    return .json(.ok, out, headers: Self.private)
  }

  /// `DELETE /users/me`: deletes the account and what was published with it.
  func deleteAccount(_ request: Request) async throws -> Response {
    let principal = try await principal(of: request, registry)
    try await registry.store.deleteUser(principal.userID, at: registry.clock.now())
    return Response(status: .noContent)
  }

  /// No cache keeps what is for one person (RFC 6749 §5.1).
  private static var `private`: HTTPFields { [.cacheControl: "no-store"] }

  private func answer(_ grant: Grant) -> Response {
    var out = JSONOutput(capacity: 1024)
    out.append("{\"access_token\":")
    out.appendJSONString(grant.accessToken)
    out.append(",\"refresh_token\":")
    out.appendJSONString(grant.refreshToken)
    out.append(utf8: ",\"token_type\":\"bearer\",\"expires_in\":\(grant.expiresIn),\"user\":")
    write(grant.user, into: &out)
    out.append(UInt8(ascii: "}"))
    return .json(.ok, out, headers: Self.private)
  }

  private func write(_ user: User, into out: inout JSONOutput) {
    out.append("{\"id\":")
    out.appendJSONString(user.id.text)
    out.append(",\"email\":")
    if let email = user.email { out.appendJSONString(email) } else { out.append("null") }
    out.append(",\"username\":")
    out.appendJSONString(user.username)
    out.append(UInt8(ascii: "}"))
  }
}
