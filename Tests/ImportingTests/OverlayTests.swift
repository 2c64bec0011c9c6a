import Foundation
import SQLiteIO
import TestSupport
import Testing

/// Overlays that accept writes without changing the database below.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct OverlayTests {
  private let scratch = Scratch()
  private var path: String { scratch["original.sqlite"] }

  private func make(pageSize: Int, rows: Int) throws {
    try SQLiteShell.run(
      path,
      """
      PRAGMA page_size = \(pageSize); CREATE TABLE steps (id INTEGER PRIMARY KEY, title TEXT, number INTEGER);
      CREATE INDEX by_title ON steps (title);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO steps SELECT i, 'step ' || (i * 7919 % 1000) || printf('%.300c', 'x'), i FROM n;
      """)
  }

  private static func content(_ connection: SQLiteConnection) throws -> [[String?]] {
    try connection.rows("SELECT id, title, number FROM steps ORDER BY id")
      + connection.rows("SELECT title, id FROM steps INDEXED BY by_title ORDER BY title, id")
  }

  /// The same statements produce the same content on the overlay and on a copy, through every kind of spill, truncation
  /// and rollback.
  @Test(arguments: [512, 4096, 65536], [1, 2]) func itIsADatabaseLikeAnyOther(pageSize: Int, seed: UInt64) throws {
    try make(pageSize: pageSize, rows: 3000)
    let copy = scratch["copy.sqlite"]
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let bytes = try #require(FileManager.default.contents(atPath: path))
    let connections = [try SQLiteConnection(path, .overlay, .foreign), try SQLiteConnection(copy, .write, .foreign)]
    for connection in connections { try connection.execute("PRAGMA cache_size = 8; PRAGMA synchronous = OFF") }
    var random = SeededRandom(seed: seed)
    for _ in 0..<60 {
      let first = random.below(4000)
      let count = random.below(600)
      let statement =
        switch random.below(8) {
        case 0: "DELETE FROM steps WHERE id BETWEEN \(first) AND \(first + count)"
        case 1: "BEGIN; UPDATE steps SET title = title || 'y' WHERE id > \(first); ROLLBACK"
        case 2: "SAVEPOINT s; DELETE FROM steps WHERE id < \(count); ROLLBACK TO s; RELEASE s"
        case 3: "VACUUM"
        case 4: "BEGIN IMMEDIATE; UPDATE steps SET number = number + 1 WHERE id % 3 = 0; COMMIT"
        default:
          """
          INSERT OR REPLACE INTO steps (id, title, number)
          SELECT id + \(first), 'z' || title, number FROM steps LIMIT \(count)
          """
        }
      for connection in connections { try connection.execute(statement) }
    }
    #expect(try Self.content(connections[0]) == Self.content(connections[1]))
    #expect(try connections[0].rows("PRAGMA integrity_check") == [["ok"]])
    for connection in connections { connection.close() }
    #expect(FileManager.default.contents(atPath: path) == bytes)
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
    #expect(names == ["copy.sqlite", "original.sqlite"])
  }

  /// Other connections do not see the overlay's changes. They can read, but cannot commit until the overlay is closed.
  @Test func nobodyElseCommitsMeanwhile() throws {
    try make(pageSize: 4096, rows: 10)
    let overlay = try SQLiteConnection(path, .overlay, .foreign)
    try overlay.execute("BEGIN IMMEDIATE; DELETE FROM steps")
    #expect(try SQLiteShell.run(path, "SELECT count(*) FROM steps;") == "10\n")
    #expect(throws: SQLiteShell.Complaint.self) { try SQLiteShell.run(path, "DELETE FROM steps WHERE id = 1;") }
    try overlay.execute("COMMIT")
    #expect(try overlay.number("SELECT count(*) FROM steps") == 0)
    overlay.close()
    try SQLiteShell.run(path, "DELETE FROM steps WHERE id = 1;")
    #expect(try SQLiteShell.run(path, "SELECT count(*) FROM steps;") == "9\n")
  }

  @Test func aWriteAheadLogIsRefused() throws {
    try make(pageSize: 4096, rows: 10)
    try SQLiteShell.run(path, "PRAGMA journal_mode = WAL;")
    let overlay = try SQLiteConnection(path, .overlay, .foreign)
    #expect(throws: SQLiteError.self) { try overlay.rows("SELECT count(*) FROM steps") }
  }
}
