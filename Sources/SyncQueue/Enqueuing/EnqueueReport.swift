import Content
import Diagnostics
import Interchange

/// What became of every selected item.
///
/// `selected = queued + cancelled + skipped + refused`.
public struct EnqueueReport: Sendable {
  /// Why there was nothing to do for an item.
  public enum SkipReason: String, Sendable {
    /// It is public already; an update sends what changed.
    case alreadyPublished = "already published"
    /// Its publication waits in the queue.
    case alreadyQueued = "already queued"
    /// Others cannot see it.
    case notPublic = "not public"
    /// Its content is what was sent last.
    case unchanged
    /// Its publication was given up; another try, or another slug, comes first.
    case publicationFailed = "publication failed"
    /// It is being taken back already.
    case withdrawalWaits = "withdrawal waits"
  }

  /// What became of one item.
  public enum Outcome: Sendable, Equatable {
    /// An operation waits to be sent: `publish`, `publish_update`, `unpublish`.
    case queued(String)
    /// Its publication was never sent; it left the queue, and nothing has to be taken back.
    case cancelled
    /// There was nothing to do; why, and in words.
    case skipped(SkipReason, String)
    /// It breaks rules; the findings say which.
    case refused
  }

  /// One item.
  public struct Entry: Sendable, Equatable {
    /// Its id.
    public let id: String
    /// Its title, as it is after the run.
    public let title: String
    /// `checklist`, `practice_guide`, `flashcard_deck`.
    public let contentType: String
    /// The slug that is concerned; nil when there is none, and in a rehearsal of a publication, whose digits are drawn
    /// when it is queued.
    public var publicID: String?
    /// What the slug of a publication will begin with, where only that is known: `crew-briefing-`.
    public var slugStart: String?
    /// The title that the item had before; nil when it keeps its own.
    public var oldTitle: String?
    /// What became of it.
    public var outcome: Outcome
    /// Advice that changes nothing: a better title for a changed copy.
    public var note: String?
  }

  /// What was asked for: `publish`, `update`, `unpublish`.
  public let verb: String
  /// The library.
  public let library: String
  /// Whether nothing was written.
  public let isDryRun: Bool
  /// The number of the run; nil when nothing was enqueued.
  public internal(set) var run: Int64?
  /// The selected items, in the library's order, decks behind the others.
  public internal(set) var entries: [Entry] = []
  /// What is wrong with items that were refused, and warnings about others.
  public internal(set) var findings: [Diagnostic] = []
  /// Whether nothing was enqueued because something was refused.
  public internal(set) var wasStopped = false
  /// Whether the library belongs to a registry already, so that `sync` needs not be told one.
  public internal(set) var isBound = false
  /// Whether operations were written; false when nothing had to be, and where one refusal stopped all.
  public var hasChanges: Bool { !wasStopped && (queued > 0 || cancelled > 0) }

  init(verb: String, library: String, isDryRun: Bool) {
    self.verb = verb
    self.library = library
    self.isDryRun = isDryRun
  }

  /// How many items were selected.
  public var selected: Int { entries.count }
  /// How many have an operation that waits now.
  public var queued: Int { entries.count { if case .queued = $0.outcome { true } else { false } } }
  /// How many publications left the queue without having been sent.
  public var cancelled: Int { entries.count { $0.outcome == .cancelled } }
  /// How many there was nothing to do for.
  public var skipped: Int { entries.count { if case .skipped = $0.outcome { true } else { false } } }
  /// How many break rules.
  public var refused: Int { entries.count { $0.outcome == .refused } }
  /// How many were skipped, by reason.
  public var reasons: [SkipReason: Int] {
    var reasons: [SkipReason: Int] = [:]
    for entry in entries {
      if case .skipped(let reason, _) = entry.outcome { reasons[reason, default: 0] += 1 }
    }
    return reasons
  }

  /// How the process should end: 3 when something was refused.
  public var status: ExitStatus { refused > 0 ? .partial : .success }
}
