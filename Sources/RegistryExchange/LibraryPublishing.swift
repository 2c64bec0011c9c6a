import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
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
  /// - Throws: `RunFailure`: 2 when there is no such library, nothing in it is selected, or it is damaged; 4 when its
  ///   schema is older than the current one, 6 when it is newer, 7 when another program is using the library. In all
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
