import JSONText
import RegistryAPI
import RegistryModel
import RegistryTestSupport
import Testing

/// Tests bodies, parameters and paths that are not accepted, and the places in the findings.
@Suite struct ContentRequestTests {
  @Test func `what cannot be read has its place`() async throws {
    let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
    let cases: [(body: String, code: String, pointer: String, place: String)] = [
      ("", "REG0001", "", "line 1, column 1"),
      ("{\n  \"title\": nope}", "REG0001", "", "line 2, column 13"),
      (
        #"{"title":"A","content_data":{"sections":[{"title":"B","title":"C"}]}}"#, "REG0002",
        "/content_data/sections/0/title", "column 55"
      ),
      (#"{"a":1,"\u0061":2}"#, "REG0002", "/a", "column 8"),
      (deep, "REG0003", "", "column 65"),
    ]
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      for (method, path) in [("POST", "share"), ("PUT", "one-1"), ("POST", "batch")] {
        for test in cases {
          if path == "batch" && test.code == "REG0003" { continue }
          let answer = try await server.send(
            method, "/api/v1/content/\(path)", token: captain.token, body: test.body)
          #expect(answer.status == 400)
          #expect(answer.problemCode == "invalid_json")
          #expect(answer.findings == ["\(test.code) \(test.pointer)"])
          #expect(answer.text.contains(test.place), "\(answer.text)")
        }
      }
    }
  }

