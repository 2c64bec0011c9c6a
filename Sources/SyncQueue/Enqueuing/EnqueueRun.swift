import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Enqueues what is to be published, updated or taken back of one library: everything in one transaction, or nothing.
///
/// Nothing is sent: that is for `sync`. Decks, which live beside the library, count from the moment when the library
/// has the rest; a run that was killed in between is settled by the next one.
package struct EnqueueRun {
  /// The library.
  package let path: String
  /// The library as the user named it.
  package var name: String
  package let request: EnqueueRequest
  /// When it happens.
  package let now: Timestamp
  /// Which items are taken; nil for all.
  package var selection: Selection?
  /// Only these items; nil for all that the selection takes.
  package var ids: Set<String>?
  /// Who publishes, where the library belongs to no registry yet; nil for unknown.
  package var account: Publication.Author?
  /// Whether one refusal keeps everything out of the queue.
  package var stopsAtRefusal = false
  package var isDryRun = false
  /// Eight new upper-case hexadecimal digits for each slug.
  package var digits: () -> String = PublicSlug.randomDigits
  /// The places in a source of what is wrong with items that were just imported from it; nil where there is none.
  package var sourcePlaces: SourcePlaces?
  /// Told now and then how many items were looked at, and of how many.
  package var onProgress: ((Int, Int) -> Void)?

  package init(_ path: String, _ request: EnqueueRequest, now: Timestamp) {
    self.path = path
    name = path
    self.request = request
    self.now = now
  }

  private var doing: String { "\(request.verb) in '\(name)'" }
  private var outcome: String { "nothing was \(request.done)" }

  /// Runs to the end.
  /// - Throws: `RunFailure`: 2 when there is no such library, nothing in it is selected, or it is damaged; 4 when it is
  ///   older than today's schema, 6 when it is newer, 7 when another program is using it. Nothing is changed then.
  package func run() throws -> EnqueueReport {
    guard access(path, F_OK) == 0 else { throw RunFailure(.failed, "\(doing): there is no such library") }
    let rehearsal = isDryRun ? try Rehearsal(of: path) : nil
    let real = rehearsal?.path ?? path
    // A look at the schema first: a library that is refused gets no folder beside it.
    try LibraryFile(real, checkingPages: false).schema.demandNewest(doing, name, outcome: outcome)
    let library = try rehearsal?.open(real) ?? WritableLibrary(real)
    // Its lock is held until the run's end is noted.
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
      // What was queued of decks alone counts already: nothing may fail any more.
      guard work.touchesLibrary else {
        library.rollback()
        report.run = run.id
        return report
      }
      try library.commit()
      // It is done; whether that can be noted now or not, the next run sees it.
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
