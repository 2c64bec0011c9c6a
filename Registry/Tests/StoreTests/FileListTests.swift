import RegistryModel
import RegistryStore
import RegistryTestSupport
import Testing

@testable import SQLiteStore

/// Tests the lists of a store in a file.
@Suite("Lists of a file")
struct FileListTests {
  private let folder = StoreFolder()

  @Test("a page counts every view, however often counts were written since", arguments: [1, 60_000])
  func views(delay: Int) async throws {
    var options = SQLiteStoreOptions()
    options.viewDelay = delay
    let store = try SQLiteStore(path: folder["registry.sqlite"], options: options)
    let ann = try await store.person("ann")
    for index in 0..<3 { _ = try await store.publish(StoreSamples.request("p\(index)"), by: ann) }
    for count in 1...40 {
      _ = try await store.content(publicID: "p1", countingView: true)
      // Meanwhile, these writes cause more flushes than the tally remembers.
      if count % 2 == 0 { try await store.write { _ in } }
      let page = try await store.list(PublicQuery())
      #expect(page.items.map(\.viewCount) == [0, Int64(count), 0])
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
}
