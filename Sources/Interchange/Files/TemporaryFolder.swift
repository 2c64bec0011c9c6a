import Foundation

/// A folder that only its owner can read, removed when nobody needs it.
///
/// It is locked while its owner lives, so that a later run can tell and remove what a killed one left behind.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let path: String
  private let lock: Int32

  /// Makes an empty folder under `TMPDIR`.
  /// - Throws: `RunFailure` with status 2 when that cannot be written.
  public init() throws {
    let root = Self.root
    Self.removeLeftovers(in: root)
    while true {
      let path = "\(root)/fleetkit-\(UUID().uuidString)"
      do {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw RunFailure(
          .failed, "make a temporary folder in '\(root)': \(error.localizedDescription)",
          advice: "Set TMPDIR to a folder that can be written.")
      }
      let lock = open(path, O_RDONLY | O_CLOEXEC)
      // Another run may have taken the folder for a leftover before it was locked; then the next one is ours.
      if lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, access(path, F_OK) == 0 {
        self.path = path
        self.lock = lock
        return
      }
      if lock >= 0 { close(lock) }
    }
  }

  deinit {
    remove()
    if lock >= 0 { close(lock) }
  }

  /// Removes the folder and what is in it; doing so twice is no error.
  public func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// The folder for temporary files: what `TMPDIR` says, else `/tmp`.
  public static var root: String {
    let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    return named.isEmpty ? "/tmp" : named.hasSuffix("/") ? String(named.dropLast()) : named
  }

  private static func removeLeftovers(in root: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
      // "fleetkit-" and a UUID, as above; nothing else is ours to remove.
      guard name.hasPrefix("fleetkit-"), name.count == 45 else { continue }
      let descriptor = open(root + "/" + name, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      // The lock of a living owner is held; that of a dead one is free.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: root + "/" + name) }
      close(descriptor)
    }
  }
}
