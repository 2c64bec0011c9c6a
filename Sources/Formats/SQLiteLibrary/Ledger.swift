import Content
import Foundation
import JSONText
import SQLiteIO

/// The history of imports: which record of which source became which record of the library, with what content.
///
/// All entries are written in one transaction of the state store, which is committed when the import is about to
/// commit.
package final class Ledger {
  package let store: StateStore
  private let look: SQLiteStatement
  private let insert: SQLiteStatement
  private let update: SQLiteStatement
  private let setBase: SQLiteStatement
  private let sources: LedgerSources
  private let earlier: RunHistoryQueries
  private let staged: StagedSidecarRecords
  /// The base texts of the last import.
  package let bases: BaseTexts
  /// Whether this run replaced base texts of earlier runs, which are now unused.
  private var hasReplaced = false
  /// The last requested file, if no earlier run has read it. All ledger entries for the file's records then belong to
  /// this run.
  private var newFile: Int64?
  /// The run that is being recorded.
  package let run: Int64

  /// Begins the transaction of a run. The run must already have a row in the store.
  package init(_ store: StateStore, run: Int64) throws(SQLiteError) {
    self.store = store
    self.run = run
    let connection = store.connection
    try connection.execute("BEGIN IMMEDIATE")
    sources = try LedgerSources(connection)
    // Three simple statements are faster together than a single one that also returns the old row.
    look = try connection.prepare(
      "SELECT run, base, hash FROM ledger WHERE source = ?1 AND kind = ?2 AND id = ?3 AND file = ?4")
    insert = try connection.prepare(
      """
      INSERT INTO ledger (source, kind, id, file, target, hash, run, base) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (source, kind, id, file) DO NOTHING
      """)
    // The previous run's values are stored in the `old_` columns until this run is done.
    update = try connection.prepare(
      """
      UPDATE ledger SET old_hash = hash, old_run = run, old_base = base, old_target = target, target = ?5,
      hash = CASE WHEN ?6 = x'' THEN hash ELSE ?6 END, base = coalesce(?8, base), run = ?7
      WHERE source = ?1 AND kind = ?2 AND id = ?3 AND file = ?4
      """)
    setBase = try connection.prepare(
      "UPDATE ledger SET base = ? WHERE source = ? AND kind = ? AND id = ? AND file = ?")
    bases = try BaseTexts(store, run: run)
    earlier = try RunHistoryQueries(connection, run: run)
    staged = try StagedSidecarRecords(connection, run: run)
  }

  // MARK: Sources

  /// Returns the number of a source, and whether it was imported before.
  package func source(_ name: String) throws(SQLiteError) -> (id: Int64, isKnown: Bool) {
    try sources.source(name)
  }

  /// Returns the newest sources that were folders and no longer exist.
  /// - Parameter name: a source that is left out.
  package func goneFolders(except name: String) throws(SQLiteError) -> [(id: Int64, path: String)] {
    try sources.goneFolders(except: name)
  }

  /// Returns all files that were ever imported from a source.
  package func files(of source: Int64) throws(SQLiteError) -> [(id: Int64, path: String)] {
    try sources.files(of: source)
  }

  /// Returns the number of a source's file, and whether the file was imported before.
  /// - Parameter path: the file's path within the source.
  package func file(_ path: String, of source: Int64) throws(SQLiteError) -> (id: Int64, isKnown: Bool) {
    let file = try sources.file(path, of: source)
    newFile = file.isKnown ? nil : file.id
    return file
  }

  // MARK: Entries of this run

  /// What the ledger contained about a record before this run entered the record.
  package struct Remembered {
    /// The location of the base text from the last import.
    package let base: BaseTexts.Reference?
    /// Whether the hash of the library's record is the same as after an earlier run.
    package let isSameHash: Bool
  }

  /// Enters a record. Returns nil if this run has already entered a record with the same file, kind and id.
  /// - Parameters:
  ///   - file: the source's file that contains the record.
  ///   - id: the record's id in the source.
  ///   - target: the record's id in the library, if it differs.
  ///   - hash: the SHA-256 of the library's record after the run; nil if the source's record was not used.
  ///   - sourceHash: the SHA-256 of the source's record, for records without a modification time.
  ///   - base: the location of this import's base text; nil if an earlier base text is kept.
  @discardableResult
  package func remember(
    _ source: Int64, file: Int64, _ kind: RecordKind, id: Span<UInt8>, target: String?, hash: [UInt8]?,
    sourceHash: [UInt8]? = nil, base: BaseTexts.Reference? = nil
  ) throws(SQLiteError) -> Remembered? {
    let blob = hash.map { $0 + (sourceHash ?? []) } ?? []
    let known = file == newFile ? nil : try known(source, file: file, kind, id: id, blob)
    if let known, known.run == run { return nil }
    let write = known == nil ? insert : update
    bind(source, file: file, kind, id: id, to: write)
    if let target { write.bind(target, at: 5) } else { write.bindNull(at: 5) }
    write.bind(blob: blob, at: 6)
    write.bind(run, at: 7)
    if let base { write.bind(base.value, at: 8) } else { write.bindNull(at: 8) }
    try write.run()
    if store.connection.changes == 0 { return nil }
    if base != nil, known?.base != nil { hasReplaced = true }
    return Remembered(base: base ?? known?.base, isSameHash: known?.isSameHash ?? false)
  }

  /// Returns the entry that an earlier run, or this one, made for a record; nil if no entry exists.
  private func known(
    _ source: Int64, file: Int64, _ kind: RecordKind, id: Span<UInt8>, _ blob: [UInt8]
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
    _ source: Int64, file: Int64, _ kind: RecordKind, id: Span<UInt8>, to statement: SQLiteStatement
  ) {
    statement.bind(source, at: 1)
    statement.bind(Int64(kind.rank), at: 2)
    statement.bindInPlace(id, at: 3)
    statement.bind(file, at: 4)
  }

  /// Sets the location of the base text for a record that this run entered.
  package func setBase(
    _ source: Int64, file: Int64, _ kind: RecordKind, id: Span<UInt8>, _ base: BaseTexts.Reference?
  ) throws(SQLiteError) {
    if let base { setBase.bind(base.value, at: 1) } else { setBase.bindNull(at: 1) }
    setBase.bind(source, at: 2)
    setBase.bind(Int64(kind.rank), at: 3)
    setBase.bindInPlace(id, at: 4)
    setBase.bind(file, at: 5)
    hasReplaced = true
    try setBase.run()
  }

  /// Reverts this run's entry for a record that could not be written to the library.
  /// - Parameter target: the record's id in the library.
  package func revertEntry(_ source: Int64, file: Int64, _ kind: RecordKind, target: String) throws(SQLiteError) {
    // The id is usually the same in the source. Only a record that got another id needs a search.
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

  // MARK: Entries of earlier runs

  /// Returns the hash that is stored in a record's entry.
  package func hash(
    _ source: Int64, file: Int64, _ kind: RecordKind, id: Span<UInt8>
  ) throws(SQLiteError) -> [UInt8]? {
    let look = try store.connection.prepare(
      "SELECT hash FROM ledger WHERE source = ? AND kind = ? AND id = ? AND file = \(file)")
    look.bind(source, at: 1)
    look.bind(Int64(kind.rank), at: 2)
    look.bindInPlace(id, at: 3)
    return try look.step() ? Array(look.blob(at: 0).prefix(Self.hashLength)) : nil
  }

  fileprivate static let hashLength = 32

  /// An earlier run's entry for a record.
  package struct Memory {
    /// The SHA-256 of the library's record after that run.
    package let library: [UInt8]
    /// The SHA-256 of the source's record, if it was stored.
    package let sourceHash: [UInt8]?
    /// The location of the base text: the source's record as it would have been in the library.
    package let base: BaseTexts.Reference?
    /// The file that contained the record.
    package let file: Int64
    /// The run that made the entry; 0 if the run is unknown.
    package let run: Int64

    package init(library: [UInt8], sourceHash: [UInt8]?, base: BaseTexts.Reference?, file: Int64, run: Int64 = 0) {
      self.library = library
      self.sourceHash = sourceHash
      self.base = base
      self.file = file
      self.run = run
    }
  }

  /// Returns an earlier run's entry for a record; nil if no earlier run has read the record.
  /// - Parameter file: the file that must have contained the record; nil for any file of the source.
  package func memory(
    _ source: Int64, _ kind: RecordKind, id: Span<UInt8>, file: Int64? = nil
  ) throws(SQLiteError) -> Memory? {
    try earlier.memory(source, kind, id: id, file: file)
  }

  /// The number of sources, newest first, that are searched for a record from another source.
  fileprivate static let mostSources = 32

  /// Returns earlier runs' entries for a record that came from other files or sources, newest first. Entries without a
  /// base text are left out.
  /// - Parameters:
  ///   - id: the record's id in the source that is being read.
  ///   - libraryID: its id in the library.
  ///   - file: the file that is being read; its entries are left out.
  package func memories(
    _ kind: RecordKind, id: Span<UInt8>, libraryID: Span<UInt8>, except file: Int64
  ) throws(SQLiteError) -> [Memory] {
    try earlier.memories(kind, id: id, libraryID: libraryID, except: file)
  }

  /// Returns the library id of a source's record; nil if the source had no record with this id.
  package func item(_ id: String, of source: Int64) throws(SQLiteError) -> String? {
    try store.connection.rows(
      """
      SELECT coalesce(target, id) FROM ledger WHERE source = \(source) AND kind = \(RecordKind.item.rank) AND id = ?
      ORDER BY run DESC LIMIT 1
      """, [id]
    ).first?.first ?? nil
  }

  /// Returns the library id of a source's record, if it differs from the record's id in the source.
  package func target(
    _ source: Int64, _ kind: RecordKind, id: Span<UInt8>
  ) throws(SQLiteError) -> String? {
    try earlier.target(source, kind, id: id)
  }

  /// Returns the source and the file that an earlier run imported a library record from; nil if no run imported a
  /// record with this id.
  package func origin(_ kind: RecordKind, id: String) throws(SQLiteError) -> (source: String, path: String)? {
    // CROSS JOIN makes SQLite look up the record of each source through the index.
    try store.connection.rows(
      """
      SELECT sources.name, files.path FROM sources CROSS JOIN ledger ON ledger.source = sources.id AND kind = \(kind.rank)
      AND ledger.id = ?1 JOIN files ON files.id = ledger.file WHERE run <> \(run) AND name <> '\(Self.pullsName)' ORDER BY run DESC LIMIT 1
      """, [id]
    ).first.map { ($0[0] ?? "", $0[1] ?? "") }
  }

  /// Returns the records that an earlier run imported from a source and that this run has not found anywhere in the
  /// source. For each record, returns its id in the library, its id in the source, and its file.
  package func unmet(
    _ source: Int64, _ kind: RecordKind
  ) throws(SQLiteError) -> [(target: String, id: String, file: Int64, path: String)] {
    try store.connection.rows(
      """
      SELECT coalesce(target, ledger.id), ledger.id, files.id, files.path FROM ledger JOIN files ON files.id = ledger.file
      WHERE ledger.source = \(source) AND kind = \(kind.rank) AND run <> \(run)
      AND coalesce(target, ledger.id) NOT IN (
        SELECT coalesce(target, id) FROM ledger WHERE source = \(source) AND kind = \(kind.rank) AND run = \(run))
      """
    ).map { ($0[0] ?? "", $0[1] ?? "", $0[2].flatMap(Int64.init) ?? 0, $0[3] ?? "") }
  }

  // MARK: Results of pulls

  // The library's records as pulls left them. Files are later written from these versions.
  //
  // These versions differ from the registry's content, which is the base of the next pull: a merged item also contains
  // the library's changes. Pulls are not a source that a user imports, so they are never looked up as one.

  /// The name under which pulls are stored among the ledger's sources.
  fileprivate static let pullsName = "pulled:"

  /// Stores an item's record as a pull left it.
  /// - Parameters:
  ///   - line: the item's canonical line in the library.
  ///   - changed: the item's own modification time.
  package func storePulled(_ line: Span<UInt8>, id: String, changed: Timestamp?) throws {
    let source = try source(Self.pullsName).id
    let file = try file(".", of: source).id
    let hash = Digest.sha256(line)
    sources.pulls = source
    let base = try bases.add(line, id: id.utf8.span, of: hash, isLibrarys: true, changed: changed)
    try remember(source, file: file, .item, id: id.utf8.span, target: nil, hash: hash, base: base)
  }

  /// Returns an item's record as the last pull left it; nil if no pull added it.
  package func pulled(_ id: Span<UInt8>) throws(SQLiteError) -> Memory? {
    guard let source = try sources.ofPulls() else { return nil }
    return try memory(source, .item, id: id)
  }

  // MARK: Records in the sidecar

  // These functions store records in the sidecar and finish a run.

  /// Returns the line of a sidecar record, including this run's changes; nil if no such record exists.
  package func record(_ kind: RecordKind, id: String) throws(SQLiteError) -> [UInt8]? {
    try staged.record(kind, id: id)
  }

  /// Stores a record in the sidecar. The record takes effect when the run is done.
  package func stage(_ kind: RecordKind, id: String, line: Span<UInt8>) throws(SQLiteError) {
    try staged.insert(kind, id: id, line: line)
  }

  // MARK: The commit

  /// A changed record from which later runs can tell whether this run committed.
  package struct Witness {
    package let kind: RecordKind
    package let id: String
    /// The hashes of the record's canonical line before and after the run; nil where the record does not exist.
    package let before: String?
    package let after: String?

    package init(kind: RecordKind, id: String, before: String?, after: String?) {
      self.kind = kind
      self.id = id
      self.before = before
      self.after = after
    }
  }

  /// Stores witnesses for the records that the library is about to change, and syncs them to the disk. If there
  /// are no witnesses, the library will not change, and this call completes the run.
  /// - Parameter counts: the number of records for each outcome, as a JSON object.
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

  /// Records that the library has the changes. If recording fails, the next run determines the state from the library.
  package func done() {
    if store.finishPatiently(run) { tidy() }
  }

  /// Removes base texts that nothing refers to. Texts that cannot be removed now are removed later.
  private func tidy() {
    guard hasReplaced else { return }
    do { try store.collectBases(run: run) } catch { try? store.connection.execute("ROLLBACK") }
  }

  /// Removes the run's entries, because it changed nothing.
  package func forget() {
    try? store.connection.execute("ROLLBACK")
    try? store.void(run)
  }

  /// Writes the changes that this run is about to make in the sidecar to a journal.
  /// - Throws: `RunFailure`, `SQLiteError`.
  package func recordChanges(in journal: UndoJournalWriter) throws {
    let connection = store.connection
    func each(_ sql: String, _ body: (SQLiteStatement) throws -> Void) throws {
      let rows = try connection.prepare(sql)
      while try rows.step() { try body(rows) }
    }
    func values(_ row: SQLiteStatement, _ columns: Range<Int>) -> [JournalValue] {
      columns.map { JournalValue(row.value(at: $0)) }
    }
    try each(
      """
      SELECT new.kind, new.id, old.line, new.line FROM staged_records AS new
      LEFT JOIN records AS old ON old.kind = new.kind AND old.id = new.id WHERE new.run = \(run)
      """
    ) { row in
      let key = values(row, 0..<2)
      let (old, new) = (JournalValue(row.value(at: 2)), JournalValue(row.value(at: 3)))
      if old != new { try journal.add(.records, old: old == .null ? nil : key + [old], new: key + [new]) }
    }
    try each(
      """
      SELECT new.name, old.version, old.sha256, old.key, new.version, new.sha256, new.key FROM staged_packs AS new
      LEFT JOIN packs AS old ON old.name = new.name WHERE new.run = \(run)
      """
    ) { row in
      let name = values(row, 0..<1)
      let (old, new) = (values(row, 1..<4), values(row, 4..<7))
      if old != new { try journal.add(.packs, old: old[0] == .null ? nil : name + old, new: name + new) }
    }
    // After an undo, the content of a pull must be treated as new again.
    try each(
      """
      SELECT new.content_id, old.public_id, old.registry_id, old.digest, old.synced_at, new.public_id, new.registry_id,
      new.digest, new.synced_at FROM staged_publications AS new
      LEFT JOIN publications AS old ON old.content_id = new.content_id WHERE new.run = \(run)
      """
    ) { row in
      let key = values(row, 0..<1)
      let (old, new) = (values(row, 1..<5), values(row, 5..<9))
      if old[0] == .null, new[0] == .null { return }
      try journal.add(
        .publications, old: old[0] == .null ? nil : key + old, new: new[0] == .null ? nil : key + new)
    }
    // Entries for records that were new in this run are removed by the run's number. Entries for known records get
    // their old values back.
    try each(
      """
      SELECT source, kind, id, file, old_target, old_hash, old_run, old_base, target, hash, run, base FROM ledger
      WHERE run = \(run) AND old_run IS NOT NULL
      """
    ) { row in
      let key = values(row, 0..<4)
      try journal.add(.ledger, old: key + values(row, 4..<8), new: key + values(row, 8..<12))
    }
    let (first, last) = (sources.first, try LedgerSources.last(connection))
    journal.recordExtras {
      $0.ledgerRun = run
      $0.sources = (first.sources, last.sources)
      $0.files = (first.files, last.files)
    }
  }
}

// MARK: Parts of the ledger

/// Assigns numbers to sources and to their files.
private final class LedgerSources {
  private let connection: SQLiteConnection
  private var numbers: [String: Int64] = [:]
  /// The source under which the ledger stores the results of pulls; nil until it is looked up, and `.some(nil)` if it
  /// does not exist.
  fileprivate var pulls: Int64??
  /// The largest source and file numbers before the run.
  let first: (sources: Int64, files: Int64)

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    self.connection = connection
    first = try Self.last(connection)
  }

  /// Returns the largest source and file numbers in use.
  static func last(_ connection: SQLiteConnection) throws(SQLiteError) -> (sources: Int64, files: Int64) {
    (
      try connection.number("SELECT max(id) FROM sources"), try connection.number("SELECT max(id) FROM files")
    )
  }

  func source(_ name: String) throws(SQLiteError) -> (id: Int64, isKnown: Bool) {
    if let id = numbers[name] { return (id, true) }
    let known = try connection.number("SELECT id FROM sources WHERE name = ?", [name])
    if known == 0 {
      let insert = try connection.prepare("INSERT INTO sources (name) VALUES (?)")
      insert.bind(name, at: 1)
      try insert.run()
    }
    let id = known == 0 ? connection.lastRowID : known
    numbers[name] = id
    return (id, known != 0)
  }

  func goneFolders(except name: String) throws(SQLiteError) -> [(id: Int64, path: String)] {
    let names = try connection.rows(
      "SELECT id, name FROM sources WHERE name LIKE '/%' AND name <> ? ORDER BY id DESC", [name])
    let gone = names.lazy.compactMap { row -> (id: Int64, path: String)? in
      guard let path = row[1], access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return nil }
      return (row[0].flatMap(Int64.init) ?? 0, path)
    }
    return Array(gone.prefix(Ledger.mostSources))
  }

  func files(of source: Int64) throws(SQLiteError) -> [(id: Int64, path: String)] {
    try connection.rows("SELECT id, path FROM files WHERE source = \(source)").map {
      ($0[0].flatMap(Int64.init) ?? 0, $0[1] ?? "")
    }
  }

  func file(_ path: String, of source: Int64) throws(SQLiteError) -> (id: Int64, isKnown: Bool) {
    let insert = try connection.prepare("INSERT OR IGNORE INTO files (source, path) VALUES (?, ?)")
    insert.bind(source, at: 1)
    insert.bind(path, at: 2)
    try insert.run()
    let isKnown = connection.changes == 0
    let id = try connection.number("SELECT id FROM files WHERE source = \(source) AND path = ?", [path])
    return (id, isKnown)
  }

  fileprivate func ofPulls() throws(SQLiteError) -> Int64? {
    if let pulls { return pulls }
    let known = try connection.number("SELECT id FROM sources WHERE name = ?", [Ledger.pullsName])
    let source = known == 0 ? nil : known
    pulls = .some(source)
    return source
  }
}

