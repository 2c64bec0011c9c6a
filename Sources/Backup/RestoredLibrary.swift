import ContentPack
import Foundation
import Interchange
import SQLiteIO
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
          media = try SidecarContent(made).storeMedia(of: snapshot)
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

/// The content that a backup restores into a library's sidecar: the state and the bytes of attachments.
struct SidecarContent {
  private let sidecar: Sidecar
  private var root: OpenFolder { sidecar.folder.root }
  private var state: String { root.path(SidecarFolder.stateName) }

  init(_ sidecar: Sidecar) { self.sidecar = sidecar }

  /// Stores the bytes of attachments, which no record refers to yet.
  /// - Returns: The store, which can remove the new files again.
  func storeMedia(of snapshot: AssembledSnapshot) throws -> MediaStore {
    let media = MediaStore(sidecar)
    do {
      for (sha256, path) in snapshot.media.sorted(by: { $0.key < $1.key }) { try media.store(path, sha256: sha256) }
      try media.publish()
    } catch {
      media.discard()
      throw error
    }
    return media
  }

  /// Restores a state where none exists.
  func place(state new: String) throws {
    let file = try AtomicFile(SidecarFolder.stateName, in: root, overwrites: true)
    let source = open(new, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw RunFailure(.failed, "read '\(new)': \(SystemError.last)") }
    defer { close(source) }
    do throws(RunFailure) {
      try FileCopy.copy(from: source, to: file.descriptor)
    } catch {
      throw RunFailure(.failed, "write '\(state)': \(error.message)")
    }
    file.makePrivate()
    try file.publish()
  }

  /// Copies the state unchanged to a file. Does nothing if there is no state.
  /// - Returns: Whether there is a state.
  func save(stateTo copy: String) throws -> Bool {
    guard let state = try sidecar.folder.state() else { return false }
    // The state is opened for writing, so that a half-written change of a killed run is rolled back first.
    try SQLiteBackup.copy(
      from: SQLiteConnection(state, .write, .foreign, followsLinks: false),
      into: SQLiteConnection(copy, .create, .own))
    return true
  }

  /// Replaces the state with the content of a file in one step. If the file is nil, empties the state.
  func replace(stateBy new: String?) throws {
    if new == nil, root.entry(SidecarFolder.stateName) == .nothing { return }
    do {
      let path = try sidecar.folder.statePath()
      let target = try SQLiteConnection(path, .create, .foreign, followsLinks: false)
      if let new {
        try SQLiteBackup.copy(from: SQLiteConnection(new, .readImmutable, .foreign), into: target)
        chmod(path, 0o600)
      } else {
        let tables = ["staged_records", "witnesses", "records", "ledger", "bases", "files", "sources", "runs"]
        let known = Set(try target.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").compactMap { $0[0] })
        let clear = tables.filter(known.contains).map { "DELETE FROM \($0);" }.joined()
        try target.execute("BEGIN IMMEDIATE; \(clear) COMMIT", as: "empty the state")
      }
    } catch let error as SQLiteError {
      throw StateStore.failure(error, state)
    }
  }
}

/// Renames a file that was made in a folder next to its target, in one step, to the target's name.
enum PublishedFile {
  /// Syncs a file and gives it an unused name.
  /// - Returns: The file's size in bytes.
  /// - Throws: `RunFailure`: 4 if a file with that name exists, 2 if the file cannot be renamed.
  static func publish(_ staged: String, as target: String) throws -> Int {
    let file = open(staged, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw RunFailure(.failed, "read '\(staged)': \(SystemError.last)") }
    defer { close(file) }
    var status = stat()
    guard fsync(file) == 0, fstat(file, &status) == 0 else {
      throw RunFailure(.failed, "write '\(target)': \(SystemError.last)")
    }
    // link() never replaces a file, so no file is lost between the check and the renaming.
    if link(staged, target) != 0 {
      if errno == EEXIST { throw appeared(target) }
      // Without hard links (FAT, some network drives), the file is renamed after a last check.
      var there = stat()
      if lstat(target, &there) == 0 { throw appeared(target) }
      guard rename(staged, target) == 0 else {
        throw RunFailure(.failed, "name '\(target)': \(SystemError.last)")
      }
    }
    syncFolder(of: target)
    return Int(status.st_size)
  }

  private static func appeared(_ target: String) -> RunFailure {
    RunFailure(.refused, "write '\(target)': a file with that name appeared meanwhile")
  }

  private static func syncFolder(of path: String) {
    let descriptor = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
