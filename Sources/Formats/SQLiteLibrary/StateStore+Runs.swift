import CSQLite
import Content
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// The runs of a library. Every command that writes has a row, which is on disk before the command begins.
extension StateStore {
  /// The state of a run.
  package enum RunState: String, Sendable {
    /// The run is in progress. If the sidecar's lock is free, the run was interrupted, and the library is unchanged.
    case running
    /// The run was about to commit.
    case intended
    /// The library has the run's changes.
    case done
    /// The run changed nothing.
    case void
    /// A later run undid the changes.
    case undone
  }

  /// One run that changed, or intended to change, the library.
  package struct Run: Sendable {
    /// The run's number in this library, from 1.
    package let id: Int64
    package let command: String
    /// The time at which the run began, in UTC. A resumed run keeps its original time.
    package let started: String
    /// The time at which the run ended; nil while the run is in progress.
    package let finished: String?
    package let state: RunState
    /// The backup that was made before the run; nil if no backup was made.
    package let backup: String?
    /// Data that the command stored about the run.
    package let detail: String?
    /// The number of records for each outcome, as a JSON object.
    package let counts: String?
    /// The run's request, as a JSON object; nil if the run cannot be repeated.
    package let request: String?
    /// The time that was used where the source had no time.
    package let now: String?

    /// The time at which the run began, in the form that file names use: `20261121T141500123Z`.
    package var stamp: String { String(started.filter { $0.isASCII && ($0.isNumber || $0.isLetter) }.prefix(32)) }
  }

  /// Records that a run begins, before it does anything else.
  /// - Parameters:
  ///   - request: the data that is needed to repeat the run.
  ///   - now: the time that is used where the source has no time.
  package func begin(
    _ command: String, detail: String? = nil, request: String? = nil, now: Timestamp? = nil
  ) throws(SQLiteError) -> Run {
    let insert = try connection.prepare(
      "INSERT INTO runs (command, started, state, detail, request, now) VALUES (?, ?, ?, ?, ?, ?)",
      as: "record the run")
    insert.bind(command, at: 1)
    insert.bind(Self.time, at: 2)
    insert.bind(RunState.running.rawValue, at: 3)
    for (index, text) in [detail, request, now?.iso8601].enumerated() {
      if let text { insert.bind(text, at: index + 4) } else { insert.bindNull(at: index + 4) }
    }
    try insert.run()
    let id = connection.lastRowID
    try prune()
    guard let run = try run(id) else {
      throw SQLiteError(code: 1, message: "the row is missing", operation: "record the run")
    }
    return run
  }

  /// Records that a run is about to commit.
  package func intend(
    _ run: Int64, backup: String? = nil, detail: String? = nil, counts: String? = nil
  ) throws(SQLiteError) {
    let update = try connection.prepare(
      """
      UPDATE runs SET state = ?, backup = coalesce(?, backup), detail = coalesce(?, detail),
      counts = coalesce(?, counts) WHERE id = ?
      """)
    update.bind(RunState.intended.rawValue, at: 1)
    for (index, text) in [backup, detail, counts].enumerated() {
      if let text { update.bind(text, at: index + 2) } else { update.bindNull(at: index + 2) }
    }
    update.bind(run, at: 5)
    try update.run()
  }

  /// Records the state of a run.
  package func recordState(_ state: RunState, of run: Int64) throws(SQLiteError) {
    let update = try connection.prepare("UPDATE runs SET state = ?, finished = ? WHERE id = ?")
    update.bind(state.rawValue, at: 1)
    if state == .running { update.bindNull(at: 2) } else { update.bind(Self.time, at: 2) }
    update.bind(run, at: 3)
    try update.run()
  }

  /// A fact about a run in addition to its state. It is stored as a member of the run's detail.
  package enum RunMark: String, Sendable {
    /// The run created the library, so an earlier state does not exist.
    case madeLibrary = "made_library"
    /// The run was refused and changed nothing.
    case refused
  }

  /// Sets or removes a mark of a run.
  package func mark(_ run: Int64, _ mark: RunMark, _ isTrue: Bool = true) throws(SQLiteError) {
    try connection.execute(
      """
      UPDATE runs SET detail = json_set(CASE WHEN json_valid(detail) THEN detail ELSE '{}' END,
        '$.\(mark.rawValue)', json('\(isTrue)')) WHERE id = \(run)
      """, as: "record the run")
  }

