import Foundation
import Interchange

/// A copy of a database with its side files in a folder of its own, removed when nobody needs it.
public final class PrivateCopy: Sendable {
  /// The copied database.
  public let path: String
  private let folder: TemporaryFolder

  /// Copies `path` and those of its `-wal` and `-journal` that are there.
  ///
  /// The `-shm` is left out: SQLite builds it again from the log.
  /// - Throws: `RunFailure` with status 2 when there is no room or no permission.
  public init(of path: String) throws {
    let manager = FileManager.default
    folder = try TemporaryFolder()
    self.path = folder.path + "/library.sqlite"
    do {
      try manager.copyItem(atPath: path, toPath: self.path)
      for suffix in ["-wal", "-journal"] where manager.fileExists(atPath: path + suffix) {
        try manager.copyItem(atPath: path + suffix, toPath: self.path + suffix)
      }
      // A read-only source gives a read-only copy; recovering a journal writes into it.
      for name in try manager.contentsOfDirectory(atPath: folder.path) {
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path + "/" + name)
      }
    } catch {
      throw RunFailure(
        .failed, "copy library '\(path)' to '\(TemporaryFolder.root)': \(error.localizedDescription)",
        advice: "It needs room for a private copy there; TMPDIR names another folder.")
    }
  }
}