/// The statements that read earlier runs' entries.
private struct RunHistoryQueries {
  private let run: Int64
  private let find: SQLiteStatement
  private let recallBase: SQLiteStatement
  private let recallElsewhere: SQLiteStatement

  init(_ connection: SQLiteConnection, run: Int64) throws(SQLiteError) {
    self.run = run
    find = try connection.prepare(
      "SELECT target FROM ledger WHERE source = ? AND kind = ? AND id = ? ORDER BY run DESC LIMIT 1")
    recallBase = try connection.prepare(
      """
      SELECT hash, base, file, run FROM ledger WHERE source = ? AND kind = ? AND id = ? AND run <> ? AND (? < 0 OR file = ?)
      ORDER BY run DESC LIMIT 1
      """)
    // CROSS JOIN makes SQLite look up the record of each source through the index. If this run has already entered the
    // record, the record's previous entry is used.
    recallElsewhere = try connection.prepare(
      """
      SELECT CASE run WHEN ?5 THEN old_hash ELSE hash END AS said, CASE run WHEN ?5 THEN old_base ELSE base END AS text,
      file, CASE run WHEN ?5 THEN old_run ELSE run END FROM (SELECT id AS number FROM sources
      WHERE name <> '\(Ledger.pullsName)' ORDER BY id DESC LIMIT \(Ledger.mostSources)) CROSS JOIN ledger ON source = number AND kind = ?1 AND id IN (?2, ?3) WHERE file <> ?4 AND text IS NOT NULL
      AND length(said) >= \(Ledger.hashLength) ORDER BY run DESC, source DESC, file DESC LIMIT 4
      """)
  }

