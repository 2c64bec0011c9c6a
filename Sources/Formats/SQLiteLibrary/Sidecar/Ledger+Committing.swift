import Content
import SQLiteIO

/// Records that live beside the library, and the end of a run.
extension Ledger {
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

  /// Notes that the library has the changes. What cannot be noted now the next run finds out.
  package func done() {
    if store.finishPatiently(run) { tidy() }
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
