import GRDB
import RegistryStore

/// The tables of a registry's file, and the upgrade of older files.
///
/// Columns have the names in the backend's documents. Three kinds of data are stored separately from `shared_content`:
/// the document (lists and counts need not read it), the tags of public items (an index for "all items with this tag,
/// newest first"), and the words (FTS5). Unpublished items have neither tags nor words there.
enum StoreSchema {
  /// The application id in the file's header, `FKRG`: files of other programs are not touched.
  static let applicationID: Int32 = 0x464B_5247
  /// The steps from one `user_version` to the next. Released steps are never edited; new ones are only added.
  static let steps = [version1, version2, version3, version4, version5]
  /// The version that this program writes.
  static var version: Int { steps.count }

  /// Compares a file's schema with a registry's schema. A trigger, a view or a virtual table that another program added
  /// could run its author's code with the store's statements.
  /// - Throws: `DatabaseError`, or `StoreFailure` if the schemas differ or the file is newer than this program.
  static func check(_ db: Database, path: String) throws {
    let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    guard found <= version else { throw StoreProblem.newer(path: path, found: found, known: version) }
    let expected = try SchemaShape(after: steps.prefix(max(0, found)))
    if let difference = try expected.difference(of: db) { throw StoreProblem.altered(path: path, difference) }
  }

  /// Upgrades a file to the current version in one transaction.
  /// - Throws: `DatabaseError`, or `StoreFailure` if the file is newer than this program.
  static func migrate(_ db: Database, path: String) throws {
    try db.inTransaction(.immediate) {
      let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      guard found <= version else {
        throw StoreProblem.newer(path: path, found: found, known: version)
      }
      for step in steps.dropFirst(max(0, found)) { try db.execute(sql: step) }
      if found < 4 { try ErasedSlug.hashAll(db) }
      if found < version { try db.execute(sql: "PRAGMA user_version = \(version)") }
      return .commit
    }
  }

  /// Adds an index for the order of copies.
  private static let version5 = """
    CREATE INDEX shared_content_by_forks ON shared_content(fork_count, created_at, id) WHERE deleted_at IS NULL;
    """

  /// Adds the first item of a copy's lineage, and the copy's distance from it. A cycle, which only damage can cause,
  /// has no first item. `original_is_claimed` is 1 if the author's name comes only from a request. The titles of
  /// deleted accounts' items are no longer shown, so they are removed; the slugs are hashed (`ErasedSlug`).
  private static let version4 = """
    ALTER TABLE shared_content ADD COLUMN root_id TEXT REFERENCES shared_content(id);
    ALTER TABLE shared_content ADD COLUMN chain_depth INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE shared_content ADD COLUMN original_author_username TEXT;
    ALTER TABLE shared_content ADD COLUMN original_is_claimed INTEGER NOT NULL DEFAULT 0;
    WITH RECURSIVE chain(id, root_id, depth) AS (
      SELECT id, id, 1 FROM shared_content WHERE forked_from_id IS NULL
      UNION ALL
      SELECT c.id, chain.root_id, chain.depth + 1 FROM chain JOIN shared_content c ON c.forked_from_id = chain.id)
    UPDATE shared_content SET root_id = chain.root_id, chain_depth = chain.depth
    FROM chain WHERE chain.id = shared_content.id AND chain.depth > 1;
    CREATE INDEX shared_content_by_root ON shared_content(root_id) WHERE root_id IS NOT NULL;
    CREATE INDEX shared_content_by_original_name ON shared_content(original_author_username COLLATE NOCASE)
      WHERE original_author_username IS NOT NULL AND original_is_claimed = 0;
    CREATE INDEX shared_content_by_slug_in_any_case ON shared_content(public_id COLLATE NOCASE);
    UPDATE store_state SET erasure_pending = erasure_pending + 1
      WHERE EXISTS (SELECT 1 FROM shared_content WHERE user_id IS NULL AND title <> '');
    UPDATE shared_content SET title = '' WHERE user_id IS NULL AND title <> '';
    """

  /// Adds an index for the names in deleted accounts' items, which are searched whenever a name is chosen.
  private static let version2 = """
    CREATE INDEX shared_content_by_kept_name ON shared_content(author_username)
      WHERE user_id IS NULL AND author_username IS NOT NULL;
    """

