import Content
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Performs an undo inside one transaction of the library and one of the store. If records turn out to have changed
/// since, the undo is rolled back and starts again without them.
struct UndoWork {
  private let undo: UndoRun
  private let target: StateStore.Run
  private let reader: UndoJournalReader
  private let library: WritableLibrary
  private let store: StateStore

  init(
    _ undo: UndoRun, _ target: StateStore.Run, _ reader: UndoJournalReader, _ library: WritableLibrary,
    _ store: StateStore
  ) {
    self.undo = undo
    self.target = target
    self.reader = reader
    self.library = library
    self.store = store
  }

  func run() throws -> UndoRun.Report {
    let own =
      undo.dryRun
      ? nil : try store.begin("undo", detail: #"{"undoes":\#(target.id)}"#)
    do {
      try library.finishCheck()
      try store.connection.execute("BEGIN IMMEDIATE")
      return try run(own)
    } catch {
      library.rollback()
      try? store.connection.execute("ROLLBACK")
      if let own {
        UndoJournal.remove(own.id, from: library.sidecar.folder)
        try? store.settle(own.id, .void)
      }
      throw error
    }
  }

  private func run(_ own: StateStore.Run?) throws -> UndoRun.Report {
    let references = try References(library.connection)
    var kept = Set<[UInt8]>()
    var changed: [UndoRun.ChangedRecord] = []
    while true {
      try library.connection.execute("SAVEPOINT undo")
      try store.connection.execute("SAVEPOINT undo")
      let journal = try own.map { try UndoJournalWriter(of: $0, library.connection, in: library.sidecar) }
      var attempt = UndoAttempt(kept: kept)
      try attempt.takeBack(target, reader, library, store, journal) { done in
        try undo.report("Undoing", done, reader.entries)
      }
      attempt.add(try references.broken(library.connection), isRepair: ["doctor", "undo"].contains(target.command))
      let fresh = attempt.obstacles.filter { !kept.contains(Array($0.id.utf8)) }
      if fresh.isEmpty { return try finish(attempt, changed, own, journal) }
      journal?.discard()
      try library.connection.execute("ROLLBACK TO undo; RELEASE undo")
      try store.connection.execute("ROLLBACK TO undo; RELEASE undo")
      changed += try names(of: fresh)
      kept.formUnion(fresh.map { Array($0.id.utf8) })
      if !undo.skipsChanged { return try refuse(changed, own) }
    }
  }

  /// The maximum number of titles that are looked up for long lists.
  private static let namesKept = 1000

  private func names(of obstacles: [UndoAttempt.Obstacle]) throws -> [UndoRun.ChangedRecord] {
    let lookup = try LibraryLookup(library)
    return try obstacles.enumerated().map { index, one in
      var title: String?
      if index < Self.namesKept {
        let line = try Array(one.id.utf8).withUnsafeBufferPointer { id in
          try lookup.record(RecordKind(one.kind), id: id).map { Array($0) }
        }
        title = RecordTitle.of(line ?? one.line)
      }
      return UndoRun.ChangedRecord(kind: one.kind, id: one.id, title: title, what: one.what)
    }
  }

  private func refuse(_ changed: [UndoRun.ChangedRecord], _ own: StateStore.Run?) throws -> UndoRun.Report {
    library.rollback()
    try store.connection.execute("ROLLBACK")
    if let own {
      try store.mark(own.id, .refused)
      try store.settle(own.id, .void)
    }
    var report = UndoRun.Report()
    report.changed = changed
    report.isRefused = true
    return report
  }

  // MARK: Finishing

  private func finish(
    _ attempt: UndoAttempt, _ changed: [UndoRun.ChangedRecord], _ own: StateStore.Run?, _ journal: UndoJournalWriter?
  ) throws -> UndoRun.Report {
    var report = attempt.report
    report.changed = changed
    let media = UndoMedia(library.sidecar, store)
    let gone = try media.unused(of: reader.extras.media)
    report.media = gone.count
    guard let own, let journal, report.removedCount + report.putBackCount > 0 || changed.isEmpty else {
      library.rollback()
      try store.connection.execute("ROLLBACK")
      if let own {
        journal?.discard()
        try store.settle(own.id, .void)
      }
      return report
    }
    let back = try media.bringBack(from: target.id)
    journal.note { $0.media = back }
    try journal.finish()
    try store.mark(target.id, isUndone: true)
    try store.intend(own.id, counts: report.counts)
    try store.connection.execute("COMMIT", as: "write the ledger")
    do {
      try library.connection.execute("RELEASE undo")
      try library.commit()
    } catch {
      if let reader = try? UndoJournalReader(of: own.id, in: library.sidecar.folder) {
        try? store.takeBack(own, reader)
      }
      throw error
    }
    // This comes before the end of the undo is recorded. Recovering a killed undo also does this.
    media.putAside(gone, for: own.id)
    // The undo is done, even if its end cannot be recorded.
    try? store.settle(own.id, .done)
    UndoJournal.rotate(library.sidecar)
    report.run = own.id
    return report
  }
}

extension UndoRun.Report {
  /// The counts as stored in the ledger.
  var counts: String {
    "{\"changed\":\(removedCount + putBackCount),\"removed\":\(removedCount),\"put_back\":\(putBackCount),"
      + "\"skipped\":\(changed.count)}"
  }
}
