import Foundation
import GRDB
import RegistryModel
import RegistryStore
import Synchronization

/// A registry's store in one SQLite file (WAL, FTS5), embedded in the process.
///
/// When a call has returned, its changes are on disk (`synchronous=FULL`); waiting writes share a commit. Views
/// reach the file a moment later but count immediately in answers. Only one process at a time can open the file; a separate lock file in the same folder ensures this.
public final class SQLiteStore: RegistryStore {
  let pool: DatabasePool
  let lists: DatabasePool
  let views: WaitingViews
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
  /// - Throws: `StoreFailure.busy` if another registry has the store open; `.unavailable` if the file belongs to
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
      views = WaitingViews(written: written)
      writer = GroupWriter(pool: pool, views: views, people: people, options: options)
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

/// The limits on a store's resources.
public struct SQLiteStoreOptions: Sendable {
  /// The maximum weight of the operations that wait to be written: 1 for each, and 1 more for each 32 KiB, so at most
  /// 256 MiB. Further operations are refused as busy.
  public var waitingLimit = 8192
  /// How long a view may wait before it is written to the file, in milliseconds.
  public var viewDelay = 400
  /// The file size, in bytes, up to which the file is rewritten as soon as an account was deleted; a sweep rewrites a
  /// larger file later.
  public var rewrittenAtOnce: Int64 = 64 << 20
  /// The number of connections for single items, and the same number for lists.
  public var readers = 4

  /// Creates the default options.
  public init() {}
}

/// Limits the number of concurrent long reads; the others wait in their order without blocking a thread.
///
/// Without this limit, each of a thousand searches would block a thread of the pool that the writer also needs.
final class ReadSemaphore: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
    var first = 0
  }

  /// The maximum number of waiting reads; further ones are refused.
  private static let mostWaiting = 4096
  private let state: Mutex<State>

  init(_ places: Int) { state = Mutex(State(free: max(1, places))) }

  /// Runs `body` when a slot is free.
  /// - Throws: `StoreFailure.busy` if too many are already waiting, and the errors of `body`.
  func pass<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    guard state.withLock({ $0.waiting.count - $0.first < Self.mostWaiting }) else { throw StoreProblem.tooManyRead }
    await withCheckedContinuation { continuation in
      let now = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if now { continuation.resume() }
    }
    defer { leave() }
    return try await body()
  }

  /// Passes the slot on to the read that has waited longest.
  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.first < state.waiting.count else {
        state.waiting = []
        state.first = 0
        state.free += 1
        return nil
      }
      let next = state.waiting[state.first]
      state.first += 1
      if state.first >= 1024 {
        state.waiting.removeFirst(state.first)
        state.first = 0
      }
      return next
    }
    next?.resume()
  }
}
