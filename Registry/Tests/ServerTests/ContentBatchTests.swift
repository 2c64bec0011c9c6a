import JSONText
import Testing

/// Tests many operations in one request.
@Suite struct ContentBatchTests {
  private func batch(
    _ server: TestServer, _ person: TestServer.Person, _ operations: [(String, String)]
  ) async throws -> HTTPAnswer {
    let list = operations.map { #"{"operation":"\#($0.0)","payload":\#($0.1)}"# }.joined(separator: ",")
    return try await server.send(
      "POST", "/api/v1/content/batch", token: person.token, body: #"{"operations":[\#(list)]}"#)
  }

  private func statuses(_ answer: HTTPAnswer) throws -> [Int64] {
    try (answer.json()["results"]?.elements ?? []).compactMap { $0["status"]?.integer }
  }

  @Test func `each operation has its result, in its place`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      try await server.publish("theirs-1", by: mate)
      try await server.publish("taken-1", by: captain)
      let answer = try await batch(
        server, captain,
        [
          ("publish", Publication.body("new-1")),
          ("publish", Publication.body("taken-1")),
          ("publish", Publication.body("bad-1", title: "")),
          ("publish_update", #"{"public_id":"new-1","title":"Changed"}"#),
          ("update", #"{"public_id":"theirs-1","title":"Changed"}"#),
          ("unpublish", #"{"public_id":"none-1"}"#),
          ("publish_update", #"{"public_id":"none-1","title":"Changed"}"#),
          ("unpublish", #"{"public_id":"taken-1"}"#),
          ("unpublish", #"{"public_id":"taken-1"}"#),
          ("unpublish", #"{"public_id":"a b"}"#),
          ("publish_update", #"{"public_id":"new-1","content_data":{"sections":5}}"#),
          ("publish", Publication.body("fork-1", more: #","forked_from_id":"9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10""#)),
        ])
      #expect(answer.status == 200)
      #expect(try statuses(answer) == [201, 409, 422, 200, 403, 404, 404, 204, 404, 422, 422, 201])
      let results = try #require(try answer.json()["results"]?.elements)
      #expect(results[0]["body"]?["public_id"]?.string == "new-1")
      #expect(results[0]["etag"]?.string != results[3]["etag"]?.string)
      #expect(results[2].at(JSONPointer("/body/findings/0/pointer")!)?.string == "/operations/2/payload/title")
      #expect(results[7]["body"]?.isNull == true)
      #expect(results[9].at(JSONPointer("/body/findings/0/pointer")!)?.string == "/operations/9/payload/public_id")
      #expect(
        results[10].at(JSONPointer("/body/findings/0/pointer")!)?.string
          == "/operations/10/payload/content_data/sections")
      #expect(
        results[11].at(JSONPointer("/body/notes/0/pointer")!)?.string == "/operations/11/payload/forked_from_id")
      #expect(try await server.read("new-1")["title"]?.string == "Changed")
      #expect(try await server.read("theirs-1")["title"]?.string == "Leaving the berth")
    }
  }

  @Test func `entity tags hold within a batch`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      let tag = try #require(try await server.send("HEAD", "/api/v1/content/one-1").header("ETag"))
      var json = JSONText.ByteBuffer()
      json.appendJSONString(tag)
      let quoted = String(decoding: json.bytes, as: UTF8.self)
      let change = { (title: String) in
        #"{"operation":"publish_update","payload":{"public_id":"one-1","title":"\#(title)"},"if_match":\#(quoted)}"#
      }
      let answer = try await server.send(
        "POST", "/api/v1/content/batch", token: captain.token,
        body: #"{"operations":[\#(change("First")),\#(change("Second"))]}"#)
      #expect(try statuses(answer) == [200, 412])
      #expect(try await server.read("one-1")["title"]?.string == "First")
    }
  }

  @Test func `500 are taken, 501 are not`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let many = (0..<500).map { ("publish", Publication.body("item-\($0)")) }
      let answer = try await batch(server, captain, many)
      #expect(try statuses(answer) == Array(repeating: 201, count: 500))
      let results = try #require(try answer.json()["results"]?.elements)
      #expect(results.compactMap { $0["body"]?["public_id"]?.string } == (0..<500).map { "item-\($0)" })
      let more = try await batch(server, captain, many + [("unpublish", #"{"public_id":"item-0"}"#)])
      #expect(more.status == 422)
      #expect(more.findings == ["REG0301 /operations/500"])
      #expect(try await server.read("item-0")["view_count"]?.integer == 1)
    }
  }

  @Test func `what is no batch is refused whole, with every place`() async throws {
    let cases: [(body: String, findings: [String])] = [
      ("[]", ["REG0301 "]), ("{}", ["REG0301 /operations"]), (#"{"operations":{}}"#, ["REG0301 /operations"]),
      (
        #"{"operations":[5,{"operation":"share","payload":{}},{"operation":"publish"},{"operation":"unpublish","payload":{},"if_match":5}]}"#,
        [
          "REG0301 /operations/0", "REG0301 /operations/1/operation", "REG0301 /operations/2/payload",
          "REG0301 /operations/3/if_match",
        ]
      ),
    ]
    try await TestServer.run { server in
      let captain = try await server.person()
      for test in cases {
        let answer = try await server.send(
          "POST", "/api/v1/content/batch", token: captain.token, body: test.body)
        #expect(answer.status == 422)
        #expect(answer.findings == test.findings)
      }
      #expect(try await batch(server, captain, []).status == 200)
    }
  }

  @Test func `a batch costs a request for each 50 operations`() async throws {
    var settings = TestServer.settings
    settings.limitsRates = true
    try await TestServer.run(settings: settings) { server in
      let captain = try await server.person()
      let many = { (count: Int) in (0..<count).map { ("unpublish", #"{"public_id":"item-\#($0)"}"#) } }
      for (count, left) in [(50, "9"), (51, "7"), (1, "6"), (300, "0")] {
        let answer = try await batch(server, captain, many(count))
        #expect(answer.status == 200)
        #expect(answer.header("RateLimit-Remaining") == left, "\(count)")
      }
      let refused = try await batch(server, captain, many(1))
      #expect(refused.status == 429)
      #expect(refused.problemCode == "rate_limited")
      #expect(refused.header("Retry-After") == "60")
      server.clock.advance(seconds: 60)
      #expect(try await batch(server, captain, many(500)).status == 200)
    }
  }
}
