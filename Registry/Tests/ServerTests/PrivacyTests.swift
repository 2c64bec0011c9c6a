import Foundation
import RegistryAPI
import RegistryModel
import RegistryTestSupport
import SignIn
import Testing

/// Tests data that only its owner may ever get: addresses, Apple's ids of people, tokens and keys.
@Suite("Private data appears nowhere")
struct PrivacyTests {
  /// Collects everything that leaves the server and that others can read.
  private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [(what: String, text: String)] = []

    func keep(_ what: String, _ text: String) { lock.withLock { texts.append((what, text)) } }

    /// Returns the places where a secret appears.
    func places(of secret: String) -> [String] {
      lock.withLock { texts.filter { $0.text.utf8.contains(secret.utf8) }.map(\.what) }
    }

    var count: Int { lock.withLock { texts.count } }
  }

  @Test("Neither answers for others nor errors nor log lines contain any of it")
  func everywhere() async throws {
    let scratch = Scratch()
    let forge = try await TokenForge.shared.value
    try Data(try forge.keySet().utf8).write(to: URL(fileURLWithPath: scratch["keys.json"]))
    try await TestServer.run(tokens: SignInTests.tokens, appleKeys: .file(scratch["keys.json"])) { server in
      let subject = "001777.private-subject.0042"
      let email = "anna+private-address@example.com"
      let identity = try forge.rs256(
        TokenForge.identity(now: server.clock.now, ["sub": "\"\(subject)\"", "email": "\"\(email)\""]))
      let grant = try await server.send(
        "POST", "/api/v1/auth/apple-signin", body: #"{"identity_token":"\#(identity)"}"#
      ).json()
      let access = try #require(grant["access_token"]?.string)
      let refresh = try #require(grant["refresh_token"]?.string)
      let userID = try #require(grant["user"]?["id"]?.string)
      let session = try #require(TokenForge.parts(of: access).payload.firstMatch(of: /"sid":"([^"]*)"/)?.output.1)
      let secrets = [
        email, "private-address", subject, identity, access, refresh, TestServer.secret, String(session),
        String(access.split(separator: ".")[2]), scratch.path, "private-biography", "private-handle",
      ]
      let user = try #require(try await server.registry.store.user(RegistryID(stored: userID)))
      let profile = try await server.send(
        "PUT", "/api/v1/auth/me", token: access,
        body: #"""
          {"bio":"private-biography","profile_visibility":"private","social_links":
          [{"id":"\#(userID)","platform":"other","handle":"private-handle"}]}
          """#)
      #expect(profile.text.contains("private-biography") && profile.text.contains(email))
      let seen = Seen()
      func send(_ method: String, _ path: String, token: String? = nil, body: String? = nil) async throws {
        let answer = try await server.send(method, path, token: token, body: body)
        let headers = answer.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        seen.keep("\(method) \(path.prefix(60)) → \(answer.status)", headers + "\n" + answer.text)
      }
      // This reads the publication as others get it.
      let publication = try await server.send(
        "POST", "/api/v1/content/share", token: access, body: AuthorisationTable.publication("briefing"))
      #expect(publication.status == 201, "\(publication.text)")
      seen.keep("share", publication.text)
      for row in AuthorisationTable.rows where row.method == "GET" {
        guard case .anyone = row.access else { continue }
        let path = row.path("briefing", by: user)
        try await send("GET", path)
        try await send("HEAD", path)
        try await send("GET", path, token: access)
      }
      try await send("GET", "/api/v1/content/public?q=anna")
      try await send("POST", "/api/v1/content/briefing/fork")
      // These requests fail, and have secrets in every position where a client might put them.
      for secret in [email, access, refresh, identity] {
        let escaped = secret.replacing("@", with: "%40")
        try await send("GET", "/api/v1/content/" + escaped)
        try await send("GET", "/" + escaped)
        try await send("GET", "/api/v1/content/public?token=\(escaped)&limit=\(escaped)&cursor=\(escaped)")
        try await send("POST", "/api/v1/auth/refresh", body: #"{"refresh_token":"\#(secret)","refresh_token":"x"}"#)
        try await send("POST", "/api/v1/auth/apple-signin", body: #"{"identity_token":"\#(secret)x"}"#)
        try await send("POST", "/api/v1/auth/apple-signin", body: secret)
        try await send("POST", "/api/v1/auth/test-signin?email=\(escaped)%40")
        try await send("POST", "/api/v1/content/share", token: secret + "x", body: secret)
        try await send("POST", "/api/v1/content/share", token: access, body: #"{"title":"\#(secret)"}"#)
        try await send("PUT", "/api/v1/content/briefing", token: access, body: #"{"tags":"\#(secret)"}"#)
        try await send("DELETE", "/api/v1/content/" + escaped, token: access)
        try await send("PATCH", "/api/v1/users/me", token: access, body: secret)
        try await send(
          "PUT", "/api/v1/auth/me", token: access, body: #"{"username":"\#(secret)","bio":["\#(secret)"]}"#)
        try await send("GET", "/api/v1/users/" + escaped)
        try await send("GET", "/api/v1/users/by-id/" + escaped)
      }
      // A refresh token that is used twice causes a log line; then the account is deleted; then the store is closed.
      let next = try await server.registry.signIn.refresh(refresh).refreshToken
      _ = try await server.registry.signIn.refresh(next)
      try await send("POST", "/api/v1/auth/refresh", body: #"{"refresh_token":"\#(refresh)"}"#)
      let again = try await server.registry.signIn.signInWithApple(identityToken: identity, nonce: nil)
      try await send("DELETE", "/api/v1/users/me", token: again.accessToken)
      try await send("GET", "/api/v1/users/me", token: again.accessToken)
      try await send("GET", "/api/v1/content/briefing")
      try await server.registry.store.close()
      try await send("GET", "/api/v1/users/me", token: again.accessToken)
      try await send("POST", "/api/v1/auth/refresh", body: #"{"refresh_token":"\#(again.refreshToken)"}"#)
      try await send("GET", "/api/v1/content/public")
      try await send("GET", "/ready")
      for line in server.log.lines { seen.keep("log: " + line.prefix(60), line) }

      #expect(seen.count > 60)
      #expect(!server.log.lines.isEmpty)
      for secret in secrets + [again.accessToken, again.refreshToken] {
        #expect(seen.places(of: secret).isEmpty, "\(secret.prefix(30)) in \(seen.places(of: secret))")
      }
      // The search itself works: the author's id is public.
      #expect(!seen.places(of: userID).isEmpty)
    }
  }
}

/// Tests that data that an author unpublished is not shown anywhere, although copies of it are public.
@Suite("Data that is not public any more appears nowhere")
struct WithdrawnPrivacyTests {
  @Test("Neither title nor slug nor description nor document is in any answer", arguments: [false, true])
  func everywhere(deletesAccount: Bool) async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      func item(_ slug: String, _ mark: String, more: String) -> String {
        Publication.body(
          slug, title: "zq\(mark)title", data: #"{"sections":[{"title":"zq\#(mark)section"}]}"#,
          more: #","description":"zq\#(mark)description","tags":["zq\#(mark)tag"]"# + more)
      }
      func share(_ person: TestServer.Person, _ body: String) async throws -> String {
        let answer = try await server.send("POST", "/api/v1/content/share", token: person.token, body: body)
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(try answer.json()["id"]?.string)
      }
      let root = try await share(captain, item("zqroot-slug", "root", more: ""))
      let middle = try await share(captain, item("zqmiddle-slug", "middle", more: #","forked_from_id":"\#(root)""#))
      let copy = try await server.publish("copy-1", by: mate, more: #","forked_from_id":"\#(middle)""#)
      let paths = [
        "public", "public?limit=5", "public?cursor=", "public?q=zqroottitle", "public?q=zqmiddlesection",
        "public?tag=zqroottag", "copy-1", "copy-1/lineage", "copy-1/stats", "\(copy)/lineage", "late-1",
        "late-1/lineage", "zqroot-slug", "zqroot-slug/lineage", "\(root)/lineage", "\(root)/stats", "\(middle)/stats",
      ]
      /// Returns all answers for anonymous callers and for the author of the copies.
      func answers() async throws -> [(path: String, text: String)] {
        var all: [(path: String, text: String)] = []
        for path in paths {
          for token in [nil, mate.token] {
            let answer = try await server.send("GET", "/api/v1/content/\(path)", token: token)
            let fields = answer.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            // The link to the next page repeats the query's text.
            all.append((path, fields + answer.text))
          }
        }
        let mine = try await server.send("GET", "/api/v1/content/mine", token: mate.token)
        return all + [("mine", mine.text)]
      }
      // All of the data is in memory before it is unpublished.
      #expect(try await answers().contains { $0.text.contains("zqroot-slug") })
      if deletesAccount {
        #expect(try await server.send("DELETE", "/api/v1/users/me", token: captain.token).status == 204)
      } else {
        for slug in ["zqroot-slug", "zqmiddle-slug"] {
          #expect(try await server.send("DELETE", "/api/v1/content/\(slug)", token: captain.token).status == 204)
        }
      }
      let late = try await server.send(
        "POST", "/api/v1/content/share", token: mate.token,
        body: Publication.body("late-1", more: #","forked_from_id":"\#(middle)""#))
      #expect(late.status == 201 && !late.text.contains("zq"), "\(late.text)")
      for (path, text) in try await answers() { #expect(!text.contains("zq"), "\(path): \(text)") }
      // The copies keep the author's name; the account's id is deleted with the account.
      let read = try await server.read("copy-1")
      #expect(read["original_author_username"]?.string == "captain")
      #expect(read["original_author_user_id"]?.string == (deletesAccount ? nil : captain.id.text))
      #expect(try await server.read("late-1")["original_author_username"]?.string == "captain")
    }
  }
}

extension String.UTF8View {
  /// Whether these bytes contain the other bytes in sequence.
  fileprivate func contains(_ other: String.UTF8View) -> Bool {
    String(decoding: self, as: UTF8.self).range(of: String(decoding: other, as: UTF8.self), options: .literal) != nil
  }
}
