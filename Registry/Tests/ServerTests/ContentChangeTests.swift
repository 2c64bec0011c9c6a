import JSONText
import Testing

/// Tests the effects of a change on the stored document.
@Suite struct ContentChangeTests {
  private static let words = #","description":"secretphonenumber","tags":["secrettag"]"#

  @Test func `what the owner takes out of an item leaves its document and the search`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain, title: "Former name", more: Self.words)
      #expect(try await server.listed("?q=secretphonenumber") == ["one-1"])
      let before = try await server.send("HEAD", "/api/v1/content/one-1").header("ETag")
      let answer = try await server.send(
        "PATCH", "/api/v1/content/one-1", token: captain.token,
        body: #"{"title":"Later name","description":null,"tags":[]}"#)
      #expect(answer.status == 200)
      #expect(answer.header("ETag") != before)
      let item = try await server.send("GET", "/api/v1/content/one-1")
      #expect(item.header("ETag") == answer.header("ETag"))
      let document = try item.json()["content_data"]
      #expect(document?["title"]?.string == "Later name")
      #expect(document?["description"]?.isNull == true)
      #expect(document?["tags"]?.text == "[]")
      for word in ["secretphonenumber", "secrettag", "former"] {
        #expect(!item.text.lowercased().contains(word))
        #expect(try await server.listed("?q=\(word)") == [])
      }
      #expect(try await server.listed("?q=later") == ["one-1"])
    }
  }

  @Test func `what the document says of its own stays`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish(
        "one-1", by: captain, title: "Outer", data: #"{"title":"Inner","tags":["own"],"sections":[]}"#)
      let answer = try await server.send(
        "PATCH", "/api/v1/content/one-1", token: captain.token, body: #"{"title":"Changed","tags":["new"]}"#)
      #expect(answer.status == 200)
      let document = try await server.read("one-1")["content_data"]
      #expect(document?["title"]?.string == "Inner")
      #expect(document?["tags"]?.text == #"["own"]"#)
    }
  }

  @Test func `what cannot be changed is said, and nothing changes nothing`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      let before = try await server.read("one-1")["updated_at"]?.string
      server.clock.advance(seconds: 5)
      func patch(_ body: String) async throws -> HTTPAnswer {
        try await server.send("PATCH", "/api/v1/content/one-1", token: captain.token, body: body)
      }
      let refused = try await patch(#"{"title":"New","can_fork":false}"#)
      #expect(refused.status == 422)
      #expect(refused.findings == ["INT0109 /can_fork"])
      for body in ["{}", #"{"can_fork":true}"#, #"{"title":null}"#] {
        let answer = try await patch(body)
        #expect(answer.status == 200)
        #expect(try answer.json()["updated_at"]?.string == before)
      }
      let other = try await patch(#"{"content_data":{"markdown":"x"}}"#)
      #expect(other.findings == ["INT0108 /content_data"])
      let item = try await server.read("one-1")
      #expect(item["title"]?.string == "Leaving the berth")
      #expect(item["updated_at"]?.string == before)
    }
  }

  @Test func `a new document keeps id and time of creation, in a batch as well`() async throws {
    let first = #"{"id":"11111111-2222-3333-4444-555555555555","createdAt":"2020-01-05T10:11:12Z","sections":[]}"#
    let next = #"{"sections":[{"title":"Below","items":[]}]}"#
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain, data: first)
      try await server.publish("two-2", by: captain, data: first)
      let single = try await server.send(
        "PATCH", "/api/v1/content/one-1", token: captain.token, body: #"{"content_data":\#(next)}"#)
      #expect(single.status == 200)
      let update = { (slug: String, more: String) in
        #"{"operation":"update","payload":{"public_id":"\#(slug)"\#(more)}}"#
      }
      let operations = [
        update("two-2", #","title":"Renamed""#), update("two-2", #","content_data":\#(next)"#),
        #"{"operation":"publish","payload":\#(Publication.body("three-3", data: first))}"#,
        update("three-3", #","content_data":\#(next)"#), update("three-3", #","content_data":{}"#),
      ]
      let batch = try await server.send(
        "POST", "/api/v1/content/batch", token: captain.token,
        body: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
      #expect(try batch.json()["results"]?.elements.compactMap { $0["status"]?.integer } == [200, 200, 201, 200, 200])
      for slug in ["one-1", "two-2", "three-3"] {
        let document = try await server.read(slug)["content_data"]
        #expect(document?["id"]?.string == "11111111-2222-3333-4444-555555555555")
        #expect(document?["createdAt"]?.string == "2020-01-05T10:11:12Z")
      }
      #expect(try await server.read("two-2")["content_data"]?["title"]?.string == "Renamed")
    }
  }
}