  @Test func `findings point at members`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let answer = try await server.send(
        "POST", "/api/v1/content/share", token: captain.token,
        body: #"{"title":"","content_type":"checklist","content_data":{"sections":[{"title":5}]},"public_id":"a b"}"#)
      #expect(answer.status == 422)
      #expect(answer.problemCode == "invalid_content")
      #expect(Set(answer.pointers) == ["/title", "/content_data/sections/0/title", "/public_id"])
    }
  }

  @Test(arguments: ["share", "batch", "public", "mine"])
  func `slugs that paths need are refused`(slug: String) async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let answer = try await server.send(
        "POST", "/api/v1/content/share", token: captain.token, body: Publication.body(slug))
      #expect(answer.status == 422)
      #expect(answer.findings == ["REG0203 /public_id"])
    }
  }

  @Test func `bodies are JSON, as they are, and bounded`() async throws {
    var settings = TestServer.settings
    settings.bodyLimit = 2000
    try await TestServer.run(settings: settings) { server in
      let captain = try await server.person()
      func share(_ headers: [(String, String)], _ body: String) async throws -> HTTPAnswer {
        try await server.send(
          "POST", "/api/v1/content/share", token: captain.token, headers: headers, body: body)
      }
      let good = Publication.body("one-1")
      #expect(try await share([("Content-Type", "text/plain")], good).status == 415)
      #expect(try await share([("Content-Encoding", "gzip")], good).status == 415)
      #expect(try await share([("Content-Type", "application/json; charset=utf-8")], good).status == 201)
      #expect(
        try await share([("Content-Type", "application/merge-patch+json")], Publication.body("two-2")).status == 201)
      let long = Publication.body("three-3", data: #"{"sections":[],"note":"\#(String(repeating: "x", count: 2000))"}"#)
      let answer = try await share([], long)
      #expect(answer.status == 413)
      #expect(answer.problemCode == "body_too_large")
    }
  }

  @Test func `parameters that cannot be are named`() async throws {
    let id = RegistryID().text
    let cases: [(query: String, findings: [String])] = [
      ("?limit=0", ["REG0101 limit"]), ("?limit=101", ["REG0101 limit"]), ("?limit=ten", ["REG0101 limit"]),
      ("?limit=", ["REG0101 limit"]), ("?limit=1&limit=2", ["REG0102 limit"]), ("?limit=%2B5", ["REG0101 limit"]),
      ("?offset=-1", ["REG0101 offset"]), ("?page=0", ["REG0101 page"]), ("?sort=title", ["REG0101 sort"]),
      ("?content_type=book", ["REG0101 content_type"]), ("?type=guide&type=guide", ["REG0102 type"]),
      ("?type=book", ["REG0101 type"]), ("?content_type=checklist&type=book", ["REG0101 type"]),
      ("?cursor=3_1767607872123_\(id)", ["REG0101 cursor"]),
      ("?sort=most_forked&cursor=1767607872123_\(id)", ["REG0101 cursor"]),
      ("?cursor=%27", ["REG0101 cursor"]), ("?q=%00", ["REG0103 q"]), ("?tag=%FF", ["REG0103 tag"]),
      ("?language=%00", ["REG0103 language"]), ("?q=" + String(repeating: "x", count: 1001), ["REG0101 q"]),
      ("?limit=0&page=0", ["REG0101 limit", "REG0101 page"]),
      ("?limit=99999999999999999999999", ["REG0101 limit"]),
    ]
    try await TestServer.run { server in
      for test in cases {
        let answer = try await server.send("GET", "/api/v1/content/public\(test.query)")
        #expect(answer.status == 422, "\(test.query)")
        #expect(answer.problemCode == "invalid_parameter")
        #expect(answer.findings == test.findings, "\(test.query)")
        #expect(answer.pointers.allSatisfy { $0.isEmpty })
      }
      #expect(try await server.send("GET", "/api/v1/content/public?unknown=1&limit=5&&=&x").status == 200)
    }
  }

  @Test func `changes are listed since a date and time, and nothing else`() async throws {
    let good = [
      "2026-01-05T10:11:12Z", "2026-01-05T10:11:12.123Z", "2026-01-05T12:11:12%2B02:00", "2016-12-31T23:59:60Z",
    ]
    let bad = [
      "2026-01-05", "yesterday", "2026-13-05T10:11:12Z", "2026-02-30T10:11:12Z", "2026-01-05T10:11:12", "", "5",
    ]
    try await TestServer.run { server in
      let captain = try await server.person()
      for (dates, status) in [(good, 200), (bad, 422)] {
        for date in dates {
          let answer = try await server.send("GET", "/api/v1/content/mine?since=\(date)", token: captain.token)
          #expect(answer.status == status, "\(date)")
        }
      }
    }
  }

  /// Unreserved characters may be encoded; the encoded path names the same resource for every method, limit and log
  /// line.
  @Test func `encoded unreserved characters are equal to plain ones`() async throws {
    var settings = TestServer.settings
    settings.limitsRates = true
    settings.limits.general = RateLimit(6, per: 60)
    try await TestServer.run(settings: settings) { server in
      let captain = try await server.person()
      _ = try await server.registry.store.publish(StoreSamples.request("fog-0001"), by: captain.grant.user)
      for path in ["/content/fog-0001", "/content/fog%2D0001", "/content/%66og%2d%30001", "/content/%66og-0001/stats"] {
        #expect(try await server.send("GET", "/api/v1" + path).status == 200, "\(path)")
      }
      // Paths with other encoded characters, or dot segments, do not exist.
      for path in ["/content%2Ffog-0001", "/content/fog%252D0001"] {
        #expect(try await server.send("GET", "/api/v1" + path).problemCode == "not_found", "\(path)")
      }
      for path in ["/%61pi/v1/content/fog-0001", "/api/v%31/auth/%6De"] {
        let request = "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        let wire = try await server.exchange(Array(request.utf8))
        #expect(String(decoding: wire.prefix(12), as: UTF8.self) == "HTTP/1.1 429", "\(path)")
      }
    }
    try await TestServer.run { server in
      let captain = try await server.person()
      _ = try await server.registry.store.publish(StoreSamples.request("fog-0001"), by: captain.grant.user)
      for path in [
        "/api/v1/content/./fog-0001", "/api/v1/content/%2E/fog-0001", "/api/v1/content/x/%2e%2E/fog-0001",
        "/api/v1/auth/..%2Fcontent/fog-0001", "/api/v1/content/fog-0001%00", "/api/v1/content/fog%2",
        "/api/v1/users/%2E%2E",
      ] {
        #expect(try await server.send("GET", path).status == 404, "\(path)")
      }
      #expect(try await server.send("DELETE", "/api/v1/content/fog%2D0001", token: captain.token).status == 204)
      #expect(try await server.send("GET", "/api/v1/content/fog-0001").status == 404)
    }
  }

  @Test func `paths have one spelling, and say what they take`() async throws {
    try await TestServer.run { server in
      for path in [
        "/api/v1/content/public/", "/api/v1//content/public", "/api/v1/content", "/api/v2/content/public",
        "/api/v1/content/a/b/c", "/api/v1/content/%2e%2e", "/api/v1/content/a%20b", "/api/v1/content/a_b/stats",
        "/api/v1/content/" + String(repeating: "a", count: 256),
      ] {
        let answer = try await server.send("GET", path)
        #expect(answer.status == 404, "\(path)")
        #expect(answer.problemCode == "not_found")
      }
      let cases = [
        ("GET", "/api/v1/content/share", ["POST"]), ("DELETE", "/api/v1/content/public", ["GET", "HEAD"]),
        ("POST", "/api/v1/content/one-1", ["DELETE", "GET", "HEAD", "PATCH", "PUT"]),
        ("PUT", "/api/v1/content/one-1/fork", ["POST"]), ("TRACE", "/api/v1/content/mine", ["GET", "HEAD"]),
      ]
      for (method, path, allowed) in cases {
        let answer = try await server.send(method, path)
        #expect(answer.status == 405, "\(method) \(path)")
        let allow = Set((answer.header("Allow") ?? "").split(separator: ",").map { $0.trimmingPrefix(" ").description })
        #expect(allow == Set(allowed + ["OPTIONS"]), "\(method) \(path)")
      }
    }
  }
}
