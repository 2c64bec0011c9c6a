import Foundation
import Interchange

/// Renames a file that was made in a folder next to its target, in one step, to the target's name.
enum PublishedFile {
  /// Syncs a file and gives it an unused name.
  /// - Returns: The file's size in bytes.
  /// - Throws: `RunFailure`: 4 if a file with that name exists, 2 if the file cannot be renamed.
  static func publish(_ staged: String, as target: String) throws -> Int {
    let file = open(staged, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw RunFailure(.failed, "read '\(staged)': \(SystemError.last)") }
    defer { close(file) }
    var status = stat()
    guard fsync(file) == 0, fstat(file, &status) == 0 else {
      throw RunFailure(.failed, "write '\(target)': \(SystemError.last)")
    }
    // link() never replaces a file, so no file is lost between the check and the renaming.
    if link(staged, target) != 0 {
      if errno == EEXIST { throw appeared(target) }
      // Without hard links (FAT, some network drives), the file is renamed after a last check.
      var there = stat()
      if lstat(target, &there) == 0 { throw appeared(target) }
      guard rename(staged, target) == 0 else {
        throw RunFailure(.failed, "name '\(target)': \(SystemError.last)")
      }
    }
    syncFolder(of: target)
    return Int(status.st_size)
  }

  private static func appeared(_ target: String) -> RunFailure {
    RunFailure(.refused, "write '\(target)': a file with that name appeared meanwhile")
  }

  private static func syncFolder(of path: String) {
    let descriptor = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
