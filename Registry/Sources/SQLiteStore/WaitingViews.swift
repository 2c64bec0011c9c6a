import RegistryStore
import Synchronization

/// The views that are not in the file yet.
final class WaitingViews: Sendable {
  private let tally: Mutex<ViewTally>

  /// - Parameter written: `view_flush` in the file.
  init(written: Int64) { tally = Mutex(ViewTally(written: written)) }

  /// Whether no views wait.
  var isEmpty: Bool { tally.withLock { $0.isEmpty } }

  /// Returns the views that are missing in rows of one snapshot; nil if the snapshot is too old to determine them.
  func missing(from rows: [ContentRow]) -> [Int64]? {
    tally.withLock { $0.missing(from: rows.map(\.number), seen: rows.first?.seen ?? .max) }
  }

  /// Counts a view of a row.
  /// - Returns: The views that are missing in the row, including this one, and whether it is the first waiting view;
  ///   nil if the row is too old to determine them, in which case nothing is counted.
  func count(_ row: ContentRow) -> (missing: Int64, isFirst: Bool)? {
    tally.withLock { tally in
      guard let missing = tally.missing(from: row.number, seen: row.seen) else { return nil }
      return (missing + 1, tally.count(row.number))
    }
  }

  /// Takes the waiting views for the writer; returns nil if no views wait.
  func beginFlush() -> (number: Int64, counts: [Int64: Int64])? { tally.withLock { $0.beginFlush() } }

  /// Records whether the flush is in the file.
  func endFlush(committed: Bool) { tally.withLock { $0.endFlush(committed: committed) } }
}