  /// Records that a run was undone, or that its undo was undone. If the run is itself an undo, the state of the run
  /// that it undid changes accordingly.
  package func mark(_ run: Int64, isUndone: Bool) throws(SQLiteError) {
    var next: (run: Int64, isUndone: Bool)? = (run, isUndone)
    while let (run, isUndone) = next {
      let state: RunState = isUndone ? .undone : .done
      try connection.execute("UPDATE runs SET state = '\(state.rawValue)' WHERE id = \(run)", as: "record the run")
      // A run can only undo an earlier run, so this loop ends.
      next = try self.run(run)?.undoes.flatMap { $0 < run ? ($0, !isUndone) : nil }
    }
  }

  /// Returns the matching runs, newest first.
  package func runs(command: String? = nil, state: RunState? = nil) throws(SQLiteError) -> [Run] {
    try Self.runs(connection).filter {
      (command == nil || command == $0.command) && (state == nil || state == $0.state)
    }
  }

  /// Returns a run; nil if no run has that number.
  package func run(_ id: Int64) throws(SQLiteError) -> Run? {
    try Self.runs(connection, "WHERE id = \(id)").first
  }

  /// Returns the runs of a store of any version, newest first. Runs whose state is only defined by a newer FleetKit are
  /// left out.
  package static func runs(_ connection: SQLiteConnection, _ filter: String = "") throws(SQLiteError) -> [Run] {
    let known = Set(try connection.rows("SELECT name FROM pragma_table_info('runs')").compactMap { $0[0] })
    // A run that was killed while creating the store left a file without tables.
    guard !known.isEmpty else { return [] }
    let columns = ["id", "command", "started", "finished", "state", "backup", "detail", "counts", "request", "now"]
      .map { known.contains($0) ? $0 : "NULL" }.joined(separator: ", ")
    return try connection.rows("SELECT \(columns) FROM runs \(filter) ORDER BY runs.id DESC").compactMap { row in
      guard let id = row[0].flatMap(Int64.init), let command = row[1],
        let state = row[4].flatMap(RunState.init(rawValue:))
      else { return nil }
      return Run(
        id: id, command: command, started: row[2] ?? "", finished: row[3], state: state,
        backup: row[5].flatMap(Self.plainName),
        detail: row[6], counts: row[7], request: row[8], now: row[9])
    }
  }

  /// Returns the name of a file in `backups`; nil for a name that would point outside the folder.
  private static func plainName(_ name: String) -> String? {
    name.isEmpty || name == "." || name == ".." || name.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 }
      ? nil : name
  }

  /// The number of unreferenced runs that are kept.
  static let kept = 1000

  /// Removes old runs that nothing refers to. This is done only occasionally, because it reads the whole ledger.
  private func prune() throws(SQLiteError) {
    guard try connection.number("SELECT count(*) FROM runs") % 256 == 0 else { return }
    try connection.execute(
      """
      DELETE FROM runs WHERE id IN (
        SELECT id FROM runs WHERE state NOT IN ('running', 'intended')
        AND id NOT IN (SELECT run FROM ledger UNION SELECT old_run FROM ledger WHERE old_run IS NOT NULL
          UNION SELECT run FROM bases)
        ORDER BY id DESC LIMIT -1 OFFSET \(Self.kept))
      """, as: "remove old runs")
  }

  private static var time: String { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).iso8601 }
}

/// The data that the store records when a run begins.
package struct RunNote: Sendable {
  /// The command, such as `import`, `restore` or `apply`.
  package var command: String
  /// Data that the command stores about the run.
  package var detail: String?
  /// The data that is needed to repeat the run, as a JSON object; nil if the run cannot be repeated.
  package var request: String?
  /// The time that is used where the source has no time.
  package var now: Timestamp?
  /// The interrupted run that is resumed under its own number; nil for a new run.
  package var resumes: Int64?

  package init(
    command: String, detail: String? = nil, request: String? = nil, now: Timestamp? = nil, resumes: Int64? = nil
  ) {
    self.command = command
    self.detail = detail
    self.request = request
    self.now = now
    self.resumes = resumes
  }
}

