import Content
import Foundation
import Interchange
import JSONText
import RegistryClient
import SQLiteIO
import SQLiteLibrary
import TestSupport

@testable import SyncQueue

/// A library of the current schema with an empty queue, into which tests write items and rows as the app does.
final class SyncLibrary {
  let scratch = Scratch()
  let path: String

  init() throws {
    path = try scratch.writable("library-v2.2.0.sqlite", as: "a.sqlite")
    try SQLiteShell.run(
      path,
      """
      DELETE FROM sync_queue; DELETE FROM sqlite_sequence WHERE name = 'sync_queue'; UPDATE library_content SET syncStatus = 'pending', visibility = 'private',
      publicID = NULL, publishedAt = NULL, publicMetadata = NULL;
      """)
  }

  /// Returns a library, its own registry, and a client for a user who is signed in there.
  static func withRegistry() throws -> (SyncLibrary, LocalRegistry, RegistryClient) {
    let registry = try LocalRegistry()
    return (try SyncLibrary(), registry, try registry.client())
  }

  /// Returns an id derived from a number.
  static func id(_ number: Int) -> String {
    "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - String(number).count) + String(number)
  }

  /// Returns a slug derived from a number.
  static func slug(_ number: Int) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return "fog-" + String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Returns a publish request for a guide, as the app writes it.
  static func payload(
    _ number: Int, title: String? = nil, text: String = "Slow down. Sound the horn.", slug: String? = nil,
    parent: String? = nil, description: Bool = true
  ) -> String {
    let title = title ?? "Fog \(number)"
    return """
      {"title":"\(title)",\(description ? "\"description\":\"What to do in fog.\"," : "")"content_type":"practice_guide",\
      "content_data":{"id":"\(id(number))","title":"\(title)","description":"What to do in fog.",\
      "markdown":"# Fog\\n\\n\(text)","tags":["fog"],"createdAt":"2026-01-05T10:11:12Z",\
      "updatedAt":"2026-01-05T10:11:12Z","syncStatus":"pending"},"tags":["fog"],"language":"en",\
      "public_id":"\(slug ?? Self.slug(number))"\(parent.map { ",\"forked_from_id\":\"\($0)\"" } ?? "")}
      """
  }

  /// Returns a withdrawal request.
  static func withdrawal(_ number: Int) -> String { "{\"public_id\":\"\(slug(number))\"}" }

  private func text(_ text: String?) -> String {
    text.map { "'" + $0.replacing("'", with: "''") + "'" } ?? "NULL"
  }

  /// Adds items without rows.
  func add(_ numbers: Int..., canFork: Bool = true) throws { try add(numbers, canFork: canFork) }

  /// Adds items without rows.
  func add(_ numbers: [Int], canFork: Bool = true) throws {
    var sql = "BEGIN;"
    for number in numbers {
      let metadata = """
        {"publishedAt":797072400,"publicID":"\(Self.slug(number))","canFork":\(canFork),"authorUsername":""}
        """
      sql += """
        INSERT INTO library_content (id, title, description, type, visibility, tags, createdAt, updatedAt, syncStatus,
        publishedAt, publicID, publicMetadata) VALUES ('\(Self.id(number))', 'Fog \(number)', 'What to do in fog.',
        'practice_guide', 'public', '["fog"]', '2026-01-05 10:11:12.000', '2026-01-05 10:11:12.000', 'queued',
        '2026-04-05 09:00:00.000', '\(Self.slug(number))', '\(metadata)');
        INSERT INTO practice_guides (id, title, description, markdown, tags, createdAt, updatedAt) VALUES
        ('\(Self.id(number))', 'Fog \(number)', 'What to do in fog.', '# Fog', '["fog"]', '2026-01-05 10:11:12.000',
        '2026-01-05 10:11:12.000');
        """
    }
    try run(sql + "COMMIT;")
  }

  private var seconds = 0

  /// Adds a row at the end of the queue.
  /// - Returns: the row's number.
  @discardableResult
  func enqueue(
    _ kind: QueueOperation, _ number: Int, _ payload: String?, retryCount: Int = 0, error: String? = nil
  ) throws -> Int {
    let output = try run(
      "PRAGMA foreign_keys = ON;" + insert(kind, number, payload, retryCount, error) + "SELECT last_insert_rowid();")
    return Int(output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }

  /// Adds many rows at the end of the queue.
  func enqueue(_ kind: QueueOperation, _ numbers: ClosedRange<Int>, _ payload: (Int) -> String?) throws {
    try run("BEGIN;" + numbers.map { insert(kind, $0, payload($0), 0, nil) }.joined() + "COMMIT;")
  }

  private func insert(
    _ kind: QueueOperation, _ number: Int, _ payload: String?, _ retryCount: Int, _ error: String?
  ) -> String {
    seconds += 1
    let date = Timestamp(milliseconds: 1_770_000_000_000 + Int64(seconds)).columnText
    return """
      INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt, retryCount, lastError) VALUES
      ('\(Self.id(number))', '\(kind.rawValue)', '\(kind == .unpublish ? "private" : "public")', \(text(payload)),
      '\(date)', \(retryCount), \(text(error)));
      """
  }

  /// Adds an item and a row that publishes it.
  @discardableResult
  func publish(_ number: Int, text: String = "Slow down. Sound the horn.", parent: String? = nil) throws -> Int {
    try add(number)
    return try enqueue(.publish, number, Self.payload(number, text: text, parent: parent))
  }

  /// Clears an item's publication columns, as the app does when it withdraws the item.
  func unpublish(_ number: Int) throws {
    try run(
      """
      UPDATE library_content SET visibility = 'private', publicID = NULL, publishedAt = NULL, publicMetadata = NULL,
      syncStatus = 'queued' WHERE id = '\(Self.id(number))';
      """)
    try enqueue(.unpublish, number, Self.withdrawal(number))
  }

  /// Returns one value of a query as a string.
  func value(_ sql: String) throws -> String { try run(sql).trimmingCharacters(in: .newlines) }

  /// Runs statements, waiting for a running sync.
  @discardableResult
  private func run(_ sql: String) throws -> String { try SQLiteShell.run(path, ".timeout 100000\n" + sql) }

  /// Returns an item's visibility, status and slug.
  func item(_ number: Int) throws -> String {
    try value(
      """
      SELECT visibility || ' ' || syncStatus || ' ' || coalesce(publicID, '-') FROM library_content
      WHERE id = '\(Self.id(number))';
      """)
  }

  /// Returns the state of a row: `sent`, `failed 3`, `live 1`.
  func row(_ number: Int) throws -> String {
    try value(
      """
      SELECT iif(syncedAt IS NOT NULL, 'sent', iif(retryCount >= 3, 'failed ', 'live ') || retryCount)
      FROM sync_queue WHERE id = \(number);
      """)
  }

  /// Returns a row's last error message.
  func error(_ number: Int) throws -> String { try value("SELECT lastError FROM sync_queue WHERE id = \(number);") }

  /// Runs one sync in this process.
  func sync(
    _ calls: any RegistryCalls, registry: String = "http://127.0.0.1", _ change: (inout SyncOptions) -> Void = { _ in }
  ) throws -> SyncReport {
    let store = try QueueStore(path, .change)
    let lock = try SyncLock(of: path)
    defer { withExtendedLifetime(lock) {} }
    var options = SyncOptions()
    options.step = 0.01
    change(&options)
    return try SyncRun(store, calls, registry: registry, options: options).run()
  }
}
