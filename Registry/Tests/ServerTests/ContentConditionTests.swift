import JSONText
import Testing

/// Tests entity tags, `If-Match`, `If-None-Match` and HEAD.
@Suite struct ContentConditionTests {
  @Test func `a tag changes with the item, and not with its counts`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      func tag() async throws -> String? { try await server.send("GET", "/api/v1/content/one-1").header("ETag") }
      let first = try await tag()
      _ = try await server.send("POST", "/api/v1/content/one-1/fork")
      #expect(try await tag() == first)
      var tags: Set = [first]
      let changes = [
        #"{"title":"Other"}"#, #"{"description":"Other"}"#, #"{"tags":["other"]}"#, #"{"language":"pt"}"#,
        #"{"content_data":{"sections":[{"title":"New"}]}}"#,
        ##"{"content_type":"guide","content_data":{"markdown":"# N"}}"##,
      ]
      for change in changes {
        let answer = try await server.send("PATCH", "/api/v1/content/one-1", token: captain.token, body: change)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await tag() == answer.header("ETag"))
        #expect(tags.insert(answer.header("ETag")).inserted, "\(change)")
      }
    }
  }

  @Test func `who has the item already gets 304 and counts no view`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      let tag = try #require(try await server.send("GET", "/api/v1/content/one-1").header("ETag"))
      for value in [tag, "W/\(tag)", "\"other\", \(tag)", "*", "\"\",W/\"x\" , \(tag)"] {
        let answer = try await server.send("GET", "/api/v1/content/one-1", headers: [("If-None-Match", value)])
        #expect(answer.status == 304, "\(value)")
        #expect(answer.header("ETag") == tag)
        #expect(
          try await server.send("HEAD", "/api/v1/content/one-1", headers: [("If-None-Match", value)]).status == 304)
      }
      #expect(try await server.read("one-1")["view_count"]?.integer == 2)
      for value in ["\"other\"", "", tag + "x", String(tag.dropLast()), tag.uppercased()] {
        let answer = try await server.send("GET", "/api/v1/content/one-1", headers: [("If-None-Match", value)])
        #expect(answer.status == 200, "\(value)")
      }
      #expect(try await server.send("GET", "/api/v1/content/no-1", headers: [("If-None-Match", "*")]).status == 404)
    }
  }

  @Test func `a change that expects another state is not made`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      let tag = try #require(try await server.send("GET", "/api/v1/content/one-1").header("ETag"))
      func change(_ value: String, _ method: String = "PATCH") async throws -> Int {
        try await server.send(
          method, "/api/v1/content/one-1", token: captain.token, headers: [("If-Match", value)],
          body: method == "DELETE" ? nil : #"{"title":"\#(value.utf8.count)"}"#
        ).status
      }
      for value in ["\"other\"", "W/\(tag)", "nonsense", "", tag.uppercased(), tag + tag] {
        #expect(try await change(value) == 412, "\(value)")
        #expect(try await change(value, "DELETE") == 412, "\(value)")
      }
      #expect(try await server.read("one-1")["title"]?.string == "Leaving the berth")
      #expect(try await change("*") == 200)
      #expect(try await change(tag) == 412)
      let now = try #require(try await server.send("HEAD", "/api/v1/content/one-1").header("ETag"))
      #expect(try await change("\"other\", \(now)") == 200)
      #expect(try await change("*", "DELETE") == 204)
      #expect(try await change("*") == 404)
    }
  }

  @Test func `of two changes to the same state one is made`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      let tag = try #require(try await server.send("GET", "/api/v1/content/one-1").header("ETag"))
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<12 {
          group.addTask {
            try await server.send(
              "PUT", "/api/v1/content/one-1", token: captain.token, headers: [("If-Match", tag)],
              body: #"{"title":"Title \#(number)"}"#
            ).status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.sorted() == [200] + Array(repeating: 412, count: 11))
    }
  }

  @Test func `HEAD says whose it is and what it is, without a view`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      let get = try await server.send("GET", "/api/v1/content/one-1")
      let head = try await server.send("HEAD", "/api/v1/content/one-1")
      #expect(head.status == 200)
      #expect(head.header("X-Owner-Id") == captain.id.text)
      #expect(head.header("ETag") == get.header("ETag"))
      #expect(head.header("X-Content-Digest")?.hasPrefix("sha-256=:") == true)
      #expect(try await server.read("one-1")["view_count"]?.integer == 2)
      #expect(try await server.send("HEAD", "/api/v1/content/none-1").status == 404)
      for path in ["content/public", "content/one-1/stats", "content/one-1/lineage", "openapi.json"] {
        let get = try await server.send("GET", "/api/v1/\(path)")
        let head = try await server.send("HEAD", "/api/v1/\(path)")
        #expect(head.status == 200)
        #expect(head.header("Content-Length") == get.header("Content-Length"), "\(path)")
      }
    }
  }
  @Test func `a change of what must not be there is not made`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      try await server.publish("one-1", by: captain)
      let tag = try #require(try await server.send("HEAD", "/api/v1/content/one-1").header("ETag"))
      func status(
        _ method: String, _ value: String, _ slug: String = "one-1", by person: TestServer.Person,
        _ body: String = #"{"title":"Other"}"#, more: [(String, String)] = []
      ) async throws -> Int {
        try await server.send(
          method, "/api/v1/content/\(slug)", token: person.token, headers: [("If-None-Match", value)] + more,
          body: method == "DELETE" ? nil : body
        ).status
      }
      for method in ["PUT", "PATCH", "DELETE"] {
        for value in ["*", tag, "W/\(tag)", "\"other\", \(tag)", "nonsense"] {
          #expect(try await status(method, value, by: captain) == 412, "\(method) \(value)")
        }
        #expect(try await status(method, "*", "none-1", by: captain) == 404)
        #expect(try await status(method, "*", by: mate) == 403)
        #expect(try await status(method, "*", by: captain, more: [("If-Match", tag)]) == 412)
        #expect(try await status(method, "\"other\"", by: captain, more: [("If-Match", "\"other\"")]) == 412)
      }
      // An empty change is checked, too.
      #expect(try await status("PATCH", "*", by: captain, "{}") == 412)
      let empty = try await server.send(
        "PATCH", "/api/v1/content/one-1", token: captain.token, headers: [("If-Match", "\"other\"")], body: "{}")
      #expect(empty.status == 412)
      #expect(try await server.read("one-1")["title"]?.string == "Leaving the berth")
      #expect(try await status("PATCH", "\"other\"", by: captain) == 200)
      #expect(try await status("DELETE", tag, by: captain) == 204)
    }
  }
}