  func memory(
    _ source: Int64, _ kind: RecordKind, id: Span<UInt8>, file: Int64?
  ) throws(SQLiteError) -> Ledger.Memory? {
    recallBase.bind(source, at: 1)
    recallBase.bind(Int64(kind.rank), at: 2)
    recallBase.bindInPlace(id, at: 3)
    recallBase.bind(run, at: 4)
    recallBase.bind(file ?? -1, at: 5)
    recallBase.bind(file ?? -1, at: 6)
    defer { recallBase.reset() }
    guard try recallBase.step() else { return nil }
    let blob = Array(recallBase.blob(at: 0))
    guard blob.count >= Ledger.hashLength else { return nil }
    let sourceHash = Array(blob.dropFirst(Ledger.hashLength))
    return Ledger.Memory(
      library: Array(blob.prefix(Ledger.hashLength)), sourceHash: sourceHash.isEmpty ? nil : sourceHash,
      base: recallBase.storage(at: 1) == .null ? nil : BaseTexts.Reference(recallBase.integer(at: 1)),
      file: recallBase.integer(at: 2), run: recallBase.integer(at: 3))
  }

  func memories(
    _ kind: RecordKind, id: Span<UInt8>, libraryID: Span<UInt8>, except file: Int64
  ) throws(SQLiteError) -> [Ledger.Memory] {
    recallElsewhere.bind(Int64(kind.rank), at: 1)
    recallElsewhere.bindInPlace(id, at: 2)
    recallElsewhere.bindInPlace(libraryID, at: 3)
    recallElsewhere.bind(file, at: 4)
    recallElsewhere.bind(run, at: 5)
    defer { recallElsewhere.reset() }
    var found: [Ledger.Memory] = []
    while try recallElsewhere.step() {
      found.append(
        Ledger.Memory(
          library: Array(recallElsewhere.blob(at: 0).prefix(Ledger.hashLength)), sourceHash: nil,
          base: BaseTexts.Reference(recallElsewhere.integer(at: 1)), file: recallElsewhere.integer(at: 2),
          run: recallElsewhere.integer(at: 3)))
    }
    return found
  }

