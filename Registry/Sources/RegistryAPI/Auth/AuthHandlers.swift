import HTTPTypes
import Hummingbird
import JSONText
import RegistryModel
import RegistryStore
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
      return try await answer(try await registry.signIn.signInWithApple(identityToken: token, nonce: nonce))
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
      return try await answer(try await registry.signIn.signInForTest(email: email))
    }
    guard let email = EmailAddress(asked) else {
      query.refuse(
        "email", "`email` is no address", why: "the account is named by it", fix: "give one like `captain@example.com`")
      throw Problem.invalidParameters(query.findings)
    }
    return try await answer(try await registry.signIn.signInForTest(email: email.text))
  }

  /// `POST /auth/refresh`: a refresh token for new tokens.
  func refresh(_ request: Request) async throws -> Response {
    var members = try await AuthMembers(request, registry)
    let token = members.required("refresh_token", alias: "refreshToken")
    try members.check()
    do {
      return try await answer(try await registry.signIn.refresh(token))
    } catch let failure as SignInFailure {
      throw Problem(refusing: failure)
    }
  }

  /// `POST /auth/logout`: ends the session.
  func signOut(_ request: Request) async throws -> Response {
    try await registry.signIn.signOut(try await principal(of: request, registry))
    return Response(status: .noContent)
  }

  /// `GET /auth/me`: one's own account.
  func account(_ request: Request) async throws -> Response { answer(try await current(request)) }

  /// `PUT /auth/me`: changes the members of one's account that the body names, all of them or none.
  func changeAccount(_ request: Request, _ context: RegistryContext) async throws -> Response {
    var context = context
    let id = try await context.requirePrincipal(of: request, registry).userID
    try registry.limiter.charge(.profile, context)
    let body = try await JSONBody(
      of: request, limit: registry.settings.bodyLimit, depth: registry.settings.depthLimit)
    guard let user = try await registry.store.user(id) else { throw Problem(refusing: .revoked) }
    let change = try ProfileIntake.change(body.root, of: user)
    switch try await registry.store.change(id, change, at: registry.clock.now()) {
    case .changed(let account): return answer(account)
    case .usernameTaken: throw Problem.usernameTaken
    }
  }

  /// `DELETE /auth/me`: deletes the account and what was published with it.
  func deleteAccount(_ request: Request) async throws -> Response {
    let principal = try await principal(of: request, registry)
    try await registry.store.deleteUser(principal.userID, at: registry.clock.now())
    return Response(status: .noContent)
  }

  /// No cache keeps what is for one person (RFC 6749 §5.1).
  private static var `private`: HTTPFields { [.cacheControl: "no-store"] }

  /// The account of whoever sends a request.
  private func current(_ request: Request) async throws -> Account {
    let principal = try await principal(of: request, registry)
    // Deleted between the two looks: the same as deleted before.
    guard let account = try await registry.store.account(.id(principal.userID)) else {
      throw Problem(refusing: .revoked)
    }
    return account
  }

  private func answer(_ account: Account) -> Response {
    var out = JSONOutput(capacity: 1024)
    out.appendAccount(account)
    return .json(.ok, out, headers: Self.private)
  }

  private func answer(_ grant: Grant) async throws -> Response {
    let account = try await registry.store.account(.id(grant.user.id))
    var out = JSONOutput(capacity: 1024)
    out.append("{\"access_token\":")
    out.appendJSONString(grant.accessToken)
    out.append(",\"refresh_token\":")
    out.appendJSONString(grant.refreshToken)
    out.append(utf8: ",\"token_type\":\"bearer\",\"expires_in\":\(grant.expiresIn),\"user\":")
    // Deleted meanwhile: the next request hears of it.
    out.appendAccount(account ?? Account(user: grant.user, profile: Profile()))
    out.append(UInt8(ascii: "}"))
    return .json(.ok, out, headers: Self.private)
  }
}
