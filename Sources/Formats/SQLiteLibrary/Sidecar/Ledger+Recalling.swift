import Content
import SQLiteIO

/// What earlier runs remembered.
extension Ledger {
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

  static let hashLength = 32

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
    /// The run that remembered it; 0 for none.
    package let run: Int64

    package init(library: [UInt8], said: [UInt8]?, base: BaseTexts.Reference?, file: Int64, run: Int64 = 0) {
      self.library = library
      self.said = said
      self.base = base
      self.file = file
      self.run = run
    }
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
      file: recallBase.integer(at: 2), run: recallBase.integer(at: 3))
  }

  /// So many sources are asked for a record that another one brought, the newest ones.
  static let mostSources = 32

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
          base: BaseTexts.Reference(recallElsewhere.integer(at: 1)), file: recallElsewhere.integer(at: 2),
          run: recallElsewhere.integer(at: 3)))
    }
    return found
  }

  /// The library's id of a record that a source had; nil when it had none with this id.
  package func item(_ id: String, of source: Int64) throws(SQLiteError) -> String? {
    try store.connection.rows(
      """
      SELECT coalesce(target, id) FROM ledger WHERE source = \(source) AND kind = \(RecordKind.item.rank) AND id = ?
      ORDER BY run DESC LIMIT 1
      """, [id]
    ).first?.first ?? nil
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
      AND ledger.id = ?1 JOIN files ON files.id = ledger.file WHERE run <> \(run) AND name <> '\(Self.pullsName)' ORDER BY run DESC LIMIT 1
      """, [id]
    ).first.map { ($0[0] ?? "", $0[1] ?? "") }
  }

  /// Records that an earlier run brought from a source and this one has not met anywhere in it: id in the library, id
  /// in the source, and the file.
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
}
