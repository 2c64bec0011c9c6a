/// Views that were counted and are not yet stored.
///
/// A flush adds a set of counts to the rows and increments a stored number in the same transaction. A reader
/// reads that number and its rows in one snapshot, so it can determine exactly which sets its rows already contain: a
/// count is never shown twice and never missed, without a lock between readers and the writer.
package struct ViewTally: Sendable {
  private typealias Counts = [Int64: Int64]

  /// The number of flushes that are remembered after they reached the file, for readers that began earlier.
  private static let remembered = 8
  /// The views counted since the last flush began.
  private var pending: Counts = [:]
  /// The flushes by number; the last one may not have ended yet.
  private var flushes: [(number: Int64, counts: Counts)] = []
  /// The number of the last flush that is in the file.
  private var written: Int64
  private var underWay = false

  package init(written: Int64) { self.written = written }

  /// Whether no views wait.
  package var isEmpty: Bool { pending.isEmpty }

  /// Counts a view of a row; returns true when it is the first waiting view.
  package mutating func count(_ row: Int64) -> Bool {
    let first = pending.isEmpty
    pending[row, default: 0] += 1
    return first
  }

  /// Returns the views that are missing in a row that was read when flush `seen` was in the file; nil if that was too
  /// long ago to determine.
  package func missing(from row: Int64, seen: Int64) -> Int64? {
    let oldest = flushes.first?.number ?? written &+ 1
    guard seen >= oldest - 1 else { return nil }
    var sum = pending[row] ?? 0
    for flush in flushes.reversed() {
      if flush.number <= seen { break }
      sum += flush.counts[row] ?? 0
    }
    return sum
  }

  /// Returns the views that are missing in the rows of one reading; empty if none are missing.
  package func missing(from rows: [Int64], seen: Int64) -> [Int64]? {
    if pending.isEmpty, seen >= flushes.last?.number ?? written { return [] }
    var all: [Int64] = []
    all.reserveCapacity(rows.count)
    for row in rows {
      guard let missing = missing(from: row, seen: seen) else { return nil }
      all.append(missing)
    }
    return all
  }

  /// Takes the waiting views for the writer; returns nil if no views wait.
  package mutating func beginFlush() -> (number: Int64, counts: [Int64: Int64])? {
    guard !pending.isEmpty, !underWay else { return nil }
    let flush = (number: written &+ 1, counts: pending)
    flushes.append(flush)
    pending = [:]
    underWay = true
    return flush
  }

  /// Records that the flush is in the file, or that it failed and its views wait again.
  package mutating func endFlush(committed: Bool) {
    guard underWay, let last = flushes.last else { return }
    underWay = false
    if committed {
      written = last.number
      if flushes.count > Self.remembered { flushes.removeFirst() }
    } else {
      flushes.removeLast()
      pending.merge(last.counts) { $0 + $1 }
    }
  }
}
