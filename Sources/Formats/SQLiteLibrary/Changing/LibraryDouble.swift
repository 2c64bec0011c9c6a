import Foundation
import Interchange
import SQLiteIO

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
