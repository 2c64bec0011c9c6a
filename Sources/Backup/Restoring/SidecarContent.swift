import ContentPack
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// The content that a backup restores into a library's sidecar: the state and the bytes of attachments.
struct SidecarContent {
  private let sidecar: Sidecar
  private var root: OpenFolder { sidecar.folder.root }
  private var state: String { root.path(SidecarFolder.stateName) }

  init(_ sidecar: Sidecar) { self.sidecar = sidecar }

  /// Stores the bytes of attachments, which no record refers to yet.
  /// - Returns: The store, which can remove the new files again.
  func keep(_ snapshot: AssembledSnapshot) throws -> MediaStore {
    let media = MediaStore(sidecar)
    do {
      for (sha256, path) in snapshot.media.sorted(by: { $0.key < $1.key }) { try media.keep(path, sha256: sha256) }
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
