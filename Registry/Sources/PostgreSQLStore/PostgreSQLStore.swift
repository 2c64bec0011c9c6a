import Content
import Foundation
import RegistryModel
import RegistryStore
import Synchronization

/// A registry's store in a PostgreSQL database, which any number of processes may use at the same time.
///
/// When a call has returned, its changes are committed with the server's `synchronous_commit`. Everything that holds
/// across processes (the order of an owner's changes, names, slugs, sessions, stored answers) is decided by locks in the
/// database. Only views are counted in the process and written a moment later.
public final class PostgreSQLStore: RegistryStore {
  private let reads: ConnectionPool
  private let writes: ConnectionPool
  private let replicas: Replicas
  let views = ViewCounter()
  let changes = OwnerChanges()
  private let closed = Atomic(false)

  /// Opens a store; makes the tables in an empty database.
  /// - Parameter address: `postgresql://user:password@host:port/database?sslmode=verify-full`, or libpq's `key=value`
  ///   form.
  /// - Throws: `StoreFailure` if the server cannot be reached, the database belongs to another program, or its schema is
  ///   older or newer than this program's.
  public init(_ address: String, options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()) throws(StoreFailure) {
    do {
      let connection = try PostgreSQLConnection(address, session: ["lock_timeout = '10s'"], isWritable: true)
      try StoreSchema.prepare(connection)
    } catch { throw StoreProblem.failure(error) as? StoreFailure ?? .unavailable("open the database: it failed.") }
    // The server ends a transaction whose process has stopped answering.
    let session = [
      "statement_timeout = '20s'", "lock_timeout = '10s'", "idle_in_transaction_session_timeout = '30s'", "jit = off",
      // Every statement has an index. A plan that was made while a table was small stays good when the table grows.
      "enable_seqscan = off",
    ]
    reads = ConnectionPool(address, connections: options.readers, isWritable: true, session: session)
    writes = ConnectionPool(address, connections: options.writers, isWritable: true, session: session)
    replicas = Replicas(
      options.replicas, connections: options.readers, mostLag: options.mostLag, session: session)
    if replicas.isEmpty { return }
    // Determines the age of the replicas until the store is closed.
    Task { [weak self] in
      while let store = self, !store.isClosed {
        await store.replicas.beat { key, numbers in _ = try await store.changeShared(key) { _ in numbers } }
        try? await Task.sleep(for: Replicas.pause)
      }
    }
  }

  /// Reads one row.
  public func check() async throws { _ = try await read { try $0.run("SELECT 1") } }

  /// Changes a list in a transaction that does not wait for the disk: after a failure of the server, the last fraction
  /// of a second may be missing.
  public func changeShared(_ key: String, _ change: @escaping @Sendable ([Int64]) -> [Int64]) async throws -> Bool {
    try requireOpen()
    try await write { connection in
      try connection.run("SET LOCAL synchronous_commit = off")
      try connection.query(
        "INSERT INTO shared_numbers (key, numbers) VALUES ($1, '{}') ON CONFLICT DO NOTHING", [.text(key)])
      let rows = try connection.query("SELECT numbers FROM shared_numbers WHERE key = $1 FOR UPDATE", [.text(key)])
      guard let numbers = rows.integers(0, 0) else { throw StoreProblem.damaged }
      let changed = change(numbers)
      if changed == numbers { return }
      try connection.query(
        "UPDATE shared_numbers SET numbers = $2, changed_at = now() WHERE key = $1", [.text(key), .integers(changed)])
    }
    return true
  }

  /// Writes the waiting views and closes all connections.
  public func close() async throws {
    guard !closed.exchange(true, ordering: .sequentiallyConsistent) else { return }
    await flushViews()
    await reads.close()
    await writes.close()
    await replicas.close()
  }

  /// Runs one statement, or several that need not see the same state.
  func read<Value: Sendable>(_ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value) async throws -> Value {
    try requireOpen()
    return try await reads.perform(body)
  }

  /// Runs a read of public data: on a replica, unless the task's reads must be current.
  func readPublic<Value: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    try requireOpen()
    if !replicas.isEmpty, !StoreReads.areCurrent, let value = try await replicas.read(body) { return value }
    return try await reads.perform(body)
  }

  /// Runs a transaction; its changes are committed when the call returns. `work` may run several times.
  func write<Value: Sendable>(
    _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    try await writes.transaction(work)
  }

  var isClosed: Bool { closed.load(ordering: .relaxed) }

  func requireOpen() throws {
    if isClosed { throw StoreFailure.closed }
  }
}

/// The limits on a store's resources.
public struct PostgreSQLStoreOptions: Sendable {
  /// The number of connections for reading.
  public var readers = 8
  /// The number of connections for changes; most of the time, each waits for the server's disk.
  public var writers = 8
  /// The addresses of replicas for public reads; each gets as many connections as there are readers.
  public var replicas: [String] = []
  /// The age up to which a replica's state is used.
  public var mostLag = Duration.seconds(2)

  /// Creates the default options.
  public init() {}
}
