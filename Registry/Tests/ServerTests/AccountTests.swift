import Foundation
import RegistryModel
import RegistryTestSupport
import Testing

@Suite("One's own account")
struct AccountTests {
  static let paths = ["/api/v1/auth/me", "/api/v1/users/me"]

  @Test("is the same object wherever it is answered", arguments: paths)
  func everywhere(path: String) async throws {
    try await TestServer.run { server in
      let signIn = try await server.send("POST", "/api/v1/auth/test-signin?email=captain%40example.com")
      let tokens = try signIn.decode(AppTypes.Tokens.self)
      #expect(tokens.expiresIn == 900 && tokens.tokenType == "bearer" && tokens.user.hasPlainTime)
      #expect(tokens.user.username == "captain" && tokens.user.email == "captain@example.com")
      #expect(tokens.user.createdAt == "2026-01-05T10:11:12Z")
      var update = AppTypes.ProfileUpdate()
      update.bio = "Sails.\nAnd repairs."
      update.location = "Kiel"
      update.nationality = "🇩🇪"
      update.profileVisibility = "public"
      update.socialLinks = [.init(id: UUID(), platform: .telegram, handle: "@captain")]
      update.communityMemberships = [
        .init(id: "baltic", name: "Baltic", iconURL: nil, role: .founder, isPrimary: true),
        .init(id: UUID().uuidString, name: "Ж", iconURL: "https://example.org/i.png", role: .member, isPrimary: false),
      ]
      let put = try await server.send("PUT", path, token: tokens.accessToken, body: update.body())
      let changed = try put.decode(AppTypes.User.self)
      #expect(put.header("cache-control") == "no-store")
      #expect(changed.bio == update.bio && changed.location == "Kiel" && changed.nationality == "🇩🇪")
      #expect(changed.socialLinks == update.socialLinks)
      #expect(changed.communityMemberships == update.communityMemberships)
      #expect(changed.username == "captain" && changed.createdAt == tokens.user.createdAt)
      let me = try await server.send("GET", path, token: tokens.accessToken)
      #expect(try me.decode(AppTypes.User.self) == changed && me.header("cache-control") == "no-store")
      let refresh = try await server.send(
        "POST", "/api/v1/auth/refresh", body: #"{"refresh_token":"\#(tokens.refreshToken)"}"#)
      #expect(try refresh.decode(AppTypes.Tokens.self).user == changed)
      let again = try await server.send("POST", "/api/v1/auth/test-signin?email=captain%40example.com")
      #expect(try again.decode(AppTypes.Tokens.self).user == changed)
    }
  }

  @Test("keeps members that are not sent, and null removes optional ones")
  func members() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      func put(_ body: String) async throws -> AppTypes.User {
        try await server.send("PUT", "/api/v1/auth/me", token: captain.token, body: body).decode(AppTypes.User.self)
      }
      let link = #"{"id":"9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10","platform":"other","handle":"x"}"#
      let full = try await put(#"{"bio":"b","location":"l","nationality":"n","social_links":[\#(link)]}"#)
      #expect(full.bio == "b" && full.socialLinks?.count == 1 && full.profileVisibility == nil)
      #expect(try await put("{}") == full)
      let part = try await put(#"{"bio":null,"location":"","community_memberships":[]}"#)
      #expect(part.bio == nil && part.location == "" && part.nationality == "n" && part.socialLinks?.count == 1)
      #expect(part.communityMemberships == [])
      let empty = try await put(
        #"{"location":null,"nationality":null,"social_links":null,"community_memberships":null}"#)
      #expect(empty.location == nil && empty.nationality == nil && empty.socialLinks == nil)
      #expect(empty.communityMemberships == nil && empty.username == "captain")
    }
  }

  @Test("grants no rights, and changes neither address nor time")
  func powers() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let before = try await server.send("GET", "/api/v1/auth/me", token: captain.token)
      let put = try await server.send(
        "PUT", "/api/v1/auth/me", token: captain.token,
        body: #"""
          {"id":"9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10","email":"other@example.com","role":"admin","is_verified":true,
          "verification_tier":"gold","created_at":"2000-01-01T00:00:00Z","profile_image_url":"https://example.org/",
          "stats":{"total_contributions":9},"scopes":["*"]}
          """#)
      #expect(put.status == 200 && put.text == before.text)
      let shown = try await server.send("GET", "/api/v1/users/captain").decode(AppTypes.PublicProfile.self)
      #expect(!shown.isVerified && shown.verificationTier == nil && shown.stats.totalContributions == 0)
    }
  }

  @Test("an Apple account without an address has a placeholder; the client's data about the person is ignored")
  func apple() async throws {
    let scratch = Scratch()
    let forge = try await TokenForge.shared.value
    try Data(try forge.keySet().utf8).write(to: URL(fileURLWithPath: scratch["keys.json"]))
    try await TestServer.run(tokens: SignInTests.tokens, appleKeys: .file(scratch["keys.json"])) { server in
      let token = try forge.rs256(TokenForge.identity(now: server.clock.now, ["email": nil]))
      var seen: Set<String> = []
      for (member, more) in [
        ("identity_token", ""), ("identityToken", #","user_info":null"#),
        ("identity_token", #","user_info":{"email":"other@example.com","name":{"firstName":"A","lastName":7}}"#),
        ("identity_token", #","user_info":[1]"#), ("identity_token", #","user_info":"x","device":{}"#),
      ] {
        let answer = try await server.send(
          "POST", "/api/v1/auth/apple-signin", body: #"{"\#(member)":"\#(token)"\#(more)}"#)
        let user = try answer.decode(AppTypes.Tokens.self).user
        #expect(user.email == "\(user.id)@users.invalid" && user.hasPlainTime)
        seen.insert(user.id)
      }
      #expect(seen.count == 1)
    }
  }

  @Test("is deleted with its profile, at either path", arguments: paths)
  func deletion(path: String) async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let put = try await server.send("PUT", path, token: captain.token, body: #"{"bio":"Sails."}"#)
      #expect(put.status == 200)
      #expect(try await server.send("DELETE", path, token: captain.token).status == 204)
      #expect(try await server.send("GET", path, token: captain.token).status == 401)
      #expect(try await server.send("PUT", path, token: captain.token, body: "{}").status == 401)
      #expect(try await server.send("GET", "/api/v1/users/captain").status == 404)
      #expect(try await server.send("GET", "/api/v1/users/by-id/\(captain.id)").status == 404)
      let again = try await server.person()
      let me = try await server.send("GET", path, token: again.token).decode(AppTypes.User.self)
      #expect(again.id != captain.id && me.bio == nil && me.username == "captain")
    }
  }

  @Test("takes other methods as every path does")
  func methods() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      for (path, allowed) in [
        ("/api/v1/auth/me", "DELETE, GET, HEAD, OPTIONS, PUT"), ("/api/v1/users/me", "DELETE, GET, HEAD, OPTIONS, PUT"),
        ("/api/v1/users/captain", "GET, HEAD, OPTIONS"), ("/api/v1/users/by-id/\(captain.id)", "GET, HEAD, OPTIONS"),
        ("/api/v1/profile/stats", "GET, HEAD, OPTIONS"),
      ] {
        let answer = try await server.send("PATCH", path, token: captain.token, body: "{}")
        #expect(answer.status == 405 && answer.problemCode == "method_not_allowed", "\(path)")
        #expect(answer.header("allow") == allowed, "\(path)")
        #expect(try await server.send("OPTIONS", path).status == 204, "\(path)")
        let head = try await server.send("HEAD", path, token: captain.token)
        #expect(head.status == 200 && head.body.isEmpty, "\(path)")
      }
    }
  }

  @Test("is changed ten times a minute at most")
  func limit() async throws {
    var settings = TestServer.settings
    settings.limitsRates = true
    try await TestServer.run(settings: settings) { server in
      let captain = try await server.person()
      for _ in 0..<10 {
        #expect(try await server.send("PUT", "/api/v1/auth/me", token: captain.token, body: "{}").status == 200)
      }
      let late = try await server.send("PUT", "/api/v1/users/me", token: captain.token, body: "{}")
      #expect(late.status == 429 && late.problemCode == "rate_limited" && late.header("retry-after") == "60")
      #expect(try await server.send("GET", "/api/v1/auth/me", token: captain.token).status == 200)
      let other = try await server.person("mate")
      #expect(try await server.send("PUT", "/api/v1/auth/me", token: other.token, body: "{}").status == 200)
      #expect(try await server.publish("one-1", by: captain) != "")
    }
  }
}
