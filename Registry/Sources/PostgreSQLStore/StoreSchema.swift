import RegistryStore

/// The upgrade of a database's schema.
public struct PostgreSQLMigration: Sendable {
  /// A step to the next version.
  public struct Step: Sendable, Equatable {
    /// The version after the step.
    public let version: Int
    /// What the step does.
    public let title: String
    /// The oldest version whose programs still work after the step.
    public let worksFrom: Int
  }

  /// The version that this program reads and writes.
  public static var latest: Int { StoreSchema.version }

  private let address: String
  /// The version of the database; 0 if it is empty.
  public let version: Int
  /// The steps that are missing.
  public let steps: [Step]

  /// Reads a database's version; changes nothing.
  /// - Throws: `StoreFailure` if the server cannot be reached, or the database is another program's or too new.
  public init(_ address: String) throws(StoreFailure) {
    self.address = address
    let found = try Self.connected(address) { try StoreSchema.find($0) }
    if found.isForeign || found.version > StoreSchema.version { try StoreSchema.check(found) }
    version = found.version
    steps = StoreSchema.steps.enumerated().dropFirst(found.version)
      .map { Step(version: $0 + 1, title: $1.title, worksFrom: $1.worksFrom) }
  }

  /// Carries out the missing steps, each in a transaction.
  /// - Parameter onStep: called after each step.
  public func run(onStep: (Step) -> Void) throws(StoreFailure) {
    try Self.connected(address) { _ = try StoreSchema.migrate($0, onStep: onStep) }
  }

  private static func connected<Value>(
    _ address: String, _ body: (PostgreSQLConnection) throws -> Value
  ) throws(StoreFailure) -> Value {
    do {
      return try body(PostgreSQLConnection(address, session: ["lock_timeout = '30s'"], isWritable: true))
    } catch { throw StoreProblem.failure(error) as? StoreFailure ?? .unavailable("open the database: it failed.") }
  }
}

/// The tables of a registry's database, and its upgrade in steps.
///
/// Columns have the names in the backend's documents. `content_documents` contains each document exactly as it was
/// published; `content_data` contains the same document as `jsonb`, for queries by people. The tags of public items are
/// also in `content_tags`, in the order of lists, so that "all items with this tag, newest first" reads one index from
/// its end. All strings are compared by bytes (`COLLATE "C"`), where `lower` changes only ASCII letters.
enum StoreSchema {
  /// One step to a newer version of the schema.
  struct Step {
    /// What the step does, for `migrate --plan`.
    let title: String
    let sql: String
    /// The oldest version of the schema whose programs still work after this step. A step first adds what newer programs
    /// need; a later one removes what no program uses any more.
    let worksFrom: Int
  }

  /// The steps from one version to the next. Released steps are never edited; new ones are only added.
  static let steps = [
    Step(title: "make the tables of a registry", sql: version1, worksFrom: 1),
    Step(title: "add an index for the order of copies", sql: version2, worksFrom: 1),
  ]
  /// The version that this program reads and writes.
  static var version: Int { steps.count }
  /// The key of the advisory lock that one migration at a time holds.
  private static let lock = 0x464B_5247_0001

  /// The state of a database.
  struct Found {
    /// The version of the schema; 0 if the database has no tables yet.
    let version: Int
    /// The oldest version whose programs still work.
    let worksFrom: Int
    /// Whether the database has tables, but none of a registry.
    let isForeign: Bool
  }

  /// Reads the version of a database.
  static func find(_ connection: PostgreSQLConnection) throws -> Found {
    let exists = try connection.query("SELECT to_regclass('schema_versions') IS NOT NULL").truth(0, 0) ?? false
    guard exists else {
      let tables = try connection.query(
        "SELECT count(*) FROM pg_catalog.pg_class c WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v')"
      )
      return Found(version: 0, worksFrom: 0, isForeign: (tables.integer(0, 0) ?? 0) > 0)
    }
    let rows = try connection.query("SELECT version, works_from FROM schema_versions ORDER BY version DESC LIMIT 1")
    return Found(
      version: Int(rows.integer(0, 0) ?? 0), worksFrom: Int(rows.integer(0, 1) ?? 0), isForeign: false)
  }

