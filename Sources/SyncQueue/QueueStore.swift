import Content
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// A library's two queues, with the items of their rows and the registry's answers.
///
/// Every change is one short transaction, during which the sidecar is locked; other commands and the app can work
/// between changes. Not thread-safe.
package final class QueueStore {
  /// The library as the user named it.
  package let path: String
  let library: QueueTable
  /// The queue in the sidecar; nil if the store is read-only and the queue does not exist.
  let beside: QueueTable?
  let libraryEnvelopes: LibraryEnvelopes
  let deckEnvelopes: DeckEnvelopes?
  /// How long to wait for another command that is changing the library, in seconds.
  package var patience = 60.0
  /// Computes the versions of payloads; created on first use.
  lazy var payloadVersions = PayloadVersions()
  let isReadOnly: Bool
  /// Keeps the resources of a private copy alive.
  private let opened: LibraryFile?

  /// The access for which a store is opened.
  package enum Access: Sendable {
    /// The store is only read; nothing is created or changed.
    case look
    /// The store can be changed.
    case change
  }

  /// Opens the queues of a library.
  /// - Throws: `RunFailure`: 2 if the file is not a library or is damaged, 4 if its schema is not the current one,
  ///   6 if its schema is newer, 7 if another program holds the library.
  package init(_ path: String, _ access: Access) throws {
    self.path = path
    isReadOnly = access == .look
    guard Foundation.access(path, F_OK) == 0 else {
      throw RunFailure(.failed, "read the queue of '\(path)': there is no such library", advice: "Check the name.")
    }
    // The schema is checked first, so that no sidecar is made for a library that is refused.
    opened = try Self.check(at: path, access)
    do {
      let connection =
        try opened?.connection ?? SQLiteConnection(path, isReadOnly ? .read : .write, .foreign, busyTimeout: 15_000)
      try connection.execute("PRAGMA cache_size = -16000")
      if !isReadOnly { try connection.execute("PRAGMA foreign_keys = ON") }
      library = QueueTable(.library, connection)
      libraryEnvelopes = LibraryEnvelopes(library)
      let state = try Self.openState(of: path, isReadOnly)
      beside = state.map { QueueTable(.beside, $0) }
      deckEnvelopes = beside.map { DeckEnvelopes($0) }
    } catch let error as SQLiteError {
      throw Self.failure(error, path, reading: access == .look)
    }
  }

  /// Refuses a library whose queue cannot be used.
  ///
  /// If the queue is to be changed, everything that was opened for the check is closed again. Otherwise the holder of
  /// the sidecar's lock, which this process waits for next, could not commit while this process reads the library.
  /// - Returns: the library that was opened for the check, if the store keeps using it: with a write-ahead log, or
  ///   after a crash, opening the library again would change it.
  private static func check(at path: String, _ access: Access) throws -> LibraryFile? {
    let file = try LibraryFile(path, checkingPages: false)
    try refuse(file.schema, path, access)
    return access == .look && (file.copiedBecause != nil || !file.isFrozen) ? file : nil
  }

  private static func openState(of path: String, _ isReadOnly: Bool) throws -> SQLiteConnection? {
    if !isReadOnly {
      // The lock is held only while the tables are made and the sidecar changes of a killed run are completed.
      let connection = try locked(path, patience: 60) {
        let store = try StateStore($0)
        let file = try LibraryFile(path, checkingPages: false)
        try store.resolveKilledRuns(LibraryLookup(file.connection, file.schema, path: path))
        return store.connection
      }
      try connection.execute("PRAGMA busy_timeout = 15000")
      return connection
    }
    guard let connection = try StateStore.reading(of: path) else { return nil }
    let tables = try connection.number(
      "SELECT count(*) FROM sqlite_schema WHERE name IN ('sync_queue', 'publications', 'registry_binding')")
    return tables == 3 ? connection : nil
  }

  private static func refuse(_ schema: LibrarySchema, _ path: String, _ access: Access) throws {
    let outcome = access == .look ? "it was not read" : "nothing was changed"
    if access == .change { try schema.refuseComputed("use the queue of '\(path)'") }
    if schema.isNewer {
      throw RunFailure(
        .newer,
        "use the queue of '\(path)': a newer app wrote it (\(schema.unknownMigrations.joined(separator: ", ")))",
        advice: "Update FleetKit.")
    }
    if schema.version != AppSchema.newestVersion {
      throw RunFailure(
        .refused,
        "use the queue of '\(path)': its schema is \(schema.version.map { "v\($0)" } ?? "of an unknown version"), but "
          + "the newest is v\(AppSchema.newestVersion); \(outcome)",
        advice: "Run 'fleetkit migrate \(path)' first.")
    }
    let needed = [
      "id", "contentID", "operation", "payload", "createdAt", "retryCount", "lastError", "syncedAt", "nextRetryAt",
    ]
    if let missing = needed.first(where: { !(schema.tables["sync_queue"] ?? []).contains($0) }) {
      throw RunFailure(
        .refused, "use the queue of '\(path)': 'sync_queue' has no column '\(missing)'; \(outcome)",
        advice: "Run 'fleetkit doctor \(path)'.")
    }
  }

  /// Runs a closure while holding the sidecar's lock; waits for other holders.
  static func locked<Result>(
    _ path: String, patience: Double, _ body: (Sidecar) throws -> Result
  ) throws -> Result {
    let start = ContinuousClock.now
    while true {
      do {
        let sidecar = try Sidecar(of: path)
        return try withExtendedLifetime(sidecar) { try body(sidecar) }
      } catch let failure as RunFailure
        where failure.status == .locked && start.duration(to: .now) < .seconds(patience)
        && !Interruption.isRequested
      {
        continue  // the sidecar has already waited
      }
    }
  }

  /// Converts an SQLite error into a user-visible error.
  static func failure(_ error: SQLiteError, _ path: String, reading: Bool = false) -> RunFailure {
    reading ? LibraryFile.failure(error, path) : WritableLibrary.failure(error, path)
  }

  /// Returns the queue in a location; nil if it does not exist.
  func table(_ place: QueuePlace) -> QueueTable? { place == .library ? library : beside }

  /// Returns the items in a location.
  func envelopes(_ place: QueuePlace) -> (any ItemEnvelopes)? {
    place == .library ? libraryEnvelopes : deckEnvelopes
  }

  /// The queues that exist.
  var tables: [QueueTable] { [library] + (beside.map { [$0] } ?? []) }

  // MARK: Transactions

  /// Changes the queues in some locations, each in one transaction; the sidecar's transaction commits first.
  ///
  /// The registry's answer about an item must be recorded before its row counts as sent. In the reverse order, a crash
  /// between the two commits would lose the digest, and the registry would refuse the next change.
  func change<Result>(_ places: Set<QueuePlace>, _ body: () throws -> Result) throws -> Result {
    try Self.locked(path, patience: patience) { sidecar in
      var open: [QueueTable] = []
      do {
        try resolveKilledRuns(sidecar)
        for table in tables.reversed() where places.contains(table.place) {
          try table.connection.execute("BEGIN IMMEDIATE", as: "change the queue")
          open.append(table)
        }
        let result = try body()
        while let table = open.first {
          try table.connection.execute("COMMIT", as: "commit")
          open.removeFirst()
        }
        return result
      } catch {
        for table in open { try? table.connection.execute("ROLLBACK") }
        if let error = error as? SQLiteError { throw Self.failure(error, path) }
        throw error
      }
    }
  }

  /// Completes runs that were killed or could not record their end, before any item is changed: the state of the items
  /// shows whether those runs were completed.
  func resolveKilledRuns(_ sidecar: Sidecar) throws {
    guard let beside, try StateStore.hasUnresolvedRuns(beside.connection) else { return }
    let file = try LibraryFile(path, checkingPages: false)
    try StateStore(sidecar).resolveKilledRuns(LibraryLookup(file.connection, file.schema, path: path))
  }

  /// Runs a closure that only reads, and converts SQLite errors into user-visible errors.
  func read<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw Self.failure(error, path, reading: isReadOnly)
    }
  }

  /// Reads one queue in a transaction, as a snapshot. Without a transaction, SQLite would lock the file and check for
  /// other programs' writes at every statement.
  func read<Result>(_ table: QueueTable, _ body: () throws -> Result) throws -> Result {
    try read {
      // The file opened for the check is already a snapshot.
      if opened != nil, table.place == .library { return try body() }
      try table.connection.execute("BEGIN", as: "read the queue")
      // Nothing was changed, so it does not matter how the transaction ends.
      defer { try? table.connection.execute("COMMIT") }
      return try body()
    }
  }

  /// The current time, in the format of the queue's columns.
  static var now: String { timestamp.columnText }
  /// The current time.
  static var timestamp: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}

