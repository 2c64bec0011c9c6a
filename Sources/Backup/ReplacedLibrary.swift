import Content
import ContentPack
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Restores over an existing library: backs the library up, then replaces its pages in one transaction.
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
        // This is checked only now, because checking every page takes time, and most libraries are sound.
        guard let damaged = DamagedLibrary(library, sidecar) else { throw error }
        return try replace(damaged, started, sidecar)
      }
    } catch {
      // If files were moved away, they are all that is left of the library.
      if !DamagedLibrary.hasCopies(sidecar) { sidecar.removeIfNew() }
      throw error
    }
  }

  private static func mayBeDamage(_ error: any Error) -> Bool {
    (error as? RunFailure)?.status == .failed || (error as? SQLiteError)?.isDamage == true
  }

  /// Keeps the bytes of a library that can no longer be read, and replaces it with the restored file.
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
      let media = try content.storeMedia(of: snapshot)
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
    // The lock on the sidecar ensures that no other process uses this folder. Leftovers of a killed run are removed.
    let staging = try sidecar.part(.staging)
    let work = try staging.makeFolder(Self.workName).path
    defer { staging.remove(Self.workName) }
    let pageSize = try pageSizeThatStays()
    let (snapshot, proof) = try restore.assemble(into: work) { file in
      // A library with a log accepts only pages of its own size.
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
    // If nothing was changed, the backup of the previous state is not needed.
    defer { if !isDone { saved.discard() } }
    let target = try WritableLibrary(library, sidecar: sidecar, checkingPages: false)
    guard saved.isCurrent else {
      throw RunFailure(
        .locked, "restore to '\(library)': another program wrote to the library meanwhile; FleetKit did not change it",
        advice: "Close the app and try again.")
    }
    let content = SidecarContent(sidecar)
    let media = try content.storeMedia(of: snapshot)
    let old = work + "/old-state.sqlite"
    let hadState = try content.save(stateTo: old)
    var isStateReplaced = false
    do {
      try target.replaceAll(
        with: snapshot.library,
        beforeCommit: {
          // Until the last page is written, a failure restores both the library and its state.
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

  /// Rolls back the writes of a killed run.
  ///
  /// Opening the library for writing rolls them back first. Otherwise, this run would later mistake the rollback for a
  /// write of another program during the backup.
  private func rollBackKilledWrite() throws {
    do {
      try SQLiteConnection(library, .write, .foreign).execute("BEGIN IMMEDIATE; ROLLBACK", as: "open the library")
    } catch {
      throw WritableLibrary.failure(error, library)
    }
  }

  /// Returns the library's page size if it cannot be changed because the library has a write-ahead log; otherwise nil.
  private func pageSizeThatStays() throws -> Int64? {
    let file = try LibraryFile(library, checkingPages: false)
    guard try file.connection.rows("PRAGMA journal_mode").first?.first.flatMap({ $0 }) == "wal" else {
      // A log that no process has open is read through a copy, and the copy has no log.
      return file.copiedBecause == nil ? nil : try file.connection.number("PRAGMA page_size")
    }
    return try file.connection.number("PRAGMA page_size")
  }

  private func resize(_ file: String, to pageSize: Int64) throws {
    let copy = try SQLiteConnection(file, .write, .own)
    guard try copy.number("PRAGMA page_size") != pageSize else { return }
    try copy.execute(
      "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA page_size = \(pageSize); VACUUM",
      as: "set the library's page size")
  }
}

/// A backup of a library, made in its sidecar just before the library is replaced. The last three are kept.
final class SavedLibrary {
  private let library: String
  private let sidecar: Sidecar
  private let before: [Int]
  /// The path of the backup.
  let path: String

  private static let ending = "-restore.fleetpack"
  private static let kept = 3

  /// Makes the backup.
  /// - Throws: `RunFailure` with advice if the library is too damaged to be backed up.
  init(
    _ library: String, _ sidecar: Sidecar, onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?
  ) throws {
    self.library = library
    self.sidecar = sidecar
    before = Self.state(of: library)
    let (folder, name) = try sidecar.freshName(.backups, "restore", "fleetpack")
    path = folder.path(name)
    var backup = LibraryBackup(library, to: path)
    backup.onProgress = onProgress
    let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    do {
      _ = try backup.run(context: RunContext(now: now))
    } catch let failure as RunFailure where failure.status == .failed {
      throw RunFailure(
        .failed, "back up '\(library)' before it is replaced: \(failure.message); nothing was changed",
        advice: "If the library is damaged, move it and its -wal and -journal away, and restore without --replace.")
    }
  }

  /// Whether the library has not been written to since.
  var isCurrent: Bool { Self.state(of: library) == before }

  /// Returns the library's state. An empty log counts as no log.
  private static func state(of library: String) -> [Int] {
    let state = WritableLibrary.fileState(library)
    return state[3] > 0 ? state : Array(state[..<3])
  }

  /// Removes the backup if the library was not changed.
  func discard() { unlink(path) }

  /// Removes all but the newest backups.
  func rotate() {
    guard let folder = try? sidecar.folder.part(.backups) else { return }
    let names = folder.names.filter { $0.hasSuffix(Self.ending) && !$0.hasPrefix(".") }
    for name in names.sorted().dropLast(Self.kept) where folder.path(name) != path { folder.remove(name) }
  }
}
