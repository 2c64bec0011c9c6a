import Content
import Foundation
import GRDB
import RegistryModel
import RegistryStore
import RegistryTestSupport
import Testing

@testable import SQLiteStore

@Suite("Inside the store")
struct StoreInsideTests {
  private let folder = StoreFolder()

  private func open(_ set: (inout SQLiteStoreOptions) -> Void = { _ in }) throws -> SQLiteStore {
    var options = SQLiteStoreOptions()
    set(&options)
    return try SQLiteStore(path: folder["registry.sqlite"], options: options)
  }

  @Test("a circle among forks, made by hand, ends everywhere")
  func circle() async throws {
    let store = try open()
    let ann = try await store.person("ann")
    let bob = try await store.person("bob")
    var last: PublicationHead?
    for index in 0..<4 {
      let request = StoreSamples.request("g\(index)", title: "Step \(index)", parent: last?.id)
      last = try await store.publish(request, by: index == 3 ? bob : ann)
    }
    let end = try #require(last)
    try await store.write { context throws in
      try context.execute("UPDATE shared_content SET forked_from_id = ? WHERE public_id = 'g0'", [end.id.text])
    }
    let steps = try #require(try await store.lineage(.publicID("g1"), depth: 10))
    #expect(steps.map(\.title) == ["Step 2", "Step 3", "Step 0", "Step 1"])
    #expect(steps.last?.isCurrent == true)
    try await store.deleteUser(ann.id, at: StoreSamples.start)
    try await store.deleteUser(bob.id, at: StoreSamples.start)
    try await store.sweep(at: StoreSamples.start)
    #expect(try await store.list(PublicQuery()).items.isEmpty)
    try await store.close()
  }

