import Foundation
import RegistryModel
import RegistryStore
import Synchronization

/// The replicas of a database, for reads that may be a moment old.
///
/// This process writes its time to the primary twice a second and looks for it on each replica. So it knows how old a
/// replica's state is at most, without special rights on the servers. A replica whose state is older than the limit,
/// unknown or unreachable is not used.
final class Replicas: Sendable {
  private final class Replica: Sendable {
    let pool: ConnectionPool
    let isCurrent = Atomic(false)

    init(_ pool: ConnectionPool) { self.pool = pool }
  }

  static let pause = Duration.milliseconds(500)
  private let key = "heartbeat:\(RegistryID().text)"
  private let start = ContinuousClock.now
  private let all: [Replica]
  private let mostLag: Duration
  private let turn = Atomic<Int>(0)

  init(_ addresses: [String], connections: Int, mostLag: Duration, session: [String]) {
    self.mostLag = mostLag
    all = addresses.map {
      Replica(
        ConnectionPool(
          $0, connections: connections, isWritable: false, session: session, patience: .milliseconds(1500)))
    }
  }

  var isEmpty: Bool { all.isEmpty }

  /// Runs a read on one of the replicas; returns nil if none of them can be used.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value? {
    let first = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    for place in all.indices {
      let replica = all[Int(UInt(bitPattern: first &+ place) % UInt(all.count))]
      guard replica.isCurrent.load(ordering: .relaxed) else { continue }
      do { return try await replica.pool.perform(body) } catch StoreFailure.unavailable, StoreFailure.busy {
        replica.isCurrent.store(false, ordering: .relaxed)
      }
    }
    return nil
  }

  /// Writes this process's time and looks for it on each replica.
  /// - Parameter write: writes a list of numbers to the primary.
  func beat(_ write: (_ key: String, _ numbers: [Int64]) async throws -> Void) async {
    // Without the primary, the age that is found on a replica grows until it exceeds the limit.
    try? await write(key, [milliseconds])
    for replica in all {
      let found = try? await replica.pool.perform { [key] connection in
        try connection.query("SELECT numbers FROM shared_numbers WHERE key = $1", [.text(key)]).integers(0, 0)?.first
      }
      let age = (found ?? nil).map { Duration.milliseconds(milliseconds - $0) }
      replica.isCurrent.store(age.map { $0 <= mostLag } ?? false, ordering: .relaxed)
    }
  }

  private var milliseconds: Int64 {
    let elapsed = (ContinuousClock.now - start).components
    return elapsed.seconds * 1000 + elapsed.attoseconds / 1_000_000_000_000_000
  }

  func close() async {
    for replica in all { await replica.pool.close() }
  }
}
