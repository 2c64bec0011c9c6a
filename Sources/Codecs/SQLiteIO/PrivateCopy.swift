import Foundation
import Interchange

/// A copy of a database and its side files in its own folder, which is removed when the copy is no longer needed.
public final class PrivateCopy: Sendable {
  /// The path of the copied database.
  public let path: String
  private let folder: TemporaryFolder

  /// Copies `path`, which may be a link to the database, and its `-wal` and `-journal` if they exist.
  ///
  /// The `-shm` file is not copied: SQLite rebuilds it from the log.
  /// - Throws: `RunFailure` with status 2 if there is no space or no permission.
  public init(of path: String) throws {
    folder = try TemporaryFolder()
    self.path = folder.path + "/library.sqlite"
    let real = realpath(path, nil)
    defer { free(real) }
    // SQLite keeps the log and the journal next to the file that links point to.
    let source = real.map { String(cString: $0) } ?? path
    do {
      for suffix in ["", "-wal", "-journal"] {
        try Self.copy(source + suffix, to: "library.sqlite" + suffix, in: folder.folder, isNeeded: suffix.isEmpty)
      }
    } catch {
      throw RunFailure(
        .failed, "copy library '\(path)' to '\(TemporaryFolder.root)': \(error.message)",
        advice: "A private copy needs disk space there. To use another folder, set TMPDIR.")
    }
  }

  private static func copy(
    _ path: String, to name: String, in folder: OpenFolder, isNeeded: Bool
  ) throws(RunFailure) {
    let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if source < 0, !isNeeded, errno == ENOENT { return }
    guard source >= 0 else { throw RunFailure(.failed, SystemError.last) }
    defer { close(source) }
    // SQLite writes to the copy when it recovers from a journal, even if the source is read-only.
    let target = openat(folder.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard target >= 0 else { throw RunFailure(.failed, SystemError.last) }
    defer { close(target) }
    try FileCopy.copyUnsynced(from: source, to: target)
  }
}
