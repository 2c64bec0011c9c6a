import Content
import Foundation
import Interchange
import SQLiteLibrary

/// A backup of a library, made in its sidecar just before the library is replaced. The last three are kept.
final class SavedLibrary {
  private let library: String
  private let sidecar: Sidecar
  private let before: [Int]
  /// The path of the backup.
  let path: String

  private static let ending = "-restore.fleetpack"
  private static let kept = 3

  /// Makes the backup.
  /// - Throws: `RunFailure` with advice if the library is too damaged to be backed up.
  init(
    _ library: String, _ sidecar: Sidecar, onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?
  ) throws {
    self.library = library
    self.sidecar = sidecar
    before = Self.state(of: library)
    let (folder, name) = try sidecar.freshName(.backups, "restore", "fleetpack")
    path = folder.path(name)
    var backup = LibraryBackup(library, to: path)
    backup.onProgress = onProgress
    let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    do {
      _ = try backup.run(context: RunContext(now: now))
    } catch let failure as RunFailure where failure.status == .failed {
      throw RunFailure(
        .failed, "back up '\(library)' before it is replaced: \(failure.message); nothing was changed",
        advice: "If the library is damaged, move it and its -wal and -journal away, and restore without --replace.")
    }
  }

  /// Whether the library has not been written to since.
  var isCurrent: Bool { Self.state(of: library) == before }

  /// Returns the library's state. An empty log counts as no log.
  private static func state(of library: String) -> [Int] {
    let state = WritableLibrary.fileState(library)
    return state[3] > 0 ? state : Array(state[..<3])
  }

  /// Removes the backup if the library was not changed.
  func discard() { unlink(path) }

  /// Removes all but the newest backups.
  func rotate() {
    guard let folder = try? sidecar.folder.part(.backups) else { return }
    let names = folder.names.filter { $0.hasSuffix(Self.ending) && !$0.hasPrefix(".") }
    for name in names.sorted().dropLast(Self.kept) where folder.path(name) != path { folder.remove(name) }
  }
}
