import Content
import Interchange
import RegistryClient

/// The results of a sync, listed by row where details matter.
public struct SyncReport: Sendable {
  /// One operation, described for people.
  public struct Operation: Encodable, Sendable {
    /// The row, as `queue` shows it.
    public var id: String
    /// The operation: `publish`, `publish_update` or `unpublish`.
    public var operation: String
    /// The item's id.
    public var contentID: String
    /// The item's title; nil if the item is missing.
    public var title: String?
    /// A code for programs: `slug_taken`, `invalid` …
    public var code: String?
    /// The reason, in one sentence; nil if there is none.
    public var reason: String?
    /// What to do; nil if there is no advice.
    public var advice: String?
  }

  /// Why the run ended before the queue was empty.
  public enum End: String, Encodable, Sendable {
    /// The registry could not be reached.
    case unreachable
    /// No request was made, because there was no trusted TLS connection.
    case insecure
    /// The registry gave no usable answer to any request.
    case failing
    /// The registry asked for a pause that is longer than the run may wait.
    case paused
    /// The user must sign in.
    case signIn = "sign_in"
    /// The user stopped the run.
    case interrupted
  }

  /// The number of live rows at the beginning.
  public var liveBefore = 0
  /// The number of rows that were queued during the run.
  public var added = 0
  /// The number of operations that were carried out, by operation.
  public var sent: [String: Int] = [:]
  /// The number of operations that failed.
  public var failed = 0
  /// The number of operations that left the queue because a later one repeats or withdraws them.
  public var cancelled = 0
  /// The number of rows that other programs deleted during the run.
  public var gone = 0
  /// The number of live rows at the end.
  public var liveAfter = 0
  /// The first operations that failed; `failed` counts all of them.
  public var failures: [Operation] = []
  /// The first waiting operations, with reasons.
  public var waiting: [Operation] = []
  /// The first cases in which the registry deviated from the request.
  public var notes: [Operation] = []
  /// Why the run ended early; nil if everything was done that could be done.
  public var end: End?
  /// The reason in `end` as a sentence.
  public var endReason: String?
  /// The number of failed operations that were reset for another try.
  public var retried = 0
  /// The registry that the run used; nil if there was none.
  public var registry: String?
  /// The registry and the account; nil if no registry was called.
  public var binding: RegistryBinding?
  /// The numbers of operations in the queue at the end.
  public var depth = QueueDepth()
  /// Whether other programs wrote to the queues during the run.
  public var othersWrote = false
  /// The duration, in seconds.
  public var seconds = 0.0

  /// The maximum number of entries in the lists.
  static let listed = 1000

  /// Creates an empty report.
  public init() {}

  /// The number of operations that were carried out.
  public var sentCount: Int { sent.values.reduce(0, +) }

  /// Whether every row is accounted for.
  public var isBalanced: Bool { liveBefore + added == sentCount + failed + cancelled + gone + liveAfter }

  /// The exit status of the process.
  public var status: ExitStatus {
    if !isBalanced { return .internalError }
    let ending: ExitStatus =
      switch end {
      case nil: .success
      case .unreachable, .insecure, .failing, .paused: .unreachable
      case .signIn: .signInNeeded
      case .interrupted: .interrupted
      }
    return ending.combined(with: failed > 0 ? .partial : .success)
  }

  mutating func recordFailure(of settled: QueueStore.Settled, _ reason: SendOutcome.Reason) {
    failed += 1
    guard failures.count < Self.listed else { return }
    failures.append(Operation(settled.operation.row, reason))
  }
}

extension SyncReport.Operation {
  init(_ row: QueueEntry, _ reason: SendOutcome.Reason) {
    self.init(row, reason: reason.text)
    code = reason.code
    advice = reason.advice
  }

  package init(_ row: QueueEntry, reason: String?) {
    id = row.id.description
    operation = row.operation
    contentID = row.contentID
    title = row.title
    self.reason = reason
  }
}

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
  /// The registry that the sync would use; nil if none is configured.
  public var registry: String?
  /// Whether a user is signed in to the registry, as far as this device has recorded.
  public var isSignedIn = false

  /// Checks the queues of a library.
  /// - Parameters:
  ///   - registry: the registry that the sync would use; nil for the one that the library belongs to.
  ///   - user: the user who is signed in to the registry, if known.
  /// - Throws: `RunFailure` 4 if the library belongs to another registry or account.
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
