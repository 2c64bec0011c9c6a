import ContentPack
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Restores over a library that is there: backs it up, then replaces its pages in one transaction of its own.
struct ReplacedLibrary {
  private let restore: LibraryRestore
  private var library: String { restore.library }

  init(_ restore: LibraryRestore) { self.restore = restore }

  func run(_ started: Date) throws -> LibraryRestore.Report {
    let sidecar = try Sidecar(of: library)
    do {
      do {
        return try run(started, sidecar)
      } catch let error where Self.mayBeDamage(error) {
        // Looked at only now: to look at every page takes time, and libraries are mostly sound.
        guard let damaged = DamagedLibrary(library, sidecar) else { throw error }
        return try replace(damaged, started, sidecar)
      }
    } catch {
      // What was moved away is all that is left of it.
      if !DamagedLibrary.hasCopies(sidecar) { sidecar.removeIfNew() }
      throw error
    }
  }

  private static func mayBeDamage(_ error: any Error) -> Bool {
    (error as? RunFailure)?.status == .failed || (error as? SQLiteError)?.isDamage == true
  }

  /// Keeps the bytes of what cannot be read any more, and puts the restored file in its place.
  private func replace(_ damaged: DamagedLibrary, _ started: Date, _ sidecar: Sidecar) throws -> LibraryRestore.Report {
    let staging = try sidecar.part(.staging)
    let work = try staging.makeFolder(Self.workName).path
    defer { staging.remove(Self.workName) }
    let (snapshot, proof) = try restore.assemble(into: work)
    var report = LibraryRestore.Report(
      info: snapshot.info, chain: snapshot.chain.map(\.path), records: proof.records, media: proof.media,
      bytes: snapshot.info.libraryBytes, isReplaced: true, saved: nil, seconds: 0)
    report.wasDamaged = true
    if restore.dryRun {
      staging.remove(Self.workName)
      sidecar.removeIfNew()
    } else {
      let content = SidecarContent(sidecar)
      let media = try content.keep(snapshot)
      let old = work + "/old-state.sqlite"
      var hadState = false
      var isStateReplaced = false
      do {
        report.saved = try damaged.replace(
          by: snapshot.library,
          oldState: {
            hadState = try content.save(stateTo: old)
            return hadState ? old : nil
          }
        ) {
          isStateReplaced = true
          try content.replace(stateBy: snapshot.state)
        }
      } catch {
        media.discard()
        if isStateReplaced { try? content.replace(stateBy: hadState ? old : nil) }
        throw error
      }
    }
    report.seconds = Date().timeIntervalSince(started)
    return report
  }

  private static let workName = "restore"

  private func run(_ started: Date, _ sidecar: Sidecar) throws -> LibraryRestore.Report {
    // The lock on the sidecar says that nobody else works there; what a killed run left is gone.
    let staging = try sidecar.part(.staging)
    let work = try staging.makeFolder(Self.workName).path
    defer { staging.remove(Self.workName) }
    let pageSize = try pageSizeThatStays()
    let (snapshot, proof) = try restore.assemble(into: work) { file in
      // Into a log, pages go only as large as they are there.
      if let pageSize { try resize(file, to: pageSize) }
    }
    func report(_ saved: String?) -> LibraryRestore.Report {
      LibraryRestore.Report(
        info: snapshot.info, chain: snapshot.chain.map(\.path), records: proof.records, media: proof.media,
        bytes: snapshot.info.libraryBytes, isReplaced: true, saved: saved,
        seconds: Date().timeIntervalSince(started))
    }
    if restore.dryRun {
      staging.remove(Self.workName)
      sidecar.removeIfNew()
      return report(nil)
    }
    try rollBackKilledWrite()
    let saved = try SavedLibrary(library, sidecar, onProgress: restore.onProgress)
    var isDone = false
    // A backup from before nothing is only in the way.
    defer { if !isDone { saved.discard() } }
    let target = try WritableLibrary(library, sidecar: sidecar, checkingPages: false)
    guard saved.isCurrent else {
      throw RunFailure(
        .locked, "restore to '\(library)': another program wrote to it meanwhile; it is as that program left it",
        advice: "Close the app and run it again.")
    }
    let content = SidecarContent(sidecar)
    let media = try content.keep(snapshot)
    let old = work + "/old-state.sqlite"
    let hadState = try content.save(stateTo: old)
    var isStateReplaced = false
    do {
      try target.replaceAll(
        with: snapshot.library,
        beforeCommit: {
          // Until the last page is in, a failure takes both back.
          isStateReplaced = true
          try content.replace(stateBy: snapshot.state)
        }, progress: { try restore.report("Writing", $0, $1) })
    } catch {
      media.discard()
      if isStateReplaced { try? content.replace(stateBy: hadState ? old : nil) }
      throw error
    }
    isDone = true
    saved.rotate()
    return report(saved.path)
  }

  /// Rolls back what a killed run had begun to write.
  ///
  /// Opening the library for writing does that first. To this run it would look as if another program had written to
  /// the library during the backup.
  private func rollBackKilledWrite() throws {
    do {
      try SQLiteConnection(library, .write, .foreign).execute("BEGIN IMMEDIATE; ROLLBACK", as: "open the library")
    } catch {
      throw WritableLibrary.failure(error, library)
    }
  }

  /// The size of the library's pages when they cannot get another one, because it has a write-ahead log; else nil.
  private func pageSizeThatStays() throws -> Int64? {
    let file = try LibraryFile(library, checkingPages: false)
    guard try file.connection.rows("PRAGMA journal_mode").first?.first.flatMap({ $0 }) == "wal" else {
      // A log that nobody has open is read through a copy, which has none.
      return file.copiedBecause == nil ? nil : try file.connection.number("PRAGMA page_size")
    }
    return try file.connection.number("PRAGMA page_size")
  }

  private func resize(_ file: String, to pageSize: Int64) throws {
    let copy = try SQLiteConnection(file, .write, .own)
    guard try copy.number("PRAGMA page_size") != pageSize else { return }
    try copy.execute(
      "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA page_size = \(pageSize); VACUUM",
      as: "give the pages the size that the library has")
  }
}
