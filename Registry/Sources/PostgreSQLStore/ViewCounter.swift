import Foundation
import RegistryModel
import RegistryStore
import Synchronization

/// Counts this process's views and writes them to the database a moment later, together.
final class ViewCounter: Sendable {
  private struct State {
    var tally = ViewTally(written: 0)
    /// The flush that is not known to be in the database. It is repeated unchanged: whether an earlier attempt was
    /// committed can be read from `view_flushes`.
    var underWay: (number: Int64, counts: [Int64: Int64])?
    /// Whether a task writes the flush that is under way.
    var isWriting = false
    var isScheduled = false
  }

  /// The id of this process's row in `view_flushes`.
  let process = RegistryID()
  private let state = Mutex(State())

  /// Returns the views that are missing in rows that were read in one snapshot; nil if that was too long ago to
  /// determine.
  func missing(from rows: [ContentRow]) -> [Int64]? {
    state.withLock { $0.tally.missing(from: rows.map(\.number), seen: rows.first?.seen ?? .max) }
  }

  /// Counts a view of a row and returns the row's views without and with it.
  /// - Returns: The views that are missing in the row, including this one; nil if the row is too old to determine them,
  ///   in which case nothing is counted. `flush` is true if a flush has to be scheduled.
  func count(_ row: ContentRow) -> (missing: Int64, flush: Bool)? {
    state.withLock { state in
      guard let missing = state.tally.missing(from: row.number, seen: row.seen) else { return nil }
      _ = state.tally.count(row.number)
      defer { state.isScheduled = true }
      return (missing + 1, !state.isScheduled)
    }
  }

  /// Takes the flush that has to be written next; nil if no views wait, or if another task writes them.
  func beginFlush() -> (number: Int64, counts: [Int64: Int64])? {
    state.withLock { state in
      state.isScheduled = false
      if state.isWriting { return nil }
      if state.underWay == nil { state.underWay = state.tally.beginFlush() }
      state.isWriting = state.underWay != nil
      return state.underWay
    }
  }

  /// Records whether the flush is in the database; returns whether another one has to be scheduled.
  func endFlush(committed: Bool) -> Bool {
    state.withLock { state in
      state.isWriting = false
      if committed {
        state.underWay = nil
        state.tally.endFlush(committed: true)
      }
      let waits = !committed || !state.tally.isEmpty
      defer { state.isScheduled = state.isScheduled || waits }
      return waits && !state.isScheduled
    }
  }

  /// Whether a task writes a flush.
  var isWriting: Bool { state.withLock { $0.isWriting } }
}

extension PostgreSQLStore {
  /// How long a view may wait before it is written.
  private static let viewDelay = Duration.milliseconds(400)

  func flushSoon() {
    Task { [weak self] in
      try? await Task.sleep(for: Self.viewDelay)
      await self?.flushViews()
    }
  }

  /// Writes the waiting views. If that fails, another attempt follows.
  func flushViews() async {
    while views.isWriting { try? await Task.sleep(for: .milliseconds(2)) }
    guard let flush = views.beginFlush() else { return }
    let isCommitted: Bool
    do {
      try await write { [process = views.process] connection in
        try Self.write(flush.counts, number: flush.number, of: process, connection)
      }
      isCommitted = true
    } catch { isCommitted = false }
    if views.endFlush(committed: isCommitted), !isClosed { flushSoon() }
  }

  private static func write(
    _ counts: [Int64: Int64], number: Int64, of process: RegistryID, _ connection: PostgreSQLConnection
  ) throws {
    let last = try connection.query("SELECT flush FROM view_flushes WHERE process = $1", [.id(process)]).integer(0, 0)
    // An earlier attempt was committed, although its answer was lost.
    if let last, last >= number { return }
    let rows = counts.keys.sorted()
    let added = PostgreSQLValue.integers(rows.map { counts[$0] ?? 0 })
    // Two processes that lock rows in the same order do not wait for each other in a circle.
    try connection.query(
      "SELECT 1 FROM shared_content WHERE number = ANY ($1) ORDER BY number FOR NO KEY UPDATE", [.integers(rows)])
    try connection.query(
      """
      UPDATE shared_content c SET view_count = c.view_count + v.added
      FROM unnest($1::bigint[], $2::bigint[]) AS v (number, added) WHERE c.number = v.number
      """, [.integers(rows), added])
    try connection.query(
      """
      INSERT INTO view_flushes (process, flush) VALUES ($1, $2)
      ON CONFLICT (process) DO UPDATE SET flush = excluded.flush, flushed_at = now()
      """, [.id(process), .integer(number)])
  }
}
