import CSQLite
import Foundation
import Interchange
import SQLiteIO

/// `state.sqlite` in a library's sidecar: what ran, what came from where, and records that the app has no table for.
///
/// A run writes here what it means to do before it commits to the library, and that it is done afterwards. A run
/// that was killed in between is settled by looking at the library: hashes tell which side of the commit it died on.
package final class StateStore {
  package let connection: SQLiteConnection
  /// The file.
  package let path: String
  /// The folder that contains it.
  let sidecar: SidecarFolder
  /// What tells the library from all others, 16 hexadecimal digits.
  package let libraryID: String?

  /// Opens or makes the store.
  /// - Parameter original: the store of another folder, which is used in its place and is not changed: everything that
  ///   is written is gone afterwards.
  /// - Throws: `RunFailure` when it cannot be read or is newer than this FleetKit.
  package init(_ sidecar: Sidecar, rehearsing original: String? = nil) throws {
    self.sidecar = sidecar.folder
    path = sidecar.folder.root.path(SidecarFolder.stateName)
    do {
      connection = try original.map { try Self.open($0, .overlay) } ?? Self.open(sidecar.folder.statePath(), .create)
      // Nothing was read from another file, should the folder have been replaced meanwhile.
      _ = try sidecar.folder.statePath()
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000")
      let version = try connection.number("PRAGMA user_version")
      if version == 0 {
        try connection.execute("BEGIN IMMEDIATE; \(Self.schema); PRAGMA user_version = 1; COMMIT", as: "make \(path)")
        chmod(try sidecar.folder.statePath(), 0o600)
      } else if version > 1 {
        throw RunFailure(
          .newer, "open '\(path)': it was written by a newer FleetKit", advice: "Update FleetKit.")
      }
      try connection.execute(Self.packTables + ";" + Self.publishingTables, as: "make \(path)")
      try Self.addColumns(connection)
      libraryID = try Self.giveID(connection)
    } catch let error as SQLiteError {
      throw Self.failure(error, path)
    }
  }

  /// Opens a library's store for reading; nothing in the sidecar folder changes.
  ///
  /// What a killed run was about to write is not seen: a copy is rolled back, and read.
  /// - Returns: nil when there is no store, or none that this user may read.
  /// - Throws: `RunFailure` with status 4 when something in the folder is a link or another user's, 2 when the store
  ///   contains what FleetKit never makes; `SQLiteError` when it cannot be read.
  package static func reading(of library: String, busyTimeout: Int32 = 5000) throws -> SQLiteConnection? {
    guard let path = try SidecarFolder(of: library)?.state(), access(path, R_OK) == 0 else { return nil }
    do {
      return try open(path, .read, busyTimeout: busyTimeout)
    } catch let error as SQLiteError where error.code == SQLITE_READONLY | 3 << 8 {
      // SQLITE_READONLY_ROLLBACK: there is a journal, which only those who write may roll back.
      return try readingCopy(path)
    }
  }

  /// Opens a copy of a store as it was committed last. The copy goes when the connection does.
  package static func readingCopy(_ path: String) throws -> SQLiteConnection {
    let copy = try PrivateCopy(of: path)
    return try withExtendedLifetime(copy) {
      _ = try SQLiteConnection(copy.path, .write, .own).rows("SELECT count(*) FROM sqlite_schema")
      return try open(copy.path, .readImmutable, followsLinks: true)
    }
  }

  /// Opens a store, which is input like any other file.
  static func open(
    _ path: String, _ access: SQLiteConnection.Access, busyTimeout: Int32 = 5000, followsLinks: Bool = false
  ) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path, access, .foreign, busyTimeout: busyTimeout, followsLinks: followsLinks)
    let objects = try SchemaObjects(connection)
    let other = objects.others.first.map { "a \($0.kind) '\($0.name)'" }
    if let other = other ?? (objects.computesNothing ? nil : "a generated column or a computed index") {
      throw RunFailure(
        .failed, "use '\(path)': it has \(other), which FleetKit never makes; refused",
        advice: "Move it away to start with an empty one; the library itself is not concerned.")
    }
    return connection
  }

  /// What SQLite said about the store, for the user.
  package static func failure(_ error: SQLiteError, _ path: String) -> RunFailure {
    RunFailure(
      .failed, "use '\(path)': \(error.message)",
      advice: error.isFull
        ? "Free some space and run it again; the library is as it was."
        : error.isDamage ? "Move it away to start with an empty one; the library itself is not concerned." : nil)
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

  // MARK: Columns that stores of older versions lack

  // Columns that stores of older versions lack; those versions pass over them, and what they write over is told by
  // `bases`, whose entries name the hash that they belong to.

  /// Adds what is missing.
  private static func addColumns(_ connection: SQLiteConnection) throws(SQLiteError) {
    for (table, columns) in columns {
      let known = Set(try connection.rows("SELECT name FROM pragma_table_info('\(table)')").compactMap { $0[0] })
      for (name, type) in columns where !known.contains(name) {
        try connection.execute("ALTER TABLE \(table) ADD COLUMN \(name) \(type)", as: "extend the store")
      }
    }
    try connection.execute(baseTable, as: "extend the store")
  }

  /// The library's id, which is made once.
  private static func giveID(_ connection: SQLiteConnection) throws(SQLiteError) -> String? {
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS library_id (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL)",
      as: "extend the store")
    if let id = try LibraryID.read(connection) { return id }
    try connection.execute(
      "INSERT OR IGNORE INTO library_id VALUES (1, lower(hex(randomblob(8))))", as: "extend the store")
    return try LibraryID.read(connection)
  }

  private static let columns: [(table: String, columns: [(name: String, type: String)])] = [
    (
      "runs",
      [
        // When it ended, in UTC; null while it runs, and for one that was interrupted.
        ("finished", "TEXT"),
        // What became of the records, as a JSON object.
        ("counts", "TEXT"),
        // What the run was asked to do, as a JSON object: enough to do it again.
        ("request", "TEXT"),
        // The time that stood in for times that the source did not say, RFC 3339 with milliseconds.
        ("now", "TEXT"),
      ]
    ),
    (
      "ledger",
      [
        // Where the text is that the next import merges against: `bases.id * 65536 + its number in the block`.
        ("base", "INTEGER"), ("old_base", "INTEGER"), ("old_target", "TEXT"),
      ]
    ),
  ]

  /// Texts of the last import, in blocks of some hundred: packed as one frame each.
  private static let baseTable = """
    CREATE TABLE IF NOT EXISTS bases (
      id INTEGER PRIMARY KEY, run INTEGER NOT NULL, count INTEGER NOT NULL, block BLOB NOT NULL)
    """

  // MARK: The queue of items that live beside the library

  /// Makes the operations count that a run has staged, inside the caller's transaction.
  ///
  /// A row that was sent meanwhile stays as it is: what was sent is history.
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
      """, as: "settle a run")
  }

  /// Makes the library belong to whom a run has staged, inside the caller's transaction; what was sent is gone from this
  /// queue then, and nothing is known of what is public.
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
      """, as: "settle a run")
  }

  /// Whose a library is by a run that was killed when the library had its part, for callers that only read: registry,
  /// id and name of the account; nil when there is no such run.
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
    return try QueueWitness.isCommitted(witnesses, library) == true ? row : nil
  }

  // MARK: What is known about publication that the app's file has no place for

  /// Tables that stores of older versions do not have; those versions pass over them.
  ///
  /// - `sync_queue` has the app's shape (times in its text form), for items that live here because the app has no table
  ///   for them.
  /// - `publications` says of every item what the registry said last: its id there, the slug, the digest of what is
  ///   public (the entity tag), null where the next change goes through whatever is there.
  /// - `staged_operations` has what a run that enqueues makes of that queue, from the moment when it is done: a new
  ///   operation (`row` is null), another one in the place of a row, or none in its place (`operation` is null).
  /// - `staged_publications` has what a run that pulls learns of `publications`, from the moment when it is done; a row
  ///   without a slug forgets the item.
  /// - `staged_bindings` has whose the library is to be from the moment when a run is done; nothing that the registry of
  ///   before said is known any more then.
  /// - `registry_binding` has one row: the registry and the account that this library belongs to.
  /// - `sync_epoch` has one row: how often failed operations were made to be tried again.
  /// - `tried_versions` has digests of versions of an item that were sent without an answer: one of them may be public.
  /// - `earlier_states` has the publication of items (visibility, public id, metadata) before an operation changed it, so
  ///   that cancelling the operation brings it back. `queued_at` is the row's `createdAt`.
  /// - `former_operations` has the rows of both queues (`place` 0: the library's, 1: this store's) that were about a
  ///   registry or account that the library belonged to before.
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

  // MARK: Keeps the texts of the last imports as small as they can be

  /// Removes blocks whose texts are not needed any more, and writes the rest again when it is less than half of what is
  /// kept, in a transaction of its own.
  ///
  /// A text is asked for by the ledger of the last import and by that of the one before, to which an import that comes to
  /// nothing goes back.
  /// - Parameter run: the run that blocks belong to which are written again.
  func collectBases(run: Int64) throws {
    // To look for what is asked for costs a look at all; it is worth that when there are more texts than the ledger can
    // ask for.
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
      """, as: "tidy up the store")
    let asked = try connection.number("SELECT count(*) FROM asked")
    if try asked * 2 < connection.number("SELECT sum(count) FROM bases") { try rewriteBases(run) }
    try connection.execute("DROP TABLE temp.asked; COMMIT", as: "tidy up the store")
  }

  /// Less than this is not worth it.
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
        """, as: "tidy up the store")
    }
    let list = old.map(String.init).joined(separator: ", ")
    try connection.execute("DELETE FROM bases WHERE id IN (\(list))", as: "tidy up the store")
  }

  // MARK: Which packs a library has had

  // Which packs a library has had, so that it is never given an older one, or another publisher's of the same name.

  /// The last version of a pack that was imported.
  package struct KnownPack: Sendable, Equatable {
    /// What the pack is called.
    package let name: String
    /// Its version.
    package let version: String
    /// SHA-256 of its file in lower-case hexadecimal digits; empty for a folder.
    package let sha256: String
    /// The public key that it was signed with, as one line of base64; nil when it was not proved by any.
    package let key: String?

    package init(name: String, version: String, sha256: String, key: String?) {
      self.name = name
      self.version = version
      self.sha256 = sha256
      self.key = key
    }
  }

  /// Tables that stores of older versions do not have; those versions pass over them.
  private static let packTables = """
    CREATE TABLE IF NOT EXISTS packs (
      name TEXT PRIMARY KEY, version TEXT NOT NULL, sha256 TEXT NOT NULL, key TEXT) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS staged_packs (
      run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, name TEXT NOT NULL, version TEXT NOT NULL,
      sha256 TEXT NOT NULL, key TEXT, PRIMARY KEY (run, name)) WITHOUT ROWID
    """

  /// What is remembered of a pack.
  package func pack(named name: String) throws(SQLiteError) -> KnownPack? {
    try connection.rows("SELECT version, sha256, key FROM packs WHERE name = ?", [name]).first.map {
      KnownPack(name: name, version: $0[0] ?? "", sha256: $0[1] ?? "", key: $0[2])
    }
  }
}

extension Ledger {
  /// Remembers a pack, from the moment when the run is done.
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

  /// Forgets the packs of this run: what was remembered of them before stays.
  package func forgetPacks() throws(SQLiteError) {
    try store.connection.execute("DELETE FROM staged_packs WHERE run = \(run)")
  }
}
