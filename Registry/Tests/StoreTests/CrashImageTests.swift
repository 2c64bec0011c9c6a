import Foundation
import RegistryModel
import RegistryStore
import RegistryTestSupport
import SQLiteStore
import Synchronization
import Testing

/// At any moment, the files on disk are a store that contains everything that was acknowledged.
///
/// The process is stopped at a random moment and its files are copied: a killed process leaves the same state.
@Suite("A store whose process ends at any moment")
struct CrashImageTests {
  private final class Acknowledged: Sendable {
    private let slugs = Mutex<[(slug: String, title: String)]>([])
    func add(_ slug: String, _ title: String) { slugs.withLock { $0.append((slug, title)) } }
    var all: [(slug: String, title: String)] { slugs.withLock { $0 } }
  }

  @Test("contains everything that was answered, and nothing partially")
  func images() async throws {
    let folder = StoreFolder()
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    let people = try await [store.person("ann"), store.person("bob"), store.person("cat")]
    let acknowledged = Acknowledged()
    let images = try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, user) in people.enumerated() {
        group.addTask {
          var round = 0
          while !Task.isCancelled {
            round += 1
            let slugs = (0...(round % 4)).map { "w\(number)-\(round)-\($0)" }
            _ = try await store.run(
              slugs.map { .publish(StoreSamples.request($0, title: "first", tags: ["batch-\(number)-\(round)"])) },
              by: user)
            for slug in slugs { acknowledged.add(slug, "first") }
            let change = StoreSamples.change { $0.title = "second" }
            _ = try await store.run([.update(publicID: slugs[0], change, ifMatch: nil)], by: user)
            acknowledged.add(slugs[0], "second")
            _ = try await store.content(publicID: slugs[0], countingView: true)
          }
        }
      }
      var images: [(folder: StoreFolder, acknowledged: [(slug: String, title: String)])] = []
      for index in 0..<20 {
        try await Task.sleep(for: .milliseconds(7 + index * 11 % 50))
        let image = StoreFolder()
        let known = acknowledged.all
        try Self.copy(folder, to: image)
        images.append((image, known))
      }
      group.cancelAll()
      do { try await group.waitForAll() } catch is CancellationError {}
      return images
    }
    try await store.close()
    #expect(images.last?.acknowledged.isEmpty == false)
    for image in images { try await check(image.folder, image.acknowledged) }
  }

  private func check(_ folder: StoreFolder, _ acknowledged: [(slug: String, title: String)]) async throws {
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    for (slug, title) in acknowledged {
      let item = try #require(try await store.content(publicID: slug, countingView: false), "\(slug)")
      #expect(item.head.title == title || (title == "first" && item.head.title == "second"))
      #expect(item.contentData == StoreSamples.document())
    }
    // A request's publications are stored together or not at all.
    var query = PublicQuery()
    query.limit = 100
    repeat {
      let page = try await store.list(query)
      for head in page.items {
        let parts = head.publicID.dropFirst().split(separator: "-").compactMap { Int($0) }
        try #require(parts.count == 3)
        var batch = PublicQuery()
        batch.tags = ["batch-\(parts[0])-\(parts[1])"]
        #expect(try await store.list(batch).items.count == parts[1] % 4 + 1)
      }
      query.after = page.next
    } while query.after != nil
    try await store.close()
  }

  /// Stops this process, copies the files, and continues it.
  private static func copy(_ folder: StoreFolder, to image: StoreFolder) throws {
    let own = ProcessInfo.processInfo.processIdentifier
    let copied = try SpawnedProcess.run(
      "/bin/sh",
      [
        "-c", "trap 'kill -CONT \(own)' EXIT; kill -STOP \(own); cp \"$1\"/registry.sqlite* \"$2\"", "sh", folder.path,
        image.path,
      ])
    #expect(copied.status == 0, "\(copied.output)")
    // The log's index is in shared memory; the program that opens the file rebuilds it.
    try? FileManager.default.removeItem(atPath: image["registry.sqlite-shm"])
  }
}