  /// Makes the tables in an empty database, and checks any other one.
  /// - Throws: `StoreFailure` if this program does not work with the database.
  static func prepare(_ connection: PostgreSQLConnection) throws {
    let encoding = try connection.query("SELECT current_setting('server_encoding')").text(0, 0) ?? ""
    guard encoding == "UTF8" else {
      throw StoreFailure.unavailable(
        "open the database: its encoding is \(encoding). Create it with: createdb --encoding UTF8 --template template0")
    }
    let found = try find(connection)
    if found.version == 0, !found.isForeign { try migrate(connection) } else { try check(found) }
  }

  /// Checks that this program works with a database.
  /// - Throws: `StoreFailure` if the schema is older than this program, or too new for it.
  static func check(_ found: Found) throws(StoreFailure) {
    if found.isForeign {
      throw .unavailable("open the database: it has tables of another program. Name another database.")
    }
    if found.version < version {
      throw .unavailable(
        "open the database: its schema has version \(found.version), and this program needs version \(version). "
          + "Run: fleetkit-registry migrate --to-latest")
    }
    if found.worksFrom > version {
      throw .unavailable(
        "open the database: its schema has version \(found.version), which is too new for this program "
          + "(version \(version)). Start the newer program.")
    }
  }

  /// Carries out the missing steps, each in a transaction. Other programs may use the database meanwhile; a second
  /// migration waits for the first one.
  /// - Parameter onStep: called after each step.
  /// - Returns: The version before the first step.
  @discardableResult
  static func migrate(
    _ connection: PostgreSQLConnection, onStep: (PostgreSQLMigration.Step) -> Void = { _ in }
  ) throws -> Int {
    try connection.query("SELECT pg_advisory_lock($1)", [.integer(Int64(lock))])
    defer { _ = try? connection.query("SELECT pg_advisory_unlock($1)", [.integer(Int64(lock))]) }
    let found = try find(connection)
    if found.isForeign || found.version > version { try check(found) }
    for (index, step) in steps.enumerated().dropFirst(found.version) {
      try connection.run("BEGIN")
      do {
        try connection.run(step.sql)
        try connection.query(
          "INSERT INTO schema_versions (version, works_from) VALUES ($1, $2)",
          [.integer(Int64(index + 1)), .integer(Int64(step.worksFrom))])
        try connection.run("COMMIT")
      } catch {
        if connection.isAlive { try? connection.run("ROLLBACK") }
        throw error
      }
      onStep(PostgreSQLMigration.Step(version: index + 1, title: step.title, worksFrom: step.worksFrom))
    }
    return found.version
  }

  private static let version2 = """
    CREATE INDEX shared_content_by_forks ON shared_content (fork_count, created_at, id) WHERE deleted_at IS NULL;
    """

