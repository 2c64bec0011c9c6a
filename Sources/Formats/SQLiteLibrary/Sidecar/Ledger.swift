import Content
import Foundation
import JSONText
import SQLiteIO

/// What an import remembers: which record of which source became which record of the library, and what it said.
///
/// Everything is written inside one transaction of the state store; it is kept once the import is about to commit.
package final class Ledger {
  let store: StateStore
  private let remember: SQLiteStatement
  private let find: SQLiteStatement
  private let recallBase: SQLiteStatement
  private let stage: SQLiteStatement
  private let recall: SQLiteStatement
  private let recallStaged: SQLiteStatement
  private let setBase: SQLiteStatement
  private let recallElsewhere: SQLiteStatement
  /// What sources said.
  package let bases: BaseTexts
  /// Whether this run left texts of earlier ones without use.
  private var hasReplaced = false
  private var sources: [String: Int64] = [:]
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
    // What the run before remembered is kept until this one is done.
    remember = try connection.prepare(
      """
      INSERT INTO ledger (source, kind, id, target, hash, run, file, base) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (source, kind, id, file) DO UPDATE SET old_hash = hash, old_run = run, old_base = base,
      old_target = target, target = excluded.target,
      hash = CASE WHEN excluded.hash = x'' THEN hash ELSE excluded.hash END, base = coalesce(excluded.base, base),
      run = excluded.run WHERE run <> excluded.run RETURNING base, old_base, old_hash IS hash
      """)
    find = try connection.prepare(
      "SELECT target FROM ledger WHERE source = ? AND kind = ? AND id = ? ORDER BY run DESC LIMIT 1")
    recallBase = try connection.prepare(
      """
      SELECT hash, base, file FROM ledger WHERE source = ? AND kind = ? AND id = ? AND run <> ? AND (? < 0 OR file = ?)
      ORDER BY run DESC LIMIT 1
      """)
    setBase = try connection.prepare(
      "UPDATE ledger SET base = ? WHERE source = ? AND kind = ? AND id = ? AND file = ?")
    // From each source the index leads to its record. What this run has met already counts as it was before it.
    recallElsewhere = try connection.prepare(
      """
      SELECT CASE run WHEN ?5 THEN old_hash ELSE hash END AS said, CASE run WHEN ?5 THEN old_base ELSE base END AS text,
      file FROM (SELECT id AS number FROM sources ORDER BY id DESC LIMIT \(Self.mostSources)) CROSS JOIN ledger
      ON source = number AND kind = ?1 AND id IN (?2, ?3) WHERE file <> ?4 AND text IS NOT NULL
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
    remember.bind(source, at: 1)
    remember.bind(Int64(kind.rank), at: 2)
    remember.bindInPlace(id, at: 3)
    if let target { remember.bind(target, at: 4) } else { remember.bindNull(at: 4) }
    remember.bind(blob: hash.map { $0 + (said ?? []) } ?? [], at: 5)
    remember.bind(run, at: 6)
    remember.bind(file, at: 7)
    if let base { remember.bind(base.value, at: 8) } else { remember.bindNull(at: 8) }
    defer { remember.reset() }
    guard try remember.step() else { return nil }
    if base != nil, remember.storage(at: 1) != .null { hasReplaced = true }
    return Remembered(
      base: remember.storage(at: 0) == .null ? nil : BaseTexts.Reference(remember.integer(at: 0)),
      isSameHash: remember.integer(at: 2) == 1)
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

  /// What was remembered of a record.
  package func hash(
    _ source: Int64, file: Int64, _ kind: RecordKind, id: UnsafeBufferPointer<UInt8>
  ) throws(SQLiteError) -> [UInt8]? {
    let look = try store.connection.prepare(
      "SELECT hash FROM ledger WHERE source = ? AND kind = ? AND id = ? AND file = \(file)")
    look.bind(source, at: 1)
    look.bind(Int64(kind.rank), at: 2)
    look.bindInPlace(id, at: 3)
    return try look.step() ? Array(look.blob(at: 0).prefix(Self.hashLength)) : nil
  }

  private static let hashLength = 32

  /// What an earlier run remembered of a record.
  package struct Memory {
    /// SHA-256 of what the library said after it.
    package let library: [UInt8]
    /// SHA-256 of what the source had said, where that was noted.
    package let said: [UInt8]?
    /// Where the text lies that the source was for the library.
    package let base: BaseTexts.Reference?
    /// The file that said it.
    package let file: Int64
  }

  /// What an earlier run remembered of a record. Nil when no earlier run met it.
  /// - Parameter file: the file that must have said it; nil for any file of the source.
  package func memory(
    _ source: Int64, _ kind: RecordKind, id: UnsafeBufferPointer<UInt8>, file: Int64? = nil
  ) throws(SQLiteError) -> Memory? {
    recallBase.bind(source, at: 1)
    recallBase.bind(Int64(kind.rank), at: 2)
    recallBase.bindInPlace(id, at: 3)
    recallBase.bind(run, at: 4)
    recallBase.bind(file ?? -1, at: 5)
    recallBase.bind(file ?? -1, at: 6)
    defer { recallBase.reset() }
    guard try recallBase.step() else { return nil }
    let blob = Array(recallBase.blob(at: 0))
    guard blob.count >= Self.hashLength else { return nil }
    let said = Array(blob.dropFirst(Self.hashLength))
    return Memory(
      library: Array(blob.prefix(Self.hashLength)), said: said.isEmpty ? nil : said,
      base: recallBase.storage(at: 1) == .null ? nil : BaseTexts.Reference(recallBase.integer(at: 1)),
      file: recallBase.integer(at: 2))
  }

  /// So many sources are asked for a record that another one brought, the newest ones.
  private static let mostSources = 32

  /// What earlier runs remembered of a record that other files or sources brought, the newest first; only what has a text.
  /// - Parameters:
  ///   - ids: its id in the source that has it now, and its id in the library.
  ///   - file: the file that has it now, which is not asked.
  package func memories(
    _ kind: RecordKind, ids: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>), except file: Int64
  ) throws(SQLiteError) -> [Memory] {
    recallElsewhere.bind(Int64(kind.rank), at: 1)
    recallElsewhere.bindInPlace(ids.0, at: 2)
    recallElsewhere.bindInPlace(ids.1, at: 3)
    recallElsewhere.bind(file, at: 4)
    recallElsewhere.bind(run, at: 5)
    defer { recallElsewhere.reset() }
    var found: [Memory] = []
    while try recallElsewhere.step() {
      found.append(
        Memory(
          library: Array(recallElsewhere.blob(at: 0).prefix(Self.hashLength)), said: nil,
          base: BaseTexts.Reference(recallElsewhere.integer(at: 1)), file: recallElsewhere.integer(at: 2)))
    }
    return found
  }

  /// Where a record of a source went, when that was under another id.
  package func target(
    _ source: Int64, _ kind: RecordKind, id: UnsafeBufferPointer<UInt8>
  ) throws(SQLiteError) -> String? {
    find.bind(source, at: 1)
    find.bind(Int64(kind.rank), at: 2)
    find.bindInPlace(id, at: 3)
    defer { find.reset() }
    return try find.step() ? find.text(at: 0) : nil
  }

  /// The source and file that an earlier run brought a record of the library from; nil when none did under this id.
  package func origin(_ kind: RecordKind, id: String) throws(SQLiteError) -> (source: String, path: String)? {
    // From each source the index leads to its record.
    try store.connection.rows(
      """
      SELECT sources.name, files.path FROM sources CROSS JOIN ledger ON ledger.source = sources.id AND kind = \(kind.rank)
      AND ledger.id = ?1 JOIN files ON files.id = ledger.file WHERE run <> \(run) ORDER BY run DESC LIMIT 1
      """, [id]
    ).first.map { ($0[0] ?? "", $0[1] ?? "") }
  }

  /// Records that an earlier run brought from a source and this one has not met anywhere in it: id in the library,
  /// and the file.
  package func unmet(
    _ source: Int64, _ kind: RecordKind
  ) throws(SQLiteError) -> [(target: String, file: Int64, path: String)] {
    try store.connection.rows(
      """
      SELECT coalesce(target, ledger.id), files.id, files.path FROM ledger JOIN files ON files.id = ledger.file
      WHERE ledger.source = \(source) AND kind = \(kind.rank) AND run <> \(run)
      AND coalesce(target, ledger.id) NOT IN (
        SELECT coalesce(target, id) FROM ledger WHERE source = \(source) AND kind = \(kind.rank) AND run = \(run))
      """
    ).map { ($0[0] ?? "", $0[1].flatMap(Int64.init) ?? 0, $0[2] ?? "") }
  }

  // MARK: Records that live beside the library

  /// The line of a record that lives in the sidecar, this run's changes included; nil when there is none.
  package func record(_ kind: RecordKind, id: String) throws(SQLiteError) -> [UInt8]? {
    recallStaged.bind(run, at: 1)
    recallStaged.bind(kind.name, at: 2)
    recallStaged.bind(id, at: 3)
    defer { recallStaged.reset() }
    if try recallStaged.step() { return Array(recallStaged.blob(at: 0)) }
    recall.bind(kind.name, at: 1)
    recall.bind(id, at: 2)
    defer { recall.reset() }
    return try recall.step() ? Array(recall.blob(at: 0)) : nil
  }

  /// Keeps a record beside the library, from the moment when the run is done.
  package func keep(
    _ kind: RecordKind, id: String, line: UnsafeBufferPointer<UInt8>
  ) throws(SQLiteError) {
    stage.bind(run, at: 1)
    stage.bind(kind.name, at: 2)
    stage.bind(id, at: 3)
    stage.bind(blob: Array(line), at: 4)
    try stage.run()
  }

  // MARK: The commit

  /// A changed record, by which a later run can tell whether this one committed.
  package struct Witness {
    package let kind: RecordKind
    package let id: String
    /// Hashes of its canonical line, nil where it is not there.
    package let before: String?
    package let after: String?

    package init(kind: RecordKind, id: String, before: String?, after: String?) {
      self.kind = kind
      self.id = id
      self.before = before
      self.after = after
    }
  }

  /// Records on disk that the library is about to change. Without witnesses there is nothing to change there: the
  /// run is done with this.
  /// - Parameter counts: what became of the records, as a JSON object.
  package func intend(_ witnesses: [Witness], counts: String? = nil) throws {
    try bases.flush()
    for witness in witnesses {
      let insert = try store.connection.prepare("INSERT INTO witnesses VALUES (?, ?, ?, ?, ?)")
      insert.bind(run, at: 1)
      insert.bind(witness.kind.name, at: 2)
      insert.bind(witness.id, at: 3)
      for (index, hash) in [witness.before, witness.after].enumerated() {
        if let hash { insert.bind(hash, at: 4 + index) } else { insert.bindNull(at: 4 + index) }
      }
      try insert.run()
    }
    try store.intend(run, counts: counts)
    if witnesses.isEmpty { try store.finish(run) }
    try store.connection.execute("COMMIT", as: "write the ledger")
    if witnesses.isEmpty { tidy() }
  }

  /// Notes that the library has the changes.
  package func done() throws(SQLiteError) {
    try store.finishInTransaction(run)
    tidy()
  }

  /// Removes texts that nobody asks for any more. What cannot be removed now can be later.
  private func tidy() {
    guard hasReplaced else { return }
    do { try store.collectBases(run: run) } catch { try? store.connection.execute("ROLLBACK") }
  }

  /// Forgets the run: it changed nothing.
  package func forget() {
    try? store.connection.execute("ROLLBACK")
    try? store.void(run)
  }
}
