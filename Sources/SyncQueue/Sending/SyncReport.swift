import Content
import Interchange

/// What a sync did, row by row where that matters.
public struct SyncReport: Sendable {
  /// One operation in words.
  public struct Operation: Encodable, Sendable {
    /// The row, as `queue` shows it.
    public var id: String
    /// `publish`, `publish_update` or `unpublish`.
    public var operation: String
    /// The item's id.
    public var contentID: String
    /// The item's title; nil when it is not there.
    public var title: String?
    /// For programs: `slug_taken`, `invalid` …
    public var code: String?
    /// Why, in one sentence; nil where there is nothing to say.
    public var reason: String?
    /// What to do; nil when there is nothing to say.
    public var advice: String?
  }

  /// Why the run ended before the queue was empty.
  public enum End: String, Encodable, Sendable {
    /// Nobody was reached.
    case unreachable
    /// Nothing was asked, because there was no TLS connection that can be trusted.
    case insecure
    /// The registry gave no answer of use, whatever was asked.
    case failing
    /// The registry asked for a pause that is too long to wait for.
    case paused
    /// Somebody has to sign in.
    case signIn = "sign_in"
    /// The user stopped it.
    case interrupted
  }

  /// Live rows at the beginning.
  public var liveBefore = 0
  /// Rows that were queued while it ran.
  public var added = 0
  /// Operations that were done, by operation.
  public var sent: [String: Int] = [:]
  /// How many operations were given up.
  public var failed = 0
  /// Operations that left the queue because a later one says the same or takes them back.
  public var cancelled = 0
  /// Rows that others deleted while it ran.
  public var gone = 0
  /// Live rows at the end.
  public var liveAfter = 0
  /// The first operations that were given up; `failed` counts all of them.
  public var failures: [Operation] = []
  /// The first operations that wait, and why.
  public var waiting: [Operation] = []
  /// What the registry did otherwise than it was asked, the first of it.
  public var notes: [Operation] = []
  /// Why it ended early; nil when all was done that could be done.
  public var end: End?
  /// The same in words.
  public var endReason: String?
  /// Failed operations that were made to be tried again.
  public var retried = 0
  /// The registry that was, or was to be, asked; nil when there is none.
  public var registry: String?
  /// The registry and the account; nil when nobody was asked.
  public var binding: RegistryBinding?
  /// What is in the queue at the end.
  public var depth = QueueDepth()
  /// Whether others wrote to the queues while it ran.
  public var othersWrote = false
  /// How long it took, in seconds.
  public var seconds = 0.0

  /// How many entries the lists have at most.
  static let listed = 1000

  /// Nothing yet.
  public init() {}

  /// How many operations were done.
  public var sentCount: Int { sent.values.reduce(0, +) }

  /// Whether every row is accounted for.
  public var isBalanced: Bool { liveBefore + added == sentCount + failed + cancelled + gone + liveAfter }

  /// How the process should end.
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

  mutating func note(failed settled: QueueStore.Settled, _ reason: SendOutcome.Reason) {
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