  func target(
    _ source: Int64, _ kind: RecordKind, id: Span<UInt8>
  ) throws(SQLiteError) -> String? {
    find.bind(source, at: 1)
    find.bind(Int64(kind.rank), at: 2)
    find.bindInPlace(id, at: 3)
    defer { find.reset() }
    return try find.step() ? find.text(at: 0) : nil
  }
}

/// The sidecar records as the run will leave them.
private struct StagedSidecarRecords {
  private let run: Int64
  private let stage: SQLiteStatement
  private let recall: SQLiteStatement
  private let recallStaged: SQLiteStatement

  init(_ connection: SQLiteConnection, run: Int64) throws(SQLiteError) {
    self.run = run
    stage = try connection.prepare("INSERT OR REPLACE INTO staged_records (run, kind, id, line) VALUES (?, ?, ?, ?)")
    recall = try connection.prepare("SELECT line FROM records WHERE kind = ? AND id = ?")
    recallStaged = try connection.prepare("SELECT line FROM staged_records WHERE run = ? AND kind = ? AND id = ?")
  }

  func record(_ kind: RecordKind, id: String) throws(SQLiteError) -> [UInt8]? {
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

  func insert(
    _ kind: RecordKind, id: String, line: Span<UInt8>
  ) throws(SQLiteError) {
    stage.bind(run, at: 1)
    stage.bind(kind.name, at: 2)
    stage.bind(id, at: 3)
    stage.bind(blob: Array(line), at: 4)
    try stage.run()
  }
}

/// The files from which a library's records were imported, as listed in its ledger.
///
/// If the ledger cannot be read, the set is empty: the calling run opens the ledger next and reports the problem.
package final class ImportedFiles {
  private let connection: SQLiteConnection
  /// The file paths, by source.
  private var known: [String: Set<String>] = [:]

  /// Opens a library's ledger for reading; returns nil if the ledger is missing or another run is writing to it.
  /// - Throws: `RunFailure` if the ledger must not be used.
  package init?(of library: String) throws {
    do {
      guard let store = try StateStore.reading(of: library, busyTimeout: 500) else { return nil }
      connection = store
    } catch is SQLiteError {
      return nil
    }
  }

  /// Whether records were imported from a source's file.
  /// - Parameter file: the file's path within the source.
  package func contains(_ file: String, of source: String) -> Bool {
    if let paths = known[source] { return paths.contains(file) }
    let rows = try? connection.rows(
      """
      SELECT path FROM files WHERE id IN (
        SELECT file FROM ledger WHERE source = (SELECT id FROM sources WHERE name = ?) AND hash <> x'')
      """, [source])
    let paths = Set((rows ?? []).compactMap { $0[0] })
    known[source] = paths
    return paths.contains(file)
  }
}
