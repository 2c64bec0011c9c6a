import JSONText
import Testing

/// Tests the requests in the product documents, and the answers that the documents describe.
@Suite struct ContentDocumentsTests {
  @Test func `sharing answers 201 with what the app reads`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let answer = try await server.send(
        "POST", "/api/v1/content/share", token: captain.token,
        body: Publication.body(
          "leaving-the-berth-2663557A", more: #","description":"Out","tags":["a"],"language":"en""#))
      #expect(answer.status == 201)
      let body = try answer.json()
      #expect(body["public_id"]?.string == "leaving-the-berth-2663557A")
      #expect(body["published_at"]?.string == "2026-01-05T10:11:12Z")
      #expect(body["author_username"]?.string == "captain")
      #expect(body["author_user_id"]?.string == captain.id.text)
      #expect(body["can_fork"]?.bool == true)
      #expect(answer.header("Location") == "/api/v1/content/leaving-the-berth-2663557A")
      #expect(answer.header("ETag")?.utf8.count == 66)
    }
  }

  @Test func `a slug is taken once, for ever`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      try await server.publish("one-1", by: captain)
      for person in [captain, mate] {
        let again = try await server.send(
          "POST", "/api/v1/content/share", token: person.token, body: Publication.body("one-1"))
        #expect(again.status == 409)
        #expect(again.problemCode == "public_id_taken")
      }
      // For reading, case matters; for new slugs, it does not.
      #expect(try await server.send("GET", "/api/v1/content/ONE-1").status == 404)
      for slug in ["ONE-1", "One-1"] {
        let other = try await server.send(
          "POST", "/api/v1/content/share", token: mate.token, body: Publication.body(slug))
        #expect(other.status == 409 && other.problemCode == "public_id_taken")
      }
      let gone = try await server.send("DELETE", "/api/v1/content/one-1", token: captain.token)
      #expect(gone.status == 204)
      #expect(gone.body.isEmpty)
      #expect(try await server.send("GET", "/api/v1/content/one-1").status == 404)
      #expect(try await server.send("DELETE", "/api/v1/content/one-1", token: captain.token).status == 404)
      let after = try await server.send(
        "POST", "/api/v1/content/share", token: captain.token, body: Publication.body("ONE-1"))
      #expect(after.status == 409)
    }
  }

  @Test func `only the owner changes and unpublishes`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      try await server.publish("one-1", by: captain)
      for (method, body) in [("PUT", #"{"title":"Mine now"}"#), ("PATCH", #"{"title":"Mine now"}"#), ("DELETE", nil)] {
        let answer = try await server.send(method, "/api/v1/content/one-1", token: mate.token, body: body)
        #expect(answer.status == 403)
        #expect(answer.problemCode == "not_owner")
        #expect(try await server.send(method, "/api/v1/content/one-1", body: body).status == 401)
        #expect(try await server.send(method, "/api/v1/content/two-2", token: mate.token, body: body).status == 404)
      }
      #expect(try await server.read("one-1")["title"]?.string == "Leaving the berth")
    }
  }

  @Test func `opening an item counts a view, and the answer has it`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      for count in 1...3 { #expect(try await server.read("one-1")["view_count"]?.integer == Int64(count)) }
      #expect(try await server.send("HEAD", "/api/v1/content/one-1").status == 200)
      let stats = try await server.send("GET", "/api/v1/content/one-1/stats").json()
      #expect(stats["views_count"]?.integer == 3)
      #expect(stats["creator"]?.string == "captain")
    }
  }

  @Test func `what the documents' own tests send is taken and answered whole`() async throws {
    let documents: [(String, String)] = [
      ("checklist", #"{"sections":[]}"#),
      (
        "checklist",
        #"{"id":"test-123","sections":[{"title":"Below","items":[{"title":"Seacocks","is_required":true}]}]}"#
      ),
      ("checklist", #""{\"sections\":[{\"title\":\"Below\",\"items\":[{\"title\":\"Seacocks\"}]}]}""#),
      ("practice_guide", ##"{"id":"test-123","markdown":"# Fog\n\nSound the horn."}"##),
      ("guide", ##"{"markdown":"# Fog"}"##),
      ("deck", #"{"cards":[{"front":"Port?","back":"Left"}]}"#),
    ]
    try await TestServer.run { server in
      let captain = try await server.person()
      for (index, (type, data)) in documents.enumerated() {
        try await server.publish("item-\(index)", by: captain, type: type, data: data)
        let item = try await server.read("item-\(index)")
        let content = try #require(item["content_data"])
        #expect(content.kind == .object)
        for member in ["id", "title", "tags", "createdAt", "updatedAt", "syncStatus"] {
          #expect(content[member] != nil, "\(member) of \(data)")
        }
        switch item["content_type"]?.string {
        case "checklist": #expect(content["sections"]?.kind == .array)
        case "practice_guide": #expect(content["markdown"]?.kind == .string)
        default: #expect(content["cards"]?.elements.count == 1)
        }
      }
      let nested = try await server.read("item-1")
      #expect(nested.at(JSONPointer("/content_data/sections/0/items/0/isRequired")!)?.bool == true)
    }
  }

  @Test func `the public list has the newest first, and no documents`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      for number in 1...3 {
        try await server.publish("item-\(number)", by: captain)
        server.clock.advance(seconds: 60)
      }
      let answer = try await server.send("GET", "/api/v1/content/public")
      let items = try answer.json().elements
      #expect(items.compactMap { $0["public_id"]?.string } == ["item-3", "item-2", "item-1"])
      #expect(items.allSatisfy { $0["content_data"] == nil })
      #expect(answer.header("Link") == nil)
    }
  }

  @Test func `changing keeps the counts and what is left out`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain, more: #","description":"Out","tags":["a","b"]"#)
      _ = try await server.read("one-1")
      server.clock.advance(seconds: 60)
      for (method, title) in [("PUT", "First"), ("PATCH", "Second")] {
        let answer = try await server.send(
          method, "/api/v1/content/one-1", token: captain.token, body: #"{"title":"\#(title)"}"#)
        #expect(answer.status == 200)
        #expect(try answer.json()["updated_at"]?.string == "2026-01-05T10:12:12Z")
        let item = try await server.read("one-1")
        #expect(item["title"]?.string == title)
        #expect(item["description"]?.string == "Out")
        #expect(item["tags"]?.elements.count == 2)
        #expect(item["created_at"]?.string == "2026-01-05T10:11:12Z")
      }
      #expect(try await server.read("one-1")["view_count"]?.integer == 4)
    }
  }
}
