import JSONText
import Testing

/// Tests `Idempotency-Key`: the same request has the same answer and a single effect.
@Suite struct ContentIdempotencyTests {
  private func send(
    _ server: TestServer, _ method: String, _ path: String, _ person: TestServer.Person, key: String,
    more: [(String, String)] = [], body: String? = nil
  ) async throws -> HTTPAnswer {
    try await server.send(
      method, "/api/v1/content/\(path)", token: person.token, headers: [("Idempotency-Key", key)] + more, body: body)
  }

  @Test func `a repeated request is answered as before`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let batch =
        #"{"operations":[{"operation":"publish","payload":\#(Publication.body("two-2"))},{"operation":"unpublish","payload":{"public_id":"two-2"}}]}"#
      let requests: [(String, String, String?)] = [
        ("POST", "share", Publication.body("one-1")), ("PATCH", "one-1", #"{"title":"Other"}"#),
        ("PUT", "one-1", #"{"title":"Third"}"#), ("POST", "batch", batch), ("DELETE", "one-1", nil),
        // Store refusals are stored as answers, too.
        ("POST", "share", Publication.body("one-1")), ("DELETE", "none-1", nil),
      ]
      for (index, (method, path, body)) in requests.enumerated() {
        let first = try await send(server, method, path, captain, key: "key-\(index)", body: body)
        #expect(first.header("Idempotency-Replayed") == nil)
        server.clock.advance(seconds: 5)
        let second = try await send(server, method, path, captain, key: "key-\(index)", body: body)
        #expect(second.header("Idempotency-Replayed") == "true")
        #expect(second.status == first.status)
        #expect(second.body == first.body)
        #expect(second.header("ETag") == first.header("ETag"))
        #expect(second.header("Location") == first.header("Location"))
      }
      // This holds even if the item was deleted since.
      let late = try await send(server, "PATCH", "one-1", captain, key: "key-1", body: #"{"title":"Other"}"#)
      #expect(late.status == 200)
      #expect(late.header("Idempotency-Replayed") == "true")
    }
  }

  @Test func `a key stands for one request`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      #expect(try await send(server, "POST", "share", captain, key: "k", body: Publication.body("one-1")).status == 201)
      let others: [(String, String, String?, [(String, String)])] = [
        ("POST", "share", Publication.body("two-2"), []), ("PATCH", "one-1", #"{"title":"Other"}"#, []),
        ("DELETE", "one-1", nil, []), ("DELETE", "one-1", nil, [("If-Match", "*")]),
      ]
      for (method, path, body, more) in others {
        let answer = try await send(server, method, path, captain, key: "k", more: more, body: body)
        #expect(answer.status == 422)
        #expect(answer.problemCode == "idempotency_key_reused")
      }
      #expect(try await server.read("one-1")["title"]?.string == "Leaving the berth")
      // Another user's keys are different keys.
      #expect(try await send(server, "POST", "share", mate, key: "k", body: Publication.body("two-2")).status == 201)
      // Requests that never reached the store are not recorded: after a correction, they may be sent again.
      #expect(try await send(server, "POST", "share", mate, key: "m", body: Publication.body("a b")).status == 422)
      #expect(try await send(server, "POST", "share", mate, key: "m", body: Publication.body("a-b")).status == 201)
    }
  }

  @Test func `of many at once one has an effect`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let answers = try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
        for _ in 0..<20 {
          group.addTask {
            try await send(server, "POST", "share", captain, key: "same", body: Publication.body("one-1"))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.allSatisfy { $0.status == 201 })
      #expect(Set(answers.map(\.text)).count == 1)
      #expect(answers.count { $0.header("Idempotency-Replayed") == nil } == 1)
      #expect(try await server.listed("") == ["one-1"])
    }
  }

  @Test(arguments: ["", "a b", "é", String(repeating: "k", count: 256)])
  func `keys are short and visible`(key: String) async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let answer = try await send(server, "POST", "share", captain, key: key, body: Publication.body("one-1"))
      #expect(answer.status == 422)
      #expect(answer.findings == ["REG0104 Idempotency-Key"])
      #expect(try await server.listed("") == [])
    }
  }
  @Test func `an answer is repeated whatever has become of the item`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      let change = #"{"content_type":"checklist","content_data":{"sections":[{"title":"A"}]}}"#
      let bare = #"{"content_data":{"sections":[]}}"#
      let batch =
        #"{"operations":[{"operation":"publish_update","payload":{"public_id":"one-1","content_data":{"sections":[]}}}]}"#
      let requests: [(String, String, String?)] = [
        ("PATCH", "one-1", bare), ("PUT", "one-1", bare), ("PATCH", "one-1", #"{"content_type":"checklist"}"#),
        ("PUT", "one-1", change), ("POST", "batch", batch), ("POST", "share", Publication.body("two-2")),
      ]
      var answers: [HTTPAnswer] = []
      for (index, (method, path, body)) in requests.enumerated() {
        let answer = try await send(server, method, path, captain, key: "key-\(index)", body: body)
        #expect(answer.status < 300, "\(method) \(path): \(answer.text)")
        answers.append(answer)
      }
      func replay(_ when: String) async throws {
        for (index, (method, path, body)) in requests.enumerated() {
          let answer = try await send(server, method, path, captain, key: "key-\(index)", body: body)
          #expect(answer.status == answers[index].status, "\(when): \(method) \(path)")
          #expect(answer.body == answers[index].body)
          #expect(answer.header("Idempotency-Replayed") == "true")
        }
      }
      let other = try await server.send(
        "PATCH", "/api/v1/content/one-1", token: captain.token,
        body: ##"{"content_type":"guide","content_data":{"markdown":"# N"}}"##)
      #expect(other.status == 200, "\(other.text)")
      try await replay("another type")
      #expect(try await send(server, "PATCH", "one-1", captain, key: "new", body: bare).status == 422)
      let gone = try await send(server, "DELETE", "one-1", captain, key: "gone")
      try await replay("unpublished")
      let again = try await send(server, "DELETE", "one-1", captain, key: "gone")
      #expect(again.status == gone.status && again.header("Idempotency-Replayed") == "true")
      // The key is bound to its request, even if the new request could not be accepted anyway.
      let reused = try await send(server, "POST", "share", captain, key: "key-5", body: Publication.body("a b"))
      #expect(reused.problemCode == "idempotency_key_reused")
    }
  }
}
