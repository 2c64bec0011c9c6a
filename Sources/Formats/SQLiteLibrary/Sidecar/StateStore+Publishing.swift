import SQLiteIO

/// What is known about publication that the app's file has no place for.
extension StateStore {
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
  static let publishingTables = """
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
}
