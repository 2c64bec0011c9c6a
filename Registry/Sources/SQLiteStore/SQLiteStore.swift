import Foundation
import GRDB
import RegistryModel
import RegistryStore
import Synchronization

/// A registry's store in one SQLite file (WAL, FTS5), embedded in the process.
///
/// What a call answered is on the disk (`synchronous=FULL`); waiting writes share a commit. Single items are answered
/// from memory where they were read before. Views reach the file a moment later, in the answers they count at once.
/// One process at a time has the file: a lock beside it sees to that.
public final class SQLiteStore: RegistryStore {
  let pool: DatabasePool
  let lists: DatabasePool
  let hot: HotItems
  let people = KnownPeople()
  private let gate: ReadGate
  let writer: GroupWriter
  private let path: String
  private let lock: Mutex<StoreLock?>
  private let closed = Atomic(false)
  let rewriter: FileRewriter
  /// When a sweep last rewrote a file of any size, in milliseconds; nil before the first time.
  let lastRewrite = Mutex<Int64?>(nil)

  /// Opens a store, or begins one where there is no file; the folder must exist.
  ///
  /// An older schema is brought up to date in one transaction.
  /// - Throws: `StoreFailure.busy` when another registry has it open, `.unavailable` when it is somebody else's file,
  ///   newer than this program, damaged or not to be written to.
  public init(path: String, options: SQLiteStoreOptions = SQLiteStoreOptions()) throws(StoreFailure) {
    do {
      try StoreFile.checkPlace(path)
      // Nothing is made beside somebody else's file. Where a lock is, the look has to wait for it: closing a file drops
      // SQLite's locks on it.
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
      hot = HotItems(limit: options.cacheBytes, written: written)
      writer = GroupWriter(pool: pool, hot: hot, people: people, options: options)
      gate = ReadGate(options.readers)
      self.pool = pool
      self.path = path
      self.lock = Mutex(lock)
      rewriter = FileRewriter(pool, atOnce: options.rewrittenAtOnce)
    } catch let error {
      throw StoreProblem.failure(error) as? StoreFailure ?? .unavailable("open '\(path)': it was given up.")
    }
  }

  /// Reads one row.
  public func check() async throws {
    _ = try read { try Int64.fetchOne($0.cachedStatement(sql: "SELECT view_flush FROM store_state")) }
  }

  /// Writes what waits, empties the log into the file, and lets go of the lock.
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
      // SQLite removes the files beside the database when the last connection goes that may write; in a pool the last
      // ones may only read.
      try? StoreProfile.queue(path).close()
    } catch { throw StoreProblem.failure(error) }
    lock.withLock { $0 = nil }
  }

  // MARK: Reading

  /// A short read of one statement on the calling thread: it takes microseconds, less than to go elsewhere and back.
  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try requireOpen()
    do { return try pool.unsafeRead(body) } catch { throw StoreProblem.failure(error) }
  }

  /// A read that may take longer, in one snapshot, away from the caller's thread.
  func readPage<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try requireOpen()
    do {
      return try await gate.pass { try await lists.read(body) }
    } catch { throw StoreProblem.failure(error) }
  }

  /// A write, on the disk when this returns.
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