extension QueueStore {
  /// Returns the first waiting rows, with reasons.
  /// - Parameter known: reasons that are already known.
  func waiting(_ known: [OperationID: SyncReport.Operation]) throws -> [SyncReport.Operation] {
    try read {
      var found: [SyncReport.Operation] = []
      let now = Self.now
      for table in tables {
        let rows = try table.unsent(isLive: true, after: .init(), limit: SyncReport.listed - found.count)
        for var row in rows {
          row.title = try envelopes(table.place)?.envelope(of: row.contentID)?.title
          if let entry = known[row.id] {
            found.append(entry)
            continue
          }
          var reason = row.lastError
          if let next = row.nextRetryAt, next > now { reason = "next try at \(next) UTC: \(row.lastError ?? "")" }
          found.append(SyncReport.Operation(row, reason: reason))
        }
      }
      return found
    }
  }

  /// Returns one page of rows in their order, with titles and without payloads.
  /// - Parameters:
  ///   - all: whether to include sent rows.
  ///   - after: the last row of the previous page; nil for the first page.
  package func page(
    _ place: QueuePlace, all: Bool, after: QueueEntry?, limit: Int
  ) throws -> [QueueEntry] {
    guard let table = table(place) else { return [] }
    return try read(table) {
      let start = after.map { QueueTable.Position(createdAt: $0.createdAt, number: $0.id.number) } ?? .init()
      let rows =
        try all
        ? table.rows(after: start.number, limit: limit) : table.unsent(isLive: false, after: start, limit: limit)
      return try rows.map { row in
        var row = row
        row.title = try envelopes(place)?.title(of: row.contentID)
        return row
      }
    }
  }

