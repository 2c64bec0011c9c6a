import Foundation
import GRDB
import RegistryModel
import RegistryStore
import Synchronization

/// A registry's store in one SQLite file (WAL, FTS5), embedded in the process.
///
/// When a call has returned, its changes are on disk (`synchronous=FULL`); waiting writes share a commit. Single items
/// that were read before are answered from memory. Views reach the file a moment later but count immediately in
/// answers. Only one process at a time can open the file; a separate lock file in the same folder ensures this.
public final class SQLiteStore: RegistryStore {
  let pool: DatabasePool
  let lists: DatabasePool
  let hot: ItemCache
  let people = SessionCache()
  private let gate: ReadSemaphore
  let writer: GroupWriter
  private let path: String
  private let lock: Mutex<StoreLock?>
  private let closed = Atomic(false)
  let rewriter: FileRewriter
  /// The time of the last sweep that rewrote a file of any size, in milliseconds; nil before the first one.
  let lastRewrite = Mutex<Int64?>(nil)

  /// Opens a store, or creates one if there is no file; the folder must exist.
  ///
  /// An older schema is upgraded in one transaction.
  /// - Throws: `StoreFailure.busy` when another registry has the store open; `.unavailable` when the file belongs to
  ///   another program, is newer than this program, is damaged, or is not writable.
  public init(path: String, options: SQLiteStoreOptions = SQLiteStoreOptions()) throws(StoreFailure) {
    do {
      try StoreFile.checkPlace(path)
      // No lock file is made for another program's file. If there is already a lock file, the header is checked only
      // while holding the lock: closing a file drops SQLite's locks on it.
      if access(path + ".lock", F_OK) != 0 { try StoreFile.checkHeader(path) }
      let lock = try StoreLock(forDatabase: path)
      try StoreFile.prepare(path)
      let pool = try StoreProfile.pool(path, readers: options.readers, readonly: false)
      let written = try pool.writeWithoutTransaction { db in
        try StoreFile.makeDurable(db)
        try StoreSchema.migrate(db, path: path)
        return try Int64.fetchOne(db, sql: "SELECT view_flush FROM store_state") ?? 0
      }
      lists = try StoreProfile.pool(path, readers: options.readers, readonly: true)
      hot = ItemCache(limit: options.cacheBytes, written: written)
      writer = GroupWriter(pool: pool, hot: hot, people: people, options: options)
      gate = ReadSemaphore(options.readers)
      self.pool = pool
      self.path = path
      self.lock = Mutex(lock)
      rewriter = FileRewriter(pool, atOnce: options.rewrittenAtOnce)
    } catch let error {
      throw StoreProblem.failure(error) as? StoreFailure ?? .unavailable("open '\(path)': it failed.")
    }
  }

  /// Reads one row.
  public func check() async throws {
    _ = try read { try Int64.fetchOne($0.cachedStatement(sql: "SELECT view_flush FROM store_state")) }
  }

  /// Writes pending data, moves the write-ahead log into the file, and releases the lock.
  public func close() async throws {
    guard !closed.exchange(true, ordering: .sequentiallyConsistent) else { return }
    await writer.finish()
    try closeFiles()
  }

  private func closeFiles() throws {
    do {
      try lists.close()
      _ = emptyLog()
      try pool.close()
      // SQLite removes the log files when the last writable connection closes; in a pool, the last connections may be
      // read-only.
      try? StoreProfile.queue(path).close()
    } catch { throw StoreProblem.failure(error) }
    lock.withLock { $0 = nil }
  }

  // MARK: Reading

  /// Runs a short read with one statement on the calling thread: it takes microseconds, less than changing threads.
  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try requireOpen()
    do { return try pool.unsafeRead(body) } catch { throw StoreProblem.failure(error) }
  }

  /// Runs a longer read, in one snapshot, on another thread.
  func readPage<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try requireOpen()
    do {
      return try await gate.pass { try await lists.read(body) }
    } catch { throw StoreProblem.failure(error) }
  }

  /// Runs a write; its changes are on disk when the call returns.
  func write<Value: Sendable>(
    weight: Int = 1, _ work: @escaping @Sendable (WriteContext) throws -> Value
  ) async throws -> Value {
    try requireOpen()
    return try await writer.perform(weight: weight, work)
  }

  var isClosed: Bool { closed.load(ordering: .relaxed) }

  func requireOpen() throws {
    if isClosed { throw StoreFailure.closed }
  }
}
