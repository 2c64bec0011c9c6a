import Foundation
import Interchange

/// A hidden folder beside a file that is being made, on the same file system, removed when nobody needs it.
///
/// Only its owner can read it. It is locked while its owner lives, so that a later run for the same file can tell and
/// remove what a killed one left behind.
final class StagingFolder {
  /// Where it is.
  let path: String
  private let lock: Int32

  /// Makes an empty folder.
  /// - Throws: `RunFailure` with status 2 when the folder around it cannot be written.
  init(beside target: String) throws {
    let url = URL(fileURLWithPath: target)
    let folder = url.deletingLastPathComponent().path
    let prefix = ".\(url.lastPathComponent).fleetkit-restore-"
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.utf8.starts(with: prefix.utf8) {
      Self.removeIfLeft(folder + "/" + name)
    }
    let path = "\(folder)/\(prefix)\(getpid())-\(UInt32.random(in: .min ... .max))"
    guard mkdir(path, 0o700) == 0 else {
      throw RunFailure(
        .failed, "make a folder beside '\(target)': \(SystemError.last)", advice: "Check the folder that it lies in.")
    }
    self.path = path
    lock = open(path, O_RDONLY | O_CLOEXEC)
    flock(lock, LOCK_EX | LOCK_NB)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    if lock >= 0 { close(lock) }
  }

  private static func removeIfLeft(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // The lock of a living owner is held; that of a dead one is free.
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: path) }
  }
}