extension StateStore {
  /// Begins a run, or resumes an interrupted run. What the interrupted run left behind is removed first.
  /// - Throws: `RunFailure` if the run to be resumed does not exist or cannot be resumed; `SQLiteError`.
  package func begin(_ note: RunNote, in sidecar: Sidecar) throws -> Run {
    guard let id = note.resumes else {
      return try begin(note.command, detail: note.detail, request: note.request, now: note.now)
    }
    let run = try interrupted(id)
    for part in [Sidecar.Part.rejects, .backups] {
      guard let folder = try sidecar.folder.part(part) else { continue }
      for name in folder.names where name.hasPrefix(run.stamp + "-import") { folder.remove(name) }
    }
    return run
  }

  /// Returns an interrupted run that can be resumed.
  /// - Throws: `RunFailure`: 64 if no run has that number, 4 if the run was not interrupted or a later run has
  ///   changed the library; `SQLiteError`.
  package func interrupted(_ id: Int64) throws -> Run {
    guard let run = try run(id) else { throw Self.unknown(id) }
    guard run.state == .running || run.state == .intended else {
      let what = run.state == .void ? "it ended without changes" : "it is complete"
      throw RunFailure(
        .refused, "resume run \(id): \(what); only a run that was interrupted can be resumed",
        advice: "'fleetkit runs' lists the runs.")
    }
    if let later = try runs().last(where: { $0.id > id && [.done, .undone].contains($0.state) && $0.isChanging }) {
      throw RunFailure(
        .refused, "resume run \(id): run \(later.id) has changed the library since; nothing was changed",
        advice: "Repeat the command of run \(id); it then uses the library's current content.")
    }
    return run
  }

  /// Returns the failure for a number that no run has.
  package static func unknown(_ id: Int64) -> RunFailure {
    RunFailure(.usage, "find run \(id): this library has no run \(id)", advice: "'fleetkit runs' lists the runs.")
  }
}

extension StateStore.Run {
  /// Whether the run has a mark.
  package func has(_ mark: StateStore.RunMark) -> Bool {
    detail.flatMap { try? JSONDocument(parsing: $0) }?.root[mark.rawValue]?.bool ?? false
  }

  /// The run that this run undoes; nil if this run is not an undo.
  package var undoes: Int64? {
    command == "undo" ? detail.flatMap { try? JSONDocument(parsing: $0) }?.root["undoes"]?.integer : nil
  }

