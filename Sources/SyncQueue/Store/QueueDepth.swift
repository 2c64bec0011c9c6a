import Content
import SQLiteIO

/// The numbers of operations that wait in a library's queues.
public struct QueueDepth: Encodable, Sendable, Equatable {
  /// The number of operations that may be sent now or when their turn comes.
  public var waiting = 0
  /// The number of operations that wait for a retry.
  public var retrying = 0
  /// The number of operations that failed.
  public var failed = 0
  /// The time at which the oldest unsent operation was queued.
  public var oldest: Timestamp?

  /// Creates the counts of an empty queue.
  public init() {}

  /// The number of operations that are still to be sent.
  public var live: Int { waiting + retrying }
}

extension QueueStore {
  /// Counts the operations.
  package func depth() throws -> QueueDepth {
    try read {
      var depth = QueueDepth()
      for table in tables {
        let query = try table.statement(
          """
          SELECT count(*), coalesce(sum(retryCount >= \(QueueEntry.tries)), 0),
          coalesce(sum(retryCount < \(QueueEntry.tries) AND nextRetryAt > ?1), 0),
          min(iif(retryCount < \(QueueEntry.tries), createdAt, NULL))
          FROM sync_queue WHERE syncedAt IS NULL
          """)
        query.bind(Self.now, at: 1)
        defer { query.reset() }
        guard try query.step() else { continue }
        let failed = Int(query.integer(at: 1))
        let retrying = Int(query.integer(at: 2))
        depth.failed += failed
        depth.retrying += retrying
        depth.waiting += Int(query.integer(at: 0)) - failed - retrying
        if let date = query.text(at: 3).flatMap({ Timestamp.parse($0)?.0 }) {
          depth.oldest = depth.oldest.map { min($0, date) } ?? date
        }
      }
      return depth
    }
  }

  /// Returns the earliest time at which a row may be retried; nil when no row waits for a retry.
  func nextRetry() throws -> Timestamp? {
    try read {
      try tables.compactMap { table in
        try table.connection.rows(
          "SELECT min(nextRetryAt) FROM sync_queue WHERE \(QueueTable.live) AND nextRetryAt IS NOT NULL"
        ).first?[0].flatMap { Timestamp.parse($0)?.0 }
      }.min()
    }
  }

  /// Returns the highest row number so far in each queue.
  func lastNumbers() throws -> [QueuePlace: Int64] {
    try read {
      var numbers: [QueuePlace: Int64] = [:]
      for table in tables { numbers[table.place] = try table.connection.number("SELECT max(id) FROM sync_queue") }
      return numbers
    }
  }

  /// Returns the number of live rows with higher numbers than the given ones.
  func liveCount(after numbers: [QueuePlace: Int64]) throws -> Int {
    try read {
      try tables.reduce(0) { sum, table in
        try sum
          + Int(
            table.connection.number(
              "SELECT count(*) FROM sync_queue WHERE \(QueueTable.live) AND id > ?", ["\(numbers[table.place] ?? 0)"]))
      }
    }
  }

  /// Returns numbers that change whenever another connection commits.
  func versions() throws -> [Int64] {
    try read { try tables.map { try $0.connection.number("PRAGMA data_version") } }
  }
}
