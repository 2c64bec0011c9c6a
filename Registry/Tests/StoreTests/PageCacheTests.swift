import RegistryModel
import RegistryStore
import RegistryTestSupport
import Testing

@testable import SQLiteStore

/// Tests pages that are answered from memory.
@Suite("Kept pages")
struct KeptPagesTests {
  private let folder = StoreFolder()

  @Test("a kept page counts every view, however often counts were written since", arguments: [1, 60_000])
  func views(delay: Int) async throws {
    var options = SQLiteStoreOptions()
    options.viewDelay = delay
    let store = try SQLiteStore(path: folder["registry.sqlite"], options: options)
    let ann = try await store.person("ann")
    for index in 0..<3 { _ = try await store.publish(StoreSamples.request("p\(index)"), by: ann) }
    let first = try await store.list(PublicQuery())
    for count in 1...40 {
      _ = try await store.content(publicID: "p1", countingView: true)
      // Meanwhile, these writes cause more flushes than the cache remembers.
      if count % 2 == 0 { try await store.write { _ in } }
      let page = try await store.list(PublicQuery())
      #expect(page.items.map(\.viewCount) == [0, Int64(count), 0])
      if delay > 1 { #expect(page.memo === first.memo) }
    }
    try await store.close()
  }

  @Test("a change is in the next page")
  func changes() async throws {
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    let ann = try await store.person("ann")
    _ = try await store.publish(StoreSamples.request("p1"), by: ann)
    var query = PublicQuery()
    query.tags = ["K"]
    #expect(try await store.list(query).items.isEmpty)
    #expect(try await store.list(PublicQuery()).items.count == 1)
    _ = try await store.countFork(publicID: "p1")
    #expect(try await store.list(PublicQuery()).items.map(\.forkCount) == [1])
    _ = try await store.publish(StoreSamples.request("p2"), by: ann)
    #expect(try await store.list(PublicQuery()).items.map(\.publicID).sorted() == ["p1", "p2"])
    try await store.deleteUser(ann.id, at: StoreSamples.start)
    #expect(try await store.list(PublicQuery()).items.isEmpty)
    try await store.close()
  }

  @Test("a publication drops the pages that it may appear on, and no others")
  func publications() async throws {
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    let ann = try await store.person("ann")
    for index in 0..<4 {
      _ = try await store.publish(
        StoreSamples.request("p\(index)", tags: ["knots"]), by: ann, at: StoreSamples.time(Int64(index)))
    }
    func query(_ set: (inout PublicQuery) -> Void) -> PublicQuery {
      var query = PublicQuery()
      set(&query)
      return query
    }
    let next = try #require(try await store.list(query { $0.limit = 2 }).next)
    let touched = [
      query { _ in }, query { $0.tags = ["KNOTS"] }, query { $0.tags = ["knots", "Ropes"] },
      query { $0.contentType = "checklist" }, query { $0.language = "pt" }, query { $0.language = "pt-PT" },
      query { $0.text = "bilge" }, query { $0.offset = 2 },
    ]
    let others = [
      query { $0.tags = ["kno"] }, query { $0.tags = ["knots", "sails"] }, query { $0.contentType = "flashcard_deck" },
      query { $0.language = "en" }, query { $0.after = next },
    ]
    for query in touched + others { _ = try await store.list(query) }
    _ = try await store.publish(
      StoreSamples.request("new", tags: ["Knots", "ropes"], language: "pt-BR"), by: ann, at: StoreSamples.time(9))
    #expect(touched.filter { store.pageAtHand($0) != nil } == [])
    for query in others {
      let kept = try #require(store.pageAtHand(query))
      let fresh = try await store.readPage { [list = try #require(ListQuery(query))] db in try list.rows(in: db) }
      #expect(kept.items == fresh.prefix(query.limit).map(\.head))
    }
    _ = try await store.countFork(publicID: "p1")
    #expect(others.filter { store.pageAtHand($0) != nil } == [])
    try await store.close()
  }

  @Test("questions are compared by bytes")
  func keys() {
    var one = PublicQuery()
    one.text = "caf\u{E9}"
    var other = one
    other.text = "cafe\u{301}"
    #expect(PageKey(one) != PageKey(other))
    #expect(PageKey(one) == PageKey(one))
  }

  @Test("pages that need too much room make room")
  func room() throws {
    var pages = PageCache(limit: 4000)
    for offset in 0..<20 {
      var query = PublicQuery()
      query.offset = offset
      pages.insert(CachedPage([], limit: 20, time: \.createdAt), for: PageKey(query))
      #expect(pages[PageKey(query)] != nil)
    }
    #expect(pages[PageKey(PublicQuery())] == nil)
  }
}
