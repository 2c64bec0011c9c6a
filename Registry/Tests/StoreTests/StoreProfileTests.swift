import Foundation
import GRDB
import GRDBSQLite
import RegistryModel
import RegistryStore
import RegistryTestSupport
import Testing

@testable import SQLiteStore

@Suite("The profile of the store's connections")
struct StoreProfileTests {
  private let folder = StoreFolder()
  private var path: String { folder["registry.sqlite"] }

  /// Records an issue if a connection lacks one of the profile's settings.
  private static func check(_ db: Database, _ name: String) throws {
    for (option, isOn) in StoreProfile.switches {
      #expect(try StoreProfile.isOn(option, of: db) == isOn, "\(name): switch \(option)")
    }
    for (limit, most) in StoreProfile.limits {
      #expect(sqlite3_limit(db.sqliteConnection, limit, -1) == most, "\(name): limit \(limit)")
    }
    for (pragma, value) in [("cell_size_check", 1), ("trusted_schema", 0), ("temp_store", 2), ("secure_delete", 1)] {
      #expect(try Int.fetchOne(db, sql: "PRAGMA \(pragma)") == value, "\(name): \(pragma)")
    }
  }

  @Test("is defined in one place, and only that place opens connections")
  func onePlace() throws {
    let registry = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sources = registry.appendingPathComponent("Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var found: Set<String> = []
    for case let file as URL in files where ["swift", "c", "h"].contains(file.pathExtension) {
      let text = try String(contentsOf: file, encoding: .utf8)
      for word in ["DatabaseQueue(", "DatabasePool(", " Configuration(", "DatabaseSnapshot", "sqlite3_open"]
      where text.contains(word) {
        found.insert(file.lastPathComponent)
      }
    }
    #expect(found == ["StoreProfile.swift"])
  }

  @Test("applies to the writer, to every reader and to lists")
  func connections() async throws {
    let store = try SQLiteStore(path: path)
    try await store.pool.writeWithoutTransaction { try Self.check($0, "writer") }
    for (name, pool) in [("reader", store.pool), ("list", store.lists)] {
      let different = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
        for _ in 0..<4 {
          group.addTask {
            try await pool.read { db in
              try Self.check(db, name)
              // The pause is long enough for the others to need their own connections.
              usleep(100_000)
              return ObjectIdentifier(db)
            }
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(different.count > 1, "\(name)")
    }
    try await store.lists.writeWithoutTransaction { try Self.check($0, "first connection of lists") }
    try await store.close()
    try StoreProfile.queue(path).inDatabase { try Self.check($0, "file") }
    try StoreProfile.inMemory().inDatabase { try Self.check($0, "memory") }
  }

  @Test("keeps SQLite's own tables from being written to")
  func defensive() async throws {
    let store = try SQLiteStore(path: path)
    _ = try await store.publish(StoreSamples.request("one"), by: store.person("ann"))
    try await store.pool.writeWithoutTransaction { db in
      for sql in [
        "DELETE FROM content_search_data", "UPDATE content_search_config SET v = 9",
        "DROP TABLE content_search_content", "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
        "ATTACH ':memory:' AS a; ATTACH ':memory:' AS b", "SELECT fts3_tokenizer('x', x'00')",
        "SELECT load_extension('x')", "SELECT \"no such column\"",
      ] {
        #expect(throws: DatabaseError.self, "\(sql)") { try db.execute(sql: sql) }
      }
      try db.execute(sql: "DETACH a")
      // Foreign key actions, FTS5 and VACUUM still work.
      try db.execute(sql: "DELETE FROM shared_content; DELETE FROM content_search; DELETE FROM users")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM content_documents") == 0)
      try db.execute(sql: "INSERT INTO content_search (content_search) VALUES ('integrity-check')")
      try db.execute(sql: "VACUUM")
    }
    try await store.close()
  }

  /// Changes that another program makes to a registry's file, and the name in the refusal.
  private static let changes: [(sql: String, name: String)] = [
    ("CREATE TRIGGER t AFTER INSERT ON users BEGIN DELETE FROM sessions; END", "trigger 't' of 'users'"),
    ("create/**/TrIgGeR\n\"a b\" before delete on users begin select 1; end", "trigger 'a b'"),
    ("CREATE VIEW v AS SELECT * FROM users", "view 'v'"),
    ("DROP TABLE content_tags; CREATE VIEW content_tags AS SELECT 1 AS tag", "view 'content_tags'"),
    ("CREATE VIRTUAL TABLE other USING fts5(x)", "table 'other'"),
    ("CREATE VIRTUAL TABLE boxes USING rtree(id, a, b)", "table 'boxes'"),
    ("DROP TABLE content_search; CREATE VIRTUAL TABLE content_search USING fts4(title, description, tags, body)", "'"),
    (
      "DROP TABLE content_search; "
        + "CREATE VIRTUAL TABLE content_search USING fts5(title, description, tags, body, content='')", "'"
    ),
    ("CREATE TABLE more (a REFERENCES users(id) ON DELETE RESTRICT)", "table 'more'"),
    ("CREATE UNIQUE INDEX one_title ON shared_content(title)", "index 'one_title'"),
    ("DROP INDEX sessions_by_end; CREATE INDEX sessions_by_end ON sessions(abs(expires_at))", "'sessions_by_end'"),
    ("ALTER TABLE users ADD COLUMN extra TEXT GENERATED ALWAYS AS (upper(email)) VIRTUAL", "'users'"),
    ("DROP TABLE idempotency_keys", "'idempotency_keys'"),
    ("DROP INDEX sessions_by_user", "'sessions_by_user'"),
    ("PRAGMA user_version = 1", "'shared_content_by_forks'"),
    ("PRAGMA user_version = -3", "index"),
  ]

  @Test("refuses a schema that another program has changed", arguments: changes.indices)
  func changedSchema(index: Int) async throws {
    let (sql, name) = Self.changes[index]
    let store = try SQLiteStore(path: path)
    _ = try await store.publish(StoreSamples.request("one"), by: store.person("ann"))
    try await store.close()
    let other = try DatabaseQueue(path: path)
    try await other.writeWithoutTransaction { try $0.execute(sql: sql) }
    try other.close()
    let before = try folder.files()["registry.sqlite"]
    #expect {
      try SQLiteStore(path: path)
    } throws: { error in
      guard case .unavailable(let text)? = error as? StoreFailure else { return false }
      return text.contains(name) && text.contains("has changed its schema (") && text.contains("Restore the file")
    }
    #expect(try folder.files()["registry.sqlite"] == before)
  }

  @Test("accepts a schema that is spelled differently, and the tables of ANALYZE")
  func spelling() async throws {
    let queue = try DatabaseQueue(path: path)
    try await queue.writeWithoutTransaction { db in
      for step in StoreSchema.steps {
        let step = step.replacing("CREATE TABLE ", with: "create /* a */ table\n ").replacing("TEXT", with: "TEXT ")
          .replacing("(number)", with: "( \"number\" )")
        try db.execute(sql: step)
      }
      try db.execute(
        sql: """
          PRAGMA application_id = \(StoreSchema.applicationID); PRAGMA user_version = \(StoreSchema.version);
          INSERT INTO users VALUES ('a', 'b', 'c', 'd', 1, 1); ANALYZE; VACUUM
          """)
    }
    try queue.close()
    for _ in 0..<2 {
      let store = try SQLiteStore(path: path)
      try await store.check()
      try await store.close()
    }
  }

  @Test("lets every older schema become the current one", arguments: 0..<StoreSchema.version)
  func migration(version: Int) async throws {
    let queue = try DatabaseQueue(path: path)
    try await queue.writeWithoutTransaction { db in
      for step in StoreSchema.steps.prefix(version) { try db.execute(sql: step) }
      try db.execute(
        sql: "PRAGMA application_id = \(StoreSchema.applicationID); PRAGMA user_version = \(version)")
      // In files of earlier versions, names could differ only by case.
      guard version > 0 else { return }
      for (id, name) in [("1", "zoe"), ("2", "Zoe")] {
        try db.execute(sql: "INSERT INTO users VALUES (?, ?, NULL, ?, 1, 1)", arguments: [id, id, name])
      }
    }
    try queue.close()
    let store = try SQLiteStore(path: path)
    if version > 0 {
      for (id, name) in [("1", "zoe"), ("2", "Zoe")] {
        let account = try #require(try await store.account(.username(name)))
        #expect(account.user.id.text == id && account.profile == Profile())
        var change = ProfileChange()
        change.bio = name
        change.username = name
        guard case .changed(let changed) = try await store.change(account.user.id, change, at: StoreSamples.start)
        else {
          Issue.record("the name is taken")
          continue
        }
        #expect(changed.profile.bio == name && changed.user.username == name)
      }
    }
    _ = try await store.publish(StoreSamples.request("one"), by: store.person("ann"))
    try await store.close()
    try await SQLiteStore(path: path).close()
  }
}
