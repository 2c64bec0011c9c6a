import Dispatch
import Foundation
import RegistryStore
import Synchronization

/// Runs work on a limited number of connections, each on a thread of its own, because libpq waits for the server.
///
/// A connection that is lost is opened again for the next piece of work. Work that may be repeated is, for a few
/// seconds: the server may be restarting, or a replica may be taking over.
final class ConnectionPool: Sendable {
  /// One caller's work.
  private struct Job: Sendable {
    let deadline: ContinuousClock.Instant
    let run: @Sendable (PostgreSQLConnection) throws -> Void
    let fail: @Sendable (any Error) -> Void
  }

  private struct State {
    var waiting: [Job] = []
    var first = 0
    var closed = false
    var threads = 0
  }

  /// The maximum number of waiting jobs; further ones are refused.
  private static let mostWaiting = 4096
  /// How long a job may wait for a connection, including the time in which the server is unreachable.
  private let patience: Duration
  private let address: String
  private let session: [String]
  private let isWritable: Bool
  private let state = Mutex(State())
  /// One signal for each waiting job, and one for each thread when the pool is closed.
  private let signals = DispatchSemaphore(value: 0)
  private let connections: Int

  /// Makes a pool; connections are opened when they are needed.
  init(
    _ address: String, connections: Int, isWritable: Bool, session: [String], patience: Duration = .seconds(8)
  ) {
    self.address = address
    self.patience = patience
    self.isWritable = isWritable
    self.session = session
    self.connections = connections
    state.withLock { $0.threads = connections }
    for _ in 0..<connections {
      let thread = Thread { [self] in serve() }
      thread.name = "postgresql"
      thread.start()
    }
  }

  /// Runs `work` in a transaction, which is committed if `work` returns. If the server asks for it, the transaction is
  /// repeated, so that `work` may run several times.
  /// - Throws: the error of `work`, or `StoreFailure`.
  func transaction<Value: Sendable>(
    _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    try await perform { connection in
      for attempt in 1... {
        do {
          try connection.run("BEGIN")
          let value = try work(connection)
          try Self.commit(connection)
          return value
        } catch let error as PostgreSQLError where error.isOfConcurrency && attempt < 20 {
          try connection.run("ROLLBACK")
          usleep(UInt32.random(in: 0..<UInt32(1000 * attempt)))
        } catch {
          if connection.isAlive, connection.isInTransaction { try? connection.run("ROLLBACK") }
          throw error
        }
      }
      throw StoreFailure.busy("the database is busy")
    }
  }

  /// Commits. If the connection is lost meanwhile, the outcome is unknown, so that the work must not be repeated.
  private static func commit(_ connection: PostgreSQLConnection) throws {
    do { try connection.run("COMMIT") } catch let error as PostgreSQLError where error.isOfConnection {
      throw StoreFailure.unavailable(
        "write: the connection to the database was lost during the commit; the change may or may not be stored.")
    }
  }

  /// Runs `work` on a connection. If the connection is lost, `work` runs again on another one.
  func perform<Value: Sendable>(
    _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let job = Job(
        deadline: .now + patience,
        run: { continuation.resume(returning: try work($0)) },
        fail: { continuation.resume(throwing: StoreProblem.failure($0)) })
      let refusal = state.withLock { state -> StoreFailure? in
        if state.closed { return .closed }
        if state.waiting.count - state.first >= Self.mostWaiting { return StoreProblem.tooMuchWaits }
        state.waiting.append(job)
        return nil
      }
      if let refusal { continuation.resume(throwing: refusal) } else { signals.signal() }
    }
  }

  /// Accepts no more work, and returns when the waiting work is done and all connections are closed.
  func close() async {
    state.withLock { $0.closed = true }
    for _ in 0..<connections { signals.signal() }
    while state.withLock({ $0.threads > 0 }) { try? await Task.sleep(for: .milliseconds(2)) }
  }

  // MARK: A connection's thread

  private func serve() {
    var connection: PostgreSQLConnection?
    while let job = next() { run(job, on: &connection) }
    connection = nil
    state.withLock { $0.threads -= 1 }
  }

  /// Waits for a job; returns nil when the pool is closed and no job waits.
  private func next() -> Job? {
    signals.wait()
    return state.withLock { state in
      guard state.first < state.waiting.count else { return nil }
      let job = state.waiting[state.first]
      state.first += 1
      if state.first == state.waiting.count {
        state.waiting.removeAll(keepingCapacity: true)
        state.first = 0
      } else if state.first >= 1024 {
        state.waiting.removeFirst(state.first)
        state.first = 0
      }
      return job
    }
  }

  private func run(_ job: Job, on connection: inout PostgreSQLConnection?) {
    var pause: UInt32 = 20_000
    while true {
      do {
        guard ContinuousClock.now < job.deadline else { return job.fail(StoreProblem.tooMuchWaits) }
        let live = try connection ?? PostgreSQLConnection(address, session: session, isWritable: isWritable)
        connection = live
        return try job.run(live)
      } catch {
        let isLost = (error as? PostgreSQLError)?.isOfConnection ?? (connection?.isAlive == false)
        if isLost || connection?.isAlive == false { connection = nil }
        guard error is PostgreSQLError, isLost, !isClosed, .now + .microseconds(Int64(pause)) < job.deadline else {
          return job.fail(error)
        }
        usleep(pause)
        pause = min(pause * 2, 500_000)
      }
    }
  }

  private var isClosed: Bool { state.withLock { $0.closed } }
}
