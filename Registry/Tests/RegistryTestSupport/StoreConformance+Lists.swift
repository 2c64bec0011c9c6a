import Content
import Publishing
import RegistryModel
import RegistryStore
import Testing

extension StoreConformance {
  static let lists: [ConformanceCase] = [
    ConformanceCase("the public list is newest first, in pages that neither repeat nor leave out") {
      store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      var slugs: [String] = []
      for index in 0..<25 {
        // Two people publish at the same moment: only the id distinguishes the items.
        for user in [ann, bob] {
          slugs.append("\(user.username)-\(index)")
          _ = try await store.publish(
            StoreSamples.request(slugs[slugs.count - 1]), by: user, at: StoreSamples.time(Int64(index) * 1000))
        }
      }
      var query = PublicQuery()
      query.limit = 7
      var all: [PublicationHead] = []
      repeat {
        let page = try await store.list(query)
        #expect(page.items.count <= 7)
        all += page.items
        // Another user publishes in the meantime.
        _ = try await store.publish(
          StoreSamples.request("late-\(all.count)"), by: ann, at: StoreSamples.time(1_000_000))
        query.after = page.next
      } while query.after != nil
      #expect(Set(all.map(\.publicID)) == Set(slugs) && all.count == slugs.count)
      let order = all.map { ($0.createdAt, $0.id) }
      #expect(zip(order, order.dropFirst()).allSatisfy { $0 > $1 })
    },
    ConformanceCase("the orders: oldest first, and most copies first") { store async throws in
      let ann = try await store.person("ann")
      for (index, forks) in [0, 2, 1, 2, 0, 0].enumerated() {
        let slug = "p\(index)"
        let request = StoreSamples.request(slug, tags: index % 2 == 0 ? ["even"] : [], language: "en-GB")
        #expect(try await store.publish(request, by: ann, at: StoreSamples.time(Int64(index))) != nil)
        for _ in 0..<forks { _ = try await store.countFork(publicID: slug) }
      }
      _ = try await store.run([.unpublish(publicID: "p5", ifMatch: nil)], by: ann)
      func found(_ order: ListOrder, limit: Int, _ set: (inout PublicQuery) -> Void = { _ in }) async throws -> String {
        var query = PublicQuery()
        (query.order, query.limit) = (order, limit)
        set(&query)
        var all = ""
        repeat {
          let page = try await store.list(query)
          all += page.items.map { $0.publicID.dropFirst() }.joined()
          query.after = page.next
        } while query.after != nil
        return all
      }
      for limit in [1, 2, 4, 100] {
        #expect(try await found(.newest, limit: limit) == "43210")
        #expect(try await found(.oldest, limit: limit) == "01234")
        #expect(try await found(.mostForked, limit: limit) == "31240")
        for set: (inout PublicQuery) -> Void in [
          { $0.tags = ["even"] }, { ($0.tags, $0.language) = (["EVEN"], "en-GB") },
          { ($0.tags, $0.text) = (["even"], "bilge") },
        ] {
          #expect(try await found(.oldest, limit: limit, set) == "024")
          #expect(try await found(.mostForked, limit: limit, set) == "240")
        }
        for set: (inout PublicQuery) -> Void in [
          { $0.contentType = "checklist" }, { $0.language = "en" }, { $0.author = ann.id }, { $0.text = "bilge" },
        ] {
          #expect(try await found(.oldest, limit: limit, set) == "01234")
          #expect(try await found(.mostForked, limit: limit, set) == "31240")
        }
      }
      var query = PublicQuery()
      (query.order, query.offset, query.limit) = (.mostForked, 2, 2)
      #expect(try await store.list(query).items.map(\.publicID) == ["p2", "p4"])
    },
    ConformanceCase("limits and offsets") { store async throws in
      let ann = try await store.person("ann")
      for index in 0..<5 {
        _ = try await store.publish(StoreSamples.request("p\(index)"), by: ann, at: StoreSamples.time(Int64(index)))
      }
      var query = PublicQuery()
      query.limit = 2
      query.offset = 1
      var page = try await store.list(query)
      #expect(page.items.map(\.publicID) == ["p3", "p2"] && page.next?.id == page.items.last?.id)
      query.offset = 3
      page = try await store.list(query)
      #expect(page.items.map(\.publicID) == ["p1", "p0"] && page.next == nil)
      query.offset = 4
      #expect(try await store.list(query).items.map(\.publicID) == ["p0"])
      query.offset = .max
      #expect(try await store.list(query).items.isEmpty)
      query.offset = 0
      query.limit = 5
      #expect(try await store.list(query).next == nil)
    },
    ConformanceCase("filters: all tags without regard to ASCII case, language by first subtag, type") {
      store async throws in
      let ann = try await store.person("ann")
      let rows: [(String, ContentType, [String], String)] = [
        ("a", .checklist, ["Engine", "Safety"], "en"), ("b", .checklist, ["engine"], "pt"),
        ("c", .practiceGuide, ["ENGINE", "safety", "safety"], "pt-BR"), ("d", .flashcardDeck, [], "pt-PT"),
        ("e", .flashcardDeck, ["Ж"], "ptx"), ("f", .checklist, ["ж"], "en-GB"),
      ]
      for (index, row) in rows.enumerated() {
        let request = StoreSamples.request(row.0, type: row.1, tags: row.2, language: row.3)
        #expect(try await store.publish(request, by: ann, at: StoreSamples.time(Int64(index))) != nil)
      }
      func found(_ set: (inout PublicQuery) -> Void) async throws -> String {
        var query = PublicQuery()
        set(&query)
        return try await store.list(query).items.map(\.publicID).joined()
      }
      #expect(try await found { _ in } == "fedcba")
      #expect(try await found { $0.tags = ["engine"] } == "cba")
      #expect(try await found { $0.tags = ["SAFETY", "Engine"] } == "ca")
      #expect(try await found { $0.tags = ["engine", "engine"] } == "cba")
      #expect(try await found { $0.tags = ["engine", "none"] } == "")
      #expect(try await found { $0.tags = ["ж"] } == "f")
      #expect(try await found { $0.tags = ["engin"] } == "")
      #expect(try await found { $0.language = "pt" } == "dcb")
      #expect(try await found { $0.language = "pt-BR" } == "c")
      #expect(try await found { $0.language = "en" } == "fa")
      #expect(try await found { $0.language = "p" } == "")
      #expect(try await found { $0.contentType = "checklist" } == "fba")
      #expect(
        try await found {
          $0.contentType = "practice_guide"
          $0.tags = ["engine"]
          $0.language = "pt"
          $0.text = "bilge"
        } == "c")
      #expect(
        try await found {
          $0.tags = ["engine"]
          $0.limit = 1
          $0.offset = 1
        } == "b")
    },
    ConformanceCase("an author's public items") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      for (index, (slug, owner)) in [("a", ann), ("b", bob), ("c", ann), ("d", ann)].enumerated() {
        let request = StoreSamples.request(slug, tags: slug == "a" ? ["engine"] : [])
        #expect(try await store.publish(request, by: owner, at: StoreSamples.time(Int64(index))) != nil)
      }
      _ = try await store.run([.unpublish(publicID: "d", ifMatch: nil)], by: ann)
      func found(_ set: (inout PublicQuery) -> Void) async throws -> String {
        var query = PublicQuery()
        set(&query)
        return try await store.list(query).items.map(\.publicID).joined()
      }
      #expect(try await found { $0.author = ann.id } == "ca")
      #expect(try await found { $0.author = bob.id } == "b")
      #expect(try await found { $0.author = RegistryID() } == "")
      #expect(
        try await found {
          $0.author = ann.id
          $0.tags = ["engine"]
        } == "a")
      #expect(
        try await found {
          $0.author = ann.id
          $0.offset = 1
        } == "a")
    },
    ConformanceCase("words: all must occur, the last may be a beginning, nothing is syntax") { store async throws in
      let ann = try await store.person("ann")
      _ = try await store.publish(
        StoreSamples.request("a", title: "Engine check", description: "Before départ", text: "Oil level"), by: ann)
      _ = try await store.publish(
        StoreSamples.request("b", title: "Anchor", description: nil, text: "Chain and engine", tags: ["Oil"]), by: ann,
        at: StoreSamples.time(1))
      _ = try await store.publish(
        StoreSamples.request("c", title: "Проверка двигателя", description: nil, text: "Масло"), by: ann,
        at: StoreSamples.time(2))
      func found(_ text: String) async throws -> String {
        var query = PublicQuery()
        query.text = text
        return try await store.list(query).items.map(\.publicID).joined()
      }
      #expect(try await found("engine") == "ba")
      #expect(try await found("ENGINE oil") == "ba")
      #expect(try await found("engine le") == "a")
      #expect(try await found("le engine") == "")
      #expect(try await found("depart") == "a")
      #expect(try await found("départ") == "a")
      #expect(try await found("de\u{301}part") == "a")
      #expect(try await found("провер") == "c")
      #expect(try await found("МАСЛО") == "c")
      #expect(try await found("engine OR anchor") == "")
      #expect(try await found("title:engine") == "")
      #expect(try await found("\"engine check\"") == "a")
      #expect(try await found("check-engine!") == "a")
      // A document's ids and technical members are not words.
      #expect(try await found("synced") == "")
      #expect(try await found("6F1D0A52") == "")
      // A query without words does not restrict the search.
      for empty in ["", "   ", "!!!", "\"\"", "*"] { #expect(try await found(empty) == "cba") }
      _ = try await found(String(repeating: "a ", count: 10_000))
      _ = try await found(String(repeating: "x", count: 100_000))
      _ = try await found("😀 a\u{1E943} \u{0}b")
    },
    ConformanceCase("an unpublished item is in no list and no search") { store async throws in
      let ann = try await store.person("ann")
      _ = try await store.publish(StoreSamples.request("a", tags: ["x"]), by: ann)
      _ = try await store.run([.unpublish(publicID: "a", ifMatch: nil)], by: ann, at: StoreSamples.time(9))
      for set: @Sendable (inout PublicQuery) -> Void in [
        { _ in }, { $0.tags = ["x"] }, { $0.text = "bilge" }, { $0.language = "en" }, { $0.contentType = "checklist" },
      ] {
        var query = PublicQuery()
        set(&query)
        #expect(try await store.list(query).items.isEmpty)
      }
      let mine = try await store.list(ownedBy: ann.id, since: nil, after: nil, limit: 10).items
      #expect(mine.map(\.publicID) == ["a"])
      #expect(mine.first?.deletedAt == StoreSamples.time(9) && mine.first?.updatedAt == StoreSamples.time(9))
    },
    ConformanceCase("an owner's list is ordered by time of change and paged") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      _ = try await store.publish(StoreSamples.request("other"), by: bob)
      for index in 0..<9 {
        _ = try await store.publish(
          StoreSamples.request("p\(index)"), by: ann, at: StoreSamples.time(Int64(index) * 10))
      }
      _ = try await store.run(
        [.update(publicID: "p2", StoreSamples.change { $0.title = "x" }, ifMatch: nil)], by: ann,
        at: StoreSamples.time(200))
      var after: PagePosition?
      var all: [String] = []
      repeat {
        let page = try await store.list(ownedBy: ann.id, since: nil, after: after, limit: 4)
        all += page.items.map(\.publicID)
        after = page.next
      } while after != nil
      #expect(all == ["p0", "p1", "p3", "p4", "p5", "p6", "p7", "p8", "p2"])
      let since = try await store.list(ownedBy: ann.id, since: StoreSamples.time(70), after: nil, limit: 10)
      #expect(since.items.map(\.publicID) == ["p8", "p2"] && since.next == nil)
      #expect(try await store.list(ownedBy: RegistryID(), since: nil, after: nil, limit: 10).items.isEmpty)
    },
  ]
}
