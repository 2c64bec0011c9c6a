import Content
import Publishing
import RegistryModel
import RegistryStore
import Testing

extension StoreConformance {
  static let items: [ConformanceCase] = [
    ConformanceCase("a published item is read back unchanged") { store async throws in
      let ann = try await store.person("ann")
      let request = StoreSamples.request(
        "departure-AB12CD34", title: "Отход", description: nil, type: .flashcardDeck, text: "Два красных",
        tags: ["Motor", "é", "motor"], language: "pt-BR", canFork: false)
      let head = try #require(try await store.publish(request, by: ann))
      let item = try #require(try await store.content(publicID: "departure-AB12CD34", countingView: false))
      #expect(item.head == head)
      #expect(item.contentData == request.contentData)
      #expect(head.title == "Отход" && head.description == nil && head.contentType == .flashcardDeck)
      #expect(head.tags == ["Motor", "é", "motor"] && head.language == "pt-BR" && !head.canFork)
      #expect(head.userID == ann.id && head.authorUsername == "ann" && head.publicID == "departure-AB12CD34")
      #expect(head.viewCount == 0 && head.forkCount == 0 && head.deletedAt == nil && head.forkedFromID == nil)
      #expect(head.createdAt == StoreSamples.start && head.updatedAt == StoreSamples.start)
      let digest = PublicationDigest.sha256(
        title: request.title, description: nil, contentType: .flashcardDeck, contentData: request.contentData,
        tags: request.tags, language: "pt-BR")
      #expect(head.digest == digest)
      #expect(try await store.head(.publicID("departure-AB12CD34")) == head)
      #expect(try await store.head(.id(head.id)) == head)
    },
    ConformanceCase("unknown names find nothing") { store async throws in
      #expect(try await store.content(publicID: "nothing", countingView: true) == nil)
      #expect(try await store.head(.publicID("nothing")) == nil)
      #expect(try await store.head(.id(RegistryID())) == nil)
      #expect(try await store.lineage(.publicID("nothing"), depth: 10) == nil)
      #expect(try await store.countFork(publicID: "nothing") == .notFound)
    },
    ConformanceCase("slugs are compared by bytes") { store async throws in
      let ann = try await store.person("ann")
      #expect(try await store.publish(StoreSamples.request("k-AB"), by: ann) != nil)
      // A new slug has to differ by more than case, even from an unpublished item's slug.
      let bob = try await store.person("bob")
      _ = try await store.publish(StoreSamples.request("gone-Ab"), by: ann)
      _ = try await store.run([.unpublish(publicID: "gone-Ab", ifMatch: nil)], by: ann)
      for (slug, person) in [("K-AB", ann), ("k-ab", bob), ("GONE-aB", ann)] {
        let result = try await store.run([.publish(StoreSamples.request(slug))], by: person)
        #expect(result == [.refused(.publicIDTaken)])
      }
      #expect(try await store.content(publicID: "k-ab", countingView: false) == nil)
      // KELVIN SIGN equals K when strings are compared by canonical equivalence.
      #expect(try await store.content(publicID: "\u{212A}-AB", countingView: false) == nil)
      #expect(try await store.content(publicID: "k-AB", countingView: true)?.head.publicID == "k-AB")
      #expect(try await store.content(publicID: "\u{212A}-AB", countingView: false) == nil)
      #expect(try await store.head(.publicID("\u{212A}-AB")) == nil)
      #expect(try await store.content(publicID: "k-AB\0", countingView: false) == nil)
      #expect(try await store.head(.publicID("k-AB\0x")) == nil)
      #expect(try await store.lineage(.publicID("k-AB\0x"), depth: 3) == nil)
    },
    ConformanceCase("views are counted immediately, and only on request") { store async throws in
      let ann = try await store.person("ann")
      let head = try #require(try await store.publish(StoreSamples.request("seen"), by: ann))
      for count in 1...5 {
        #expect(try await store.content(publicID: "seen", countingView: true)?.head.viewCount == Int64(count))
      }
      #expect(try await store.content(publicID: "seen", countingView: false)?.head.viewCount == 5)
      #expect(try await store.head(.publicID("seen"))?.viewCount == 5)
      #expect(try await store.head(.id(head.id))?.viewCount == 5)
      #expect(try await store.list(PublicQuery()).items.map(\.viewCount) == [5])
      #expect(
        try await store.list(ownedBy: ann.id, since: nil, after: nil, limit: 10).items.map(\.viewCount) == [5])
      guard case .counted(let forked) = try await store.countFork(publicID: "seen") else { return unexpected() }
      #expect(forked.viewCount == 5 && forked.forkCount == 1)
      let changed = try await store.run(
        [.update(publicID: "seen", StoreSamples.change { $0.title = "Seen" }, ifMatch: nil)], by: ann)
      guard case .updated(let updated)? = changed.first else { return unexpected() }
      #expect(updated.viewCount == 5 && updated.forkCount == 1)
      #expect(try await store.content(publicID: "seen", countingView: true)?.head.viewCount == 6)
    },
    ConformanceCase("any text is stored unchanged") { store async throws in
      let ann = try await store.person("ann")
      for (index, text) in hostileTexts.enumerated() {
        let request = StoreSamples.request(
          "text-\(index)", title: text, description: text, text: text, tags: [text, "x\(text)"], language: "en")
        let head = try #require(try await store.publish(request, by: ann))
        let item = try #require(try await store.content(publicID: "text-\(index)", countingView: false))
        #expect(item.head == head && Array(item.head.title.utf8) == Array(text.utf8))
        #expect(item.contentData == request.contentData)
        #expect(item.head.tags.map { Array($0.utf8) } == request.tags.map { Array($0.utf8) })
        // Searching for it must neither fail nor change anything.
        var query = PublicQuery()
        query.text = text
        _ = try await store.list(query)
        query = PublicQuery()
        query.tags = [text]
        #expect(try await store.list(query).items.map(\.id) == [head.id])
        query.tags = []
        query.language = text
        #expect(try await store.list(query).items.isEmpty)
        query.language = nil
        query.contentType = text
        #expect(try await store.list(query).items.isEmpty)
        #expect(try await store.content(publicID: text, countingView: true) == nil)
        #expect(try await store.head(.publicID(text)) == nil)
      }
      #expect(try await store.list(PublicQuery()).items.count == min(100, hostileTexts.count))
    },
  ]

  /// Strings that are syntax in some language.
  static let hostileTexts = [
    "'; DROP TABLE shared_content; --", "\" OR 1=1 --", "a\" OR title:\"b", "NEAR(a b, 2)", "a AND", "NOT", "*", "^a",
    "a*b*",
    "{title} : x", "(", "\"", "\"\"", "''", "%", "_", "\\", "a:b", "-a", "+", "$1", "?1", ":name", "@p", "[x]", "]",
    "\u{202E}abc", "e\u{301}", "é", "\u{FEFF}x", "👩‍👩‍👧", "\u{10FFFF}", "a\nb", "\t", "\u{1}", "null", "0", "1e309",
  ]
}