  /// Adds profiles. Names are compared without regard to case, including the names of deleted accounts.
  /// `content_recredited` lists the items whose readers may have an outdated author's name although the digest has not
  /// changed.
  private static let version3 = """
    CREATE TABLE profiles (
      user_id TEXT NOT NULL PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
      bio TEXT,
      location TEXT,
      nationality TEXT,
      visibility TEXT,
      social_links TEXT,
      community_memberships TEXT
    ) STRICT;
    CREATE TABLE content_recredited (
      number INTEGER PRIMARY KEY REFERENCES shared_content(number) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX users_by_folded_name ON users(username COLLATE NOCASE);
    DROP INDEX shared_content_by_kept_name;
    CREATE INDEX shared_content_by_kept_name ON shared_content(author_username COLLATE NOCASE)
      WHERE user_id IS NULL AND author_username IS NOT NULL;
    CREATE INDEX shared_content_counts ON shared_content(user_id, deleted_at, fork_count);
    """

  private static let version1 = """
    CREATE TABLE store_state (
      only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
      view_flush INTEGER NOT NULL,
      erasure_pending INTEGER NOT NULL
    ) STRICT;
    INSERT INTO store_state VALUES (1, 0, 0);

    CREATE TABLE users (
      id TEXT NOT NULL PRIMARY KEY,
      apple_id TEXT NOT NULL UNIQUE,
      email TEXT UNIQUE,
      username TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE sessions (
      id TEXT NOT NULL PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sessions_by_user ON sessions(user_id);
    CREATE INDEX sessions_by_end ON sessions(expires_at);

    CREATE TABLE refresh_tokens (
      token_hash BLOB NOT NULL PRIMARY KEY,
      session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER
    ) STRICT;
    CREATE INDEX refresh_tokens_by_session ON refresh_tokens(session_id);
    CREATE INDEX refresh_tokens_by_end ON refresh_tokens(expires_at) WHERE used_at IS NOT NULL;

    CREATE TABLE shared_content (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      user_id TEXT REFERENCES users(id),
      author_username TEXT,
      title TEXT NOT NULL,
      description TEXT,
      content_type TEXT NOT NULL CHECK (content_type IN ('checklist', 'practice_guide', 'flashcard_deck')),
      tags TEXT NOT NULL,
      language TEXT NOT NULL,
      language_base TEXT NOT NULL,
      public_id TEXT NOT NULL UNIQUE,
      can_fork INTEGER NOT NULL CHECK (can_fork IN (0, 1)),
      forked_from_id TEXT REFERENCES shared_content(id),
      view_count INTEGER NOT NULL DEFAULT 0,
      fork_count INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER,
      digest BLOB NOT NULL
    ) STRICT;
    CREATE INDEX shared_content_by_user ON shared_content(user_id, updated_at, id);
    CREATE INDEX shared_content_by_parent ON shared_content(forked_from_id) WHERE forked_from_id IS NOT NULL;
    CREATE INDEX shared_content_newest ON shared_content(created_at, id) WHERE deleted_at IS NULL;
    CREATE INDEX shared_content_by_type ON shared_content(content_type, created_at, id) WHERE deleted_at IS NULL;
    CREATE INDEX shared_content_by_language ON shared_content(language_base, created_at, id) WHERE deleted_at IS NULL;

    CREATE TABLE content_documents (
      number INTEGER PRIMARY KEY REFERENCES shared_content(number) ON DELETE CASCADE,
      content_data BLOB NOT NULL
    ) STRICT;

    CREATE TABLE content_tags (
      tag TEXT NOT NULL COLLATE NOCASE,
      created_at INTEGER NOT NULL,
      id TEXT NOT NULL,
      number INTEGER NOT NULL REFERENCES shared_content(number) ON DELETE CASCADE,
      PRIMARY KEY (tag, created_at, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX content_tags_by_number ON content_tags(number);

    CREATE TABLE content_forks (
      parent_shared_content_id TEXT NOT NULL REFERENCES shared_content(id),
      child_shared_content_id TEXT NOT NULL PRIMARY KEY REFERENCES shared_content(id),
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE VIRTUAL TABLE content_search USING fts5(
      title, description, tags, body, tokenize = 'unicode61 remove_diacritics 2'
    );

    CREATE TABLE idempotency_keys (
      user_id TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
      key TEXT NOT NULL,
      fingerprint BLOB NOT NULL,
      status INTEGER NOT NULL,
      headers TEXT NOT NULL,
      body BLOB NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (user_id, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX idempotency_keys_by_age ON idempotency_keys(created_at);
    """
}

