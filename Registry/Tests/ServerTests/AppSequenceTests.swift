import Content
import Foundation
import JSONText
import RegistryModel
import RegistryTestSupport
import Testing

/// A day on which three apps use one registry, from the first sign-in to the deletion of an account. The registry is a
/// real process. Every answer about an account is decoded as in the app.
@Suite struct AppSequenceTests {
  private let scratch = Scratch()

  /// One app with a signed-in user and the tokens of its last answer.
  private struct App {
    let client: ProcessClient
    var tokens: AppTypes.Tokens

    func send(
      _ method: String, _ path: String, headers: [(String, String)] = [], body: String? = nil,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> HTTPAnswer {
      try #require(
        client.send(method, "/api/v1" + path, token: tokens.accessToken, headers: headers, body: body),
        "\(method) \(path)", sourceLocation: sourceLocation)
    }

    /// Sends the request that the app makes at every start; any failure signs the user out.
    func start(sourceLocation: SourceLocation = #_sourceLocation) throws {
      let user = try send("GET", "/auth/me", sourceLocation: sourceLocation)
        .decode(AppTypes.User.self, sourceLocation: sourceLocation)
      #expect(user.id == tokens.user.id && user.hasPlainTime, sourceLocation: sourceLocation)
    }

    func publish(_ slug: String, from parent: String? = nil) throws -> String {
      let more = parent.map { #","forked_from_id":"\#($0)""# } ?? ""
      let body = AuthorisationTable.publication(slug).dropLast() + more + "}"
      let answer = try send("POST", "/content/share", body: String(body))
      try #require(answer.status == 201, "\(answer.text)")
      return try #require(try answer.json()["id"]?.string)
    }
  }

  private func app(_ port: Int, _ path: String, _ body: String?) throws -> App {
    let client = ProcessClient(port: port)
    let answer = try #require(client.send("POST", "/api/v1/auth/\(path)", body: body))
    let tokens = try answer.decode(AppTypes.Tokens.self)
    #expect(tokens.expiresIn > 0 && tokens.user.hasPlainTime && !tokens.user.email.isEmpty)
    return App(client: client, tokens: tokens)
  }

  @Test func `a day with the test sign-in`() throws {
    let server = try ProcessServer(["--database", scratch["dev.sqlite"], "--dev", "--no-rate-limit", "--port", "0"])
    #expect(server.port > 0, "\(server.logged)")
    try run(["ann", "bob", "cat"].map { try app(server.port, "test-signin?email=\($0)@example.com", nil) })
    #expect(server.stop().status == 0)
  }

