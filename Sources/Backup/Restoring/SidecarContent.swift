import ContentPack
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// What a backup puts beside a library: the state and the bytes of attachments.
struct SidecarContent {
  private let sidecar: Sidecar
  private var state: String { sidecar.path + "/state.sqlite" }

  init(_ sidecar: Sidecar) { self.sidecar = sidecar }

  /// Keeps the bytes of attachments; nothing refers to them yet.
  /// - Returns: the store, which can take back what was new.
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

  /// Puts a state where none is.
  func place(state new: String) throws {
    let file = try AtomicFile(state, overwrites: true)
    let source = open(new, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw RunFailure(.failed, "read '\(new)': \(SystemError.last)") }
    defer { close(source) }
    do throws(RunFailure) {
      try FileCopy.copy(from: source, to: file.descriptor)
    } catch {
      throw RunFailure(.failed, "write '\(state)': \(error.message)")
    }
    chmod(file.temporary, 0o600)
    try file.publish()
  }

  /// Copies the state as it is to a file; nothing when there is none.
  /// - Returns: whether there is one.
  func save(stateTo copy: String) throws -> Bool {
    guard access(state, F_OK) == 0 else { return false }
    try SQLiteBackup.copy(from: SQLiteConnection(state, .read), into: SQLiteConnection(copy, .create))
    return true
  }

  /// Makes the state what a file holds, all at once; nil empties it.
  func replace(stateBy new: String?) throws {
    if new == nil, access(state, F_OK) != 0 { return }
    do {
      let target = try SQLiteConnection(state, .create)
      if let new {
        try SQLiteBackup.copy(from: SQLiteConnection(new, .readImmutable), into: target)
        chmod(state, 0o600)
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
