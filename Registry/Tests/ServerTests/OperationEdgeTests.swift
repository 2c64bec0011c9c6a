import Foundation
import RegistryTestSupport
import Testing

/// Tests the handling that all requests share, from outside.
@Suite struct OperationEdgeTests {
  private static let environment = ["JWT_SECRET_KEY": String(repeating: "k", count: 40)]
  private let scratch = Scratch()

  private func server(_ more: [String] = [], _ environment: [String: String] = environment) throws -> ProcessServer {
    let server = try ProcessServer(
      ["--database", scratch["registry.sqlite"], "--port", "0", "--dev"] + more, environment: environment)
    try #require(server.port > 0, "\(server.logged)")
    return server
  }

  @Test func everyAnswerHasTheSecurityFields() throws {
    let server = try server()
    let client = ProcessClient(port: server.port)
    for path in ["/health", "/nowhere", "/api/v1/content/public", "/api/v1/users/me", "/metrics"] {
      let answer = try #require(client.send("GET", path))
      #expect(answer.header("X-Content-Type-Options") == "nosniff")
      #expect(answer.header("Content-Security-Policy") != nil)
      #expect(answer.header("Referrer-Policy") == "no-referrer")
      #expect(answer.header("Strict-Transport-Security") == nil)
      #expect(answer.header("X-Request-Id")?.isEmpty == false)
      if answer.status >= 400 { #expect(answer.header("Content-Type") == "application/problem+json") }
    }
    server.stop()
  }

  @Test func httpsIsInsistedOnOnlyWhereItIs() throws {
    let proxied = try server(["--trust-proxy"])
    let client = ProcessClient(port: proxied.port)
    let secure = client.send("GET", "/health", headers: [("X-Forwarded-Proto", "https")])
    #expect(secure?.header("Strict-Transport-Security") != nil)
    #expect(client.send("GET", "/health")?.header("Strict-Transport-Security") == nil)
    proxied.stop()
  }

  @Test(arguments: [
    ("good-1_2.3", true), (String(repeating: "a", count: 128), true), (String(repeating: "a", count: 129), false),
    ("two words", false), ("a\"b", false), ("né", false), ("a@b.example", false),
  ])
  func aRequestsIdIsTakenWhenItIsSane(id: String, isTaken: Bool) throws {
    let server = try server()
    let answer = ProcessClient(port: server.port).send("GET", "/health", headers: [("X-Request-Id", id)])
    #expect((answer?.header("X-Request-Id") == id) == isTaken)
    server.stop()
  }

  @Test func browsersMayCallFromNamedOrigins() throws {
    let server = try server(["--cors-origin", "https://app.example"])
    let client = ProcessClient(port: server.port)
    let asking = [("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "authorization")]
    let preflight = try #require(
      client.send("OPTIONS", "/api/v1/content/share", headers: [("Origin", "https://app.example")] + asking))
    #expect(preflight.status == 204)
    #expect(preflight.header("Access-Control-Allow-Origin") == "https://app.example")
    #expect(preflight.header("Access-Control-Allow-Methods")?.contains("PATCH") == true)
    #expect(preflight.header("Access-Control-Allow-Headers")?.contains("Idempotency-Key") == true)
    let call = try #require(client.send("GET", "/api/v1/content/public", headers: [("Origin", "https://app.example")]))
    #expect(call.header("Access-Control-Allow-Origin") == "https://app.example")
    #expect(call.header("Vary") == "Authorization, Origin")
    for name in ["ETag", "Link", "X-Next-Cursor", "Retry-After", "Idempotency-Replayed"] {
      #expect(call.header("Access-Control-Expose-Headers")?.contains(name) == true)
    }
    for origin in ["https://evil.example", "https://app.example.evil.example", "http://app.example", "null"] {
      let answer = try #require(client.send("OPTIONS", "/api/v1/content/share", headers: [("Origin", origin)] + asking))
      #expect(answer.header("Access-Control-Allow-Origin") == nil)
      #expect(answer.header("Access-Control-Allow-Methods") == nil)
      #expect(
        client.send("GET", "/health", headers: [("Origin", origin)])?.header("Access-Control-Allow-Origin") == nil)
    }
    #expect(client.send("GET", "/health")?.header("Vary") == "Origin", "caches need it, even without an origin")
    server.stop()
  }

  @Test func allOriginsNeverMeansCredentials() throws {
    let server = try server([], Self.environment.merging(["CORS_ORIGINS": "*"]) { $1 })
    let answer = ProcessClient(port: server.port).send("GET", "/health", headers: [("Origin", "https://a.example")])
    #expect(answer?.header("Access-Control-Allow-Origin") == "*")
    #expect(answer?.header("Access-Control-Allow-Credentials") == nil)
    server.stop()
  }

  @Test func theEleventhShareInAMinuteWaits() throws {
    let server = try server()
    let client = ProcessClient(port: server.port)
    let token = try #require(client.signIn())
    for number in 0..<10 {
      let answer = try #require(
        client.send(
          "POST", "/api/v1/content/share", token: token,
          body: ProcessClient.publication("limited-\(number)-0A1B2C3D", title: "Limited \(number)")))
      #expect(answer.status == 201)
      #expect(answer.header("RateLimit-Limit") == "10")
      #expect(answer.header("RateLimit-Remaining") == String(9 - number))
    }
    let refused = try #require(
      client.send(
        "POST", "/api/v1/content/share", token: token,
        body: ProcessClient.publication("limited-10-0A1B2C3D", title: "Limited")))
    #expect(refused.status == 429)
    #expect(refused.problemCode == "rate_limited")
    #expect((1...60).contains(Int(refused.header("Retry-After") ?? "") ?? 0))
    #expect(client.send("GET", "/api/v1/content/limited-10-0A1B2C3D")?.status == 404)
    // Other users are not affected, and reading has its own limit.
    let other = try #require(client.signIn("mate"))
    let body = ProcessClient.publication("other-0A1B2C3D", title: "Other")
    #expect(client.send("POST", "/api/v1/content/share", token: other, body: body)?.status == 201)
    #expect(client.send("GET", "/api/v1/content/limited-0-0A1B2C3D", token: token)?.status == 200)
    server.stop()
  }

  @Test func signInIsLimitedByAddress() throws {
    let server = try server(["--trust-proxy"])
    let client = ProcessClient(port: server.port)
    func signIn(_ address: String) -> Int? {
      client.send(
        "POST", "/api/v1/auth/apple-signin", headers: [("X-Forwarded-For", address)],
        body: "{\"identity_token\":\"a.b.c\"}")?.status
    }
    for _ in 0..<5 { #expect(signIn("203.0.113.1") == 401) }
    #expect(signIn("203.0.113.1") == 429)
    #expect(signIn("198.51.100.7, 203.0.113.1") == 429, "what the client wrote before it does not count")
    #expect(signIn("203.0.113.2") == 401)
    for last in 1...5 { #expect(signIn("2001:db8::\(last)") == 401) }
    #expect(signIn("2001:db8::ffff") == 429, "one line has one limit")
    server.stop()
  }

  @Test func withoutTrustTheProxysWordIsNothing() throws {
    let server = try server()
    let client = ProcessClient(port: server.port)
    let statuses = (1...6).map { number in
      client.send(
        "POST", "/api/v1/auth/apple-signin", headers: [("X-Forwarded-For", "203.0.113.\(number)")],
        body: "{\"identity_token\":\"a.b.c\"}")?.status
    }
    #expect(statuses == [401, 401, 401, 401, 401, 429])
    server.stop()
  }

  @Test func everyRequestIsLimitedByAddress() throws {
    let server = try server(["--requests-per-minute", "5"])
    let client = ProcessClient(port: server.port)
    for _ in 0..<5 { #expect(client.send("GET", "/api/v1/content/public")?.status == 200) }
    #expect(client.send("GET", "/api/v1/content/public")?.status == 429)
    #expect(client.send("GET", "/health")?.status == 200, "probes are not limited")
    server.stop()
  }

  @Test func logsHoldNothingPersonal() throws {
    let server = try server()
    let client = ProcessClient(port: server.port)
    let token = try #require(client.signIn("secretive.person"))
    let body = ProcessClient.publication("private-words-0A1B2C3D", title: "Private words")
    #expect(client.send("POST", "/api/v1/content/share", token: token, body: body)?.status == 201)
    _ = client.send("GET", "/api/v1/content/private-words-0A1B2C3D?q=query-words")
    _ = client.send("GET", "/api/v1/content/public?q=query-words&tag=tag-words")
    _ = client.send("GET", "/api/v1/users/me", token: token + "x")
    _ = client.send("GET", "/somewhere/else-words")
    _ = client.send("POST", "/api/v1/auth/refresh", body: "{\"refresh_token\":\"refresh-words\"}")
    _ = client.send("POST", "/api/v1/content/share", token: token, body: "{\"title\":\"broken-words")
    let end = server.stop()
    #expect(end.errors.contains("\"route\":\"/api/v1/content/{public_id}\""))
    for word in [
      token, "secretive", "private-words", "Private words", "query-words", "tag-words", "else-words", "refresh-words",
      "broken-words", "Bearer",
    ] {
      #expect(!end.errors.contains(word), "\(word)")
    }
    let requests = end.errors.split(separator: "\n").filter { $0.contains("\"message\":\"request\"") }
    #expect(requests.count == 8)
    #expect(!requests.contains { $0.contains("127.0.0.1") })
  }

  @Test func metricsCountWhatIsPublished() throws {
    let server = try server()
    let client = ProcessClient(port: server.port)
    let token = try #require(client.signIn())
    let body = ProcessClient.publication("counted-0A1B2C3D", title: "Counted")
    #expect(client.send("POST", "/api/v1/content/share", token: token, body: body)?.status == 201)
    #expect(client.send("POST", "/api/v1/content/share", token: token, body: body)?.status == 409)
    _ = client.send("GET", "/api/v1/content/no-such-slug-0A1B2C3D")
    _ = client.send("PROPFIND", "/pot-\(UUID().uuidString)")
    let answer = try #require(client.send("GET", "/metrics"))
    #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
    #expect(answer.text.contains("content_published_total{content_type=\"checklist\"} 1\n"))
    let share = "route=\"/api/v1/content/share\",method=\"POST\""
    #expect(answer.text.contains("http_requests_total{\(share),status=\"201\"} 1\n"))
    #expect(answer.text.contains("http_requests_total{\(share),status=\"409\"} 1\n"))
    #expect(answer.text.contains("sync_request_duration_seconds_count{\(share),status=\"2xx\"} 1\n"))
    #expect(!answer.text.contains("no-such-slug") && !answer.text.contains("pot-"))
    #expect(answer.text.contains("route=\"unmatched\",method=\"OTHER\""))
    server.stop()
  }
}