  @Test("search changes of a failed write are dropped, and only those")
  func searchOfAFailedWrite() async throws {
    struct Failure: Error {}
    let store = try open()
    let ann = try await store.person("ann")
    _ = try await store.run((0..<3).map { .publish(StoreSamples.request("p\($0)", text: "zq\($0)")) }, by: ann)
    // All writes are in one group: they wait while the first one occupies the writer.
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await store.write { _ in Thread.sleep(forTimeInterval: 0.2) } }
      for name in ["p0", "p1", "p2"] {
        group.addTask {
          try? await store.write { context throws in
            let number = try Int64.fetchOne(
              context.db, sql: "SELECT number FROM shared_content WHERE public_id = ?", arguments: [name])
            try context.hide(number ?? 0)
            if name == "p1" { throw Failure() }
          }
        }
      }
    }
    let found = try await store.readPage { db in
      try Int64.fetchAll(db, sql: "SELECT rowid FROM content_search WHERE content_search MATCH 'zq0 OR zq1 OR zq2'")
    }
    let left = try await store.readPage { db in
      try Int64.fetchAll(db, sql: "SELECT number FROM shared_content WHERE public_id = 'p1'")
    }
    #expect(found == left)
    try await store.write { try $0.execute("INSERT INTO content_search (content_search) VALUES ('integrity-check')") }
    try await store.close()
  }

  @Test("every view is counted once, while views are being written")
  func counts() async throws {
    let store = try open { $0.viewDelay = 1 }
    let ann = try await store.person("ann")
    _ = try await store.run((0..<60).map { .publish(StoreSamples.request("p\($0)", title: "T\($0)")) }, by: ann)
    var random = StoreRandom(seed: 7)
    var counts = [Int64](repeating: 0, count: 60)
    for _ in 0..<3000 {
      let at = random.below(60)
      counts[at] += 1
      let item = try #require(try await store.content(publicID: "p\(at)", countingView: true))
      #expect(item.head.viewCount == counts[at] && item.head.title == "T\(at)")
    }
    try await store.close()
    let again = try open()
    for at in 0..<60 { #expect(try await again.head(.publicID("p\(at)"))?.viewCount == counts[at]) }
    try await again.close()
  }

  @Test("views reach the file by themselves")
  func views() async throws {
    let store = try open { $0.viewDelay = 20 }
    let ann = try await store.person("ann")
    _ = try await store.publish(StoreSamples.request("one"), by: ann)
    for _ in 0..<5 { _ = try await store.content(publicID: "one", countingView: true) }
    // There is no deadline: the suite's own time limit ends a test that waits for ever.
    while try await store.pool.read({ try Int.fetchOne($0, sql: "SELECT view_count FROM shared_content") }) != 5 {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try await store.head(.publicID("one"))?.viewCount == 5)
    try await store.close()
  }

  @Test("too many waiting writes are refused as busy, and accepted ones are carried out")
  func crowd() async throws {
    let store = try open { $0.waitingLimit = 10 }
    let ann = try await store.person("ann")
    let (done, refused) = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<400 {
        group.addTask { (try? await store.publish(StoreSamples.request("p\(index)"), by: ann)) != nil }
      }
      return await group.reduce(into: (0, 0)) { $1 ? ($0.0 += 1) : ($0.1 += 1) }
    }
    #expect(done > 0 && done + refused == 400)
    #expect(try await store.list(ownedBy: ann.id, since: nil, after: nil, limit: 1000).items.count == done)
    // A batch that is larger than the limit is accepted when nothing else waits.
    let batch = (0..<50).map { ContentOperation.publish(StoreSamples.request("b\($0)")) }
    #expect(try await store.run(batch, by: ann).count == 50)
    try await store.close()
  }

  @Test("a failed write does not undo the others in its group")
  func groups() async throws {
    struct Failed: Error {}
    let store = try open()
    let ann = try await store.person("ann")
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<100 {
        group.addTask {
          if index % 3 == 0 {
            await #expect(throws: StoreFailure.self) {
              try await store.write { context throws in
                try context.execute("UPDATE users SET username = 'broken'")
                throw Failed()
              }
            }
          } else {
            let head = try? await store.publish(StoreSamples.request("p\(index)"), by: ann)
            #expect(head != nil)
          }
        }
      }
    }
    #expect(try await store.user(ann.id) == ann)
    #expect(try await store.list(ownedBy: ann.id, since: nil, after: nil, limit: 1000).items.count == 66)
    try await store.close()
  }

  @Test("tallies determine what a reading lacks, whenever it began")
  func tally() {
    var tally = ViewTally(written: 4)
    let first = [tally.count(1), tally.count(1), tally.count(2)]
    #expect(first == [true, false, false])
    #expect(tally.missing(from: 1, seen: 4) == 2)
    let flush = tally.beginFlush()
    #expect(flush?.number == 5 && flush?.counts == [1: 2, 2: 1])
    let second = tally.beginFlush()
    #expect(second == nil)
    let again = tally.count(1)
    #expect(again)
    #expect(tally.missing(from: 1, seen: 4) == 3 && tally.missing(from: 1, seen: 5) == 1)
    tally.endFlush(committed: false)
    #expect(tally.missing(from: 1, seen: 4) == 3)
    let third = tally.beginFlush()
    #expect(third?.number == 5)
    tally.endFlush(committed: true)
    #expect(tally.missing(from: 1, seen: 4) == 3 && tally.missing(from: 1, seen: 5) == 0 && tally.isEmpty)
    for number in 6...20 {
      _ = tally.count(1)
      let flush = tally.beginFlush()
      #expect(flush?.number == Int64(number))
      tally.endFlush(committed: true)
    }
    #expect(tally.missing(from: 1, seen: 4) == nil && tally.missing(from: 1, seen: 15) == 5)
  }

  @Test("words become quoted words")
  func words() {
    #expect(SearchTerms.expression(for: "a\"b OR c*") == "\"a\" AND \"b\" AND \"OR\" AND \"c\"*")
    #expect(SearchTerms.expression(for: " -- ") == nil)
    #expect(SearchTerms.expression(for: "\u{301}") == nil)
    #expect(SearchTerms.expression(for: String(repeating: "w ", count: 99))?.split(separator: " ").count == 31)
    let document = #"{"id":"no","title":"T","x":{"cards":[{"front":"F","back":"B","tags":["g"],"y":"no"}]},"n":1}"#
    #expect(SearchText.words(of: Array(document.utf8)) == "T\nF\nB\ng\n")
    #expect(SearchText.words(of: Array("no JSON".utf8)) == "")
    let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
    #expect(SearchText.words(of: Array(deep.utf8)) == "")
  }
}
