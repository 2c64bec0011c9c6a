import JSONText
import Testing

/// Tests lists: pages, filters and search.
@Suite struct ContentListTests {
  /// Publishes `item-0` and so on at the same time, so that only the id determines their order.
  private func publish(_ count: Int, on server: TestServer, by person: TestServer.Person) async throws {
    for number in 0..<count {
      try await server.publish("item-\(number)", by: person)
      if number % 3 == 2 { server.clock.advance(seconds: 1) }
    }
  }

  @Test func `pages by cursor hold everything once, while others publish`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await publish(25, on: server, by: captain)
      var seen: [String] = []
      var cursor: String? = ""
      while let here = cursor {
        let answer = try await server.send("GET", "/api/v1/content/public?limit=4&cursor=\(here)")
        let page = try answer.json()
        seen += (page["items"]?.elements ?? []).compactMap { $0["public_id"]?.string }
        cursor = page["next_cursor"]?.string
        #expect(answer.header("X-Next-Cursor") == cursor)
        #expect((answer.header("Link") == nil) == (cursor == nil))
        try await server.publish("late-\(seen.count)", by: captain)
        if seen.count > 60 { break }
      }
      #expect(seen.count == 25)
      #expect(Set(seen) == Set((0..<25).map { "item-\($0)" }))
    }
  }

  @Test func `a link leads to the next page in the way that was asked`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await publish(7, on: server, by: captain)
      for start in [
        "?limit=3", "?limit=3&offset=0", "?limit=3&page=1", "?limit=3&cursor=", "?limit=3&q=berth%20leaving",
      ] {
        var seen: [String] = []
        var path = "/api/v1/content/public" + start
        for _ in 0..<5 {
          let answer = try await server.send("GET", path)
          #expect(answer.status == 200)
          let root = try answer.json()
          seen += (root["items"] ?? root).elements.compactMap { $0["public_id"]?.string }
          guard let link = answer.header("Link") else { break }
          path = String(link.dropFirst().prefix { $0 != ">" })
        }
        #expect(seen.count == 7, "\(start)")
        #expect(Set(seen).count == 7)
      }
    }
  }

  @Test func `limit, offset and page cut the same list`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await publish(9, on: server, by: captain)
      let all = try await server.listed("?limit=100")
      #expect(all.count == 9)
      #expect(try await server.listed("?limit=4&offset=3") == Array(all[3..<7]))
      #expect(try await server.listed("?limit=4&page=2") == Array(all[4..<8]))
      #expect(try await server.listed("?limit=4&page=3") == Array(all[8...]))
      #expect(try await server.listed("?offset=9") == [])
      #expect(try await server.listed("?limit=4&page=2&offset=1") == Array(all[4..<8]))
    }
  }

  @Test func `a list that is asked for no page is one of a hundred`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await publish(103, on: server, by: captain)
      let all = try await server.send("GET", "/api/v1/content/public")
      let first = try await server.listed("")
      #expect(first.count == 100)
      #expect(try all.json().elements.compactMap { $0["public_id"]?.string } == first)
      #expect(all.header("Link")?.contains("offset=100") == true)
      let rest = try await server.listed("?cursor=\(all.header("X-Next-Cursor") ?? "")")
      #expect(try await server.listed("?page=2") == rest && rest.count == 3)
      #expect(Set(first + rest).count == 103)
      #expect(try await server.listed("", token: captain.token, path: "mine").count == 100)
      #expect(try await server.send("GET", "/api/v1/content/public?limit=101").status == 422)
    }
  }

  @Test func `pages are exact to the millisecond, though answers say whole seconds`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let slugs = (0..<9).map { "item-\($0)" }
      for slug in slugs {
        try await server.publish(slug, by: captain)
        server.clock.advance(seconds: 0.123)
      }
      for (path, order) in [("public", Array(slugs.reversed())), ("mine", slugs)] {
        var seen: [String] = []
        var cursor: String? = ""
        while let here = cursor, seen.count < 20 {
          let answer = try await server.send(
            "GET", "/api/v1/content/\(path)?limit=2&cursor=\(here)", token: captain.token)
          let page = try answer.json()
          for item in page["items"]?.elements ?? [] {
            seen.append(item["public_id"]?.string ?? "")
            #expect(item["created_at"]?.string?.utf8.count == 20 && item["updated_at"]?.string?.utf8.count == 20)
          }
          cursor = page["next_cursor"]?.string
        }
        #expect(seen == order, "\(path)")
      }
      // A client that asks for changes since a time in an answer misses nothing within that second.
      let changed = try await server.listed("?since=2026-01-05T10:11:12Z", token: captain.token, path: "mine")
      #expect(changed == Array(slugs.suffix(8)))
    }
  }

  @Test func `filters choose by type, tag and language`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("a-1", by: captain, more: #","tags":["Fog","night"],"language":"en""#)
      try await server.publish(
        "b-1", by: captain, type: "guide", data: ##"{"markdown":"# Fog"}"##,
        more: #","tags":["fog"],"language":"pt-BR""#)
      try await server.publish(
        "c-1", by: captain, type: "deck", data: #"{"cards":[]}"#, more: #","tags":[],"language":"pt""#)
      func set(_ query: String) async throws -> Set<String> { Set(try await server.listed(query)) }
      #expect(try await set("?content_type=practice_guide") == ["b-1"])
      #expect(try await set("?type=guide") == ["b-1"])
      #expect(try await set("?type=deck&content_type=deck") == ["c-1"])
      #expect(try await set("?tag=fog") == ["a-1", "b-1"])
      #expect(try await set("?tag=fog&tag=NIGHT") == ["a-1"])
      #expect(try await set("?language=pt") == ["b-1", "c-1"])
      #expect(try await set("?language=pt-BR") == ["b-1"])
      #expect(try await set("?language=p") == [])
      #expect(try await set("?sort=newest") == ["a-1", "b-1", "c-1"])
    }
  }

  @Test func `lists have three orders, each with its own pages`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      for (index, forks) in [1, 0, 2, 0].enumerated() {
        try await server.publish("p-\(index)", by: captain)
        for _ in 0..<forks { _ = try await server.registry.store.countFork(publicID: "p-\(index)") }
        server.clock.advance(seconds: 1)
      }
      for (sort, order) in [("newest", "3210"), ("oldest", "0123"), ("most_forked", "2031")] {
        let slugs = order.map { "p-\($0)" }
        #expect(try await server.listed("?sort=\(sort)&limit=3&page=2") == [slugs[3]])
        var seen: [String] = []
        var cursor: String? = ""
        while let here = cursor, seen.count < 9 {
          let answer = try await server.send("GET", "/api/v1/content/public?sort=\(sort)&limit=1&cursor=\(here)")
          seen += try answer.json()["items"]?.elements.compactMap { $0["public_id"]?.string } ?? []
          cursor = answer.header("X-Next-Cursor")
          #expect((cursor != nil) == (answer.header("Link")?.contains("sort=\(sort)") == true))
        }
        #expect(seen == slugs, "\(sort)")
      }
    }
  }

  @Test func `words are found wherever they stand`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("a-1", by: captain, title: "Reefing early", more: #","description":"Before the squall""#)
      try await server.publish(
        "b-1", by: captain, title: "Anchoring",
        data: #"{"sections":[{"title":"Bow","items":[{"title":"Überprüfe chain"}]}]}"#)
      func found(_ words: String) async throws -> [String] { try await server.listed("?q=\(words)") }
      #expect(try await found("reefing") == ["a-1"])
      #expect(try await found("squall+reef") == ["a-1"])
      #expect(try await found("chain") == ["b-1"])
      #expect(try await found("uberprufe") == ["b-1"])
      #expect(try await found("chain+reefing") == [])
      #expect(Set(try await found("")) == ["a-1", "b-1"])
    }
  }

  /// Input from users or attackers. Each string is treated as a list of words, which may be empty, and never as SQL or
  /// the index's query language.
  static let hostile = [
    "'", "''", "\"", "\"\"", "' OR '1'='1", "'; DROP TABLE shared_content; --", "1) UNION SELECT email FROM users --",
    "*", "**", "a*", "NEAR", "NEAR(a b)", "AND", "OR", "NOT", "a AND", "(", ")", "((", "title:x", "{title}:x", "^x",
    "-x", "+x", "%", "_", "\\", "\\\\", "a\tb", "a\nb", "\u{1}", "\u{7f}", "é", "e\u{301}", "👩‍👩‍👧‍👦", "\u{202e}abc",
    "Ω", "ß", "ﬁ", "中文", "а́б", "\u{feff}", "\u{2028}", "--", "/*", "*/", ";", "|", "$(id)", "`id`", "${x}", "{{7*7}}",
    "<script>alert(1)</script>", "../../etc/passwd", "null", "undefined", "NaN", "true", "0x00",
    String(repeating: "a", count: 1000), String(repeating: "a ", count: 500), String(repeating: "\"", count: 1000),
    String(repeating: "(", count: 1000), String(repeating: "é", count: 1000),
  ]

  @Test func `no text is more than text`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      for (index, text) in Self.hostile.enumerated() {
        let query = text.utf8.map { "%" + String(UInt32($0) + 0x100, radix: 16).dropFirst() }.joined()
        for name in ["q", "tag", "language"] {
          let answer = try await server.send("GET", "/api/v1/content/public?\(name)=\(query)")
          #expect(answer.status == 200, "\(name) \(text.prefix(40))")
        }
        // As content, the string is returned unchanged.
        var out = JSONText.ByteBuffer()
        out.appendJSONString("x" + text.prefix(400))
        let json = String(decoding: out.bytes, as: UTF8.self)
        let answer = try await server.send(
          "POST", "/api/v1/content/share", token: captain.token,
          body:
            #"{"title":\#(json),"description":\#(json),"content_type":"guide","content_data":{"markdown":\#(json)},"#
            + #""tags":[\#(json)],"public_id":"item-\#(index)"}"#)
        #expect(answer.status == 201, "\(text.prefix(40)): \(answer.text)")
        let item = try await server.read("item-\(index)")
        for value in [
          item["title"], item["description"], item["tags"]?[0], item.at(JSONPointer("/content_data/markdown")!),
        ] {
          #expect(
            value?.string.map { $0.utf8.elementsEqual("x\(text.prefix(400))".utf8) } == true, "\(text.prefix(40))")
        }
        let tag = "x\(text.prefix(400))".utf8.map { "%" + String(UInt32($0) + 0x100, radix: 16).dropFirst() }.joined()
        #expect(try await server.listed("?tag=\(tag)").contains("item-\(index)"), "\(text.prefix(40))")
      }
      #expect(try await server.listed("?limit=100").count == Self.hostile.count)
    }
  }

  @Test func `one's own list holds what was unpublished, in the order of changes`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      for slug in ["a-1", "b-1", "c-1"] {
        try await server.publish(slug, by: captain)
        server.clock.advance(seconds: 10)
      }
      try await server.publish("other-1", by: mate)
      _ = try await server.send("PATCH", "/api/v1/content/a-1", token: captain.token, body: #"{"title":"Anew"}"#)
      server.clock.advance(seconds: 10)
      _ = try await server.send("DELETE", "/api/v1/content/b-1", token: captain.token)
      let mine = try await server.send("GET", "/api/v1/content/mine", token: captain.token).json().elements
      #expect(mine.compactMap { $0["public_id"]?.string } == ["c-1", "a-1", "b-1"])
      #expect(mine.map { $0["deleted_at"]?.isNull } == [true, true, false])
      let since = try await server.listed("?since=2026-01-05T10:11:32Z", token: captain.token, path: "mine")
      #expect(since == ["a-1", "b-1"])
      var seen: [String] = []
      var cursor: String? = ""
      while let here = cursor, seen.count < 10 {
        let page = try await server.send(
          "GET", "/api/v1/content/mine?limit=1&cursor=\(here)", token: captain.token
        ).json()
        seen += (page["items"]?.elements ?? []).compactMap { $0["public_id"]?.string }
        cursor = page["next_cursor"]?.string
      }
      #expect(seen == ["c-1", "a-1", "b-1"])
      #expect(try await server.send("GET", "/api/v1/content/mine").status == 401)
    }
  }
}
