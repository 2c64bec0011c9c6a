import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import LibraryImporting
import Merging
import Publishing
import RegistryClient
import SQLiteLibrary
import SyncQueue
import Validation

/// Enqueues publications, updates and withdrawals. Nothing is sent: `sync` does that.
///
/// ```swift
/// var publishing = LibraryPublishing("anyfleet.sqlite", .publish())
/// publishing.selection = selection
/// let report = try publishing.run(now: now)
/// ```
public struct LibraryPublishing: Sendable {
  /// The library.
  public var library: String
  /// What to do with the items.
  public var request: EnqueueRequest
  /// The items to enqueue; nil for all.
  public var selection: Selection?
  /// The publishing account, for a library that does not belong to a registry yet; nil if unknown.
  public var account: RegistryUser?
  /// Whether a single refusal keeps everything out of the queue.
  public var stopsAtRefusal = false
  /// Whether to do everything except the last step, so that nothing is changed.
  public var isDryRun = false
  /// Called periodically with the number of items checked and the total.
  public var onProgress: (@Sendable (Int, Int) -> Void)?

  /// Prepares enqueuing operations for a library's items.
  public init(_ library: String, _ request: EnqueueRequest) {
    self.library = library
    self.request = request
  }

  /// Enqueues everything that is valid, in one transaction.
  /// - Parameter ids: restricts the selection to these items; nil for the whole selection.
  /// - Throws: `RunFailure`: 2 if there is no such library, nothing in it is selected, or it is damaged; 4 if its
  ///   schema is older than the current one, 6 if it is newer, 7 if another program is using the library. In all
  ///   these cases nothing is changed.
  public func run(now: Timestamp, ids: Set<String>? = nil) throws -> EnqueueReport {
    try run(now: now, ids: ids, sourcePlaces: nil, double: nil)
  }

  /// - Parameters:
  ///   - sourcePlaces: maps findings about the items to their places in a source.
  ///   - double: a copy of the library that is used instead of the library.
  package func run(
    now: Timestamp, ids: Set<String>?, sourcePlaces: SourcePlaces?, double: String?
  ) throws -> EnqueueReport {
    var run = EnqueueRun(double ?? library, request, now: now)
    run.name = library
    run.selection = ids == nil ? selection : nil
    run.ids = ids
    run.sourcePlaces = sourcePlaces
    run.account = account.map { Publication.Author(id: $0.id, username: $0.username) }
    run.stopsAtRefusal = stopsAtRefusal
    run.isDryRun = isDryRun
    run.onProgress = onProgress
    return try run.run()
  }
}

/// Imports items from sources into a library and queues these items for publication.
///
/// These are two runs: imported items stay in the library even if the publish rules refuse them.
public struct SourcePublishing: Sendable {
  /// The import; its selection also determines which items are published.
  public var source: LibraryImport
  /// What to do with the items after the import.
  public var publishing: LibraryPublishing

  /// Prepares an import and the publication after it.
  public init(_ source: LibraryImport, _ publishing: LibraryPublishing) {
    self.source = source
    self.publishing = publishing
  }

  /// The results of both runs.
  public struct Report: Sendable {
    /// The result of the import.
    public let imported: LibraryImport.Report
    /// The result of enqueuing; nil if the import added or found no item.
    public let enqueued: EnqueueReport?

    /// The exit status of the process.
    public var status: ExitStatus {
      guard let enqueued else { return imported.summary.status.combined(with: .partial) }
      return imported.summary.status.combined(with: enqueued.status)
    }
  }

  /// Imports the items, then enqueues them. A dry run does both on a copy.
  /// - Throws: the errors of `LibraryImport.run` and `LibraryPublishing.run`.
  public func run(context: RunContext) throws -> Report {
    guard access(publishing.library, F_OK) == 0 else {
      throw RunFailure(
        .failed, "publish into '\(publishing.library)': there is no such library",
        advice: "'fleetkit import SOURCE --into \(publishing.library) --create' makes one.")
    }
    let double = publishing.isDryRun ? try ScratchLibrary(of: publishing.library) : nil
    defer { withExtendedLifetime(double) {} }
    var source = source
    source.library = double?.path ?? publishing.library
    let items = try ImportedItems(now: context.now)
    let imported = try source.run(context: context, observer: items)
    guard !items.ids.isEmpty else { return Report(imported: imported, enqueued: nil) }
    try demandOne(items.ids.count, imported)
    let enqueued = try publishing.run(
      now: context.now, ids: items.ids, sourcePlaces: items.places, double: double?.path)
    return Report(imported: imported, enqueued: enqueued)
  }

  /// Refuses a title for more than one item. The number of items in the sources is known only after they were read.
  private func demandOne(_ count: Int, _ imported: LibraryImport.Report) throws {
    guard case .publish(_, .some) = publishing.request, count > 1 else { return }
    let done =
      publishing.isDryRun
      ? "nothing was changed" : "they were imported (run \(imported.run)), and nothing was queued"
    throw RunFailure(
      .usage,
      "publish into '\(publishing.library)': --set-title applies to one item, but the sources have \(count); \(done)",
      advice: "Select the item with --id.")
  }
}

/// Collects the library ids of an import's items: new items, and items that already existed.
private final class ImportedItems: ImportObserver {
  private(set) var ids = Set<String>()
  /// Maps findings about the items to their places in the sources.
  let places: SourcePlaces

  init(now: Timestamp) throws { places = try SourcePlaces(now: now) }

  func reads(_ record: Record) throws { try places.collectFindings(of: record) }

  func receive(_ decision: ImportDecision) throws {
    guard decision.kind == .item, !decision.id.isEmpty else { return }
    if let source = decision.sourceID { places.rename(source, to: decision.id) }
    switch decision.action {
    case .create, .update, .beside, .keep: ids.insert(decision.id)
    case .conflict, .reject, .gone, .rename: return
    }
  }

  func stays(_ kind: RecordKind, id: String, source: String) {
    guard kind == .item else { return }
    ids.insert(id)
    if source != id { places.rename(source, to: id) }
  }

  func finish(_ tally: Tally) throws {}
}
