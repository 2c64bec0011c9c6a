import Foundation
import GRDB
import RegistryModel
import RegistryStore
import RegistryTestSupport
import Testing

@testable import SQLiteStore

@Suite("The store's file")
struct StoreFileTests {
  private let folder = StoreFolder()
  private var path: String { folder["registry.sqlite"] }

  /// Returns why a file is not opened.
  private func refusal(_ path: String) -> String? {
    do {
      _ = try SQLiteStore(path: path)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("is readable only by its owner, and so are the files next to it")
  func mode() async throws {
    let store = try SQLiteStore(path: path)
    _ = try await store.publish(StoreSamples.request("one"), by: store.person("ann"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count >= 3)
    for name in names {
      let mode = try FileManager.default.attributesOfItem(atPath: folder[name])[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
    try await store.close()
    #expect(try folder.files().filter { !$0.value.isEmpty }.map(\.key) == ["registry.sqlite"])
  }

  @Test("belongs to one registry at a time; the lock goes with it")
  func lock() async throws {
    let first = try SQLiteStore(path: path)
    #expect(refusal(path)?.contains("busy") == true && refusal(path)?.contains("another registry") == true)
    try await first.close()
    try await SQLiteStore(path: path).close()
  }

  @Test("is recognized even if its creation was interrupted")
  func cutOff() async throws {
    let queue = try DatabaseQueue(path: path)
    try await queue.write { try $0.execute(sql: "PRAGMA application_id = \(StoreSchema.applicationID)") }
    try queue.close()
    // This is the journal of that write, in its state until the write is done: before the write, the file had no page.
    var journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    journal += [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x10, 0]
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    try Data(journal).write(to: URL(fileURLWithPath: path + "-journal"))
    for _ in 0..<2 { try await SQLiteStore(path: path).close() }
    #expect(refusal(path) == nil)
  }

  @Test("keeps everything when it is closed and opened again")
  func reopen() async throws {
    var store = try SQLiteStore(path: path)
    let ann = try await store.person("ann")
    _ = try await store.publish(StoreSamples.request("one", tags: ["x"]), by: ann)
    for _ in 0..<7 { _ = try await store.content(publicID: "one", countingView: true) }
    _ = try await store.countFork(publicID: "one")
    let before = try #require(try await store.content(publicID: "one", countingView: false))
    try await store.close()
    store = try SQLiteStore(path: path)
    let after = try #require(try await store.content(publicID: "one", countingView: false))
    #expect(after == before && after.head.viewCount == 7 && after.head.forkCount == 1)
    #expect(try await store.person("ann") == ann)
    try await store.close()
  }

  @Test("is durable: every commit reaches the disk, and the log is SQLite's")
  func durable() async throws {
    let store = try SQLiteStore(path: path)
    try await store.pool.writeWithoutTransaction { db throws in
      #expect(try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2)
      #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
      #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1)
      #expect(try Int.fetchOne(db, sql: "PRAGMA secure_delete") == 1)
      #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == StoreSchema.version)
    }
    try await store.close()
  }

  @Test("of another program is refused and left unchanged")
  func foreign() async throws {
    let other = try DatabaseQueue(path: path)
    try await other.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    try other.close()
    try Data("some text".utf8).write(to: URL(fileURLWithPath: folder["text"]))
    try Data(repeating: 0, count: 5000).write(to: URL(fileURLWithPath: folder["zeros"]))
    for name in ["registry.sqlite", "text", "zeros"] {
      let before = try folder.files()[name]
      #expect(refusal(folder[name])?.contains("Name another file, or one that") == true)
      #expect(try folder.files()[name] == before)
    }
  }

  @Test("of a newer program is refused")
  func newer() async throws {
    try await SQLiteStore(path: path).close()
    let queue = try DatabaseQueue(path: path)
    try await queue.write { try $0.execute(sql: "PRAGMA user_version = 99") }
    try queue.close()
    #expect(refusal(path)?.contains("newer registry (schema 99") == true)
  }

  @Test("must be in a folder that exists; a folder is not accepted as a file")
  func places() throws {
    for path in ["", folder["none/registry.sqlite"], folder.path, folder["a\0b"]] {
      #expect(refusal(path) != nil)
    }
  }

  @Test("that is damaged gives errors, and never ends the process")
  func damaged() async throws {
    var random = StoreRandom(seed: 11)
    var store = try SQLiteStore(path: path)
    let ann = try await store.person("ann")
    let operations = (0..<200).map { ContentOperation.publish(StoreSamples.request("p\($0)", tags: ["a", "t\($0)"])) }
    _ = try await store.run(operations, by: ann)
    try await store.close()
    let good = try Data(contentsOf: URL(fileURLWithPath: path))
    for _ in 0..<60 {
      var bad = good
      for _ in 0..<40 {
        bad[100 + random.below(bad.count - 100)] = UInt8(random.below(256))
      }
      try bad.write(to: URL(fileURLWithPath: path))
      do {
        store = try SQLiteStore(path: path)
      } catch { continue }
      for index in 0..<20 { _ = try? await store.content(publicID: "p\(index)", countingView: true) }
      var query = PublicQuery()
      query.text = "bilge"
      _ = try? await store.list(query)
      query.text = nil
      query.tags = ["a"]
      _ = try? await store.list(query)
      _ = try? await store.list(PublicQuery())
      _ = try? await store.publish(StoreSamples.request("new"), by: ann)
      try? await store.deleteUser(ann.id, at: StoreSamples.start)
      try? await store.close()
    }
  }

  @Test("that is full refuses, keeps what it answered, and works again when there is room")
  func full() async throws {
    let store = try SQLiteStore(path: path)
    let ann = try await store.person("ann")
    try await store.pool.writeWithoutTransaction { db throws in
      let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      try db.execute(sql: "PRAGMA max_page_count = \(pages + 20)")
    }
    var kept: [String] = []
    var refused = 0
    let long = String(repeating: "Check the bilge. ", count: 600)
    for index in 0..<30 {
      do {
        if try await store.publish(StoreSamples.request("p\(index)", text: long), by: ann) != nil {
          kept.append("p\(index)")
        }
      } catch StoreFailure.unavailable(let text) {
        #expect(text.contains("disk is full"))
        refused += 1
      }
      _ = try await store.content(publicID: "p0", countingView: true)
    }
    #expect(refused > 0 && !kept.isEmpty)
    try await store.check()
    try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
    #expect(try await store.publish(StoreSamples.request("last", text: long), by: ann) != nil)
    for slug in kept { #expect(try await store.head(.publicID(slug)) != nil) }
    #expect(try await store.list(PublicQuery()).items.count == min(20, kept.count + 1))
    try await store.close()
  }
}
