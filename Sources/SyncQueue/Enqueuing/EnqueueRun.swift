import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
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
  /// Maps findings about items that were just imported to their places in the source; nil when there is no source.
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
  /// - Throws: `RunFailure`: 2 when there is no such library, nothing in it is selected, or it is damaged; 4 when its
  ///   schema is older than the current one, 6 when it is newer, 7 when another program is using the library. In all
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
      try store.settleKilledRuns(library)
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
        try? store.settle(run.id, .void)
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