  @Test func `a day with tokens that Apple signed`() async throws {
    let forge = try await TokenForge.shared.value
    try Data(try forge.keySet().utf8).write(to: URL(fileURLWithPath: scratch["keys.json"]))
    let server = try ProcessServer(
      [
        "--database", scratch["apple.sqlite"], "--apple-client-id", "org.example.fleet", "--apple-jwks",
        scratch["keys.json"], "--port", "0",
      ], environment: ["JWT_SECRET_KEY": String(repeating: "k", count: 32)])
    #expect(server.port > 0, "\(server.logged)")
    let now = RegistryClock.system.now()
    try run(
      ["ann", "bob", "cat"].map { name in
        let email = name == "cat" ? nil : #""\#(name)@example.com""#
        let token = try forge.rs256(TokenForge.identity(now: now, ["sub": #""001.\#(name)""#, "email": email]))
        return try app(
          server.port, "apple-signin",
          #"{"identity_token":"\#(token)","user_info":{"name":{"firstName":"\#(name)"},"email":null}}"#)
      })
    let refused = ProcessClient(port: server.port).send("POST", "/api/v1/auth/test-signin?email=a@example.com")
    #expect(refused?.status == 404)
    #expect(server.stop().status == 0)
  }

  private func run(_ apps: [App]) throws {
    var (ann, bob, cat) = (apps[0], apps[1], apps[2])
    for app in apps { try app.start() }
    let catName = try #require(cat.tokens.user.username)

    // This publishes, changes, forks, and forks the fork.
    let root = try ann.publish("briefing-1")
    let changed = try ann.send("PUT", "/content/briefing-1", body: #"{"title":"Briefing of the crew"}"#)
    #expect(changed.status == 200, "\(changed.text)")
    let fork = try bob.publish("briefing-2", from: root)
    #expect(try bob.send("POST", "/content/briefing-1/fork").status == 200)
    _ = try cat.publish("briefing-3", from: fork)
    #expect(try cat.send("POST", "/content/briefing-2/fork").status == 200)
    #expect(try creators("briefing-3", cat) == ["ann", "bob", catName])
    let first = try credits("briefing-1", cat)
    #expect(first.chainDepth == 1 && first.originalAuthorUsername == nil && first.originalContentPublicID == nil)
    #expect(first.authorUserID?.uuidString.lowercased() == ann.tokens.user.id && first.title == "Briefing of the crew")
    let annID = try #require(UUID(uuidString: ann.tokens.user.id))
    for (slug, parent, depth) in [("briefing-2", root, 2), ("briefing-3", fork, 3)] {
      let item = try credits(slug, cat)
      #expect(item.chainDepth == depth && item.forkedFromID?.uuidString.lowercased() == parent, "\(slug)")
      #expect(item.originalAuthorUsername == "ann" && item.originalAuthorUserID == annID, "\(slug)")
      #expect(item.originalContentPublicID == "briefing-1", "\(slug)")
    }
    let tag = try #require(try cat.send("GET", "/content/briefing-3").header("etag"))
    #expect(try cat.send("GET", "/content/briefing-3", headers: [("If-None-Match", tag)]).status == 304)

    // The account gets a profile and another name; items that were read before show the name immediately.
    for _ in 0..<3 { #expect(try author("briefing-1", cat) == "ann") }
    var update = AppTypes.ProfileUpdate()
    update.username = "Anna"
    update.bio = "Sails."
    update.socialLinks = [.init(id: UUID(), platform: .instagram, handle: "anna")]
    let account = try ann.send("PUT", "/auth/me", body: update.body()).decode(AppTypes.User.self)
    #expect(account.username == "Anna" && account.id == ann.tokens.user.id)
    for _ in 0..<3 { #expect(try author("briefing-1", cat) == "Anna") }
    #expect(try creators("briefing-3", cat) == ["Anna", "bob", catName])
    #expect(try credits("briefing-3", cat).originalAuthorUsername == "Anna")
    #expect(try credits("briefing-1", cat).originalAuthorUsername == nil)
    // The credit changed, but the tag did not: clients that have the item get it again.
    #expect(try cat.send("GET", "/content/briefing-3", headers: [("If-None-Match", tag)]).status == 200)
    for path in ["/users/anna", "/users/by-id/\(account.id)"] {
      let profile = try cat.send("GET", path).decode(AppTypes.PublicProfile.self)
      #expect(profile.username == "Anna" && profile.bio == "Sails.")
      #expect(profile.stats.totalContributions == 1 && profile.stats.totalForks == 1)
    }
    let stats = try ann.send("GET", "/profile/stats").decode(AppTypes.OwnStats.self)
    #expect(stats.totalContributions == 1 && stats.totalForks == 1)

    // After unpublishing, forks keep their lineage.
    #expect(try bob.send("DELETE", "/content/briefing-2").status == 204)
    #expect(try bob.send("GET", "/content/briefing-2").status == 404)
    #expect(try creators("briefing-3", cat) == ["Anna", "bob", catName])
    #expect(try credits("briefing-3", cat).originalContentPublicID == "briefing-1")
    let own = try bob.send("GET", "/profile/stats").decode(AppTypes.OwnStats.self)
    #expect(own.totalContributions == 0 && own.totalForks == 0)

    // After a refresh, the new tokens work, and the answer has the profile.
    let refreshed = try ann.send(
      "POST", "/auth/refresh", body: #"{"refresh_token":"\#(ann.tokens.refreshToken)"}"#)
    ann.tokens = try refreshed.decode(AppTypes.Tokens.self)
    #expect(ann.tokens.user == account)
    try ann.start()

    // After the account is deleted, everything is removed except the name in the lineage of other users' items.
    #expect(try ann.send("DELETE", "/auth/me").status == 204)
    #expect(try ann.send("GET", "/auth/me").status == 401)
    let late = try ann.send("POST", "/auth/refresh", body: #"{"refresh_token":"\#(ann.tokens.refreshToken)"}"#)
    #expect(late.status == 401)
    for path in ["/users/anna", "/users/by-id/\(account.id)", "/content/briefing-1"] {
      #expect(try cat.send("GET", path).status == 404, "\(path)")
    }
    #expect(try creators("briefing-3", cat) == ["Anna", "bob", catName])
    let left = try credits("briefing-3", cat)
    #expect(left.originalAuthorUsername == "Anna" && left.originalAuthorUserID == nil && left.chainDepth == 3)
    #expect(left.originalContentPublicID == nil)
    // No other account can take the name that is credited there.
    let taken = try bob.send("PUT", "/auth/me", body: #"{"username":"anna"}"#)
    #expect(taken.status == 409 && taken.problemCode == "username_taken")
    try cat.start()
  }

  private func creators(_ slug: String, _ app: App) throws -> [String] {
    try app.send("GET", "/content/\(slug)/lineage").json().elements.map { $0["creator"]?.string ?? "" }
  }

  /// Returns an item's credits as the app's list shows them. Without a token, the request is answered from memory if
  /// possible.
  private func credits(_ slug: String, _ app: App) throws -> AppContent.Listed {
    let answer = try #require(app.client.send("GET", "/api/v1/content/public"))
    let listed = try answer.decode([AppContent.Listed].self).first { $0.publicID == slug }
    let item = try #require(app.client.send("GET", "/api/v1/content/\(slug)"))
      .decode(AppContent.Item<AppContent.Checklist>.self).listed
    #expect(listed?.authorUsername == item.authorUsername)
    #expect(listed?.originalAuthorUsername == item.originalAuthorUsername)
    #expect(listed?.originalContentPublicID == item.originalContentPublicID && listed?.chainDepth == item.chainDepth)
    return item
  }

  private func author(_ slug: String, _ app: App) throws -> String? { try credits(slug, app).authorUsername }
}
