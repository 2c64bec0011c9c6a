import Foundation
import Interchange
import SQLiteIO

/// Where a run does everything and leaves nothing behind.
///
/// The library and its ledger are used where they are, and what is written to them goes to temporary files
/// (`SQLiteConnection.Access.overlay`): what nothing changes is never copied. A library with a write-ahead log, or with a
/// journal of an interrupted write, is copied first.
package final class Rehearsal {
  /// The library that is opened: the user's own, or a copy of it. Nothing is there when the library is not there.
  package let path: String
  /// Whether it is the user's own.
  package let isInPlace: Bool
  private let folder: TemporaryFolder
  private let name: String
  /// The ledger, used where it is; nil where there is none, or it was copied.
  private var store: String?

  /// - Parameter look: looks at a library before it is copied; what it saw is what is copied.
  /// - Throws: `RunFailure`: 7 when another program writes to the library meanwhile, 2 when it cannot be read.
  package init(of library: String, look: () throws -> Void = {}) throws {
    folder = try TemporaryFolder()
    name = folder.path + "/" + (library as NSString).lastPathComponent
    let isThere = access(library, F_OK) == 0
    isInPlace = try isThere && LibraryFile.isPlain(library)
    path = isInPlace ? library : name
    if isThere, !isInPlace { try copy(library, look) }
    if isThere { try takeStore(of: library) }
  }

  /// Opens the library for this run alone.
  package func open(_ path: String) throws -> WritableLibrary {
    // A copy was checked while it was made.
    try isInPlace
      ? WritableLibrary(rehearsing: path, sidecar: Sidecar(of: name)) : WritableLibrary(path, checkingPages: false)
  }

  /// Opens the ledger for this run alone.
  package func store(_ sidecar: Sidecar) throws -> StateStore {
    let store = try StateStore(sidecar, rehearsing: store)
    // What is thrown away need not survive a power cut.
    try store.connection.execute("PRAGMA synchronous = OFF")
    return store
  }

  private func copy(_ library: String, _ look: () throws -> Void) throws {
    let before = WritableLibrary.fileState(library)
    try look()
    do {
      let source = try LibraryFile(library)
      let target = try SQLiteConnection(name, .create, .own)
      try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try SQLiteBackup.copy(from: source.connection, into: target)
      try source.finishCheck()
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, library)
    }
    guard WritableLibrary.fileState(library) == before else { throw changed(library) }
  }

  private func takeStore(of library: String) throws {
    guard let sidecar = try SidecarFolder(of: library), let state = try sidecar.state() else { return }
    if sidecar.root.entry(SidecarFolder.stateName + "-journal") == .nothing { return store = state }
    // A run that was killed left it, or one works just now.
    let before = WritableLibrary.fileState(state)
    try sidecar.copyState(to: SidecarFolder(making: name))
    guard WritableLibrary.fileState(state) == before else { throw changed(library) }
  }

  private func changed(_ library: String) -> RunFailure {
    RunFailure(
      .locked, "read library '\(library)': another program wrote to it meanwhile",
      advice: "Close the app and run it again.")
  }
}

/// A copy of a library and of what lies beside it that commands need, on which everything can be tried; gone afterwards.
package final class LibraryDouble {
  /// The copied library.
  package let path: String
  private let folder: TemporaryFolder

  /// Copies.
  /// - Throws: `RunFailure`: 2 when it cannot be read or there is no room, 7 when another program writes to it.
  package init(of library: String) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/" + (library as NSString).lastPathComponent
    do {
      let source = try LibraryFile(library)
      let target = try SQLiteConnection(path, .create, .own)
      try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try SQLiteBackup.copy(from: source.connection, into: target)
      try source.finishCheck()
      if let sidecar = try SidecarFolder(of: library), try sidecar.state() != nil {
        try sidecar.copyState(to: SidecarFolder(making: path))
      }
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, library)
    }
  }
}
