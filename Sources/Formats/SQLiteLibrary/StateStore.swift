import CSQLite
import Foundation
import Interchange
import SQLiteIO

/// The file `state.sqlite` in a library's sidecar. It contains the runs, the origins of records, and the records for
/// which the app has no table.
///
/// A run records its intended changes here before it commits to the library, and afterwards records that it is done. If
/// the run is killed in between, hashes of the library's records show whether it had committed.
package final class StateStore {
  package let connection: SQLiteConnection
  /// The file's path.
  package let path: String
  /// The sidecar folder that contains the file.
  let sidecar: SidecarFolder
  /// The id of 16 hexadecimal digits that distinguishes the library from all others.
  package let libraryID: String?

  /// Opens or creates the store.
  /// - Parameter original: the store of another folder, which is used instead. It is not changed: everything that is
  ///   written is discarded afterwards.
  /// - Throws: `RunFailure` if the store cannot be read or was written by a newer FleetKit.
  package init(_ sidecar: Sidecar, rehearsing original: String? = nil) throws {
    self.sidecar = sidecar.folder
    path = sidecar.folder.root.path(SidecarFolder.stateName)
    do {
      connection = try original.map { try Self.open($0, .overlay) } ?? Self.open(sidecar.folder.statePath(), .create)
      // If the folder was replaced in the meantime, another file may have been opened. This call then throws.
      _ = try sidecar.folder.statePath()
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000")
      if try connection.number("PRAGMA user_version") > 1 {
        throw RunFailure(
          .newer, "open '\(path)': it was written by a newer FleetKit", advice: "Update FleetKit.")
      }
      if try !Self.isComplete(connection) {
        try Self.complete(connection, path)
        chmod(try sidecar.folder.statePath(), 0o600)
      }
      libraryID = try LibraryID.read(connection)
    } catch let error as SQLiteError {
      throw Self.failure(error, path)
    }
  }

  /// Opens a library's store for reading. Nothing in the sidecar folder is changed.
  ///
  /// A killed run's unfinished changes are not visible, because a copy of the store is rolled back and read.
  /// - Returns: nil if the store does not exist, or if this user may not read it.
  /// - Throws: `RunFailure` with status 4 if something in the folder is a symbolic link or belongs to another user, 2
  ///   if the store contains objects that FleetKit never creates; `SQLiteError` if the store cannot be read.
  package static func reading(of library: String, busyTimeout: Int32 = 5000) throws -> SQLiteConnection? {
    guard let path = try SidecarFolder(of: library)?.state(), access(path, R_OK) == 0 else { return nil }
    do {
      return try open(path, .read, busyTimeout: busyTimeout)
    } catch let error as SQLiteError where error.code == SQLITE_READONLY | 3 << 8 {
      // SQLITE_READONLY_ROLLBACK: the store has a journal that only a process with write access can roll back.
      return try readingCopy(path)
    }
  }

  /// Opens a copy of a store in its last committed state. The copy is removed when the connection is closed.
  package static func readingCopy(_ path: String) throws -> SQLiteConnection {
    let copy = try PrivateCopy(of: path)
    return try withExtendedLifetime(copy) {
      _ = try SQLiteConnection(copy.path, .write, .own).rows("SELECT count(*) FROM sqlite_schema")
      return try open(copy.path, .readImmutable, followsLinks: true)
    }
  }

  /// Opens a store. The file is untrusted input like any other.
  static func open(
    _ path: String, _ access: SQLiteConnection.Access, busyTimeout: Int32 = 5000, followsLinks: Bool = false
  ) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path, access, .foreign, busyTimeout: busyTimeout, followsLinks: followsLinks)
    let objects = try SchemaObjects(connection)
    let other = objects.others.first.map { "a \($0.kind) '\($0.name)'" }
    if let other = other ?? (objects.computesNothing ? nil : "a generated column or a computed index") {
      throw RunFailure(
        .failed, "use '\(path)': it has \(other), which FleetKit never creates; refused",
        advice: "Move it away to start with an empty one; the library itself is not affected.")
    }
    return connection
  }

  /// Converts an SQLite error about the store into a message for the user.
  package static func failure(_ error: SQLiteError, _ path: String) -> RunFailure {
    RunFailure(
      .failed, "use '\(path)': \(error.message)",
      advice: error.isFull
        ? "Free some space and run it again; the library is unchanged."
        : error.isDamage ? "Move it away to start with an empty one; the library itself is not affected." : nil)
  }

  private static let schema = """
    CREATE TABLE runs (
      id INTEGER PRIMARY KEY AUTOINCREMENT, command TEXT NOT NULL, started TEXT NOT NULL, state TEXT NOT NULL,
      backup TEXT, detail TEXT);
    CREATE TABLE witnesses (
      run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, kind TEXT NOT NULL, id TEXT NOT NULL,
      before TEXT, after TEXT);
    CREATE INDEX witnesses_run ON witnesses(run);
    CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE files (
      id INTEGER PRIMARY KEY, source INTEGER NOT NULL, path TEXT NOT NULL, UNIQUE (source, path));
    CREATE TABLE ledger (
      source INTEGER NOT NULL, kind INTEGER NOT NULL, id TEXT NOT NULL, file INTEGER NOT NULL, target TEXT,
      hash BLOB NOT NULL, run INTEGER NOT NULL, old_hash BLOB, old_run INTEGER, PRIMARY KEY (source, kind, id, file)) WITHOUT ROWID;
    CREATE TABLE records (
      kind TEXT NOT NULL, id TEXT NOT NULL, line BLOB NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
    CREATE TABLE staged_records (
      run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, kind TEXT NOT NULL, id TEXT NOT NULL,
      line BLOB NOT NULL, PRIMARY KEY (run, kind, id)) WITHOUT ROWID
    """

  // MARK: Completing a new store, or one of an older version

  /// The statements that create the tables that a new or older store lacks.
  private static let additions = [
    "CREATE TABLE IF NOT EXISTS library_id (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL)",
    baseTable, packTables, publishingTables,
  ].joined(separator: ";")

  /// The names of the tables and indexes that `additions` creates.
  private static let added = additions.components(separatedBy: " IF NOT EXISTS ").dropFirst().map {
    String($0.prefix { $0 != " " })
  }

  /// Whether the store has all tables, indexes and columns, and an id.
  private static func isComplete(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
    let objects = Set(try connection.rows("SELECT name FROM sqlite_schema").compactMap { $0[0] })
    guard objects.isSuperset(of: added) else { return false }
    for (table, columns) in columns {
      guard try columnNames(connection, table).isSuperset(of: columns.map(\.name)) else { return false }
    }
    return try LibraryID.read(connection) != nil
  }

  private static func columnNames(_ connection: SQLiteConnection, _ table: String) throws(SQLiteError) -> Set<String> {
    Set(try connection.rows("SELECT name FROM pragma_table_info('\(table)')").compactMap { $0[0] })
  }

  /// Creates the missing tables and columns in one transaction. Older versions ignore them. If an older version has
  /// overwritten a row, `bases` shows it, because each entry contains the hash that it belongs to.
  private static func complete(_ connection: SQLiteConnection, _ path: String) throws(SQLiteError) {
    try connection.execute("BEGIN IMMEDIATE", as: "create \(path)")
    do {
      if try connection.number("PRAGMA user_version") == 0 {
        try connection.execute("\(schema); PRAGMA user_version = 1", as: "create \(path)")
      }
      try connection.execute(additions, as: "extend the store")
      for (table, columns) in columns {
        let known = try columnNames(connection, table)
        for (name, type) in columns where !known.contains(name) {
          try connection.execute("ALTER TABLE \(table) ADD COLUMN \(name) \(type)", as: "extend the store")
        }
      }
      try connection.execute(
        "INSERT OR IGNORE INTO library_id VALUES (1, lower(hex(randomblob(8)))); COMMIT", as: "extend the store")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
  }

  private static let columns: [(table: String, columns: [(name: String, type: String)])] = [
    (
      "runs",
      [
        // The time at which the run ended, in UTC; null while the run is in progress, and for an interrupted run.
        ("finished", "TEXT"),
        // The number of records for each outcome, as a JSON object.
        ("counts", "TEXT"),
        // The run's request, as a JSON object with everything that is needed to repeat the run.
        ("request", "TEXT"),
        // The time that was used where the source had no time, in RFC 3339 with milliseconds.
        ("now", "TEXT"),
      ]
    ),
    (
      "ledger",
      [
        // The location of the base text for the next import: `bases.id * 65536 + its number in the block`.
        ("base", "INTEGER"), ("old_base", "INTEGER"), ("old_target", "TEXT"),
      ]
    ),
  ]

  /// The table of base texts. Many texts are stored in one block, and each block is compressed as one frame.
  private static let baseTable = """
    CREATE TABLE IF NOT EXISTS bases (
      id INTEGER PRIMARY KEY, run INTEGER NOT NULL, count INTEGER NOT NULL, block BLOB NOT NULL)
    """

  // MARK: The queue of items in the sidecar

  /// Puts the operations that a run has staged into effect, inside the caller's transaction.
  ///
  /// A row that was sent in the meantime is left unchanged, because it is history.
  func finishOperations(_ run: Int64) throws(SQLiteError) {
    try connection.execute(
      """
      DELETE FROM sync_queue WHERE syncedAt IS NULL AND id IN
        (SELECT row FROM staged_operations WHERE run = \(run) AND operation IS NULL);
      UPDATE sync_queue SET operation = new.operation, payload = new.payload, retryCount = new.retryCount,
        lastError = CASE WHEN new.retryCount = 0 THEN NULL ELSE lastError END, nextRetryAt = NULL
      FROM staged_operations AS new
      WHERE new.run = \(run) AND new.row = sync_queue.id AND new.operation IS NOT NULL AND syncedAt IS NULL;
      INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt, retryCount)
      SELECT contentID, operation, visibilityState, payload, createdAt, retryCount FROM staged_operations
      WHERE run = \(run) AND row IS NULL ORDER BY id;
      DELETE FROM staged_operations WHERE run = \(run)
      """, as: "finish a run")
  }

  /// Assigns the library to the account that a run has staged, inside the caller's transaction. Sent operations are
  /// removed from this queue, and the state of publications becomes unknown.
  func finishRebinding(_ run: Int64) throws(SQLiteError) {
    guard try connection.number("SELECT count(*) FROM staged_bindings WHERE run = \(run)") > 0 else { return }
    try connection.execute(
      """
      DELETE FROM sync_queue WHERE syncedAt IS NOT NULL;
      DELETE FROM publications;
      DELETE FROM tried_versions;
      DELETE FROM earlier_states;
      INSERT INTO sync_epoch (one, number) VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET number = number + 1;
      INSERT OR REPLACE INTO registry_binding (one, registry, user_id, username, bound_at)
      SELECT 1, registry, user_id, username, strftime('%Y-%m-%d %H:%M:%f', 'now') FROM staged_bindings
      WHERE run = \(run);
      DELETE FROM staged_bindings WHERE run = \(run)
      """, as: "finish a run")
  }

  /// Returns the binding that a run was writing when it was killed after its commit to the library: the registry, and
  /// the account's id and name. Returns nil if no such run exists. For callers that only read.
  package static func unsettledBinding(
    _ state: SQLiteConnection, _ library: SQLiteConnection
  ) throws(SQLiteError) -> [String?]? {
    let isThere = "SELECT count(*) FROM sqlite_schema WHERE name = 'staged_bindings'"
    guard try state.number(isThere) > 0,
      let row = try state.rows(
        """
        SELECT registry, user_id, username, run FROM staged_bindings JOIN runs ON runs.id = run
        WHERE state = '\(RunState.intended.rawValue)'
        """
      ).first
    else { return nil }
    let witnesses = try state.rows("SELECT kind, id, before, after FROM witnesses WHERE run = \(row[3] ?? "0")")
    return try CommitProbe.isCommitted(witnesses, library) == true ? row : nil
  }

  // MARK: Publication data that the app's file cannot hold

  /// The tables that are missing from stores of older versions; older versions ignore these tables.
  ///
  /// - `sync_queue` has the app's columns, with times as text in the app's form. It is the queue for items that are
  ///   stored here because the app has no table for them.
  /// - `publications` holds the registry's last answer about each item: the item's id in the registry, the slug, and
  ///   the digest of the public content (the entity tag). The digest is null if the next change is sent regardless of
  ///   the public content.
  /// - `staged_operations` holds a run's changes to that queue, which take effect when the run is done: a new operation
  ///   (`row` is null), a replacement for a row, or the removal of a row (`operation` is null).
  /// - `staged_publications` holds the changes to `publications` from a run that pulls, which take effect when the run
  ///   is done. A row without a slug removes the item.
  /// - `staged_bindings` holds the library's new registry and account, which take effect when the run is done. All data
  ///   from the previous registry is then discarded.
  /// - `registry_binding` has one row: the registry and the account that this library belongs to.
  /// - `sync_epoch` has one row: the number of times that failed operations were reset for another attempt.
  /// - `tried_versions` has the digests of item versions that were sent without receiving an answer. One of these
  ///   versions may be public.
  /// - `earlier_states` has the publication state of items (visibility, public id, metadata) before an operation
  ///   changed it, so that canceling the operation can restore the state. `queued_at` is the row's `createdAt`.
  /// - `former_operations` has the rows of both queues (`place` 0: the library's, 1: this store's) for a registry or
  ///   account that the library belonged to before.
  private static let publishingTables = """
    CREATE TABLE IF NOT EXISTS sync_queue (
      id INTEGER PRIMARY KEY AUTOINCREMENT, contentID TEXT NOT NULL, operation TEXT NOT NULL,
      visibilityState TEXT NOT NULL, payload TEXT, createdAt DATETIME NOT NULL, retryCount INTEGER NOT NULL DEFAULT 0,
      lastError TEXT, syncedAt DATETIME, nextRetryAt DATETIME);
    CREATE INDEX IF NOT EXISTS sync_queue_content ON sync_queue(contentID);
    CREATE INDEX IF NOT EXISTS sync_queue_pending ON sync_queue(createdAt) WHERE syncedAt IS NULL;
    CREATE TABLE IF NOT EXISTS publications (
      content_id TEXT PRIMARY KEY, public_id TEXT NOT NULL, registry_id TEXT, digest TEXT, synced_at TEXT)
      WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS registry_binding (
      one INTEGER PRIMARY KEY CHECK (one = 1), registry TEXT NOT NULL, user_id TEXT NOT NULL, username TEXT NOT NULL,
      bound_at TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS staged_operations (
      id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, row INTEGER,
      contentID TEXT, operation TEXT, visibilityState TEXT, payload TEXT, createdAt TEXT, retryCount INTEGER);
    CREATE TABLE IF NOT EXISTS sync_epoch (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS tried_versions (
      content_id TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (content_id, digest)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS earlier_states (
      content_id TEXT NOT NULL, queued_at TEXT NOT NULL, visibility TEXT NOT NULL, public_id TEXT, published_at TEXT,
      public_metadata TEXT, PRIMARY KEY (content_id, queued_at)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS former_operations (
      registry TEXT NOT NULL, user_id TEXT NOT NULL, place INTEGER NOT NULL, id INTEGER NOT NULL,
      contentID TEXT NOT NULL, operation TEXT NOT NULL, payload TEXT, createdAt DATETIME NOT NULL,
      retryCount INTEGER NOT NULL, lastError TEXT, syncedAt DATETIME, PRIMARY KEY (registry, user_id, place, id));
    CREATE TABLE IF NOT EXISTS staged_bindings (
      run INTEGER PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE, registry TEXT NOT NULL, user_id TEXT NOT NULL,
      username TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS staged_publications (
      run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, content_id TEXT NOT NULL, public_id TEXT,
      registry_id TEXT, digest TEXT, synced_at TEXT, PRIMARY KEY (run, content_id)) WITHOUT ROWID
    """

  // MARK: Compacting the texts of the last imports

  /// Removes blocks whose texts are no longer needed. If fewer than half of the remaining texts are in use, rewrites
  /// the blocks. Uses its own transaction.
  ///
  /// The ledger refers to the base texts of the last import and of the import before it, which are restored if an
  /// import changes nothing.
  /// - Parameter run: the run that the rewritten blocks belong to.
  func collectBases(run: Int64) throws {
    // Finding the used texts requires a search, which is only worthwhile if the store has more texts than the ledger
    // can refer to.
    let kept = try connection.number("SELECT sum(count) FROM bases")
    guard kept > max(Self.fewTexts, 2 * (try connection.number("SELECT count(*) FROM ledger"))) else { return }
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute(
      """
      DROP TABLE IF EXISTS temp.asked;
      CREATE TEMP TABLE asked (old INTEGER PRIMARY KEY, new INTEGER);
      INSERT OR IGNORE INTO asked (old) SELECT base FROM ledger WHERE base IS NOT NULL;
      INSERT OR IGNORE INTO asked (old) SELECT old_base FROM ledger WHERE old_base IS NOT NULL;
      DELETE FROM bases WHERE id NOT IN (SELECT old >> 16 FROM asked)
      """, as: "compact the store")
    let asked = try connection.number("SELECT count(*) FROM asked")
    if try asked * 2 < connection.number("SELECT sum(count) FROM bases") { try rewriteBases(run) }
    try connection.execute("DROP TABLE temp.asked; COMMIT", as: "compact the store")
  }

  /// With fewer texts than this number, compacting is not worthwhile.
  private static let fewTexts: Int64 = 64

  private func rewriteBases(_ run: Int64) throws {
    let texts = try BaseTexts(self, run: run)
    let move = try connection.prepare("UPDATE asked SET new = ? WHERE old = ?")
    let old = try connection.rows(
      """
      SELECT id FROM bases JOIN (SELECT old >> 16 AS block, count(*) AS live FROM asked GROUP BY 1) ON block = id
      WHERE live * 2 < count ORDER BY id
      """
    ).compactMap { $0[0].flatMap(Int64.init) }
    for block in old {
      try Interruption.check()
      guard let entries = try texts.entries(of: block) else { continue }
      let live = try connection.rows(
        "SELECT old FROM asked WHERE old BETWEEN \(block << 16) AND \(block << 16 | 65535) ORDER BY old & 32767")
      for reference in live.compactMap({ $0[0].flatMap(Int64.init) }).map(BaseTexts.Reference.init)
      where reference.number < entries.count {
        move.bind(try texts.copy(entries, reference).value, at: 1)
        move.bind(reference.value, at: 2)
        try move.run()
      }
    }
    try texts.flush()
    for column in ["base", "old_base"] {
      try connection.execute(
        """
        UPDATE ledger SET \(column) = (SELECT new FROM asked WHERE old = \(column))
        WHERE \(column) IN (SELECT old FROM asked WHERE new IS NOT NULL)
        """, as: "compact the store")
    }
    let list = old.map(String.init).joined(separator: ", ")
    try connection.execute("DELETE FROM bases WHERE id IN (\(list))", as: "compact the store")
  }

  // MARK: Imported packs

  // The packs that were imported into a library are recorded to prevent the import of an older version, or of another
  // publisher's pack with the same name.

  /// The last version of a pack that was imported.
  package struct KnownPack: Sendable, Equatable {
    /// The pack's name.
    package let name: String
    /// The pack's version.
    package let version: String
    /// The SHA-256 of the pack's file, in lower-case hexadecimal digits; empty for a folder.
    package let sha256: String
    /// The public key that verified the pack's signature, as one line of base64; nil if no key verified it.
    package let key: String?

    package init(name: String, version: String, sha256: String, key: String?) {
      self.name = name
      self.version = version
      self.sha256 = sha256
      self.key = key
    }
  }

  /// The tables that are missing from stores of older versions; older versions ignore these tables.
  private static let packTables = """
    CREATE TABLE IF NOT EXISTS packs (
      name TEXT PRIMARY KEY, version TEXT NOT NULL, sha256 TEXT NOT NULL, key TEXT) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS staged_packs (
      run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, name TEXT NOT NULL, version TEXT NOT NULL,
      sha256 TEXT NOT NULL, key TEXT, PRIMARY KEY (run, name)) WITHOUT ROWID
    """

  /// Returns the last imported version of a pack.
  package func pack(named name: String) throws(SQLiteError) -> KnownPack? {
    try connection.rows("SELECT version, sha256, key FROM packs WHERE name = ?", [name]).first.map {
      KnownPack(name: name, version: $0[0] ?? "", sha256: $0[1] ?? "", key: $0[2])
    }
  }
}

extension Ledger {
  /// Records a pack. The record takes effect when the run is done.
  package func remember(_ pack: StateStore.KnownPack) throws(SQLiteError) {
    let insert = try store.connection.prepare(
      "INSERT OR REPLACE INTO staged_packs (run, name, version, sha256, key) VALUES (?, ?, ?, ?, ?)")
    insert.bind(run, at: 1)
    insert.bind(pack.name, at: 2)
    insert.bind(pack.version, at: 3)
    insert.bind(pack.sha256, at: 4)
    if let key = pack.key { insert.bind(key, at: 5) } else { insert.bindNull(at: 5) }
    try insert.run()
  }

  /// Discards the packs that this run recorded. Earlier versions remain recorded.
  package func forgetPacks() throws(SQLiteError) {
    try store.connection.execute("DELETE FROM staged_packs WHERE run = \(run)")
  }
}
