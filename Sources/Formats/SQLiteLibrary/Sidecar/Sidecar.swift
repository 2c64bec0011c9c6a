import Foundation
import Interchange

/// The folder beside a library, `<library>.fleetkit/`: what the app's file has no place for.
///
/// Only its owner can read it. Commands that change the library make it and hold its lock; reading never does.
/// - Source: formats/sqlite-library.md, "The folder beside it"
package final class Sidecar {
  /// The folder, held open; every file in it is reached through it.
  package let folder: SidecarFolder
  private let lock: Int32
  private var isLocked = false

  /// The folder's path.
  package var path: String { folder.root.path }

  /// The parts of the folder that are folders themselves.
  package enum Part: String, CaseIterable {
    /// Copies of the library from before it was changed.
    case backups
    /// What a run needs while it works; empty when none does.
    case staging
    /// Records that could not be imported, with the reasons.
    case rejects
    /// What could not be repaired, as bundles.
    case quarantine
    /// The bytes of attachments, each under its SHA-256.
    case media
    /// What the last runs changed, so that they can be undone.
    case undo
  }

  /// The path of a library's folder, whether it exists or not. Links are followed: one library has one folder.
  package static func path(of library: String) -> String {
    var status = stat()
    guard lstat(library, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return library + ".fleetkit" }
    let real = realpath(library, nil)
    defer { free(real) }
    return (real.map { String(cString: $0) } ?? library) + ".fleetkit"
  }

  /// Makes the folder if need be and takes its lock.
  /// - Throws: `RunFailure` with status 4 when something in the folder is a link or another user's, 7 when another run
  ///   holds the lock, 2 when the folder cannot be made.
  package init(of library: String) throws {
    folder = try SidecarFolder(making: library)
    guard let lock = try folder.root.file("lock", O_RDWR | O_CREAT) else {
      throw RunFailure(.failed, "open '\(folder.root.path("lock"))': it was removed at the same time")
    }
    self.lock = lock
    // A moment of patience: a script starts the next run while the last one ends.
    isLocked = flock(lock, LOCK_EX | LOCK_NB) == 0
    for _ in 0..<20 where !isLocked {
      usleep(50_000)
      isLocked = flock(lock, LOCK_EX | LOCK_NB) == 0
    }
    guard isLocked else {
      throw RunFailure(
        .locked, "change library '\(library)': another fleetkit is changing it",
        advice: "Wait until it has finished.")
    }
    // A killed run left it: with the lock held, no other run works there.
    try folder.part(.staging)?.removeAll()
  }

  deinit {
    // Empty folders would only raise questions; without the lock they are another run's.
    if isLocked {
      for part in Part.allCases { folder.root.removeIfEmpty(part.rawValue) }
    }
    close(lock)
  }

  /// Removes the folder if this run made it: nothing came of the library that it stands beside.
  package func removeIfNew() { if folder.isNew { folder.remove() } }

  /// A part of the folder, made if need be.
  /// - Throws: `RunFailure` with status 4 when it is a link or not a folder, 2 when it cannot be made.
  package func part(_ part: Part) throws -> OpenFolder { try folder.root.makeFolder(part.rawValue) }

  /// A name for what a run leaves behind, the same however often the run is begun: the time when it began first.
  package static func name(of run: StateStore.Run, _ what: String) -> String { "\(run.stamp)-\(what)" }

  /// A name that sorts by time and that no file of a part has yet: `20261121T141500123Z-migrate-1.4.0.sqlite`.
  package func freshName(_ part: Part, _ what: String, _ ending: String) throws -> (folder: OpenFolder, name: String) {
    let folder = try self.part(part)
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyyMMdd'T'HHmmssSSS'Z'"
    while true {
      let stem = "\(formatter.string(from: Date()))-\(what)"
      // Whatever its ending: rejects and their reasons share a name.
      if !folder.names.contains(where: { $0.hasPrefix(stem + ".") }) { return (folder, "\(stem).\(ending)") }
      usleep(1000)
    }
  }
}