/// The contents of a database's schema, as SQLite parses it: objects, columns, foreign keys and indexes.
///
/// The SQL strings are not compared, so the spelling of a statement makes no difference. CHECK constraints and the
/// conditions of partial indexes are left out: they can refuse rows, but cannot change or create them.
struct SchemaShape {
  /// One line for each trigger, view, table and index: `trigger 't' of 'users'`.
  private let objects: Set<String>
  /// One line for each property of these objects.
  private let details: Set<String>

  /// Computes the shape of an empty database after some steps of its schema.
  init(after steps: some Sequence<String>) throws {
    let queue = try StoreProfile.inMemory()
    (objects, details) = try queue.writeWithoutTransaction { db in
      for step in steps { try db.execute(sql: step) }
      return (try Self.read(db, [Self.objectQuery]), try Self.read(db, Self.detailQueries))
    }
    try queue.close()
  }

  /// The difference between a database and this shape.
  struct Difference: Equatable {
    /// An element that the database has and this shape does not.
    let added: String?
    /// An element that this shape has and the database does not.
    let missing: String?
  }

  /// Compares the schema of an open database.
  /// - Returns: The first difference by name; nil if there is no difference.
  func difference(of db: Database) throws -> Difference? {
    // Objects are compared first: to list columns, SQLite starts the modules of all virtual tables.
    try Self.difference(Self.read(db, [Self.objectQuery]), objects)
      ?? Self.difference(Self.read(db, Self.detailQueries), details)
  }

  private static func difference(_ found: Set<String>, _ expected: Set<String>) -> Difference? {
    if found == expected { return nil }
    return Difference(added: found.subtracting(expected).min(), missing: expected.subtracting(found).min())
  }

  private static func read(_ db: Database, _ queries: [String]) throws -> Set<String> {
    var lines: Set<String> = []
    for query in queries {
      // A damaged file may contain NULL anywhere.
      for line in try String?.fetchAll(db, sql: query) { lines.insert(line ?? "unnamed object") }
    }
    return lines
  }

  /// The query for the objects. ANALYZE may have added its own tables, which are ignored.
  private static let objectQuery = """
    SELECT type || ' ''' || name || '''' || iif(tbl_name = name, '', ' of ''' || tbl_name || '''')
    FROM sqlite_schema WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))
    """

  private static let tables = """
    (SELECT * FROM pragma_table_list
      WHERE schema = 'main' AND name NOT IN ('sqlite_schema', 'sqlite_stat1', 'sqlite_stat4')) AS t
    """

  private static let detailQueries = [
    // A table is 'virtual', or 'shadow' if it belongs to FTS5.
    """
    SELECT t.type || ' table ''' || t.name || ''' with ' || t.ncol || ' columns' || iif(t.wr, ', without rowid', '')
      || iif(t.strict, ', strict', '')
    FROM \(tables)
    """,
    """
    SELECT 'column ''' || c.name || ''' of ''' || t.name || ''': ' || c.type || ' ' || c."notnull" || ' '
      || ifnull(c.dflt_value, '-') || ' ' || c.pk || ' ' || c.hidden
    FROM \(tables), pragma_table_xinfo(t.name) AS c
    """,
    """
    SELECT 'foreign key of ''' || t.name || ''' to ''' || f."table" || ''': ' || f."from" || ' ' || ifnull(f."to", '-')
      || ' ' || f.on_update || ' ' || f.on_delete
    FROM \(tables), pragma_foreign_key_list(t.name) AS f
    """,
    """
    SELECT 'column ' || x.seqno || ' of the index ''' || i.name || ''': ' || ifnull(x.name, '-') || ' ' || x.cid || ' '
      || x.desc || ' ' || x.coll || ' ' || x.key || ' ' || i."unique" || ' ' || i.origin || ' ' || i.partial
    FROM \(tables), pragma_index_list(t.name) AS i, pragma_index_xinfo(i.name) AS x
    """,
  ]
}
