import Content
import Diagnostics
import Interchange

/// The outcome for every selected item.
///
/// `selected = queued + cancelled + skipped + refused`.
public struct EnqueueReport: Sendable {
  /// Why an item needed no operation.
  public enum SkipReason: String, Sendable {
    /// The item is already public; an update sends its changes.
    case alreadyPublished = "already published"
    /// The item's publication waits in the queue.
    case alreadyQueued = "already queued"
    /// The item is private.
    case notPublic = "not public"
    /// The item's content equals the version that was sent last.
    case unchanged
    /// The item's publication failed; it must be retried first, or published under another slug.
    case publicationFailed = "publication failed"
    /// The item's withdrawal is already queued.
    case withdrawalWaits = "withdrawal waits"
  }

  /// The outcome for one item.
  public enum Outcome: Sendable, Equatable {
    /// An operation waits to be sent: `publish`, `publish_update`, `unpublish`.
    case queued(String)
    /// The publication was never sent; it left the queue, and there is nothing to withdraw.
    case cancelled
    /// Nothing had to be done: the reason as a code and as a phrase.
    case skipped(SkipReason, String)
    /// The item breaks rules; the findings name them.
    case refused
  }

  /// One selected item.
  public struct Entry: Sendable, Equatable {
    /// The item's id.
    public let id: String
    /// The item's title after the run.
    public let title: String
    /// The content type: `checklist`, `practice_guide`, `flashcard_deck`.
    public let contentType: String
    /// The item's slug. Nil when the item has none, and for a publication in a dry run, because the slug's digits are
    /// drawn when the item is queued.
    public var publicID: String?
    /// The beginning of a publication's slug, where only the beginning is known: `crew-briefing-`.
    public var slugStart: String?
    /// The item's title before the run; nil when the title was kept.
    public var oldTitle: String?
    /// The outcome.
    public var outcome: Outcome
    /// Advice that does not affect the outcome, such as a better title for a changed copy.
    public var note: String?
  }

  /// The command: `publish`, `update`, `unpublish`.
  public let verb: String
  /// The library.
  public let library: String
  /// Whether the run was a dry run, which writes nothing.
  public let isDryRun: Bool
  /// The number of the run; nil when nothing was enqueued.
  public internal(set) var run: Int64?
  /// The selected items in the library's order, followed by the selected decks.
  public internal(set) var entries: [Entry] = []
  /// Problems with refused items, and warnings about others.
  public internal(set) var findings: [Diagnostic] = []
  /// Whether nothing was enqueued because an item was refused.
  public internal(set) var wasStopped = false
  /// Whether the library already belongs to a registry, so that `sync` needs no address.
  public internal(set) var isBound = false
  /// Whether operations were written: false when none were needed, or when a refusal stopped the run.
  public var hasChanges: Bool { !wasStopped && (queued > 0 || cancelled > 0) }

  init(verb: String, library: String, isDryRun: Bool) {
    self.verb = verb
    self.library = library
    self.isDryRun = isDryRun
  }

  /// The number of selected items.
  public var selected: Int { entries.count }
  /// The number of items with an operation that now waits.
  public var queued: Int { entries.count { if case .queued = $0.outcome { true } else { false } } }
  /// The number of publications that left the queue unsent.
  public var cancelled: Int { entries.count { $0.outcome == .cancelled } }
  /// The number of items that needed no operation.
  public var skipped: Int { entries.count { if case .skipped = $0.outcome { true } else { false } } }
  /// The number of items that break rules.
  public var refused: Int { entries.count { $0.outcome == .refused } }
  /// The number of skipped items for each reason.
  public var reasons: [SkipReason: Int] {
    var reasons: [SkipReason: Int] = [:]
    for entry in entries {
      if case .skipped(let reason, _) = entry.outcome { reasons[reason, default: 0] += 1 }
    }
    return reasons
  }

  /// The exit status of the process: 3 when an item was refused.
  public var status: ExitStatus { refused > 0 ? .partial : .success }
}
