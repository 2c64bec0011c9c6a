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

/// Sends the waiting operations of a library's queues to a registry.
///
/// ```swift
/// let sync = LibrarySync("anyfleet.sqlite", RegistryConnection(address))
/// let report = try sync.run()
/// ```
public struct LibrarySync: Sendable {
  /// The library.
  public var library: String
  /// The settings for reaching the registry.
  public var connection: RegistryConnection
  /// The options of the sync.
  public var options = SyncOptions()
  /// The file for the metrics, in the Prometheus text format; nil for none.
  public var metricsFile: String?
  /// Called periodically with the number of rows that have left the queue and the total.
  public var onProgress: (@Sendable (Int, Int) -> Void)?

  /// Prepares a sync.
  public init(_ library: String, _ connection: RegistryConnection) {
    self.library = library
    self.connection = connection
  }

  /// Sends the operations that can be sent now.
  /// - Returns: a report with the outcome of every row, and the metrics.
  /// - Throws: `RunFailure`: 2 if the file is not a library, 4 if its schema is old or the library belongs to
  ///   another registry or account, 6 if its schema is newer, 7 if another sync is running or another program holds
  ///   the library.
  public func run() throws -> (report: SyncReport, metrics: SyncMetrics) {
    let metrics = SyncMetrics()
    let store = try QueueStore(library, .change)
    let lock = try SyncLock(of: library)
    defer { withExtendedLifetime(lock) {} }
    return (try run(store, try connection.client(), metrics), metrics)
  }

  /// Sends operations as they enter the queue, until the user stops the run or has to sign in.
  /// - Parameters:
  ///   - interval: how long to wait between two checks of the queue, in seconds.
  ///   - each: called after every run that had operations to send; an error that it throws ends the sync.
  /// - Returns: The last run's report.
  public func watch(interval: Double, each: (SyncReport, SyncMetrics) throws -> Void) throws -> SyncReport {
    let metrics = SyncMetrics()
    var sync = self
    var lock: SyncLock?
    var client: RegistryClient?
    while true {
      var report = SyncReport()
      do {
        let store = try QueueStore(library, .change)
        if lock == nil { lock = try SyncLock(of: library) }
        let calls = try client ?? connection.client()
        client = calls
        report = try sync.run(store, calls, metrics)
        // Failed operations are retried only once: an operation that fails again stays failed.
        sync.options.retriesFailed = false
        if report.liveBefore > 0 || report.retried > 0 { try each(report, metrics) }
      } catch let failure as RunFailure where failure.status == .locked && lock != nil {
        // The app is writing to the library; the run can wait.
        report.end = .interrupted
      }
      // An insecure connection may be due to a harbour's network, which requires its own sign-in first.
      if report.end == .signIn || !report.isBalanced { return report }
      let until = ContinuousClock.now.advanced(by: .seconds(interval))
      while until > .now, !Interruption.isRequested { usleep(50_000) }
      if Interruption.isRequested {
        report.end = .interrupted
        return report
      }
    }
  }

  private func run(_ store: QueueStore, _ calls: RegistryClient, _ metrics: SyncMetrics) throws -> SyncReport {
    let run = SyncRun(
      store, calls, registry: connection.address.text, options: options, metrics: metrics)
    var last = ContinuousClock.now
    run.onProgress = { done, total in
      onProgress?(done, total)
      guard let metricsFile, last.duration(to: .now) > .seconds(10) else { return }
      last = .now
      // During the run, a failure to write the file is ignored; at the end it is reported.
      try? metrics.write(store.depth(), to: metricsFile)
    }
    let report = try run.run()
    if let metricsFile { try metrics.write(report.depth, to: metricsFile) }
    return report
  }
}

extension SyncRehearsal {
  /// Returns the operations that a sync of a library would send, without calling the registry or changing anything.
  /// - Parameter connection: the settings for reaching the registry; nil if none is configured.
  /// - Throws: `RunFailure`: 2 if the file is not a library, 4 if its schema is old or the library belongs to a
  ///   registry or account other than the given one, 6 if its schema is newer, 64 if the tokens cannot be used.
  public static func of(_ library: String, _ connection: RegistryConnection? = nil) throws -> SyncRehearsal {
    let tokens = try connection?.tokens()
    var rehearsal = try SyncRehearsal(
      QueueStore(library, .look), registry: connection?.address.text, user: tokens?.user)
    rehearsal.isSignedIn = tokens != nil
    return rehearsal
  }
}
