import ContentPack
import Foundation
import Interchange
import SQLiteLibrary

/// Restores a library under a name that nothing has.
///
/// What lies beside the library comes first, its own file last: whoever finds the library finds all of it.
struct RestoredLibrary {
  private let restore: LibraryRestore

  init(_ restore: LibraryRestore) { self.restore = restore }

  func run(_ started: Date) throws -> LibraryRestore.Report {
    let staging = try StagingFolder(beside: restore.library)
    let work = staging.path + "/work"
    guard mkdir(work, 0o700) == 0 else {
      throw RunFailure(.failed, "make a folder beside '\(restore.library)': \(SystemError.last)")
    }
    let (snapshot, proof) = try restore.assemble(into: work)
    try refuseOldState(snapshot)
    var bytes = snapshot.info.libraryBytes
    if !restore.dryRun {
      var sidecar: Sidecar?
      var media: MediaStore?
      do {
        if snapshot.state != nil || !snapshot.media.isEmpty {
          let made = try Sidecar(of: restore.library)
          sidecar = made
          media = try SidecarContent(made).keep(snapshot)
          if let state = snapshot.state { try SidecarContent(made).place(state: state) }
        }
        bytes = try PublishedFile.publish(snapshot.library, as: restore.library)
      } catch {
        media?.discard()
        sidecar?.removeIfNew()
        throw error
      }
    }
    return LibraryRestore.Report(
      info: snapshot.info, chain: snapshot.chain.map(\.path), records: proof.records, media: proof.media, bytes: bytes,
      isReplaced: false, saved: nil, seconds: Date().timeIntervalSince(started))
  }

  /// What an earlier library of this name left beside it is somebody's decks: it is not written over. The same state,
  /// which a restore that was killed may have put there, is no obstacle.
  private func refuseOldState(_ snapshot: AssembledSnapshot) throws {
    let state = Sidecar.path(of: restore.library) + "/state.sqlite"
    var status = stat()
    guard lstat(state, &status) == 0 || lstat(state + "-journal", &status) == 0 else { return }
    if let new = snapshot.state, access(state + "-journal", F_OK) != 0,
      try FileDigest.sha256(of: state) == FileDigest.sha256(of: new)
    {
      return
    }
    let folder = Sidecar.path(of: restore.library)
    throw RunFailure(
      .refused,
      "restore '\(restore.backup)' to '\(restore.library)': '\(folder)' of an earlier library of that name is there",
      advice: "It may hold decks. Move it away (mv '\(folder)' '\(folder).old'), or choose another name.")
  }
}
