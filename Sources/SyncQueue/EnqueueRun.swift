import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import Publishing
import SQLiteIO
import SQLiteLibrary

/// Enqueues publications, updates and withdrawals for one library: all of them in one transaction, or none.
///
/// Nothing is sent: `sync` does that. Changes to decks, which are stored in the sidecar, take effect when the library's
/// transaction has committed; the next run completes a run that was killed between these two moments.
package struct EnqueueRun {
  /// The library.
  package let path: String
  /// The library as the user named it.
  package var name: String
  package let request: EnqueueRequest
  /// The time of the run.
  package let now: Timestamp
  /// The items to enqueue; nil for all.
  package var selection: Selection?
  /// Restricts the run to these items; nil for all items that the selection matches.
  package var ids: Set<String>?
  /// The publishing account, for a library that does not belong to a registry yet; nil if unknown.
  package var account: Publication.Author?
  /// Whether a single refusal keeps everything out of the queue.
  package var stopsAtRefusal = false
  package var isDryRun = false
  /// Returns eight new upper-case hexadecimal digits; called once for each slug.
  package var digits: () -> String = PublicSlug.randomDigits
  /// Maps findings about items that were just imported to their places in the source; nil if there is no source.
  package var sourcePlaces: SourcePlaces?
  /// Called periodically with the number of items checked and the total.
  package var onProgress: ((Int, Int) -> Void)?

  package init(_ path: String, _ request: EnqueueRequest, now: Timestamp) {
    self.path = path
    name = path
    self.request = request
    self.now = now
  }

  private var doing: String { "\(request.verb) in '\(name)'" }
  private var outcome: String { "nothing was \(request.done)" }

  /// Enqueues the operations and returns the report.
  /// - Throws: `RunFailure`: 2 if there is no such library, nothing in it is selected, or it is damaged; 4 if its
  ///   schema is older than the current one, 6 if it is newer, 7 if another program is using the library. In all
  ///   these cases nothing is changed.
  package func run() throws -> EnqueueReport {
    guard access(path, F_OK) == 0 else { throw RunFailure(.failed, "\(doing): there is no such library") }
    let rehearsal = isDryRun ? try Rehearsal(of: path) : nil
    let real = rehearsal?.path ?? path
    // The schema is checked first, so that no sidecar is made for a library that is refused.
    try LibraryFile(real, checkingPages: false).schema.demandNewest(doing, name, outcome: outcome)
    let library = try rehearsal?.open(real) ?? WritableLibrary(real)
    // The library's lock is held until the ledger shows that the run has ended.
    defer { withExtendedLifetime(library) {} }
    do {
      try library.schema.demandNewest(doing, name, outcome: outcome)
      let store = try rehearsal?.store(library.sidecar) ?? StateStore(library.sidecar)
      try store.resolveKilledRuns(library)
      return try run(library, store)
    } catch let error as SQLiteError {
      library.rollback()
      throw WritableLibrary.failure(error, name)
    } catch {
      library.rollback()
      throw error
    }
  }

  private func run(_ library: WritableLibrary, _ store: StateStore) throws -> EnqueueReport {
    let run = try store.begin(request.verb, now: now)
    do {
      try store.connection.execute("BEGIN IMMEDIATE", as: "write the ledger")
      let work = try EnqueueWork(self, library, store, run: run.id)
      var report = try work.enqueue()
      report.wasStopped = stopsAtRefusal && report.refused > 0
      guard report.hasChanges, !isDryRun else {
        try? store.connection.execute("ROLLBACK")
        library.rollback()
        try? store.recordState(.void, of: run.id)
        return report
      }
      try Interruption.check()
      try library.finishCheck()
      try work.intend(report)
      // If there are only deck operations, they have already taken effect: from here on nothing may fail.
      guard work.touchesLibrary else {
        library.rollback()
        report.run = run.id
        return report
      }
      try library.commit()
      // The run is complete; if its end cannot be recorded now, the next run detects that.
      store.finishPatiently(run.id)
      report.run = run.id
      return report
    } catch {
      library.rollback()
      try? store.connection.execute("ROLLBACK")
      try? store.void(run.id)
      throw error
    }
  }
}

/// What to do with the selected items of a library.
public enum EnqueueRequest: Sendable {
  /// Publish the items that are not public.
  /// - Parameters:
  ///   - canFork: whether others may make their own copies.
  ///   - title: a new title for the only selected item, even while its publication waits; nil to keep titles.
  case publish(canFork: Bool = true, title: String? = nil)
  /// Send the changes of the items that are public.
  /// - Parameters:
  ///   - changedOnly: whether to leave out items whose content equals the version that was sent last.
  ///   - takesLocal: whether to replace the public version even if it was changed elsewhere in the meantime.
  ///   - title: a new title for the only selected item; nil to keep titles.
  case update(changedOnly: Bool = false, takesLocal: Bool = false, title: String? = nil)
  /// Withdraw the items that are public.
  case unpublish

  /// The command's name: `publish`, `update`, `unpublish`.
  public var verb: String {
    switch self {
    case .publish: "publish"
    case .update: "update"
    case .unpublish: "unpublish"
    }
  }

  /// The trimmed new title of the selected item; nil if titles are kept.
  var title: String? {
    switch self {
    case .publish(_, let title), .update(_, _, let title):
      title.map { title in
        var text = title[...].drop(while: \.isWhitespace)
        while text.last?.isWhitespace ?? false { text.removeLast() }
        return String(text)
      }
    case .unpublish: nil
    }
  }

  /// Whether the request is limited to changed items.
  var takesChangedOnly: Bool { if case .update(true, _, _) = self { true } else { false } }

  /// Whether the request forbids others to make their own copies.
  var forbidsCopies: Bool { if case .publish(false, _) = self { true } else { false } }

  /// Whether the request withdraws items.
  var isWithdrawal: Bool { if case .unpublish = self { true } else { false } }

  /// The past participle for messages: `published`.
  var done: String {
    switch self {
    case .publish: "published"
    case .update: "updated"
    case .unpublish: "unpublished"
    }
  }
}

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
    /// The item's slug. Nil if the item has none, and for a publication in a dry run, because the slug's digits are
    /// drawn when the item is queued.
    public var publicID: String?
    /// The beginning of a publication's slug, if only the beginning is known: `crew-briefing-`.
    public var slugStart: String?
    /// The item's title before the run; nil if the title was kept.
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
  /// The number of the run; nil if nothing was enqueued.
  public internal(set) var run: Int64?
  /// The selected items in the library's order, followed by the selected decks.
  public internal(set) var entries: [Entry] = []
  /// Problems with refused items, and warnings about others.
  public internal(set) var findings: [Diagnostic] = []
  /// Whether nothing was enqueued because an item was refused.
  public internal(set) var wasStopped = false
  /// Whether the library already belongs to a registry, so that `sync` needs no address.
  public internal(set) var isBound = false
  /// Whether operations were written: false if none were needed, or if a refusal stopped the run.
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

  /// The exit status of the process: 3 if an item was refused.
  public var status: ExitStatus { refused > 0 ? .partial : .success }
}
