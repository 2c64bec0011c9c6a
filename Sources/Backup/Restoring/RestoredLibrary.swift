import ContentPack
import Foundation
import Interchange
import SQLiteLibrary

/// Restores a library under an unused name.
///
/// The sidecar is written first and the library's own file last, so a visible library is always complete.
struct RestoredLibrary {
  private let restore: LibraryRestore

  init(_ restore: LibraryRestore) { self.restore = restore }

  func run(_ started: Date) throws -> LibraryRestore.Report {
    let staging = try TemporaryFolder(beside: restore.library, ending: ".restore")
    let work = staging.path + "/work"
    guard mkdir(work, 0o700) == 0 else {
      throw RunFailure(.failed, "make a folder next to '\(restore.library)': \(SystemError.last)")
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

  /// Refuses to overwrite the sidecar of an earlier library with this name, which may contain decks. The same state is
  /// accepted, because a killed restore may have put it there.
  private func refuseOldState(_ snapshot: AssembledSnapshot) throws {
    guard let folder = try SidecarFolder(of: restore.library) else { return }
    let journal = folder.root.entry(SidecarFolder.stateName + "-journal")
    let state = try folder.state()
    if state == nil, journal == .nothing { return }
    if let state, let new = snapshot.state, journal == .nothing,
      try FileDigest.sha256(of: state) == FileDigest.sha256(of: new)
    {
      return
    }
    let path = folder.root.path
    throw RunFailure(
      .refused,
      "restore '\(restore.backup)' to '\(restore.library)': '\(path)' of an earlier library with that name exists",
      advice: "It may contain decks. Move it away (mv '\(path)' '\(path).old'), or choose another name.")
  }
}
