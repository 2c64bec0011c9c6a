import Foundation
import GRDB
import RegistryModel
import RegistryStore
import RegistryTestSupport
import Testing

@testable import SQLiteStore

@Suite("An account that was deleted")
struct ErasureTests {
  @Test("leaves no byte of its address, profile, slugs and documents in the file and its log", arguments: [1, 7, 23])
  func bytes(every: Int) async throws {
    let folder = StoreFolder()
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    // There are many people and items in between, so that pages split and rows move.
    var marked: [User] = []
    var others: [User] = []
    for index in 0..<120 {
      let mark = index % every == 0
      let name = mark ? "zqmark\(index)" : "crew\(index)"
      let first = try await store.person(name)
      // Both the profile and the name were changed.
      var user = first
      for round in 0..<3 {
        var change = ProfileChange()
        change.username = "\(name)x\(round)"
        change.bio = String(repeating: "\(name)bio\(round) ", count: 1 + index % 9 * round)
        change.location = "\(name)place\(round)"
        change.socialLinks = [SocialLink(id: RegistryID().text, platform: .other, handle: "\(name)handle\(round)")]
        change.communityMemberships = [
          CommunityMembership(
            id: "\(name)id", name: "\(name)club", iconURL: "https://\(name)", role: .member, isPrimary: true)
        ]
        guard case .changed(let account) = try await store.change(first.id, change, at: StoreSamples.time(1)) else {
          Issue.record("the name is taken")
          continue
        }
        user = account.user
      }
      if mark { marked.append(user) } else { others.append(user) }
      let word = mark ? "zqmarkword\(index)" : "word\(index)"
      let long = (0..<(index % 5 * 80)).map { "\(word)x\($0)" }.joined(separator: " ")
      var operations: [ContentOperation] = []
      for item in 0..<3 {
        let request = StoreSamples.request(
          "\(word)-Slug-\(item)", title: "\(word) title", description: "\(word) description", text: "\(word) \(long)",
          tags: ["\(word)tag"])
        operations.append(.publish(request))
      }
      operations.append(
        .update(publicID: "\(word)-Slug-0", StoreSamples.change { $0.title = "\(word) changed" }, ifMatch: nil))
      operations.append(.unpublish(publicID: "\(word)-Slug-1", ifMatch: nil))
      // Account ids are random: the rows of one account are inserted between the rows of other accounts, which move to
      // make room.
      for number in 0..<12 {
        let claim = IdempotencyClaim(key: "\(word)key\(number)", fingerprint: StoreSamples.hash(index)) { _ in
          StoredAnswer(status: 200, headers: [], body: Array("\(word) answer".utf8))
        }
        _ = try await store.apply(
          number == 0 ? operations : [], by: user.id, at: StoreSamples.time(Int64(index)), claim: claim)
      }
      _ = try await store.content(publicID: "\(word)-Slug-0", countingView: true)
    }
    #expect(try Self.found("zqmark", in: folder) > 0)
    for user in marked { try await store.deleteUser(user.id, at: StoreSamples.time(100_000)) }
    #expect(try Self.found("zqmark", in: folder) == 0)
    // The other users' data is complete.
    for user in others {
      let mine = try await store.list(ownedBy: user.id, since: nil, after: nil, limit: 10).items
      #expect(mine.count == 3 && mine.allSatisfy { $0.title.hasPrefix("word") })
    }
    var query = PublicQuery()
    query.text = "word1x"
    query.limit = 100
    if every == 7 { #expect(try await !store.list(query).items.isEmpty) }
    query.text = "zqmark"
    #expect(try await store.list(query).items.isEmpty)
    try await store.pool.writeWithoutTransaction { db throws in
      try db.execute(sql: "INSERT INTO content_search (content_search) VALUES ('integrity-check')")
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
      #expect(try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty)
      // The file was rewritten: moved rows have left nothing in the gaps of pages.
      #expect(try Int.fetchOne(db, sql: "PRAGMA freelist_count") == 0)
    }
    let taken = try await store.run(
      (0..<3).map { .publish(StoreSamples.request("zqMARKword0-slug-\($0)")) } + [
        .publish(StoreSamples.request("zqother"))
      ], by: try await store.person("late"))
    #expect(taken.prefix(3).allSatisfy { $0 == .refused(.publicIDTaken) })
    if case .published = taken[3] {} else { Issue.record("\(taken)") }
    try await store.close()
    #expect(try Self.found("zqmark", in: folder) == 0)
  }

  @Test("leaves its name to the copies of others, and not its titles")
  func titles() async throws {
    let folder = StoreFolder()
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    let ann = try await store.person("zqann")
    let bob = try await store.person("bob")
    let root = try #require(try await store.publish(StoreSamples.request("root", title: "zqtitle"), by: ann))
    _ = try await store.publish(StoreSamples.request("copy", parent: root.id), by: bob)
    #expect(try Self.found("zqtitle", in: folder) > 0)
    try await store.deleteUser(ann.id, at: StoreSamples.time(1))
    #expect(try Self.found("zqtitle", in: folder) == 0)
    #expect(try Self.found("zqann", in: folder) > 0)
    #expect(try await store.head(.publicID("copy"))?.originalAuthorUsername == "zqann")
    _ = try await store.run([.unpublish(publicID: "copy", ifMatch: nil)], by: bob)
    try await store.sweep(at: StoreSamples.time(2))
    #expect(try Self.found("zqann", in: folder) == 0)
    try await store.close()
  }

  @Test("leaves its slugs taken, in any letters, and no new slug has the form of their hashes")
  func slugs() async throws {
    let folder = StoreFolder()
    var store = try SQLiteStore(path: folder["registry.sqlite"])
    let ann = try await store.person("ann")
    let bob = try await store.person("bob")
    let root = try #require(try await store.publish(StoreSamples.request("zqRoot"), by: ann))
    _ = try await store.publish(StoreSamples.request("zqGone"), by: ann)
    _ = try await store.run([.unpublish(publicID: "zqGone", ifMatch: nil)], by: ann)
    let copy = try #require(try await store.publish(StoreSamples.request("Copy-1", parent: root.id), by: bob))
    _ = try await store.content(publicID: "zqRoot", countingView: true)
    let hash = ErasedSlug.hash(of: "zqroot")
    func publish(_ slug: String) async throws -> OperationResult {
      try await store.run([.publish(StoreSamples.request(slug))], by: bob)[0]
    }
    #expect(try await publish(hash) == .refused(.publicIDTaken))
    #expect(try await publish("ERASED:x") == .refused(.publicIDTaken))
    try await store.deleteUser(ann.id, at: StoreSamples.time(1))
    #expect(try Self.found("zqroot", in: folder) + Self.found("zqgone", in: folder) == 0)
    for _ in 0..<2 {
      for slug in ["zqRoot", "zqroot", "ZQROOT", "zqGone", "zqgone", hash] {
        #expect(try await publish(slug) == .refused(.publicIDTaken), "\(slug)")
        #expect(try await store.content(publicID: slug, countingView: true) == nil)
        #expect(try await store.head(.publicID(slug)) == nil)
      }
      #expect(try await store.head(.publicID(hash)) == nil)
      // A live account keeps its slugs unchanged.
      let kept = try #require(try await store.head(.publicID("Copy-1")))
      #expect(kept.id == copy.id && kept.originalPublicID == nil)
      let mine = try await store.list(ownedBy: bob.id, since: nil, after: nil, limit: 10).items
      #expect(mine.map(\.publicID) == ["Copy-1"])
      try await store.close()
      store = try SQLiteStore(path: folder["registry.sqlite"])
    }
    try await store.close()
  }

  @Test("is erased by the next sweep when the process ended in the middle")
  func interrupted() async throws {
    let folder = StoreFolder()
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    let ann = try await store.person("ann")
    let bob = try await store.person("bob")
    _ = try await store.publish(StoreSamples.request("one", text: "zqmark"), by: ann)
    _ = try await store.publish(StoreSamples.request("two"), by: bob)
    // This is the state after the deletion, before the index was merged.
    try await store.write { context throws in
      let number = try Int64.fetchOne(context.db, sql: "SELECT number FROM shared_content WHERE public_id = 'one'") ?? 0
      try context.hide(number)
      try context.execute("DELETE FROM content_documents WHERE number = ?", [number])
      try context.execute("UPDATE store_state SET erasure_pending = 1")
    }
    #expect(try Self.found("zqmark", in: folder) > 0)
    try await store.sweep(at: StoreSamples.start)
    #expect(try Self.found("zqmark", in: folder) == 0)
    let pending = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT erasure_pending FROM store_state") }
    #expect(pending == 0)
    try await store.close()
  }

  @Test("is erased with others that go at the same time")
  func together() async throws {
    let folder = StoreFolder()
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    var users: [User] = []
    for index in 0..<12 {
      let user = try await store.person("zqmark\(index)")
      _ = try await store.publish(StoreSamples.request("item-\(index)", text: "zqmark"), by: user)
      users.append(user)
    }
    try await withThrowingTaskGroup { group in
      for user in users { group.addTask { try await store.deleteUser(user.id, at: StoreSamples.time(10)) } }
      try await group.waitForAll()
    }
    #expect(try Self.found("zqmark", in: folder) == 0)
    let pending = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT erasure_pending FROM store_state") }
    #expect(pending == 0)
    try await store.close()
  }

  @Test("is erased from a large file by a sweep, once a day")
  func large() async throws {
    let folder = StoreFolder()
    var options = SQLiteStoreOptions()
    options.rewrittenAtOnce = 0
    let store = try SQLiteStore(path: folder["registry.sqlite"], options: options)
    func pending() async throws -> Int? {
      try await store.pool.read { try Int.fetchOne($0, sql: "SELECT erasure_pending FROM store_state") }
    }
    let day: Int64 = 24 * 3600 * 1000
    for (moment, isSwept) in [(0, true), (3_600_000, false), (day, true)] as [(Int64, Bool)] {
      let user = try await store.person("zqmark\(moment)")
      _ = try await store.publish(StoreSamples.request("item-\(moment)", text: "zqmark"), by: user)
      try await store.deleteUser(user.id, at: StoreSamples.time(moment))
      #expect(try await pending() ?? 0 > 0)
      try await store.sweep(at: StoreSamples.time(moment))
      #expect(try await pending() == 0 ? isSwept : !isSwept)
      if isSwept { #expect(try Self.found("zqmark", in: folder) == 0) }
    }
    try await store.close()
  }

  /// Returns how often a string occurs in the files of a folder, in any ASCII case.
  private static func found(_ text: String, in folder: StoreFolder) throws -> Int {
    let mark = Array(text.utf8)
    var count = 0
    for (_, data) in try folder.files() {
      let bytes = data.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
      guard bytes.count >= mark.count else { continue }
      for start in 0...(bytes.count - mark.count) where bytes[start] == mark[0] {
        if bytes[start..<(start + mark.count)].elementsEqual(mark) { count += 1 }
      }
    }
    return count
  }
}
