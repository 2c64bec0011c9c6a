import Content
import ContentPack
import Foundation
import JSONText
import Pages
import RegistryAPI
import RegistryModel
import RegistryTestSupport
import Testing

/// Tests the pages for people, over HTTP.
@Suite struct PageTests {
  private static let checklist = #"""
    {"sections":[{"title":"Deck","items":[{"title":"Life jackets","isRequired":true,"estimatedMinutes":5},
    {"title":"Harness","isOptional":true,"itemDescription":"One each","estimatedMinutes":-1}]},
    {"title":"Below","items":[{"title":"Seacocks"}]}]}
    """#
  private static let guide = ##"{"markdown":"# Watch\n\nKeep **two** bearings.\n\n- [ ] Depth\n- [x] Light\n"}"##
  private static let deck = #"""
    {"cards":[{"front":"*Red* over green","back":"Sailing machine","hint":"Rhymes","source":"COLREG 25"},
    {"front":"Red over red","back":"Not under command"}]}
    """#

  /// Publishes one item of each type.
  private static func publishAll(_ server: TestServer, by person: TestServer.Person) async throws {
    try await server.publish(
      "deck-check-1", by: person, title: "Deck check", data: checklist,
      more: #","tags":["Safety","safe & sound"],"language":"en-GB","description":"Before casting off""#)
    try await server.publish(
      "watch-2", by: person, title: "Якорная вахта", type: "practice_guide", data: guide,
      more: #","tags":["anchor"],"language":"ru""#)
    try await server.publish("lights-3", by: person, title: "Lights", type: "flashcard_deck", data: deck)
  }

  @Test func `the pages of all types contain the content`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await Self.publishAll(server, by: captain)
      let checklist = try PageTags(try await server.send("GET", "/c/deck-check-1").text)
      #expect(checklist.count("span", class: "box") == 3 && checklist.count("ol", class: "steps") == 2)
      #expect(checklist.count("span", class: "mark") == 3 && checklist.count("h1") == 1)
      #expect(checklist.first("div", class: "content")?.attributes["lang"] == "en-GB")
      #expect(checklist.text.contains("--registry http://127.0.0.1:\(server.port)"))
      let guide = try PageTags(try await server.send("GET", "/c/watch-2?hl=ru").text)
      #expect(guide.first("html")?.attributes["lang"] == "ru" && guide.first("h1")?.attributes["lang"] == "ru")
      #expect(guide.count("strong") == 1 && guide.count("span", class: "box") == 1)
      #expect(guide.count("span", class: "box ticked") == 1 && guide.count("h2") == 2)
      let deck = try PageTags(try await server.send("GET", "/c/lights-3").text)
      #expect(deck.count("li", class: "card") == 2 && deck.count("div", class: "back") == 2 && deck.count("em") == 1)
      // Without JavaScript there is no button, and both sides are visible.
      #expect(deck.tags.filter { $0.name == "button" }.allSatisfy { $0.attributes["hidden"] != nil })
    }
  }

  @Test func `the list searches, filters and has pages`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await Self.publishAll(server, by: captain)
      func found(_ query: String) async throws -> Int {
        try PageTags(try await server.send("GET", "/\(query)").text).count("li", class: "item")
      }
      #expect(try await found("") == 3)
      #expect(try await found("?q=&type=&language=&tag=") == 3)
      #expect(try await found("?q=berth") == 0)
      #expect(try await found("?q=casting") == 1)
      #expect(try await found("?type=flashcard_deck&hl=ru") == 1)
      #expect(try await found("?language=ru") == 1)
      #expect(try await found("?tag=safety&tag=safe+%26+sound") == 1)
      #expect(try await found("?tag=safety&tag=anchor") == 0)
      let oldest = try PageTags(try await server.send("GET", "/?sort=oldest").text)
      #expect(oldest.hrefs.first { $0.hasPrefix("/c/") } == "/c/deck-check-1")
      #expect(oldest.tags.filter { $0.names == ["value", "selected"] }.map { $0.attributes["value"] } == ["oldest"])
      for number in 1...38 { try await server.publish("more-\(number)", by: captain) }
      let first = try PageTags(try await server.send("GET", "/?q=&hl=en").text)
      #expect(first.count("li", class: "item") == 20 && first.links(rel: "prev").isEmpty)
      #expect(first.links(rel: "next") == ["/?page=2&hl=en"])
      let last = try PageTags(try await server.send("GET", "/?page=3").text)
      #expect(last.count("li", class: "item") == 1 && last.links(rel: "next").isEmpty)
      #expect(last.links(rel: "prev") == ["/?page=2"])
      let beyond = try await server.send("GET", "/?page=9000")
      #expect(beyond.status == 200)
      #expect(try PageTags(beyond.text).count("p", class: "empty") == 1)
      #expect(try PageTags(beyond.text).links(rel: "prev") == ["/"])
    }
  }

  @Test func `an author's page contains the public items and nothing hidden`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let mate = try await server.person("mate")
      try await Self.publishAll(server, by: captain)
      try await server.publish("other-1", by: mate)
      _ = try await server.send("DELETE", "\(TestServer.content)/watch-2", token: captain.token)
      let body = #"{"bio":"Sails alone","location":"Kiel","profile_visibility":"VISIBILITY"}"#
      for (visibility, isShown) in [("public", true), ("private", false)] {
        _ = try await server.send(
          "PUT", "/api/v1/auth/me", token: captain.token, body: body.replacing("VISIBILITY", with: visibility))
        let answer = try await server.send("GET", "/u/captain")
        #expect(try PageTags(answer.text).count("li", class: "item") == 2)
        #expect(answer.text.contains("Sails alone") == isShown && answer.text.contains("Kiel") == isShown)
        #expect(!answer.text.contains("@") && !answer.text.contains("other-1"))
      }
      #expect(try await server.send("GET", "/u/CAPTAIN").status == 200)
      #expect(try await server.send("GET", "/u/none").status == 404)
    }
  }

  @Test func `a copy names its original, and links to it while it is public`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let mate = try await server.person("mate")
      let id = try await server.publish("one-1", by: captain, title: "The original title")
      try await server.publish("copy-1", by: mate, title: "A copy", more: #","forked_from_id":"\#(id)""#)
      let page = try await server.send("GET", "/c/copy-1")
      #expect(try PageTags(page.text).hrefs.count { $0 == "/c/one-1" } == 2)
      _ = try await server.send("DELETE", "\(TestServer.content)/one-1", token: captain.token)
      let after = try await server.send("GET", "/c/copy-1")
      #expect(after.text.contains("captain") && !after.text.contains("The original title"))
      #expect(!after.text.contains("one-1"))
    }
  }

  @Test func `what does not exist, is unpublished or was deleted has the same page`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let leaver = try await server.person("leaver")
      try await server.publish("gone-1", by: captain, title: "Secret words")
      try await server.publish("erased-1", by: leaver, title: "Secret words")
      _ = try await server.send("DELETE", "\(TestServer.content)/gone-1", token: captain.token)
      #expect(try await server.send("DELETE", "/api/v1/auth/me", token: leaver.token).status == 204)
      var bodies: Set<String> = []
      for slug in ["none-1", "gone-1", "erased-1", "no%20slug", String(repeating: "x", count: 300)] {
        for suffix in ["", ".md", ".jsonl"] {
          let answer = try await server.send("GET", "/c/\(slug)\(suffix)", headers: [("X-Request-Id", "same")])
          #expect(answer.status == 404 && answer.header("Content-Type") == "text/html; charset=utf-8")
          #expect(answer.header("Cache-Control") == "no-store")
          #expect(answer.header("Content-Security-Policy")?.contains("script-src 'self'") == true)
          bodies.insert(answer.text)
        }
      }
      #expect(bodies.count == 1)
      let everything = try await server.send("GET", "/").text + server.send("GET", "/feed.atom").text
      #expect(!everything.contains("Secret") && !everything.contains("gone-1"))
    }
  }

  @Test func `bad searches have a page that names the parameter`() async throws {
    try await TestServer.run { server in
      for query in [
        "q=" + String(repeating: "x", count: 10_000), "q=%FF%FE", "q=a&q=b", "page=0", "page=x", "page=10001",
        "type=boat", "tag=%00",
      ] {
        for path in ["/", "/feed.atom"] where path == "/" || !query.hasPrefix("page") {
          let answer = try await server.send("GET", "\(path)?\(query)", headers: [("Accept-Language", "ru")])
          #expect(answer.status == 422, "\(query.prefix(20))")
          let page = try PageTags(answer.text)
          #expect(page.count("li") >= 3 && page.first("html")?.attributes["lang"] == "ru")
          // The reader can search again.
          #expect(page.count("form", class: "search") == 1)
        }
      }
    }
  }

  @Test func `browsers get pages for problems, programs get JSON`() async throws {
    try await TestServer.run { server in
      for (method, path, accept, status, type) in [
        ("GET", "/nowhere", "text/html,*/*", 404, "text/html; charset=utf-8"),
        ("GET", "/nowhere", "*/*", 404, "application/problem+json"),
        ("GET", "/api/v1/nowhere", "text/html", 404, "application/problem+json"),
        ("POST", "/c/one-1", "*/*", 405, "text/html; charset=utf-8"),
        ("GET", "/c/one-1/", "*/*", 404, "text/html; charset=utf-8"),
        ("GET", "//c/one-1", "text/html", 404, "text/html; charset=utf-8"),
        ("GET", "/assets/none.css", "*/*", 404, "application/problem+json"),
      ] {
        let answer = try await server.send(method, path, headers: [("Accept", accept)])
        #expect(answer.status == status && answer.header("Content-Type") == type, "\(method) \(path)")
        if type.hasPrefix("text") { #expect(try PageTags(answer.text).hrefs.allSatisfy { !$0.hasPrefix("//") }) }
      }
    }
  }

  @Test func `caches may store pages, and a client that has the page gets 304`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await Self.publishAll(server, by: captain)
      for path in [
        "/", "/?q=deck", "/c/deck-check-1", "/c/watch-2", "/c/lights-3", "/u/captain", "/c/watch-2.md",
        "/c/watch-2.jsonl", "/c/watch-2.fleetpack", "/feed.atom", "/feed.atom?tag=anchor", "/sitemap.xml",
        "/robots.txt", "/assets/style.css",
      ] {
        let answer = try await server.send("GET", path)
        let hasWords = answer.header("Content-Type")?.hasPrefix("text/html") == true || path.hasPrefix("/feed")
        #expect(answer.status == 200 && answer.body.count < 50_000, "\(path)")
        #expect(answer.header("Vary") == (hasWords ? "Accept-Language, Authorization" : "Authorization"), "\(path)")
        #expect(answer.header("Cache-Control")?.contains("s-maxage=10") == true, "\(path)")
        #expect(answer.header("Content-Security-Policy")?.contains("unsafe") == false)
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        let tag = try #require(answer.header("ETag"))
        for method in ["GET", "HEAD"] {
          let again = try await server.send(method, path, headers: [("If-None-Match", tag)])
          #expect(again.status == 304 && again.header("ETag") == tag, "\(method) \(path)")
        }
        let head = try await server.send("HEAD", path)
        #expect(head.status == 200 && head.header("Content-Length") == String(answer.body.count), "\(path)")
        #expect(try await server.send("GET", path, token: captain.token).header("Cache-Control") == "no-store")
      }
      for asset in PageAsset.all {
        let answer = try await server.send("GET", asset.address)
        #expect(answer.body == asset.bytes && answer.header("Content-Type") == asset.mediaType)
        #expect(answer.header("Cache-Control") == "public, max-age=31536000, immutable")
      }
    }
  }

  @Test func `a page counts as a view, a repeated or partial request does not`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      func views() async throws -> Int64? {
        try await server.send("GET", "\(TestServer.content)/one-1/stats").json()["views_count"]?.integer
      }
      let page = try await server.send("GET", "/c/one-1")
      #expect(try await views() == 1)
      let tag = try #require(page.header("ETag"))
      for (method, path, headers) in [
        ("HEAD", "/c/one-1", []), ("GET", "/c/one-1", [("If-None-Match", tag)]), ("GET", "/c/one-1.md", []),
        ("GET", "/c/one-1.jsonl", []), ("GET", "/", []),
      ] { _ = try await server.send(method, path, headers: headers) }
      #expect(try await views() == 1)
    }
  }

  @Test func `the language is the chosen one, or the preferred one`() async throws {
    try await TestServer.run { server in
      for (query, header, language) in [
        ("", "", "en"), ("", "ru", "ru"), ("", "ru-RU,ru;q=0.9,en;q=0.8", "ru"), ("", "en;q=0.5, ru;q=0.7", "ru"),
        ("", "ru;q=0, en", "en"), ("", "de", "en"), ("", "rush", "en"), ("?hl=ru", "en", "ru"), ("?hl=en", "ru", "en"),
        ("?hl=xx", "ru", "ru"), ("?hl=%FF", "ru", "ru"), ("", ";;;q=,,ru;q=x", "en"),
      ] {
        let page = try PageTags(try await server.send("GET", "/\(query)", headers: [("Accept-Language", header)]).text)
        #expect(page.first("html")?.attributes["lang"] == language, "\(query) \(header)")
        let isKept = query == "?hl=ru" || query == "?hl=en"
        #expect(page.hrefs.contains(isKept ? "/\(query)" : "/"))
      }
    }
  }

  @Test func `pages count against the limit of an address, assets do not`() async throws {
    var settings = TestServer.settings
    settings.limitsRates = true
    settings.limits.general = RateLimit(3, per: 60)
    try await TestServer.run(settings: settings) { server in
      for path in ["/", "/c/none", "/feed.atom"] { #expect(try await server.send("GET", path).status != 429) }
      let refused = try await server.send("GET", "/u/none")
      #expect(refused.status == 429 && refused.header("Content-Type") == "text/html; charset=utf-8")
      #expect(refused.header("Retry-After") != nil)
      for path in ["/assets/style.css", "/robots.txt"] { #expect(try await server.send("GET", path).status == 200) }
    }
  }

  @Test func `downloads are records of FleetKit`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await Self.publishAll(server, by: captain)
      for slug in ["deck-check-1", "watch-2", "lights-3"] {
        let bundle = try await server.send("GET", "/c/\(slug).jsonl")
        #expect(bundle.header("Content-Disposition") == "attachment; filename=\"\(slug).jsonl\"")
        let lines = bundle.text.split(separator: "\n")
        #expect(lines.count == 2)
        guard case .item(let item) = try TypedRecord(json: JSONDocument(parsing: String(lines[1])).root) else {
          Issue.record("\(slug): no item")
          continue
        }
        // A copy credits its original, and contains nothing of the author's account.
        #expect(item.originalContentPublicID == slug && item.originalAuthorUsername == "captain")
        #expect(item.forkedFromID != nil && item.forkedFromID != item.id)
        #expect(item.publicID == nil && item.creatorID == nil && item.visibility == "private" && item.content != nil)
        // No id of the original occurs in the copy, except the registry's own ids.
        let original = try await server.send("GET", "/api/v1/content/\(slug)").json()["content_data"]?.text ?? ""
        let ids = { (text: String) in
          Set(text.matches(of: /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/).map { String($0.output.0) })
        }
        let copied = try JSONDocument(parsing: String(lines[1])).root["content_data"]?.text ?? ""
        #expect(!ids(copied).isEmpty && ids(copied).isDisjoint(with: ids(original)))
        let note = try await server.send("GET", "/c/\(slug).md")
        #expect(note.status == 200 && note.text.hasPrefix("---\n") && note.text.contains(item.title))
      }
    }
  }

  @Test func `a published download credits the author, and cannot evade a refusal of copies`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let mate = try await server.person("mate")
      try await server.publish("one-1", by: captain, data: Self.checklist)
      try await server.publish("two-2", by: captain, more: #","can_fork":false"#)
      for (slug, status) in [("one-1", 201), ("two-2", 422)] {
        let bundle = try await server.send("GET", "/c/\(slug).jsonl").text
        let item = try JSONDocument(parsing: String(bundle.split(separator: "\n")[1])).root
        let parent = try #require(item["forked_from_id"]?.string)
        let answer = try await server.send(
          "POST", "\(TestServer.content)/share", token: mate.token,
          body: Publication.body("copy-of-\(slug)", more: #","forked_from_id":"\#(parent)""#))
        #expect(answer.status == status)
      }
      let copy = try await server.send("GET", "/api/v1/content/copy-of-one-1").json()
      #expect(copy["original_author_username"]?.string == "captain")
      // A copy of a copy still names the first author.
      let text = try await server.send("GET", "/c/copy-of-one-1.jsonl").text
      let second = try JSONDocument(parsing: String(text.split(separator: "\n")[1])).root
      #expect(second["original_author_username"]?.string == "captain")
      #expect(second["original_content_public_id"]?.string == "one-1")
    }
  }

  @Test func `a downloaded pack is complete, the same every time, and newer after a change`() async throws {
    let folder = Scratch()
    @Sendable func pack(_ slug: String, _ server: TestServer) async throws -> (info: PackInfo?, bytes: [UInt8]) {
      let answer = try await server.send("GET", "/c/\(slug).fleetpack")
      #expect(answer.status == 200 && answer.header("Content-Type") == "application/vnd.fleetkit.pack")
      #expect(answer.header("Content-Disposition") == "attachment; filename=\"\(slug).fleetpack\"")
      try Data(answer.body).write(to: URL(fileURLWithPath: folder["\(slug).fleetpack"]))
      return (try PackVerifier(folder["\(slug).fleetpack"]).run().info, answer.body)
    }
    try await TestServer.run { server in
      let captain = try await server.person()
      try await Self.publishAll(server, by: captain)
      for (slug, path) in [
        ("deck-check-1", "checklists/deck-check.json"), ("watch-2", "guides/yakornaya-vakhta.md"),
        ("lights-3", "decks/lights.json"),
      ] {
        let (info, bytes) = try await pack(slug, server)
        #expect(info?.name == slug && info?.publisher == "captain" && info?.licence == "NOASSERTION")
        #expect(info?.items.map(\.path) == [path])
        server.clock.advance(seconds: 60)
        #expect(try await pack(slug, server).bytes == bytes)
        let change = try await server.send(
          "PUT", "\(TestServer.content)/\(slug)", token: captain.token, body: #"{"title":"Changed"}"#)
        #expect(change.status == 200)
        let changed = try #require(try await pack(slug, server).info)
        #expect(changed.items.map(\.title) == ["Changed"])
        #expect(try #require(info?.version).precedes(try #require(changed.version)))
      }
      #expect(try await server.send("GET", "/c/none.fleetpack").status == 404)
      _ = try await server.send("DELETE", "\(TestServer.content)/watch-2", token: captain.token)
      #expect(try await server.send("GET", "/c/watch-2.fleetpack").status == 404)
    }
  }

  @Test func `a feed has the search of its address`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await Self.publishAll(server, by: captain)
      for (query, count) in [("tag=safety&tag=safe+%26+sound", 1), ("tag=safety&tag=anchor", 0), ("q=casting", 1)] {
        let feed = try await server.send("GET", "/feed.atom?\(query)&sort=oldest")
        #expect(feed.header("Vary")?.contains("Accept-Language") == true)
        #expect(feed.text.ranges(of: "<entry>").count == count)
        let parts = query.replacing("&", with: "&amp;").split(separator: "+%26+")
        #expect(parts.allSatisfy { feed.text.contains("/feed.atom?") && feed.text.contains($0) })
      }
    }
  }

  @Test func `the sitemaps list every item once`() async throws {
    try await TestServer.run { server in
      let user = try await server.registry.store.person("captain")
      for part in 0..<6 {
        let operations = (0..<1001).map { ContentOperation.publish(StoreSamples.request("item-\(part)-\($0)")) }
        #expect(try await server.registry.store.run(operations, by: user).count == 1001)
      }
      func addresses(_ path: String) async throws -> [String] {
        let text = try await server.send("GET", path).text
        return text.matches(of: #/<loc>http://[^/]*(/[^<]*)</loc>/#).map { String($0.output.1) }
      }
      let index = try await addresses("/sitemap.xml")
      #expect(index.count == 2)
      let first = try await addresses(index[0])
      #expect(first.count == 5000)
      let second = try await addresses(try #require(index.last))
      #expect(Set(first + second).count == 6006 && first.count + second.count == 6006)
      // A new item changes only the last sitemap.
      let late = try await server.registry.store.publish(
        StoreSamples.request("late-1"), by: user, at: StoreSamples.time(1_000_000))
      #expect(late != nil)
      #expect(try await addresses("/sitemap.xml") == index)
      #expect(try await addresses(index[0]) == first)
      for cursor in ["x", "5_1767607872123_\(RegistryID().text)"] {
        #expect(try await server.send("GET", "/sitemap.xml?cursor=\(cursor)").status == 422)
      }
    }
  }

  @Test func `addresses are those of --public-url, or of the request`() async throws {
    var settings = TestServer.settings
    settings.publicURL = "https://sail.example.org/items"
    try await TestServer.run(settings: settings) { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      let page = try PageTags(try await server.send("GET", "/c/one-1").text)
      #expect(page.links(rel: "canonical") == ["https://sail.example.org/items/one-1"])
      #expect(page.text.contains("--registry https://sail.example.org<"))
      let index = try await server.send("GET", "/sitemap.xml").text
      #expect(index.contains("<loc>https://sail.example.org/sitemap.xml?cursor=<"))
      let sitemap = try await server.send("GET", "/sitemap.xml?cursor=").text
      #expect(sitemap.contains("<loc>https://sail.example.org/items/one-1<"))
      let robots = try await server.send("GET", "/robots.txt").text
      #expect(robots.contains("Sitemap: https://sail.example.org/sitemap.xml\n"))
    }
    try await TestServer.run { server in
      let text = try await server.exchange(
        Array("GET /robots.txt HTTP/1.1\r\nHost: a\"b<c>\r\nConnection: close\r\n\r\n".utf8))
      #expect(!String(decoding: text, as: UTF8.self).contains("b<c>"))
    }
  }
}
