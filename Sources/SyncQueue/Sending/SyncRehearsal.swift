import Content
import RegistryClient

/// The operations that a sync would send, determined without sending or changing anything.
public struct SyncRehearsal: Sendable {
  /// The number of operations that would be sent, by operation.
  public var sendable: [String: Int] = [:]
  /// The number of operations that would fail because their payload breaks a rule.
  public var refused = 0
  /// The first of these operations.
  public var refusals: [SyncReport.Operation] = []
  /// The numbers of operations in the queue.
  public var depth = QueueDepth()
  /// The registry and the account that the library belongs to; nil while it belongs to none.
  public var binding: RegistryBinding?
  /// The registry that the sync would use; nil when none is configured.
  public var registry: String?
  /// Whether a user is signed in to the registry, as far as this device has recorded.
  public var isSignedIn = false

  /// Checks the queues of a library.
  /// - Parameters:
  ///   - registry: the registry that the sync would use; nil for the one that the library belongs to.
  ///   - user: the user who is signed in to the registry, if known.
  /// - Throws: `RunFailure` 4 when the library belongs to another registry or account.
  package init(_ store: QueueStore, registry: String? = nil, user: RegistryUser? = nil) throws {
    binding = try store.binding()
    self.registry = registry ?? binding?.registry
    if let registry {
      try SyncBinding.refuseOther(
        binding, registry: registry, userID: user?.id, path: store.path, username: user?.username)
    }
    depth = try store.depth()
    let check = try OutgoingCheck()
    for table in store.tables {
      var position = QueueTable.Position()
      while true {
        let rows = try store.read(table) {
          try table.unsent(isLive: true, after: position, limit: 100).map { try ($0, store.operation($0.id)) }
        }
        guard let last = rows.last?.0 else { break }
        position = QueueTable.Position(createdAt: last.createdAt, number: last.id.number)
        for (row, full) in rows {
          guard let kind = row.kind, let full else { continue }
          switch check.check(ClaimedOperation(row: full, kind: kind, epoch: 0)) {
          case .success: sendable[row.operation, default: 0] += 1
          case .failure(let why):
            refused += 1
            if refusals.count < SyncReport.listed { refusals.append(SyncReport.Operation(full, why.reason)) }
          }
        }
      }
    }
  }
}