  /// Whether the run changed the library, even if its changes have been undone since then.
  package var isChanging: Bool {
    if state == .void || state == .running { return false }
    // Older versions did not record counts.
    return counts.map { !$0.contains(#""changed":0,"#) } ?? true
  }
}

/// Ends runs in the ledger, including killed runs.
extension StateStore {
  /// Puts a run's records into effect, inside the caller's transaction.
  package func finish(_ run: Int64) throws(SQLiteError) {
    try connection.execute(
      """
      INSERT OR REPLACE INTO records SELECT kind, id, line FROM staged_records WHERE run = \(run);
      DELETE FROM staged_records WHERE run = \(run);
      INSERT OR REPLACE INTO packs SELECT name, version, sha256, key FROM staged_packs WHERE run = \(run);
      DELETE FROM staged_packs WHERE run = \(run);
      DELETE FROM witnesses WHERE run = \(run)
      """, as: "finish a run")
    // The registry has answered, so the public content is known again.
    try connection.execute(
      """
      DELETE FROM tried_versions WHERE content_id IN
        (SELECT content_id FROM staged_publications WHERE run = \(run));
      INSERT OR REPLACE INTO publications SELECT content_id, public_id, registry_id, digest, synced_at
        FROM staged_publications WHERE run = \(run) AND public_id IS NOT NULL;
      DELETE FROM publications WHERE content_id IN
        (SELECT content_id FROM staged_publications WHERE run = \(run) AND public_id IS NULL);
      DELETE FROM staged_publications WHERE run = \(run)
      """, as: "finish a run")
    try finishOperations(run)
    try finishRebinding(run)
    try recordState(.done, of: run)
  }

  package func finishInTransaction(_ run: Int64) throws(SQLiteError) {
    try connection.execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      try finish(run)
      try connection.execute("COMMIT", as: "finish a run")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
  }

  /// Puts a run's records into effect after the library has the run's changes. Waits up to a minute while other
  /// processes read the sidecar.
  ///
  /// Does not throw. If recording fails, the next run determines the state from the library.
  /// - Returns: whether the state was recorded.
  @discardableResult
  package func finishPatiently(_ run: Int64) -> Bool {
    for _ in 0..<12 {
      do throws(SQLiteError) {
        try finishInTransaction(run)
        return true
      } catch {
        guard error.code & 0xFF == SQLITE_BUSY else { return false }
      }
    }
    return false
  }

  /// Reverts a run's ledger entries, because it changed nothing.
  /// - Parameter state: the run's new state: `void` if it ended, `running` if it was interrupted.
  package func void(_ run: Int64, as state: RunState = .void) throws(SQLiteError) {
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      UPDATE ledger SET hash = old_hash, run = old_run, base = old_base, target = old_target, old_hash = NULL,
        old_run = NULL, old_base = NULL, old_target = NULL WHERE run = \(run) AND old_run IS NOT NULL;
      DELETE FROM ledger WHERE run = \(run);
      DELETE FROM bases WHERE run = \(run);
      DELETE FROM staged_records WHERE run = \(run);
      DELETE FROM staged_packs WHERE run = \(run);
      DELETE FROM staged_operations WHERE run = \(run);
      DELETE FROM staged_publications WHERE run = \(run);
      DELETE FROM staged_bindings WHERE run = \(run);
      DELETE FROM witnesses WHERE run = \(run)
      """, as: "undo a run")
    try recordState(state, of: run)
    try connection.execute("COMMIT", as: "undo a run")
  }

  /// Resolves the state of all killed runs. Must be called before anything else is done to a library.
  package func resolveKilledRuns(_ library: WritableLibrary) throws {
    // The lookup needs tables that a library in need of repair may lack.
    if try !runs(state: .intended).isEmpty { try resolveKilledRuns(library.isNew ? nil : LibraryLookup(library)) }
    for run in try runs(state: .intended) where run.command == "undo" || run.command == "doctor" {
      // A run that replaces the whole file has no journal. Its state is determined elsewhere.
      guard let reader = try UndoJournalReader(of: run.id, in: sidecar) else { continue }
      if try !library.isNew && LibraryRowsUndo.isCommitted(reader, library.connection) {
        UndoMedia(library.sidecar, self).moveAsideAfterKill(run)
        try recordState(.done, of: run.id)
      } else {
        try revert(run, reader)
      }
    }
    for run in try runs(state: .running) { UndoJournal.remove(run.id, from: sidecar) }
  }

  /// Reverts a run's changes in the sidecar because the library does not have the run's other changes.
  package func revert(_ run: Run, _ reader: UndoJournalReader) throws {
    try connection.execute("BEGIN IMMEDIATE")
    do {
      try StoreUndo(self, reader, journal: nil).run()
      if let undone = run.undoes { try mark(undone, isUndone: false) }
      try recordState(.void, of: run.id)
      try connection.execute("COMMIT", as: "undo a run")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
    UndoJournal.remove(run.id, from: sidecar)
  }

  /// Resolves the state of runs that were killed between writing the ledger and recording that the library has the
  /// changes. The hashes of the library's records show whether it has the changes. A run that was killed before writing
  /// the ledger counts as interrupted and can be resumed.
  /// - Parameter lookup: looks up library records; nil if the library does not exist, so that no run can have committed
  ///   to it.
  package func resolveKilledRuns(_ lookup: LibraryLookup?) throws(SQLiteError) {
    for run in try runs(state: .intended) where Self.importing.contains(run.command) {
      if let lookup, try Self.isCommitted(run.id, connection, lookup) {
        try finishInTransaction(run.id)
      } else {
        try void(run.id, as: .running)
      }
    }
  }

  /// Whether any run's state is still unresolved.
  package static func hasUnresolvedRuns(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
    try connection.number("SELECT count(*) FROM runs WHERE state = '\(RunState.intended.rawValue)'") > 0
  }

  /// The commands that enqueue operations.
  package static let enqueuing = ["publish", "update", "unpublish"]

  /// The command that assigns a library to another registry or account.
  package static let rebinding = "queue rebind"

  /// The commands that add or change records and write witnesses.
  static let importing = ["import", "restore", "apply", "fork", "pull", rebinding] + enqueuing

  /// Whether the library has the changes that a run was about to write.
  static func isCommitted(
    _ run: Int64, _ connection: SQLiteConnection, _ lookup: LibraryLookup
  ) throws(SQLiteError) -> Bool {
    let witnesses = try connection.rows("SELECT kind, id, before, after FROM witnesses WHERE run = \(run)")
    if let isQueued = try CommitProbe.isCommitted(witnesses, lookup.connection) { return isQueued }
    for row in witnesses {
      guard let kind = row[0], let id = row[1], let after = row[3] else { continue }
      let hash = try hash(kind, id, lookup)
      // A record that the run added may have been edited since then. It exists only because the run added it.
      if hash == after || row[2] == nil && hash != nil { return true }
    }
    return false
  }

  private static func hash(
    _ kind: String, _ id: String, _ lookup: LibraryLookup
  ) throws(SQLiteError) -> String? {
    try lookup.record(RecordKind(kind), id: id.utf8.span).map { Digest.hex(Digest.sha256($0.span)) }
  }
}

/// A row of the library's queue that a run wrote or removed. Later runs use the row to tell whether that run committed.
///
/// Items cannot serve this purpose, because a later run may undo the changes to an item, and a sync changes an item's
/// state.
package struct CommitProbe {
  /// The row's number.
  let row: Int64
  /// The row's content after the run; nil if the run removed the row.
  let after: String?

  static let kind = "queue_row"
  static let withdrawn = "public_id"

  /// Reads a row in the state in which the run leaves it.
  package init(of row: Int64, _ library: SQLiteConnection) throws(SQLiteError) {
    self.row = row
    after = try Self.content(of: row, library)
  }

  /// Writes a witness that an item's public id was removed.
  package static func writeWithdrawn(_ id: String, _ run: Int64, _ store: StateStore) throws(SQLiteError) {
    _ = try store.connection.rows(
      "INSERT INTO witnesses (run, kind, id) VALUES (?, ?, ?)", [String(run), withdrawn, id])
  }

  /// Writes the probe, inside the caller's transaction.
  package func write(_ run: Int64, _ store: StateStore) throws(SQLiteError) {
    let insert = try store.connection.prepare("INSERT INTO witnesses (run, kind, id, after) VALUES (?, ?, ?, ?)")
    insert.bind(run, at: 1)
    insert.bind(Self.kind, at: 2)
    insert.bind(String(row), at: 3)
    if let after { insert.bind(after, at: 4) } else { insert.bindNull(at: 4) }
    try insert.run()
  }

  /// Whether the library has the state that the witnesses recorded; nil if no witness concerns the library's queue.
  ///
  /// Written rows are conclusive evidence, because their numbers are never reused and sending keeps their content.
  /// Removed rows are only used if nothing was written, because the app may also remove rows.
  /// - Parameter witnesses: the kind, the id, and the hashes before and after, for each witness.
  static func isCommitted(_ witnesses: [[String?]], _ library: SQLiteConnection) throws(SQLiteError) -> Bool? {
    let rows = witnesses.filter { $0[0] == kind }
    let written = rows.filter { $0[3] != nil }
    for witness in written {
      if let row = witness[1].flatMap({ Int64($0) }), try content(of: row, library) == witness[3] { return true }
    }
    guard written.isEmpty else { return false }
    if let row = rows.first?[1].flatMap({ Int64($0) }) { return try content(of: row, library) == nil }
    guard let item = witnesses.first(where: { $0[0] == withdrawn })?[1] else { return nil }
    return try library.number(
      "SELECT count(*) FROM library_content WHERE id = ? AND publicID IS NOT NULL", [item]) == 0
  }

  private static func content(of row: Int64, _ library: SQLiteConnection) throws(SQLiteError) -> String? {
    let query = try library.prepare("SELECT contentID, operation, payload, createdAt FROM sync_queue WHERE id = ?")
    query.bind(row, at: 1)
    guard try query.step() else { return nil }
    var bytes: [UInt8] = []
    for column in 0..<4 {
      bytes += query.bytes(at: column)
      bytes.append(0)
    }
    return Digest.hex(Digest.sha256(bytes.span))
  }
}
