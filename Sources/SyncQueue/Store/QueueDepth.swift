import Content
import SQLiteIO

/// How much waits in a library's queues.
public struct QueueDepth: Encodable, Sendable, Equatable {
  /// Operations that may be sent now, or when their turn comes.
  public var waiting = 0
  /// Operations that wait before they are tried again.
  public var retrying = 0
  /// Operations that nobody tries any more.
  public var failed = 0
  /// When the oldest operation that is still to be sent was queued.
  public var oldest: Timestamp?

  /// An empty queue.
  public init() {}

  /// Operations that are still to be sent.
  public var live: Int { waiting + retrying }
}

extension QueueStore {
  /// Counts what waits.
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

  /// The earliest moment at which a row's wait is over; nil when none waits.
  func nextRetry() throws -> Timestamp? {
    try read {
      try tables.compactMap { table in
        try table.connection.rows(
          "SELECT min(nextRetryAt) FROM sync_queue WHERE \(QueueTable.live) AND nextRetryAt IS NOT NULL"
        ).first?[0].flatMap { Timestamp.parse($0)?.0 }
      }.min()
    }
  }

  /// The highest number that a row has had so far, by place.
  func lastNumbers() throws -> [QueuePlace: Int64] {
    try read {
      var numbers: [QueuePlace: Int64] = [:]
      for table in tables { numbers[table.place] = try table.connection.number("SELECT max(id) FROM sync_queue") }
      return numbers
    }
  }

  /// How many live rows have a higher number than these.
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

  /// Changes whenever another connection commits something.
  func versions() throws -> [Int64] {
    try read { try tables.map { try $0.connection.number("PRAGMA data_version") } }
  }
}
