import Content
import Foundation
import GRDB
import RegistryModel
import RegistryStore
import RegistryTestSupport
import Testing

@testable import SQLiteStore

@Suite("A file from before copies named the first item of their lineage")
struct StoreMigrationTests {
  private let folder = StoreFolder()
  private var path: String { folder["registry.sqlite"] }

  /// Makes a file of schema version 2, with rows as that version wrote them.
  private func makeFile(_ rows: [String]) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in
      for step in StoreSchema.steps.prefix(2) { try db.execute(sql: step) }
      try db.execute(
        sql: """
          INSERT INTO users VALUES ('\(Self.id(1))', 'test:ann', NULL, 'ann', 1, 1),
            ('\(Self.id(2))', 'test:bob', NULL, 'bob', 1, 1);
          """)
      for row in rows { try db.execute(sql: row) }
      try db.execute(sql: "PRAGMA application_id = \(StoreSchema.applicationID)")
    }
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 2") }
    try queue.close()
  }

  private static func id(_ number: Int) -> String {
    "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
  }

  /// Returns an item's row, with its document.
  private static func item(
    _ number: Int, _ slug: String, owner: Int?, author: String?, parent: Int? = nil, title: String = "Departure",
    deletedAt: Int? = nil
  ) -> String {
    """
    INSERT INTO shared_content (number, id, user_id, author_username, title, content_type, tags, language,
      language_base, public_id, can_fork, forked_from_id, created_at, updated_at, deleted_at, digest)
    VALUES (\(number), '\(id(number + 100))', \(owner.map { "'\(id($0))'" } ?? "NULL"),
      \(author.map { "'\($0)'" } ?? "NULL"), '\(title)', 'checklist', '[]', 'en', 'en', '\(slug)', 1,
      \(parent.map { "'\(id($0 + 100))'" } ?? "NULL"), \(number), \(number), \(deletedAt.map(String.init) ?? "NULL"),
      zeroblob(32));
    INSERT INTO content_documents VALUES (\(number), CAST('{"sections":[]}' AS BLOB));
    """
  }

  @Test("is opened, and its copies name it")
  func lineage() async throws {
    // The first item's account was deleted, and its title was kept; the last two items form a cycle, made by hand.
    try makeFile([
      Self.item(1, "zqSlug", owner: nil, author: "zoe", title: "zqtitle", deletedAt: 5),
      Self.item(2, "copy", owner: 1, author: "ann", parent: 1),
      Self.item(3, "third", owner: 2, author: "bob", parent: 2),
      Self.item(4, "other", owner: 2, author: "bob"),
      Self.item(5, "fifth", owner: 1, author: "ann", parent: 4),
      "PRAGMA defer_foreign_keys = ON;" + Self.item(6, "ring-1", owner: 1, author: "ann", parent: 7),
      Self.item(7, "ring-2", owner: 1, author: "ann", parent: 6),
    ])
    for _ in 0..<2 {
      let store = try SQLiteStore(path: path)
      let expected: [(String, String?, String?, String?, Int64)] = [
        ("copy", "zoe", nil, nil, 2), ("third", "zoe", nil, nil, 3), ("other", nil, nil, nil, 1),
        ("fifth", "bob", Self.id(2), "other", 2), ("ring-1", nil, nil, nil, 1), ("ring-2", nil, nil, nil, 1),
      ]
      for (slug, author, authorID, root, depth) in expected {
        let head = try #require(try await store.head(.publicID(slug)))
        #expect(head.originalAuthorUsername == author && head.originalAuthorUserID?.text == authorID, "\(slug)")
        #expect(head.originalPublicID == root && head.chainDepth == depth, "\(slug)")
      }
      #expect(try await store.lineage(.publicID("third"), depth: 10)?.map(\.title) == ["", "Departure", "Departure"])
      #expect(try await store.list(PublicQuery()).items.count == 6)
      try await store.sweep(at: StoreSamples.start)
      try await store.pool.writeWithoutTransaction { db throws in
        #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == StoreSchema.version)
        #expect(try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty)
        #expect(try Int.fetchOne(db, sql: "SELECT erasure_pending FROM store_state") == 0)
      }
      let ann = try #require(try await store.user(RegistryID(stored: Self.id(1))))
      for slug in ["zqSlug", "ZQslug"] {
        #expect(
          try await store.run([.publish(StoreSamples.request(slug))], by: ann) == [.refused(.publicIDTaken)])
      }
      try await store.close()
      // The title, which is no longer shown, was removed from the file, and so was the slug.
      for (_, data) in try folder.files() {
        #expect(data.range(of: Data("zqtitle".utf8)) == nil && data.range(of: Data("zqSlug".utf8)) == nil)
      }
    }
  }

  @Test("may hold slugs that differ only by case, of accounts that go or went: they stay taken")
  func erasedSlugs() async throws {
    try makeFile([
      Self.item(1, "zq-AB", owner: nil, author: nil, deletedAt: 5),
      Self.item(2, "zq-ab", owner: nil, author: nil, deletedAt: 5), Self.item(3, "zq-Ab", owner: 1, author: "ann"),
      Self.item(4, "zq-aB", owner: 2, author: "bob"),
    ])
    let store = try SQLiteStore(path: path)
    let bob = try await store.person("bob")
    try await store.deleteUser(RegistryID(stored: Self.id(1)), at: StoreSamples.time(1))
    for slug in ["zq-AB", "zq-ab", "zq-Ab", "zq-aB"] {
      #expect(try await store.run([.publish(StoreSamples.request(slug))], by: bob) == [.refused(.publicIDTaken)])
      #expect(try await (store.head(.publicID(slug)) != nil) == (slug == "zq-aB"))
    }
    try await store.deleteUser(RegistryID(stored: Self.id(2)), at: StoreSamples.time(2))
    #expect(
      try await store.run([.publish(StoreSamples.request("zq-aB"))], by: store.person("cat"))
        == [.refused(.publicIDTaken)])
    try await store.close()
    for (_, data) in try folder.files() { #expect(data.range(of: Data("zq-".utf8)) == nil) }
  }

  @Test("may hold slugs that differ only by case: they are read as before, and a third one is refused")
  func slugs() async throws {
    try makeFile([
      Self.item(1, "fog-AB", owner: 1, author: "ann"), Self.item(2, "fog-ab", owner: 2, author: "bob"),
      Self.item(3, "FOG-ab", owner: 2, author: "bob", deletedAt: 7),
    ])
    let store = try SQLiteStore(path: path)
    let bob = try await store.person("bob")
    #expect(try await store.content(publicID: "fog-AB", countingView: true)?.head.authorUsername == "ann")
    #expect(try await store.content(publicID: "fog-ab", countingView: true)?.head.authorUsername == "bob")
    #expect(try await store.content(publicID: "FOG-ab", countingView: true) == nil)
    #expect(try await store.content(publicID: "fog-Ab", countingView: true) == nil)
    let results = try await store.run(
      [
        .update(publicID: "fog-ab", StoreSamples.change { $0.title = "Fog" }, ifMatch: nil),
        .publish(StoreSamples.request("Fog-aB")), .unpublish(publicID: "fog-ab", ifMatch: nil),
        .publish(StoreSamples.request("fog-ab")),
      ], by: bob)
    guard case .updated(let head) = results[0] else {
      Issue.record("\(results)")
      return
    }
    #expect(head.publicID == "fog-ab")
    #expect(Array(results[1...]) == [.refused(.publicIDTaken), .unpublished, .refused(.publicIDTaken)])
    #expect(try await store.head(.publicID("fog-AB"))?.title == "Departure")
    try await store.close()
  }
}
