import Content
import Foundation
import JSONText
import SQLiteIO

/// What an import remembers: which record of which source became which record of the library, and what it said.
///
/// Everything is written inside one transaction of the state store; it is kept once the import is about to commit.
package final class Ledger {
  package let store: StateStore
  private let look: SQLiteStatement
  private let insert: SQLiteStatement
  private let update: SQLiteStatement
  let find: SQLiteStatement
  let recallBase: SQLiteStatement
  let stage: SQLiteStatement
  let recall: SQLiteStatement
  let recallStaged: SQLiteStatement
  private let setBase: SQLiteStatement
  let recallElsewhere: SQLiteStatement
  /// What sources said.
  package let bases: BaseTexts
  /// Whether this run left texts of earlier ones without use.
  var hasReplaced = false
  private var sources: [String: Int64] = [:]
  /// The source under which the ledger keeps what pulls left; nil until somebody asks, and `.some(nil)` for none.
  var pulls: Int64??
  /// The run that is being recorded.
  package let run: Int64
  /// The last numbers that sources and files had before it.
  let first: (sources: Int64, files: Int64)

  /// Begins the transaction of a run whose row is in the store.
  package init(_ store: StateStore, run: Int64) throws(SQLiteError) {
    self.store = store
    self.run = run
    let connection = store.connection
    try connection.execute("BEGIN IMMEDIATE")
    first = (try Self.last("sources", connection), try Self.last("files", connection))
    // Three plain statements: one that does it all and returns what was there costs more than they do together.
    look = try connection.prepare(
      "SELECT run, base, hash FROM ledger WHERE source = ?1 AND kind = ?2 AND id = ?3 AND file = ?4")
    insert = try connection.prepare(
      "INSERT INTO ledger (source, kind, id, file, target, hash, run, base) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
    // What the run before remembered is kept until this one is done.
    update = try connection.prepare(
      """
      UPDATE ledger SET old_hash = hash, old_run = run, old_base = base, old_target = target, target = ?5,
      hash = CASE WHEN ?6 = x'' THEN hash ELSE ?6 END, base = coalesce(?8, base), run = ?7
      WHERE source = ?1 AND kind = ?2 AND id = ?3 AND file = ?4
      """)
    find = try connection.prepare(
      "SELECT target FROM ledger WHERE source = ? AND kind = ? AND id = ? ORDER BY run DESC LIMIT 1")
    recallBase = try connection.prepare(
      """
      SELECT hash, base, file, run FROM ledger WHERE source = ? AND kind = ? AND id = ? AND run <> ? AND (? < 0 OR file = ?)
      ORDER BY run DESC LIMIT 1
      """)
    setBase = try connection.prepare(
      "UPDATE ledger SET base = ? WHERE source = ? AND kind = ? AND id = ? AND file = ?")
    // From each source the index leads to its record. What this run has met already counts as it was before it.
    recallElsewhere = try connection.prepare(
      """
      SELECT CASE run WHEN ?5 THEN old_hash ELSE hash END AS said, CASE run WHEN ?5 THEN old_base ELSE base END AS text,
      file, CASE run WHEN ?5 THEN old_run ELSE run END FROM (SELECT id AS number FROM sources
      WHERE name <> '\(Self.pullsName)' ORDER BY id DESC LIMIT \(Self.mostSources)) CROSS JOIN ledger ON source = number AND kind = ?1 AND id IN (?2, ?3) WHERE file <> ?4 AND text IS NOT NULL
      AND length(said) >= \(Self.hashLength) ORDER BY run DESC, source DESC, file DESC LIMIT 4
      """)
    bases = try BaseTexts(store, run: run)
    stage = try connection.prepare("INSERT OR REPLACE INTO staged_records (run, kind, id, line) VALUES (?, ?, ?, ?)")
    recall = try connection.prepare("SELECT line FROM records WHERE kind = ? AND id = ?")
    recallStaged = try connection.prepare("SELECT line FROM staged_records WHERE run = ? AND kind = ? AND id = ?")
  }

  /// The number of a source, and whether it was imported before.
  package func source(_ name: String) throws(SQLiteError) -> (id: Int64, isKnown: Bool) {
    if let id = sources[name] { return (id, true) }
    let known = try store.connection.number("SELECT id FROM sources WHERE name = ?", [name])
    if known == 0 {
      let insert = try store.connection.prepare("INSERT INTO sources (name) VALUES (?)")
      insert.bind(name, at: 1)
      try insert.run()
    }
    let id = known == 0 ? store.connection.lastRowID : known
    sources[name] = id
    return (id, known != 0)
  }

  /// The folders that were sources and are not there any more, the newest ones.
  /// - Parameter name: the source that is not asked.
  package func goneFolders(except name: String) throws(SQLiteError) -> [(id: Int64, path: String)] {
    let names = try store.connection.rows(
      "SELECT id, name FROM sources WHERE name LIKE '/%' AND name <> ? ORDER BY id DESC", [name])
    let gone = names.lazy.compactMap { row -> (id: Int64, path: String)? in
      guard let path = row[1], access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return nil }
      return (row[0].flatMap(Int64.init) ?? 0, path)
    }
    return Array(gone.prefix(Self.mostSources))
  }

  /// The files that a source has had.
  package func files(of source: Int64) throws(SQLiteError) -> [(id: Int64, path: String)] {
    try store.connection.rows("SELECT id, path FROM files WHERE source = \(source)").map {
      ($0[0].flatMap(Int64.init) ?? 0, $0[1] ?? "")
    }
  }

  /// The number of a file of a source, and whether it was imported before.
  /// - Parameter path: its path within the source.
  package func file(_ path: String, of source: Int64) throws(SQLiteError) -> (id: Int64, isKnown: Bool) {
    let insert = try store.connection.prepare("INSERT OR IGNORE INTO files (source, path) VALUES (?, ?)")
    insert.bind(source, at: 1)
    insert.bind(path, at: 2)
    try insert.run()
    let isKnown = store.connection.changes == 0
    let id = try store.connection.number("SELECT id FROM files WHERE source = \(source) AND path = ?", [path])
    return (id, isKnown)
  }

  /// What the ledger has of a record that it was told to remember.
  package struct Remembered {
    /// Where the text of the last import lies.
    package let base: BaseTexts.Reference?
    /// Whether the library says what it said after an earlier run.
    package let isSameHash: Bool
  }

  /// Remembers a record; nil when this run remembered one of the same file, kind and id already.
  /// - Parameters:
  ///   - file: the file of the source that it stands in.
  ///   - id: the record's id in the source.
  ///   - target: its id in the library when that is another.
  ///   - hash: SHA-256 of what the library says after the run; nil when the record did not become the library's.
  ///   - said: SHA-256 of what the source said, for records that do not say when they were changed.
  ///   - base: where the text of this import lies; nil when that of an earlier one stays.
  @discardableResult
  package func remember(
    _ source: Int64, file: Int64, _ kind: RecordKind, id: UnsafeBufferPointer<UInt8>, target: String?, hash: [UInt8]?,
    said: [UInt8]? = nil, base: BaseTexts.Reference? = nil
  ) throws(SQLiteError) -> Remembered? {
    let blob = hash.map { $0 + (said ?? []) } ?? []
    let known = try known(source, file: file, kind, id: id, blob)
    if let known, known.run == run { return nil }
    let write = known == nil ? insert : update
    bind(source, file: file, kind, id: id, to: write)
    if let target { write.bind(target, at: 5) } else { write.bindNull(at: 5) }
    write.bind(blob: blob, at: 6)
    write.bind(run, at: 7)
    if let base { write.bind(base.value, at: 8) } else { write.bindNull(at: 8) }
    try write.run()
    if base != nil, known?.base != nil { hasReplaced = true }
    return Remembered(base: base ?? known?.base, isSameHash: known?.isSameHash ?? false)
  }

  /// What an earlier run, or this one, remembered of a record; nil when none did.
  private func known(
    _ source: Int64, file: Int64, _ kind: RecordKind, id: UnsafeBufferPointer<UInt8>, _ blob: [UInt8]
  ) throws(SQLiteError) -> (run: Int64, base: BaseTexts.Reference?, isSameHash: Bool)? {
    bind(source, file: file, kind, id: id, to: look)
    defer { look.reset() }
    guard try look.step() else { return nil }
    return (
      look.integer(at: 0), look.storage(at: 1) == .null ? nil : BaseTexts.Reference(look.integer(at: 1)),
      blob.isEmpty || look.blob(at: 2).elementsEqual(blob)
    )
  }

  private func bind(
    _ source: Int64, file: Int64, _ kind: RecordKind, id: UnsafeBufferPointer<UInt8>, to statement: SQLiteStatement
  ) {
    statement.bind(source, at: 1)
    statement.bind(Int64(kind.rank), at: 2)
    statement.bindInPlace(id, at: 3)
    statement.bind(file, at: 4)
  }

  /// Says where the text of a record lies that this run remembered.
  package func setBase(
    _ source: Int64, file: Int64, _ kind: RecordKind, id: UnsafeBufferPointer<UInt8>, _ base: BaseTexts.Reference?
  ) throws(SQLiteError) {
    if let base { setBase.bind(base.value, at: 1) } else { setBase.bindNull(at: 1) }
    setBase.bind(source, at: 2)
    setBase.bind(Int64(kind.rank), at: 3)
    setBase.bindInPlace(id, at: 4)
    setBase.bind(file, at: 5)
    hasReplaced = true
    try setBase.run()
  }

  /// Takes back what this run remembered of a record that the library did not take after all.
  /// - Parameter target: its id in the library.
  package func takeBack(_ source: Int64, file: Int64, _ kind: RecordKind, target: String) throws(SQLiteError) {
    // As a rule the id is the same in the source; a record that went under another id is looked for.
    for condition in ["id = ?", "coalesce(target, id) = ?"] {
      let update = try store.connection.prepare(
        """
        UPDATE ledger SET hash = coalesce(old_hash, x''), base = old_base
        WHERE source = \(source) AND kind = \(kind.rank) AND file = \(file) AND run = \(run) AND \(condition)
        """)
      update.bind(target, at: 1)
      try update.run()
      if store.connection.changes > 0 { return }
    }
  }
}
