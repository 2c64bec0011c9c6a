import JSONText
import Testing

/// Tests the lineage of items.
@Suite struct ContentLineageTests {
  private func titles(_ server: TestServer, _ name: String) async throws -> [String] {
    let answer = try await server.send("GET", "/api/v1/content/\(name)/lineage")
    #expect(answer.status == 200)
    return try answer.json().elements.compactMap { $0["title"]?.string }
  }

  @Test func `of a long way the nearest ten are told`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      var parent = ""
      for number in 1...15 {
        parent = try await server.publish(
          "item-\(number)", by: captain, title: "Step \(number)",
          more: parent.isEmpty ? "" : #","forked_from_id":"\#(parent)""#)
        server.clock.advance(seconds: 1)
      }
      #expect(try await titles(server, "item-15") == (6...15).map { "Step \($0)" })
      #expect(try await titles(server, parent.uppercased()) == (6...15).map { "Step \($0)" })
      #expect(try await titles(server, "item-1") == ["Step 1"])
      let steps = try await server.send("GET", "/api/v1/content/item-4/lineage").json().elements
      #expect(steps.map { $0["is_current"]?.bool } == [false, false, false, true])
      #expect(steps[0]["creator"]?.string == "captain")
      #expect(try await server.send("GET", "/api/v1/content/none-1/lineage").status == 404)
      #expect(
        try await server.send("GET", "/api/v1/content/9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10/stats").status == 404)
    }
  }

  @Test func `originals that are gone are steps still, without their titles`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      let cook = try await server.person("cook")
      let root = try await server.publish("root-1", by: captain, title: "Root")
      let middle = try await server.publish(
        "middle-1", by: mate, title: "Middle", more: #","forked_from_id":"\#(root)""#)
      try await server.publish("leaf-1", by: cook, title: "Leaf", more: #","forked_from_id":"\#(middle.uppercased())""#)
      _ = try await server.send("DELETE", "/api/v1/content/middle-1", token: mate.token)
      #expect(try await titles(server, "leaf-1") == ["Root", "", "Leaf"])
      #expect(try await server.send("DELETE", "/api/v1/users/me", token: captain.token).status == 204)
      #expect(try await server.send("GET", "/api/v1/content/root-1").status == 404)
      let steps = try await server.send("GET", "/api/v1/content/leaf-1/lineage").json().elements
      #expect(steps.compactMap { $0["creator"]?.string } == ["captain", "mate", "cook"])
      #expect(steps.compactMap { $0["title"]?.string } == ["", "", "Leaf"])
      let leaf = try await server.read("leaf-1")
      #expect(leaf["forked_from_id"]?.string == middle)
    }
  }

  /// Text from the original that a copy's own document repeats belongs to the copy's owner.
  @Test(arguments: ["/api/v1/content/root-1", "/api/v1/users/me"])
  func `the registry keeps what a document repeats, and shows nothing itself`(_ deleted: String) async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      let root = try await server.publish("root-1", by: captain, title: "Root")
      let data = #"{"sections":[],"originalContentPublicID":"root-1","forkedFromPublicID":"root-1"}"#
      try await server.publish("leaf-1", by: mate, title: "Leaf", data: data, more: #","forked_from_id":"\#(root)""#)
      let before = try await server.read("leaf-1")
      #expect(before["original_content_public_id"]?.string == "root-1")
      #expect(try await server.send("DELETE", deleted, token: captain.token).status == 204)
      let after = try await server.read("leaf-1")
      #expect(after["original_content_public_id"]?.isNull == true)
      #expect(after["content_data"]?.text == before["content_data"]?.text)
      for name in ["originalContentPublicID", "forkedFromPublicID"] {
        #expect(after["content_data"]?[name]?.string == "root-1")
      }
      #expect(try await server.send("GET", "/api/v1/content/root-1").status == 404)
      for path in ["leaf-1/lineage", "public", "leaf-1/stats"] {
        #expect(!(try await server.send("GET", "/api/v1/content/" + path).text.contains("root-1")), "\(path)")
      }
    }
  }

  @Test func `a slug that looks like an id is found`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let slug = "0B7E4C5D-0b7e-4c5d-8a51-6d1f0c3e7a10"
      try await server.publish(slug, by: captain, title: "Odd")
      #expect(try await titles(server, slug) == ["Odd"])
      #expect(try await server.send("GET", "/api/v1/content/\(slug)/stats").status == 200)
      #expect(try await server.send("GET", "/api/v1/content/\(slug.lowercased())/stats").status == 404)
    }
  }

  @Test func `a fork needs an original that may be forked`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      let closed = try await server.publish("closed-1", by: captain, more: #","can_fork":false"#)
      let answer = try await server.send(
        "POST", "/api/v1/content/share", token: mate.token,
        body: Publication.body("fork-1", more: #","forked_from_id":"\#(closed)""#))
      #expect(answer.status == 422)
      #expect(answer.findings == ["REG0204 /forked_from_id"])
      let noID = try await server.send(
        "POST", "/api/v1/content/share", token: mate.token,
        body: Publication.body("fork-1", more: #","forked_from_id":"not-an-id""#))
      #expect(noID.status == 422)
      #expect(noID.pointers == ["/forked_from_id"])
      // The owner may fork the item, and the refused requests left nothing behind.
      try await server.publish("fork-1", by: captain, more: #","forked_from_id":"\#(closed)""#)
    }
  }

  @Test func `an original that is not public here is no reason to refuse a copy`() async throws {
    try await TestServer.run { server in
      let mate = try await server.person("mate")
      let unknown = #","forked_from_id":"9B2C0A54-0b7e-4c5d-8a51-6d1f0c3e7a10""#
      let cases: [(more: String, data: String, author: String?)] = [
        (#","original_author_username":"zoe""#, #"{"sections":[]}"#, "zoe"),
        (#","original_author_username":"zoe""#, #"{"originalAuthorUsername":"yan"}"#, "zoe"),
        (#","original_author_username":" ""#, #"{"originalAuthorUsername":"yan"}"#, "yan"),
        ("", #"{"original_author_username":"yan"}"#, "yan"),
        ("", #""{\"originalAuthorUsername\":\"yan\"}""#, "yan"),
        (#","original_author_username":null"#, #"{"originalAuthorUsername":7}"#, nil),
        (#","original_author_username":"Борис Ёж""#, "{}", "Борис Ёж"),
        // A string that cannot be shown as a name is ignored.
        (#","original_author_username":"a\nb""#, #"{"originalAuthorUsername":"yan"}"#, "yan"),
        (#","original_author_username":"a\u202eb""#, #"{"originalAuthorUsername":"a\u200bb"}"#, nil),
        (#","original_author_username":"\ue000""#, #"{"original_author_username":"a\u2029b"}"#, nil),
        (#","original_author_username":"zoe@example.org""#, "{}", nil),
        (#","original_author_username":"\#(String(repeating: "ж", count: 101))""#, "{}", nil),
        (
          #","original_author_username":"\#(String(repeating: "ж", count: 100))""#, "{}",
          String(repeating: "ж", count: 100)
        ),
      ]
      for (number, item) in cases.enumerated() {
        let answer = try await server.send(
          "POST", "/api/v1/content/share", token: mate.token,
          body: Publication.body("fork-\(number)", data: item.data, more: unknown + item.more))
        #expect(answer.status == 201, "\(answer.text)")
        let notes = try #require(try answer.json()["notes"]?.elements)
        #expect(notes.map { $0["code"]?.string } == ["REG0205"])
        #expect(notes.map { $0["pointer"]?.string } == ["/forked_from_id"])
        let read = try await server.read("fork-\(number)")
        #expect(read["forked_from_id"]?.isNull == true && read["chain_depth"]?.integer == 1)
        #expect(read["original_author_username"]?.string == item.author)
        #expect(read["original_author_user_id"]?.isNull == true && read["original_content_public_id"]?.isNull == true)
      }
      // If an item is not a copy, the name of an original author is ignored. For a copy with a link, no note is needed.
      let root = try await server.publish("root-1", by: mate, more: #","original_author_username":"zoe""#)
      #expect(try await server.read("root-1")["original_author_username"]?.isNull == true)
      let linked = try await server.send(
        "POST", "/api/v1/content/share", token: mate.token,
        body: Publication.body("copy-1", more: #","forked_from_id":"\#(root)","original_author_username":"zoe""#))
      #expect(try linked.status == 201 && linked.json()["notes"] == nil)
      #expect(try await server.read("copy-1")["original_author_username"]?.string == "mate")
      let long = try await server.send(
        "POST", "/api/v1/content/share", token: mate.token,
        body: Publication.body(
          "copy-2", more: unknown + #","original_author_username":"\#(String(repeating: "z", count: 256))""#))
      #expect(long.status == 422 && long.pointers == ["/original_author_username"])
    }
  }

  @Test func `an original that was unpublished takes no new copies`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      let root = try await server.publish("root-1", by: captain, title: "Root")
      let parent = #","forked_from_id":"\#(root)""#
      try await server.publish("copy-1", by: mate, title: "Copy", more: parent)
      _ = try await server.send("DELETE", "/api/v1/content/root-1", token: captain.token)
      for person in [captain, mate] {
        let slug = "late-\(person.id.text)"
        let answer = try await server.send(
          "POST", "/api/v1/content/share", token: person.token, body: Publication.body(slug, more: parent))
        #expect(answer.status == 201)
        #expect(try answer.json()["notes"]?[0]?["code"]?.string == "REG0205")
        let late = try await server.read(slug)
        #expect(late["forked_from_id"]?.isNull == true && late["original_content_public_id"]?.isNull == true)
        #expect(late["original_author_username"]?.string == "captain")
        #expect(try await titles(server, slug) == ["Leaving the berth"])
      }
      // In a batch, a request can name an item that an earlier operation published.
      let own = try await server.publish("own-1", by: captain)
      let late = Publication.body("late-2", more: #","forked_from_id":"\#(own)""#)
      let batch = try await server.send(
        "POST", "/api/v1/content/batch", token: captain.token,
        body: """
          {"operations":[{"operation":"unpublish","payload":{"public_id":"own-1"}},
          {"operation":"publish","payload":\(late)}]}
          """)
      #expect(try batch.json()["results"]?.elements.map { $0["status"]?.integer } == [204, 201])
      #expect(
        try batch.json().at(JSONPointer("/results/1/body/notes/0/pointer")!)?.string
          == "/operations/1/payload/forked_from_id")
      // An existing copy can be changed as before, even though the change names its original.
      let change = try await server.send(
        "PUT", "/api/v1/content/copy-1", token: mate.token,
        body: Publication.body("copy-1", title: "Changed copy", more: parent))
      #expect(change.status == 200, "\(change.text)")
      #expect(try await titles(server, "copy-1") == ["", "Changed copy"])
    }
  }
}