  /// Returns one row with its payload; nil if it does not exist.
  package func operation(_ id: OperationID) throws -> QueueEntry? {
    try read {
      guard let table = table(id.place), var row = try table.row(id.number) else { return nil }
      row.title = try envelopes(id.place)?.envelope(of: row.contentID)?.title
      return row
    }
  }
}

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

  /// Returns the earliest time at which a row may be retried; nil if no row waits for a retry.
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

/// The lock that a sync of a library holds from its beginning to its end, so that two syncs never send the same row.
///
/// The system releases the lock when the process ends, however that happens.
package final class SyncLock {
  private let descriptor: Int32

  /// Acquires the lock.
  /// - Throws: `RunFailure` with status 7 if another sync is running.
  package init(of library: String) throws {
    let folder = try SidecarFolder(making: library)
    guard let descriptor = try folder.root.file("sync.lock", O_RDWR | O_CREAT) else {
      throw RunFailure(.failed, "open '\(folder.root.path("sync.lock"))': it was removed while it was being opened")
    }
    self.descriptor = descriptor
    var isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    for _ in 0..<20 where !isHeld {
      usleep(50_000)
      isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
    guard isHeld else {
      throw RunFailure(
        .locked, "send the queue of '\(library)': another sync is running on it", advice: "Wait until it has finished.")
    }
  }

  deinit { close(descriptor) }
}
