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
  /// The request.
  public var request: EnqueueRequest
  /// The items; nil for all.
  public var selection: Selection?
  /// The publishing account, where the library does not belong to a registry yet; nil if unknown.
  public var account: RegistryUser?
  /// Whether a single refusal keeps everything out of the queue.
  public var stopsAtRefusal = false
  /// Whether to do everything except the last step.
  public var isDryRun = false
  /// Called now and then with the number of items checked and their total.
  public var onProgress: (@Sendable (Int, Int) -> Void)?

  /// Prepares it.
  public init(_ library: String, _ request: EnqueueRequest) {
    self.library = library
    self.request = request
  }

  /// Enqueues everything that is valid, in one transaction.
  /// - Parameter ids: only these items; nil for the whole selection.
  /// - Throws: `RunFailure`: 2 when there is no such library, nothing in it is selected, or it is damaged; 4 when its
  ///   schema is older than the current one, 6 when it is newer, 7 when another program is using it. Nothing is changed
  ///   then.
  public func run(now: Timestamp, ids: Set<String>? = nil) throws -> EnqueueReport {
    try run(now: now, ids: ids, sourcePlaces: nil, double: nil)
  }

  /// - Parameters:
  ///   - sourcePlaces: the places in a source of problems of the items.
  ///   - double: a copy of the library that is used instead.
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
