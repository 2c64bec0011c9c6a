import HTTPTypes
import Hummingbird
import JSONText
import Publishing
import RegistryModel
import RegistryStore
import SignIn

/// Handles the routes for signing in and for the user's own account.
struct AuthHandlers: Sendable {
  /// The maximum size of a body with tokens, in bytes. Such a body usually has about 2,000 bytes.
  static let bodyLimit = 32 * 1024

  let registry: Registry

  /// Handles `POST /auth/apple-signin`: exchanges Apple's identity token for tokens of this registry.
  func signInWithApple(_ request: Request, _ context: RegistryContext) async throws -> Response {
    // The limit is charged before anything else is checked: refused attempts also count.
    try await registry.limiter.charge(.signIn, context)
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

  /// Handles `POST /auth/test-signin`: returns tokens for an unverified address.
  func signInForTest(_ request: Request, _ context: RegistryContext) async throws -> Response {
    try await registry.limiter.charge(.signIn, context)
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
        "email", "`email` is not an address", why: "it identifies the account",
        fix: "give one like `captain@example.com`")
      throw Problem.invalidParameters(query.findings)
    }
    return try await answer(try await registry.signIn.signInForTest(email: email.text))
  }

  /// Handles `POST /auth/refresh`: exchanges a refresh token for new tokens.
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

  /// Handles `POST /auth/logout`: ends the session.
  func signOut(_ request: Request) async throws -> Response {
    try await registry.signIn.signOut(try await principal(of: request, registry))
    return Response(status: .noContent)
  }

  /// Handles `GET /auth/me`: returns the user's own account.
  func account(_ request: Request) async throws -> Response { answer(try await current(request)) }

  /// Handles `PUT /auth/me`: changes the members of the user's account that the body contains, all of them or none.
  func changeAccount(_ request: Request, _ context: RegistryContext) async throws -> Response {
    var context = context
    let id = try await context.requirePrincipal(of: request, registry).userID
    try await registry.limiter.charge(.profile, context)
    let body = try await JSONBody(
      of: request, limit: registry.settings.bodyLimit, depth: registry.settings.depthLimit)
    guard let user = try await registry.store.user(id) else { throw Problem(refusing: .revoked) }
    let change = try ProfileIntake.change(body.root, of: user)
    switch try await registry.store.change(id, change, at: registry.clock.now()) {
    case .changed(let account): return answer(account)
    case .usernameTaken: throw Problem.usernameTaken
    }
  }

  /// Handles `DELETE /auth/me`: deletes the account and its publications.
  func deleteAccount(_ request: Request) async throws -> Response {
    let principal = try await principal(of: request, registry)
    try await registry.store.deleteUser(principal.userID, at: registry.clock.now())
    return Response(status: .noContent)
  }

  /// Answers for a single person must not be cached (RFC 6749 §5.1).
  private static var `private`: HTTPFields { [.cacheControl: "no-store"] }

  /// Returns the account of a request's sender.
  private func current(_ request: Request) async throws -> Account {
    let principal = try await principal(of: request, registry)
    // The account was deleted between the two checks: treat it as if it had been deleted earlier.
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
    // If the account was deleted in the meantime, the next request reports that.
    out.appendAccount(account ?? Account(user: grant.user, profile: Profile()))
    out.append(UInt8(ascii: "}"))
    return .json(.ok, out, headers: Self.private)
  }
}

/// The routes for signing in and out, and for the user's own account.
enum AuthRoutes {
  /// Adds the routes. The test sign-in exists only in development; otherwise its path does not exist.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    let handlers = AuthHandlers(registry: registry)
    routes.post("auth/apple-signin") { request, context in try await handlers.signInWithApple(request, context) }
    routes.post("auth/refresh") { request, _ in try await handlers.refresh(request) }
    routes.post("auth/logout") { request, _ in try await handlers.signOut(request) }
    // Early clients use the second path.
    for path in ["auth/me", "users/me"] as [RouterPath] {
      routes.get(path) { request, _ in try await handlers.account(request) }
      routes.put(path) { request, context in try await handlers.changeAccount(request, context) }
      routes.delete(path) { request, _ in try await handlers.deleteAccount(request) }
    }
    if registry.settings.isDevelopment {
      routes.post("auth/test-signin") { request, context in try await handlers.signInForTest(request, context) }
    }
  }
}

/// Reads the string members of a small JSON object, each of them once, and collects errors with their places.
struct AuthMembers {
  private let root: JSONValue
  private var findings: [IntakeFinding] = []

  /// Reads a request's body.
  init(_ request: Request, _ registry: Registry) async throws {
    let limit = min(AuthHandlers.bodyLimit, registry.settings.bodyLimit)
    root = try await JSONBody(of: request, limit: limit, depth: registry.settings.depthLimit).root
    guard root.kind == .object else {
      throw Problem.invalidContent([
        IntakeFinding(
          code: "REG0301", pointer: JSONPointer(), message: "the body is not an object",
          why: "the members of the request have names", fix: "send a JSON object")
      ])
    }
  }

  /// Returns a required string, which has one of two names; returns an empty string, with a finding, when it is
  /// missing.
  mutating func required(_ name: String, alias: String) -> String {
    let usesAlias = root[name] == nil && root[alias] != nil
    guard let text = text(usesAlias ? alias : name) else {
      if findings.isEmpty {
        refuse(name, "`\(name)` is missing", why: "it identifies you", fix: "send it as a string")
      }
      return ""
    }
    if !usesAlias, let other = root[alias], other.string.map({ $0.utf8.elementsEqual(text.utf8) }) != true {
      refuse(alias, "`\(alias)` and `\(name)` differ", why: "they are two names of one member", fix: "send one of them")
    }
    return text
  }

  /// Returns an optional string; nil if it is missing or null.
  mutating func optional(_ name: String) -> String? { text(name) }

  /// Returns a required e-mail address.
  mutating func email(_ name: String) -> String {
    guard let text = text(name), let email = EmailAddress(text) else {
      if findings.isEmpty {
        refuse(
          name, "`\(name)` is missing or not an address", why: "it identifies the account",
          fix: "send one like `captain@example.com`")
      }
      return ""
    }
    return email.text
  }

  /// Throws the findings, if there are any.
  func check() throws {
    if !findings.isEmpty { throw Problem.invalidContent(findings) }
  }

  private mutating func text(_ name: String) -> String? {
    guard let value = root[name], !value.isNull else { return nil }
    guard let text = value.string, !text.isEmpty else {
      refuse(
        name, "`\(name)` must be a string that is not empty", why: "it is compared as text", fix: "send it as a string")
      return nil
    }
    return text
  }

  private mutating func refuse(_ name: String, _ message: String, why: String, fix: String) {
    findings.append(
      IntakeFinding(
        code: "REG0302", pointer: JSONPointer([.member(name)]), message: message, why: why, fix: fix))
  }
}
