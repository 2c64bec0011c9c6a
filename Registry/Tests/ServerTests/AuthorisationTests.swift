import RegistryAPI
import RegistryModel
import RegistryStore
import RegistryTestSupport
import SignIn
import Testing

@Suite("Who may do what")
struct AuthorisationTests {
  @Test("Every route is in the table, and every row is a route")
  func complete() async throws {
    let routes = try await TestServer.run { server in
      RegistryRouter.make(server.registry).routes.map { ($0.method.rawValue, $0.path.description) }
    }
    for (method, path) in routes where method != "HEAD" {
      #expect(AuthorisationTable.rows.contains { $0.matches(method: method, path: path) }, "\(method) \(path)")
    }
    for row in AuthorisationTable.rows {
      #expect(routes.contains { row.matches(method: $0.0, path: $0.1) }, "\(row.method) \(row.path)")
    }
  }

  @Test("Every route × every caller", arguments: AuthorisationTable.rows)
  func matrix(_ row: AuthorisationTable.Row) async throws {
    let forge = try await TokenForge.shared.value
    try await TestServer.run { server in
      for caller in AuthorisationCaller.allCases {
        try await check(row, row.method, caller, server, forge)
        if row.method == "GET" { try await check(row, "HEAD", caller, server, forge) }
      }
    }
  }

  private func check(
    _ row: AuthorisationTable.Row, _ method: String, _ caller: AuthorisationCaller, _ server: TestServer,
    _ forge: TokenForge
  ) async throws {
    let scene = try await AuthorisationScene(server, forge)
    let before = try await server.registry.store.head(.publicID(scene.slug))
    let account = try await server.registry.store.account(.id(scene.owner.id))
    let path = row.path(scene.slug, by: scene.owner.grant.user)
    let answer = try await server.send(
      method, path, headers: try await scene.headers(caller), body: row.body?(scene.slug))
    let expected = Self.status(row.access, caller)
    #expect(answer.status == expected, "\(caller) \(method) \(row.path): \(answer.text)")
    guard (401...403).contains(expected), case .anyone = row.access else {
      if expected == 401 || expected == 403 {
        try await checkRefusal(answer, method, caller, scene, before)
        #expect(try await server.registry.store.account(.id(scene.owner.id)) == account, "\(caller) \(method)")
      }
      return
    }
  }

  /// Checks that a refusal is a problem that explains how to get access, and that nothing was changed.
  private func checkRefusal(
    _ answer: HTTPAnswer, _ method: String, _ caller: AuthorisationCaller, _ scene: AuthorisationScene,
    _ before: PublicationHead?
  ) async throws {
    #expect(answer.header("content-type") == "application/problem+json", "\(caller) \(method)")
    if answer.status == 401 {
      #expect(answer.header("www-authenticate")?.hasPrefix(#"Bearer realm="fleetkit""#) == true, "\(caller) \(method)")
      if method != "HEAD" { #expect(answer.problemCode == "unauthorized") }
    } else if method != "HEAD" {
      #expect(answer.problemCode == "not_owner")
    }
    let store = scene.server.registry.store
    #expect(before != nil)
    #expect(try await store.head(.publicID(scene.slug)) == before, "\(caller) \(method)")
    #expect(try await store.head(.publicID(scene.slug + "-new")) == nil, "\(caller) \(method)")
    #expect(try await store.user(scene.owner.id) != nil, "\(caller) \(method)")
    #expect(try await scene.server.send("GET", "/api/v1/users/me", token: scene.owner.token).status == 200)
  }

  private static func status(_ access: AuthorisationTable.Access, _ caller: AuthorisationCaller) -> Int {
    switch access {
    case .anyone(let status): status
    case .signedIn(let status): caller.isSomebody ? status : 401
    case .owner(let status): caller == .owner ? status : caller == .other ? 403 : 401
    }
  }

  @Test("An operation of a batch on another account's item is refused on its own")
  func batch() async throws {
    let forge = try await TokenForge.shared.value
    try await TestServer.run { server in
      let scene = try await AuthorisationScene(server, forge)
      let other = try await server.person("other")
      let before = try await server.registry.store.head(.publicID(scene.slug))
      let body = #"""
        {"operations":[
          {"operation":"publish_update","payload":{"public_id":"\#(scene.slug)","title":"Mine now"}},
          {"operation":"unpublish","payload":{"public_id":"\#(scene.slug)"}},
          {"operation":"publish","payload":\#(AuthorisationTable.publication("of-my-own"))}]}
        """#
      let answer = try await server.send("POST", "/api/v1/content/batch", token: other.token, body: body)
      #expect(answer.status == 200)
      let statuses = try answer.json()["results"]?.elements.map { $0["status"]?.integer }
      #expect(statuses == [403, 403, 201], "\(answer.text)")
      #expect(try await server.registry.store.head(.publicID(scene.slug)) == before)
    }
  }

  @Test("A user's own list contains nothing of others")
  func mine() async throws {
    let forge = try await TokenForge.shared.value
    try await TestServer.run { server in
      let scene = try await AuthorisationScene(server, forge)
      let other = try await AuthorisationScene(server, forge)
      let answer = try await server.send("GET", "/api/v1/content/mine", token: scene.owner.token)
      #expect(answer.text.contains(scene.slug) && !answer.text.contains(other.slug))
    }
  }

  @Test("The test sign-in exists only in development")
  func production() async throws {
    var settings = TestServer.settings
    settings.isDevelopment = false
    try await TestServer.run(settings: settings) { server in
      for path in ["/api/v1/auth/test-signin?email=a@example.com", "/api/v1/auth/test-signin"] {
        let answer = try await server.send("POST", path, body: #"{"email":"a@example.com"}"#)
        #expect(answer.status == 404 && answer.problemCode == "not_found", "\(answer.text)")
      }
    }
  }
}
