import Foundation
import JSONText
import RegistryAPI
import RegistryModel
import RegistryTestSupport
import SignIn
import Testing

@Suite("Signing in over HTTP")
struct SignInTests {
  static let tokens: TokenSettings = {
    var tokens = TokenSettings()
    tokens.appleClientIDs = ["org.example.fleet"]
    return tokens
  }()

  /// Runs a server that accepts identity tokens signed by `forge`.
  private func run(
    _ settings: RegistrySettings = TestServer.settings,
    _ body: @Sendable (TestServer, TokenForge) async throws -> Void
  ) async throws {
    let scratch = Scratch()
    let forge = try await TokenForge.shared.value
    try Data(try forge.keySet().utf8).write(to: URL(fileURLWithPath: scratch["keys.json"]))
    try await TestServer.run(settings: settings, tokens: Self.tokens, appleKeys: .file(scratch["keys.json"])) {
      try await body($0, forge)
    }
  }

  private func signIn(
    _ server: TestServer, _ forge: TokenForge, _ changes: [String: String?] = [:], member: String = "identity_token",
    nonce: String? = nil
  ) async throws -> HTTPAnswer {
    let token = try forge.rs256(TokenForge.identity(now: server.clock.now, changes))
    let more = nonce.map { #","nonce":"\#($0)""# } ?? ""
    return try await server.send("POST", "/api/v1/auth/apple-signin", body: #"{"\#(member)":"\#(token)"\#(more)}"#)
  }

  @Test("Apple's token is exchanged for the registry's tokens, in the documented form")
  func apple() async throws {
    try await run { server, forge in
      let answer = try await signIn(server, forge)
      #expect(answer.status == 200, "\(answer.text)")
      #expect(answer.header("cache-control") == "no-store")
      let json = try answer.json()
      #expect(json.members.map(\.name) == ["access_token", "refresh_token", "token_type", "expires_in", "user"])
      #expect(json["token_type"]?.string == "bearer" && json["expires_in"]?.integer == 900)
      #expect(json["user"]?["email"]?.string == "skipper@example.com")
      #expect(json["user"]?["username"]?.string == "skipper")
      let access = json["access_token"]?.string ?? ""
      let me = try await server.send("GET", "/api/v1/users/me", token: access)
      #expect(me.status == 200 && me.header("cache-control") == "no-store")
      #expect(me.text == json["user"]?.text)
      // The same person signs in again, with the other spelling of the members, and gets the same account.
      let again = try await signIn(server, forge, member: "identityToken")
      #expect(try again.json()["user"]?.text == me.text)
      // Another person with the same local part gets another name.
      let other = try await signIn(server, forge, ["sub": #""other""#, "email": #""skipper@example.org""#])
      let name = try other.json()["user"]?["username"]?.string
      #expect(name?.hasPrefix("skipper") == true && name != "skipper")
    }
  }

  @Test("A relay address gives a name without meaning")
  func relay() async throws {
    try await run { server, forge in
      let answer = try await signIn(server, forge, ["email": #""x7@privaterelay.appleid.com""#])
      #expect(try answer.json()["user"]?["username"]?.string?.hasPrefix("sailor-") == true, "\(answer.text)")
      let without = try await signIn(server, forge, ["sub": #""no-mail""#, "email": nil])
      let user = try without.json()["user"]
      #expect(user?["email"]?.string == "\(user?["id"]?.string ?? "-")@users.invalid", "\(without.text)")
    }
  }

  @Test("A nonce is compared, raw and hashed")
  func nonce() async throws {
    try await run { server, forge in
      let raw = try await signIn(server, forge, ["nonce": #""n-1""#], nonce: "n-1")
      #expect(raw.status == 200)
      // This is the SHA-256 of "n-1", according to `sha256sum`.
      let hashed = "51aeea8ffa05d2620d35c87463465885e77df13171d5708746df1a9f36d47f35"
      #expect(try await signIn(server, forge, ["nonce": #""\#(hashed)""#], nonce: "n-1").status == 200)
      for (claim, sent) in [("n-1", "n-2"), ("n-1", nil), (hashed, "n-2"), (nil, "n-1")] as [(String?, String?)] {
        let answer = try await signIn(server, forge, ["nonce": claim.map { #""\#($0)""# }], nonce: sent)
        #expect(answer.status == 401 && answer.problemCode == "unauthorized", "\(claim ?? "-") \(sent ?? "-")")
        #expect(answer.header("www-authenticate")?.hasPrefix("Bearer") == true)
      }
    }
  }

  @Test("Errors in a body are reported at their places")
  func bodies() async throws {
    try await run { server, _ in
      let cases: [(path: String, body: String, status: Int, pointer: String)] = [
        ("apple-signin", "{}", 422, "/identity_token"), ("apple-signin", "[]", 422, ""),
        ("apple-signin", #"{"identity_token":7}"#, 422, "/identity_token"),
        ("apple-signin", #"{"identity_token":""}"#, 422, "/identity_token"),
        ("apple-signin", #"{"identityToken":null,"identity_token":null}"#, 422, "/identity_token"),
        ("apple-signin", #"{"identity_token":"a","identityToken":"b"}"#, 422, "/identityToken"),
        ("apple-signin", #"{"identity_token":"a","nonce":7}"#, 422, "/nonce"),
        ("refresh", "{}", 422, "/refresh_token"), ("refresh", #"{"refresh_token":[]}"#, 422, "/refresh_token"),
        ("test-signin", #"{"email":"nobody"}"#, 422, "/email"), ("test-signin", "{}", 422, "/email"),
        ("refresh", #"{"refresh_token":"a","refresh_token":"b"}"#, 400, "/refresh_token"), ("refresh", "{", 400, ""),
      ]
      for one in cases {
        let answer = try await server.send("POST", "/api/v1/auth/" + one.path, body: one.body)
        #expect(answer.status == one.status, "\(one.body) \(answer.text)")
        let pointer = try answer.json()["findings"]?[0]?["pointer"]?.string
        #expect(pointer == one.pointer, "\(one.body) \(answer.text)")
      }
      let big = #"{"refresh_token":"\#(String(repeating: "A", count: 40_000))"}"#
      #expect(try await server.send("POST", "/api/v1/auth/refresh", body: big).status == 413)
      let query = try await server.send("POST", "/api/v1/auth/test-signin?email=nobody")
      #expect(query.status == 422 && query.problemCode == "invalid_parameter")
      let plus = try await server.send("POST", "/api/v1/auth/test-signin?email=anna%2Btag%40example.com")
      #expect(try plus.json()["user"]?["email"]?.string == "anna+tag@example.com", "\(plus.text)")
    }
  }

  private func refresh(_ server: TestServer, _ token: String) async throws -> HTTPAnswer {
    try await server.send("POST", "/api/v1/auth/refresh", body: #"{"refresh_token":"\#(token)"}"#)
  }

  @Test("A refresh token is valid once; a second use ends the session")
  func rotation() async throws {
    try await TestServer.run { server in
      let person = try await server.person()
      let bystander = try await server.person()
      let first = try await refresh(server, person.grant.refreshToken)
      #expect(first.status == 200 && first.header("cache-control") == "no-store", "\(first.text)")
      let second = try await refresh(server, first.json()["refresh_token"]?.string ?? "")
      #expect(second.status == 200)
      let access = try second.json()["access_token"]?.string ?? ""
      #expect(try await server.send("GET", "/api/v1/users/me", token: access).status == 200)
      // The first token has been copied.
      let reused = try await refresh(server, person.grant.refreshToken)
      #expect(reused.status == 401 && reused.problemCode == "unauthorized")
      #expect(try await server.send("GET", "/api/v1/users/me", token: access).status == 401)
      #expect(try await refresh(server, second.json()["refresh_token"]?.string ?? "").status == 401)
      // The same person's other session is not affected.
      #expect(try await server.send("GET", "/api/v1/users/me", token: bystander.token).status == 200)
      #expect(try await refresh(server, "fkr_" + String(repeating: "A", count: 43)).status == 401)
    }
  }

  @Test("A refresh token whose answer was lost gives the same one again for a minute")
  func lostAnswer() async throws {
    try await TestServer.run { server in
      let token = try await server.person().grant.refreshToken
      let first = try await refresh(server, token)
      let next = try first.json()["refresh_token"]?.string ?? ""
      server.clock.advance(seconds: Double(Session.grace))
      let again = try await refresh(server, token)
      #expect(again.status == 200, "\(again.text)")
      #expect(try again.json()["refresh_token"]?.string == next)
      server.clock.advance(seconds: 1)
      let access = try again.json()["access_token"]?.string ?? ""
      #expect(try await server.send("GET", "/api/v1/users/me", token: access).status == 200)
      #expect(try await refresh(server, token).status == 401)
      #expect(try await server.send("GET", "/api/v1/users/me", token: access).status == 401)
      #expect(try await refresh(server, next).status == 401)
    }
  }

  @Test("Concurrent uses of one refresh token all get the same new one")
  func race() async throws {
    try await TestServer.run { server in
      let token = try await server.person().grant.refreshToken
      let grants = try await withThrowingTaskGroup(of: Grant?.self) { group in
        for _ in 0..<50 {
          group.addTask {
            do { return try await server.registry.signIn.refresh(token) } catch is SignInFailure { return nil }
          }
        }
        return try await group.reduce(into: [Grant?]()) { $0.append($1) }.compactMap { $0 }
      }
      let next = try #require(grants.first?.refreshToken)
      #expect(grants.count == 50 && grants.allSatisfy { $0.refreshToken == next })
      // The new token has been used; a client that then sends the old one has a copy.
      #expect(try await refresh(server, next).status == 200)
      #expect(try await refresh(server, token).status == 401)
      let access = grants.first?.accessToken ?? ""
      #expect(try await server.send("GET", "/api/v1/users/me", token: access).status == 401)
    }
  }

  @Test("Tokens expire")
  func times() async throws {
    try await TestServer.run { server in
      let person = try await server.person()
      server.clock.advance(seconds: 899)
      #expect(try await server.send("GET", "/api/v1/users/me", token: person.token).status == 200)
      server.clock.advance(seconds: 1)
      let expired = try await server.send("GET", "/api/v1/users/me", token: person.token)
      #expect(expired.status == 401)
      #expect(expired.header("www-authenticate")?.contains(#"error_description="expired""#) == true)
      let fresh = try await refresh(server, person.grant.refreshToken)
      #expect(fresh.status == 200)
      server.clock.advance(seconds: 7 * 86_400)
      #expect(try await refresh(server, fresh.json()["refresh_token"]?.string ?? "").status == 401)
    }
  }

  @Test("Signing out ends the session, deleting the account ends them all")
  func leaving() async throws {
    try await TestServer.run { server in
      let phone = try await server.person()
      let tablet = try await server.person()
      #expect(phone.id == tablet.id)
      #expect(try await server.send("POST", "/api/v1/auth/logout", token: phone.token).status == 204)
      #expect(try await server.send("GET", "/api/v1/users/me", token: phone.token).status == 401)
      #expect(try await refresh(server, phone.grant.refreshToken).status == 401)
      #expect(try await server.send("GET", "/api/v1/users/me", token: tablet.token).status == 200)
      let published = try await server.send(
        "POST", "/api/v1/content/share", token: tablet.token, body: AuthorisationTable.publication("briefing"))
      #expect(published.status == 201, "\(published.text)")
      #expect(try await server.send("DELETE", "/api/v1/users/me", token: tablet.token).status == 204)
      #expect(try await server.send("GET", "/api/v1/users/me", token: tablet.token).status == 401)
      #expect(try await refresh(server, tablet.grant.refreshToken).status == 401)
      #expect(try await server.send("GET", "/api/v1/content/mine").status == 401)
      #expect(try await server.send("HEAD", "/api/v1/content/mine").status == 401)
      // Signing in again creates a new account.
      let again = try await server.person()
      #expect(again.id != tablet.id)
      #expect(try await server.send("GET", "/api/v1/users/me", token: again.token).status == 200)
    }
  }

  @Test("Signing in is limited by address; refreshing is not")
  func limits() async throws {
    var settings = TestServer.settings
    settings.limitsRates = true
    try await run(settings) { server, forge in
      for _ in 0..<5 { #expect(try await signIn(server, forge, ["aud": "7"]).status == 401) }
      let sixth = try await signIn(server, forge)
      #expect(sixth.status == 429 && sixth.problemCode == "rate_limited")
      #expect(sixth.header("retry-after") == "900")
      #expect(try await server.send("POST", "/api/v1/auth/test-signin?email=a@example.com").status == 429)
      for _ in 0..<6 { #expect(try await refresh(server, "unknown").status == 401) }
      server.clock.advance(seconds: 900)
      #expect(try await signIn(server, forge).status == 200)
    }
  }
}