  private static let version1 = """
    CREATE TABLE schema_versions (
      version bigint PRIMARY KEY,
      works_from bigint NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE users (
      id uuid PRIMARY KEY,
      apple_id text COLLATE "C" NOT NULL UNIQUE,
      email text COLLATE "C" UNIQUE,
      username text COLLATE "C" NOT NULL UNIQUE,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    );
    CREATE INDEX users_by_folded_name ON users (lower(username));

    CREATE TABLE profiles (
      user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      bio text,
      location text,
      nationality text,
      visibility text,
      social_links text[],
      community_memberships text[]
    );

    CREATE TABLE sessions (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX sessions_by_user ON sessions (user_id);
    CREATE INDEX sessions_by_end ON sessions (expires_at);

    CREATE TABLE refresh_tokens (
      token_hash bytea PRIMARY KEY,
      session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      used_at timestamptz
    );
    CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
    CREATE INDEX refresh_tokens_by_end ON refresh_tokens (expires_at) WHERE used_at IS NOT NULL;

    CREATE TABLE shared_content (
      number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      id uuid NOT NULL UNIQUE,
      user_id uuid REFERENCES users,
      author_username text COLLATE "C",
      title text NOT NULL,
      description text,
      content_type text COLLATE "C" NOT NULL
        CHECK (content_type IN ('checklist', 'practice_guide', 'flashcard_deck')),
      tags text[] NOT NULL,
      folded_tags text[] COLLATE "C" NOT NULL,
      language text COLLATE "C" NOT NULL,
      language_base text COLLATE "C" NOT NULL,
      content_data jsonb,
      public_id text COLLATE "C" NOT NULL UNIQUE,
      can_fork boolean NOT NULL,
      forked_from_id uuid REFERENCES shared_content (id),
      root_id uuid REFERENCES shared_content (id),
      chain_depth bigint NOT NULL DEFAULT 1,
      original_author_username text COLLATE "C",
      original_is_claimed boolean NOT NULL DEFAULT false,
      view_count bigint NOT NULL DEFAULT 0,
      fork_count bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      deleted_at timestamptz,
      digest bytea NOT NULL,
      words tsvector
    ) WITH (fillfactor = 90, toast_tuple_target = 128);
    CREATE INDEX shared_content_by_folded_slug ON shared_content (lower(public_id));
    CREATE INDEX shared_content_by_user ON shared_content (user_id, updated_at, id);
    CREATE INDEX shared_content_by_parent ON shared_content (forked_from_id) WHERE forked_from_id IS NOT NULL;
    CREATE INDEX shared_content_by_root ON shared_content (root_id) WHERE root_id IS NOT NULL;
    CREATE INDEX shared_content_newest ON shared_content (created_at, id) WHERE deleted_at IS NULL;
    CREATE INDEX shared_content_by_type ON shared_content (content_type, created_at, id) WHERE deleted_at IS NULL;
    CREATE INDEX shared_content_by_language ON shared_content (language_base, created_at, id)
      WHERE deleted_at IS NULL;
    CREATE INDEX shared_content_by_tags ON shared_content USING gin (folded_tags) WHERE deleted_at IS NULL;
    CREATE INDEX shared_content_by_words ON shared_content USING gin (words) WHERE deleted_at IS NULL;
    CREATE INDEX shared_content_by_kept_name ON shared_content (lower(author_username))
      WHERE user_id IS NULL AND author_username IS NOT NULL;
    CREATE INDEX shared_content_by_original_name ON shared_content (lower(original_author_username))
      WHERE original_author_username IS NOT NULL AND NOT original_is_claimed;

    CREATE TABLE content_documents (
      number bigint PRIMARY KEY REFERENCES shared_content ON DELETE CASCADE,
      document bytea NOT NULL
    );

    CREATE TABLE content_tags (
      tag text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL,
      id uuid NOT NULL,
      number bigint NOT NULL REFERENCES shared_content ON DELETE CASCADE,
      PRIMARY KEY (tag, created_at, id)
    );
    CREATE INDEX content_tags_by_number ON content_tags (number);

    CREATE TABLE content_forks (
      parent_shared_content_id uuid NOT NULL REFERENCES shared_content (id),
      child_shared_content_id uuid PRIMARY KEY REFERENCES shared_content (id),
      created_at timestamptz NOT NULL
    );

    CREATE TABLE content_recredited (
      number bigint PRIMARY KEY REFERENCES shared_content ON DELETE CASCADE
    );

    CREATE TABLE view_flushes (
      process uuid PRIMARY KEY,
      flush bigint NOT NULL,
      flushed_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE loads (
      source bytea NOT NULL,
      owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      next_line bigint NOT NULL,
      changed_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (source, owner_id)
    );

    CREATE TABLE shared_numbers (
      key text COLLATE "C" PRIMARY KEY,
      numbers bigint[] NOT NULL,
      changed_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX shared_numbers_by_age ON shared_numbers (changed_at);

    CREATE TABLE idempotency_keys (
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      key text COLLATE "C" NOT NULL,
      fingerprint bytea NOT NULL,
      status bigint NOT NULL,
      headers text[] NOT NULL,
      body bytea NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (user_id, key)
    );
    CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
    """
}
