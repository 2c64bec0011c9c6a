import Foundation
import Interchange

/// The folder beside a library, `<library>.fleetkit/`: what the app's file has no place for.
///
/// Only its owner can read it. Commands that change the library make it and hold its lock; reading never does.
/// - Source: formats/sqlite-library.md, "The folder beside it"
package final class Sidecar {
  /// The folder.
  package let path: String
  private let lock: Int32
  private var isLocked = false
  /// Whether the folder was not there before.
  package let isNew: Bool

  /// What lies in the folder.
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

  /// Where the folder of a library is, whether it exists or not. Links are followed: one library has one folder.
  package static func path(of library: String) -> String {
    var status = stat()
    guard lstat(library, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return library + ".fleetkit" }
    let real = realpath(library, nil)
    defer { free(real) }
    return (real.map { String(cString: $0) } ?? library) + ".fleetkit"
  }

  /// Makes the folder if need be and takes its lock.
  /// - Throws: `RunFailure` with status 7 when another run holds it, 2 when the folder cannot be made.
  package init(of library: String) throws {
    path = Self.path(of: library)
    isNew = access(path, F_OK) != 0
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RunFailure(
        .failed, "make the folder '\(path)': \(error.localizedDescription)",
        advice: "Changing a library needs room for its backups beside it.")
    }
    chmod(path, 0o700)
    lock = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw RunFailure(.failed, "open '\(path)/lock': \(SystemError.last)") }
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
    // What a killed run left behind; the lock says that it is nobody's.
    let staging = path + "/" + Part.staging.rawValue
    for name in (try? FileManager.default.contentsOfDirectory(atPath: staging)) ?? [] {
      try? FileManager.default.removeItem(atPath: staging + "/" + name)
    }
  }

  deinit {
    // Empty folders would only raise questions; without the lock they are somebody else's.
    if isLocked {
      for part in Part.allCases { rmdir(path + "/" + part.rawValue) }
    }
    if lock >= 0 { close(lock) }
  }

  /// Removes the folder if this run made it: nothing came of the library that it stands beside.
  package func removeIfNew() {
    if isNew { try? FileManager.default.removeItem(atPath: path) }
  }

  /// The path of a part, made if need be.
  /// - Throws: `RunFailure` with status 2 when it cannot be made.
  package func folder(_ part: Part) throws -> String {
    let folder = path + "/" + part.rawValue
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RunFailure(.failed, "make the folder '\(folder)': \(error.localizedDescription)")
    }
    return folder
  }

  /// A name for what a run leaves behind, the same however often the run is begun: the time when it began first.
  package func name(_ part: Part, of run: StateStore.Run, _ what: String, _ ending: String? = nil) throws -> String {
    "\(try folder(part))/\(run.stamp)-\(what)" + (ending.map { "." + $0 } ?? "")
  }

  /// A name that sorts by time and that no file of a part has yet: `20261121T141500123Z-migrate-1.4.0.sqlite`.
  package func freshName(_ part: Part, _ what: String, _ ending: String) throws -> String {
    let folder = try folder(part)
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyyMMdd'T'HHmmssSSS'Z'"
    while true {
      let stem = "\(formatter.string(from: Date()))-\(what)"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      // Whatever its ending: rejects and their reasons share a name.
      if !names.contains(where: { $0.hasPrefix(stem + ".") }) { return "\(folder)/\(stem).\(ending)" }
      usleep(1000)
    }
  }
}
