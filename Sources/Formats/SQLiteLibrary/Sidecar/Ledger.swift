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
      INSERT INTO ledger (source, kind, id, target, hash, run, file) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (source, kind, id, file) DO UPDATE SET old_hash = hash, old_run = run, old_target = target, old_base = base,
      target = excluded.target, hash = CASE WHEN excluded.hash = x'' THEN hash ELSE excluded.hash END, run = excluded.run WHERE run <> excluded.run
      """)
    find = try connection.prepare(
      "SELECT target FROM ledger WHERE source = ? AND kind = ? AND id = ? ORDER BY run DESC LIMIT 1")
    recallBase = try connection.prepare(
      """
      SELECT hash FROM ledger WHERE source = ? AND kind = ? AND id = ? AND run <> ? AND (? < 0 OR file = ?)
      ORDER BY run DESC LIMIT 1
      """)
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

  /// Paths of the files that a source has had.
  package func files(of source: Int64) throws(SQLiteError) -> [String] {
    try store.connection.rows("SELECT path FROM files WHERE source = \(source)").compactMap { $0[0] }
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

  /// Remembers a record; false when this run remembered one of the same file, kind and id already.
  /// - Parameters:
  ///   - file: the file of the source that it stands in.
  ///   - id: the record's id in the source.
  ///   - target: its id in the library when that is another.
  ///   - hash: SHA-256 of what the library says after the run; nil when the record did not become the library's.
  ///   - said: SHA-256 of what the source said, for records that do not say when they were changed.
  package func remember(
    _ source: Int64, file: Int64, _ kind: RecordKind, id: UnsafeBufferPointer<UInt8>, target: String?, hash: [UInt8]?,
    said: [UInt8]? = nil
  ) throws(SQLiteError) -> Bool {
    remember.bind(source, at: 1)
    remember.bind(Int64(kind.rank), at: 2)
    remember.bindInPlace(id, at: 3)
    if let target { remember.bind(target, at: 4) } else { remember.bindNull(at: 4) }
    remember.bind(blob: hash.map { $0 + (said ?? []) } ?? [], at: 5)
    remember.bind(run, at: 6)
    remember.bind(file, at: 7)
    try remember.run()
    return store.connection.changes > 0
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

  /// What an earlier run remembered of a record: the hash of what the library said after it, and the hash of what the
  /// source had said, where that was noted. Nil when no earlier run met it.
  /// - Parameter file: the file that must have said it; nil for any file of the source.
  package func base(
    _ source: Int64, _ kind: RecordKind, id: UnsafeBufferPointer<UInt8>, file: Int64? = nil
  ) throws(SQLiteError) -> (library: [UInt8], said: [UInt8]?)? {
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
    return (Array(blob.prefix(Self.hashLength)), said.isEmpty ? nil : said)
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
  package func intend(_ witnesses: [Witness], counts: String? = nil) throws(SQLiteError) {
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
  }

  /// Notes that the library has the changes.
  package func done() throws(SQLiteError) { try store.finishInTransaction(run) }

  /// Forgets the run: it changed nothing.
  package func forget() {
    try? store.connection.execute("ROLLBACK")
    try? store.void(run)
  }
}
