import Content
import Diagnostics
import Interchange

/// The outcome for every selected item.
///
/// `selected = queued + cancelled + skipped + refused`.
public struct EnqueueReport: Sendable {
  /// Why an item needed no operation.
  public enum SkipReason: String, Sendable {
    /// It is already public; an update sends the changes.
    case alreadyPublished = "already published"
    /// Its publication waits in the queue.
    case alreadyQueued = "already queued"
    /// It is private.
    case notPublic = "not public"
    /// Its content equals the version that was sent last.
    case unchanged
    /// Its publication was given up; it must be retried, or published under another slug, first.
    case publicationFailed = "publication failed"
    /// Its withdrawal is already queued.
    case withdrawalWaits = "withdrawal waits"
  }

  /// The outcome for one item.
  public enum Outcome: Sendable, Equatable {
    /// An operation waits to be sent: `publish`, `publish_update`, `unpublish`.
    case queued(String)
    /// Its publication was never sent; it left the queue, and there is nothing to withdraw.
    case cancelled
    /// Nothing had to be done: the reason as a code, and in words.
    case skipped(SkipReason, String)
    /// It breaks rules; the findings name them.
    case refused
  }

  /// One item.
  public struct Entry: Sendable, Equatable {
    /// Its id.
    public let id: String
    /// Its title after the run.
    public let title: String
    /// `checklist`, `practice_guide`, `flashcard_deck`.
    public let contentType: String
    /// The slug of the item; nil when it has none, and for a publication in a dry run, because the digits of its slug
    /// are drawn when it is queued.
    public var publicID: String?
    /// The beginning of the slug of a publication, where only that is known: `crew-briefing-`.
    public var slugStart: String?
    /// The title that the item had before; nil when it keeps its own.
    public var oldTitle: String?
    /// The outcome.
    public var outcome: Outcome
    /// Advice that changes nothing: a better title for a changed copy.
    public var note: String?
  }

  /// The command: `publish`, `update`, `unpublish`.
  public let verb: String
  /// The library.
  public let library: String
  /// Whether nothing was written.
  public let isDryRun: Bool
  /// The number of the run; nil when nothing was enqueued.
  public internal(set) var run: Int64?
  /// The selected items, in the library's order, decks behind the others.
  public internal(set) var entries: [Entry] = []
  /// Problems of items that were refused, and warnings about others.
  public internal(set) var findings: [Diagnostic] = []
  /// Whether nothing was enqueued because something was refused.
  public internal(set) var wasStopped = false
  /// Whether the library already belongs to a registry, so that `sync` needs no address.
  public internal(set) var isBound = false
  /// Whether operations were written; false when none were needed, and when one refusal stopped the run.
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
  /// The numbers of skipped items, by reason.
  public var reasons: [SkipReason: Int] {
    var reasons: [SkipReason: Int] = [:]
    for entry in entries {
      if case .skipped(let reason, _) = entry.outcome { reasons[reason, default: 0] += 1 }
    }
    return reasons
  }

  /// The exit status of the process: 3 when something was refused.
  public var status: ExitStatus { refused > 0 ? .partial : .success }
}
