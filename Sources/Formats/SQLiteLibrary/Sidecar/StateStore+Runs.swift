import Content
import Foundation
import Interchange
import SQLiteIO

/// What ran on a library: every command that writes has a row, which is on disk before it begins.
extension StateStore {
  /// What became of a run.
  package enum RunState: String, Sendable {
    /// It works; if nobody holds the sidecar's lock it was interrupted, and the library is as it was before.
    case running
    /// It was about to commit.
    case intended
    /// The library has what it wrote.
    case done
    /// It changed nothing.
    case void
    /// What it wrote was taken back by a later run.
    case undone
  }

  /// One run that changed, or was to change, the library.
  package struct Run: Sendable {
    /// Its number in this library, from 1.
    package let id: Int64
    package let command: String
    /// When it began, in UTC. The same if it was resumed.
    package let started: String
    /// When it ended; nil while it runs.
    package let finished: String?
    package let state: RunState
    /// The copy from before; nil when none was made.
    package let backup: String?
    /// What the command remembers of it.
    package let detail: String?
    /// What became of the records, as a JSON object.
    package let counts: String?
    /// What it was asked to do, as a JSON object; nil when it cannot be done again.
    package let request: String?
    /// The time that stood in for times that the source did not say.
    package let now: String?

    /// When it began, for the name of a file: `20261121T141500123Z`.
    package var stamp: String { String(started.filter { $0.isASCII && ($0.isNumber || $0.isLetter) }.prefix(32)) }
  }

  /// Notes that a run begins, before it does anything else.
  /// - Parameters:
  ///   - request: what is needed to do it again.
  ///   - now: the time that stands in for times that nobody says.
  package func begin(
    _ command: String, detail: String? = nil, request: String? = nil, now: Timestamp? = nil
  ) throws(SQLiteError) -> Run {
    let insert = try connection.prepare(
      "INSERT INTO runs (command, started, state, detail, request, now) VALUES (?, ?, ?, ?, ?, ?)",
      as: "note the run")
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
      throw SQLiteError(code: 1, message: "the row is not there", operation: "note the run")
    }
    return run
  }

  /// Notes that a run is about to commit.
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

  /// Notes what became of a run.
  package func settle(_ run: Int64, _ state: RunState) throws(SQLiteError) {
    let update = try connection.prepare("UPDATE runs SET state = ?, finished = ? WHERE id = ?")
    update.bind(state.rawValue, at: 1)
    if state == .running { update.bindNull(at: 2) } else { update.bind(Self.time, at: 2) }
    update.bind(run, at: 3)
    try update.run()
  }

  /// Something that is true of a run, beside what became of it: a member of its detail.
  package enum RunMark: String, Sendable {
    /// It made the library: there is nothing before it.
    case madeLibrary = "made_library"
    /// It was refused, and changed nothing.
    case refused
  }

  /// Notes what is true of a run, or is not.
  package func mark(_ run: Int64, _ mark: RunMark, _ isTrue: Bool = true) throws(SQLiteError) {
    try connection.execute(
      """
      UPDATE runs SET detail = json_set(CASE WHEN json_valid(detail) THEN detail ELSE '{}' END,
        '$.\(mark.rawValue)', json('\(isTrue)')) WHERE id = \(run)
      """, as: "note the run")
  }

  /// Notes that a run was taken back, or counts again; what it took back itself counts again then, or no more.
  package func mark(_ run: Int64, isUndone: Bool) throws(SQLiteError) {
    var next: (run: Int64, isUndone: Bool)? = (run, isUndone)
    while let (run, isUndone) = next {
      let state: RunState = isUndone ? .undone : .done
      try connection.execute("UPDATE runs SET state = '\(state.rawValue)' WHERE id = \(run)", as: "note the run")
      // A run takes back an earlier one, so this ends.
      next = try self.run(run)?.undoes.flatMap { $0 < run ? ($0, !isUndone) : nil }
    }
  }

  /// Runs, newest first.
  package func runs(command: String? = nil, state: RunState? = nil) throws(SQLiteError) -> [Run] {
    try Self.runs(connection).filter {
      (command == nil || command == $0.command) && (state == nil || state == $0.state)
    }
  }

  /// A run; nil when there is none of that number.
  package func run(_ id: Int64) throws(SQLiteError) -> Run? {
    try Self.runs(connection, "WHERE id = \(id)").first
  }

  /// Runs of a store of any version, newest first. Those of a state that only a newer FleetKit knows are left out.
  package static func runs(_ connection: SQLiteConnection, _ filter: String = "") throws(SQLiteError) -> [Run] {
    let known = Set(try connection.rows("SELECT name FROM pragma_table_info('runs')").compactMap { $0[0] })
    // Whoever was killed while making the store left a file without tables.
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

  /// The name of a file in `backups`; nil for anything that would lead out of it.
  private static func plainName(_ name: String) -> String? {
    name.isEmpty || name == "." || name == ".." || name.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 }
      ? nil : name
  }

  /// How many runs that nothing refers to are kept.
  static let kept = 1000

  /// Forgets old runs that nothing refers to. Now and then is enough: finding out reads the whole ledger.
  private func prune() throws(SQLiteError) {
    guard try connection.number("SELECT count(*) FROM runs") % 256 == 0 else { return }
    try connection.execute(
      """
      DELETE FROM runs WHERE id IN (
        SELECT id FROM runs WHERE state NOT IN ('running', 'intended')
        AND id NOT IN (SELECT run FROM ledger UNION SELECT old_run FROM ledger WHERE old_run IS NOT NULL
          UNION SELECT run FROM bases)
        ORDER BY id DESC LIMIT -1 OFFSET \(Self.kept))
      """, as: "forget old runs")
  }

  private static var time: String { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).iso8601 }
}
