import Content
import RegistryModel
import RegistryStore
import Synchronization

/// Combines the changes of an owner that wait at the same time into one transaction.
///
/// An owner's changes follow each other, and each commit waits for the disk. An owner who publishes with many requests
/// at once therefore waits for one commit for all of them. A change that fails does not undo the others.
final class OwnerChanges: Sendable {
  /// One request's operations.
  struct Change: Sendable {
    let operations: [PreparedOperation]
    let claim: IdempotencyClaim?
    let now: Timestamp
    let done: @Sendable (Result<ApplyOutcome, any Error>) -> Void

    var weight: Int { operations.reduce(1) { $0 + $1.weight } }
  }

  /// The maximum weight of one transaction: 512 operations, or 16 MiB.
  private static let groupWeight = 512
  /// The waiting changes of the owners for whom a task is running.
  private let waiting = Mutex<[RegistryID: [Change]]>([:])

  /// Carries out a change together with others, and calls its `done`.
  /// - Parameter write: carries out changes in one transaction, with a result for each of them.
  func add(
    _ change: Change, of owner: RegistryID,
    _ write: @escaping @Sendable ([Change]) async throws -> [Result<ApplyOutcome, any Error>]
  ) {
    let isFirst = waiting.withLock { waiting in
      defer { waiting[owner, default: []].append(change) }
      return waiting[owner] == nil
    }
    guard isFirst else { return }
    Task {
      while let group = next(of: owner) {
        do {
          for (change, result) in zip(group, try await write(group)) { change.done(result) }
        } catch { for change in group { change.done(.failure(error)) } }
      }
    }
  }

  /// Takes the next changes of an owner; returns nil, and forgets the owner, if none wait.
  private func next(of owner: RegistryID) -> [Change]? {
    waiting.withLock { waiting in
      guard let changes = waiting[owner], let first = changes.first else {
        waiting[owner] = nil
        return nil
      }
      var weight = first.weight
      var count = 1
      while count < changes.count, weight + changes[count].weight <= Self.groupWeight {
        weight += changes[count].weight
        count += 1
      }
      waiting[owner] = Array(changes[count...])
      return Array(changes[..<count])
    }
  }
}

extension PostgreSQLStore {
  /// Carries out operations in a transaction in which the owner is locked.
  public func apply(
    _ operations: [ContentOperation], by owner: RegistryID, at now: Timestamp, claim: IdempotencyClaim?
  ) async throws -> ApplyOutcome {
    try requireOpen()
    let prepared = try operations.map(PreparedOperation.init)
    if let claim, claim.key.holdsNUL { throw StoreFailure.textWithNUL }
    return try await withCheckedThrowingContinuation { continuation in
      let change = OwnerChanges.Change(operations: prepared, claim: claim, now: now) { continuation.resume(with: $0) }
      changes.add(change, of: owner) { [self] group in
        try await write { try self.results(of: group, by: owner, $0) }
      }
    }
  }

  /// Carries out changes inside a transaction. If one of them fails, they are repeated, with a savepoint for each.
  private func results(
    of group: [OwnerChanges.Change], by owner: RegistryID, _ connection: PostgreSQLConnection
  ) throws -> [Result<ApplyOutcome, any Error>] {
    if group.count == 1 { return [.success(try outcomes(of: group, by: owner, connection)[0])] }
    try connection.run("SAVEPOINT changes")
    do { return try outcomes(of: group, by: owner, connection).map { .success($0) } } catch {
      try Self.rollBack(to: "changes", connection, after: error)
    }
    return try group.map { change in
      try connection.run("SAVEPOINT change")
      do {
        let outcome = try outcomes(of: [change], by: owner, connection)[0]
        try connection.run("RELEASE change")
        return .success(outcome)
      } catch {
        try Self.rollBack(to: "change", connection, after: error)
        return .failure(StoreProblem.failure(error))
      }
    }
  }

  /// Undoes changes since a savepoint.
  /// - Throws: `error` if the whole transaction has to be repeated.
  private static func rollBack(to savepoint: String, _ connection: PostgreSQLConnection, after error: any Error) throws
  {
    if let error = error as? PostgreSQLError, error.isOfConnection || error.isOfConcurrency { throw error }
    guard connection.isAlive else { throw error }
    try connection.run("ROLLBACK TO \(savepoint)")
  }

  private func outcomes(
    of group: [OwnerChanges.Change], by owner: RegistryID, _ connection: PostgreSQLConnection
  ) throws -> [ApplyOutcome] {
    let rows = TransactionRows(connection, views)
    let username = try rows.lockOwner(owner)
    try rows.lockSlugs(group.flatMap(\.operations).compactMap(\.newSlug))
    return try group.map { change in
      if let claim = change.claim, let answered = try Self.answer(to: claim, of: owner, at: change.now, connection) {
        return answered
      }
      var rules = OperationRules(
        rows, owner: owner, username: username, lastChange: rows.lastChange, now: change.now)
      let results = try change.operations.map { try rules.apply($0) }
      if let claim = change.claim {
        try Self.store(claim.render(results), for: claim, of: owner, at: change.now, connection)
      }
      return .done(results)
    }
  }
}
