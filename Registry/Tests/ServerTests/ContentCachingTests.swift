import JSONText
import RegistryAPI
import Testing

/// Tests the fields that tell caches which answers they may store.
@Suite struct ContentCachingTests {
  private static let shared = "public, max-age=0, s-maxage=10, stale-while-revalidate=10, stale-if-error=60"

  @Test func `public reads may be stored, and a client that has the answer gets 304`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      try await server.publish("two-2", by: captain)
      let name = captain.grant.user.username
      let paths = [
        "content/one-1", "content/public", "content/public?limit=1", "content/public?q=berth&cursor=",
        "content/one-1/lineage", "content/one-1/stats", "users/\(name)", "users/by-id/\(captain.id.text)",
      ].map { "/api/v1/" + $0 }
      for path in paths {
        // The second answer may come from memory.
        for _ in 0..<2 {
          let answer = try await server.send("GET", path)
          #expect(answer.status == 200)
          #expect(answer.header("Cache-Control") == Self.shared, "\(path)")
          #expect(answer.header("Vary") == "Authorization")
          let tag = try #require(answer.header("ETag"))
          // A view between the two requests changes the digest of `stats`.
          for method in ["GET", "HEAD"] {
            let again = try await server.send(method, path, headers: [("If-None-Match", tag)])
            #expect(again.status == 304, "\(method) \(path)")
            for field in ["ETag", "Cache-Control", "Vary", "Link", "X-Next-Cursor"] {
              #expect(again.header(field) == answer.header(field), "\(field) of \(path)")
            }
          }
          let head = try await server.send("HEAD", path)
          #expect(head.header("ETag") == tag && head.header("Cache-Control") == Self.shared)
        }
        let other = try await server.send("GET", path, headers: [("If-None-Match", "\"other\"")])
        #expect(other.status == 200)
      }
    }
  }

  @Test func `answers to requests with a token, and problems, are not stored`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      let paths = [
        "content/one-1", "content/public", "content/mine", "content/one-1/lineage", "content/one-1/stats", "auth/me",
        "users/me", "profile/stats", "users/\(captain.grant.user.username)",
      ]
      for path in paths {
        let answer = try await server.send("GET", "/api/v1/\(path)", token: captain.token)
        #expect(answer.status == 200)
        #expect(answer.header("Cache-Control") == "no-store", "\(path)")
      }
      for path in ["content/none-1", "content/public?limit=0", "content/mine", "users/none", "none", "content/share"] {
        let answer = try await server.send("GET", "/api/v1/\(path)")
        #expect(answer.status >= 400)
        #expect(answer.header("Cache-Control") == "no-store", "\(path)")
      }
    }
  }

  @Test func `a page's tag changes with its items, and not with their views`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      func tag(_ query: String) async throws -> String? {
        try await server.send("GET", "/api/v1/content/public" + query).header("ETag")
      }
      let first = try await (tag(""), tag("?limit=1"), tag("?tag=none"))
      _ = try await server.send("GET", "/api/v1/content/one-1")
      #expect(try await tag("") == first.0)
      _ = try await server.send("POST", "/api/v1/content/one-1/fork")
      let forked = try await tag("")
      #expect(forked != first.0)
      try await server.publish("two-2", by: captain)
      #expect(try await tag("") != forked)
      #expect(try await tag("?limit=1") != first.1)
      #expect(try await tag("?tag=none") == first.2)
    }
  }

  @Test func `if all origins are allowed, an answer for one client is right for all`() async throws {
    var settings = TestServer.settings
    settings.corsOrigins = ["*"]
    try await TestServer.run(settings: settings) { server in
      for _ in 0..<2 {
        let answer = try await server.send("GET", "/api/v1/content/public")
        #expect(answer.header("Access-Control-Allow-Origin") == "*")
        #expect(answer.header("Vary") == "Authorization")
      }
    }
  }
}
