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

/// Enqueues what is to be published, updated or taken back. Nothing is sent: that is for `sync`.
///
/// ```swift
/// var publishing = LibraryPublishing("anyfleet.sqlite", .publish())
/// publishing.selection = selection
/// let report = try publishing.run(now: now)
/// ```
public struct LibraryPublishing: Sendable {
  /// The library.
  public var library: String
  /// What is asked for.
  public var request: EnqueueRequest
  /// Which items; nil for all.
  public var selection: Selection?
  /// Who publishes, where the library belongs to no registry yet; nil for unknown.
  public var account: RegistryUser?
  /// Whether one refusal keeps everything out of the queue.
  public var stopsAtRefusal = false
  /// Whether everything is done but the last step.
  public var isDryRun = false
  /// Told now and then how many items were looked at, and of how many.
  public var onProgress: (@Sendable (Int, Int) -> Void)?

  /// Plans it.
  public init(_ library: String, _ request: EnqueueRequest) {
    self.library = library
    self.request = request
  }

  /// Enqueues everything that is valid, in one transaction.
  /// - Parameter ids: only these items; nil for all that the selection takes.
  /// - Throws: `RunFailure`: 2 when there is no such library, nothing in it is selected, or it is damaged; 4 when it is
  ///   older than today's schema, 6 when it is newer, 7 when another program is using it. Nothing is changed then.
  public func run(now: Timestamp, ids: Set<String>? = nil) throws -> EnqueueReport {
    try run(now: now, ids: ids, sourcePlaces: nil, double: nil)
  }

  /// - Parameters:
  ///   - sourcePlaces: where a source says what is wrong with the items.
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
