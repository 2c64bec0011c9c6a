import Content
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// The end of an import.
extension LibraryImportWriter {
  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    try guarding {
      try finishSource(&tally, rejects)
      // A new library has no indexes before it is committed: its queue is looked at once, while it is empty.
      if library.isNew { try publishedRows?.completeAll() }
      try companion?.finish(ImportWork(self))
      wholes.report(to: context.findings)
      // A version that is not all there is not the one that the library has: the one before may still come.
      if tally.total.rejected > 0 { try ledger.forgetPacks() }
      for index in witnesses.indices {
        let witness = witnesses[index]
        var id = witness.id
        let after = try id.withUTF8 { try lookup.record(witness.kind, id: $0).map { Digest.hex(Digest.sha256($0)) } }
        witnesses[index] = Ledger.Witness(kind: witness.kind, id: id, before: witness.before, after: after)
      }
      // Where all say what they said before, one of them still tells that there is something to commit.
      let changed = witnesses.filter { $0.before != $0.after }
      witnesses = changed.isEmpty ? Array(witnesses.prefix(1)) : changed
      counts = RunCounts.json(tally, keptBeside: keptBeside, marked: marked)
      try observer?.finish(tally)
    }
  }

  func finish() throws -> Int {
    endLookingAhead()
    try conflicts.publish()
    try replaced.publish()
    try originals.publish()
    try media.publish()
    do {
      try besides.sort()
      while let line = try besides.next() {
        besidesCount += 1
        try ledger.keep(BesideExtras.kind, id: RecordLine.id(of: line) ?? "", line: line)
      }
      try keepJournal()
      try ledger.intend(rowsWritten == 0 ? [] : witnesses, counts: counts)
    } catch let error as SQLiteError {
      throw StateStore.failure(error, library.sidecar.path + "/state.sqlite")
    }
    if rowsWritten == 0, !library.isNew {
      library.rollback()
    } else {
      do {
        try library.commit()
      } catch {
        ledger.forget()
        journal?.discard()
        throw error
      }
      // The library has it; if this cannot be noted now, the next run finds it out by hash.
      ledger.done()
    }
    UndoJournal.rotate(library.sidecar)
    let attributes = try? FileManager.default.attributesOfItem(atPath: library.path)
    return attributes?[.size] as? Int ?? 0
  }

  /// Sees onto the disk what the run changes, before anything of it counts.
  private func keepJournal() throws {
    guard let journal else { return }
    guard rowsWritten + keptBeside + media.brought.count > 0 || besidesCount > 0 else { return journal.discard() }
    try ledger.keep(in: journal)
    journal.note { $0.media = media.brought }
    try journal.finish()
  }

  func abort() {
    endLookingAhead()
    journal?.discard()
    library.rollback()
    ledger.forget()
    conflicts.discard()
    replaced.discard()
    originals.discard()
    media.discard()
  }
}
