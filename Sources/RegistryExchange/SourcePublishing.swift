import Content
import Foundation
import Interchange
import LibraryImporting
import Merging
import SQLiteLibrary
import SyncQueue

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
    /// The result of enqueuing; nil when the import added or found no item.
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

  func reads(_ record: Record) throws { try places.look(at: record) }

  func note(_ decision: ImportDecision) throws {
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
