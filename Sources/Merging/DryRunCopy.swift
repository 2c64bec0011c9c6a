import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// A private copy of a library and its ledger, for runs that do everything and leave nothing behind.
final class DryRunCopy {
  /// Where the copy is; nothing is there when the library is not there either.
  let path: String
  private let folder: TemporaryFolder

  /// - Parameter look: looks at the library before it is opened; what it saw is what is copied.
  /// - Throws: `RunFailure`: 7 when another program writes to the library meanwhile, 2 when it cannot be read.
  init(of library: String, look: () throws -> Void = {}) throws {
    let before = WritableLibrary.fileState(library)
    try look()
    folder = try TemporaryFolder()
    path = folder.path + "/" + (library as NSString).lastPathComponent
    guard access(library, F_OK) == 0 else { return }
    do {
      let source = try LibraryFile(library)
      let target = try SQLiteConnection(path, .create)
      try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try SQLiteBackup.copy(from: source.connection, into: target)
      try source.finishCheck()
      guard WritableLibrary.fileState(library) == before else {
        throw RunFailure(
          .locked, "read library '\(library)': another program wrote to it meanwhile",
          advice: "Close the app and run it again.")
      }
      let state = Sidecar.path(of: library)
      guard access(state + "/state.sqlite", F_OK) == 0 else { return }
      try FileManager.default.createDirectory(atPath: path + ".fleetkit", withIntermediateDirectories: true)
      for name in ["state.sqlite", "state.sqlite-journal"] where access(state + "/" + name, F_OK) == 0 {
        try FileManager.default.copyItem(atPath: state + "/" + name, toPath: path + ".fleetkit/" + name)
      }
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, library)
    }
  }
}
