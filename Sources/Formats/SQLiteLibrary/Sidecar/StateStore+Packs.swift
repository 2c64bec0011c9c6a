import SQLiteIO

/// Which packs a library has had, so that nobody slips it an older one, or somebody else's of the same name.
extension StateStore {
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
  static let packTables = """
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
