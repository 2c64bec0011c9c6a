import Foundation

/// A new folder that gets its name when all of its files are written.
package final class StagedFolder {
  /// The temporary path that its files are written to.
  package let path: String
  private let target: String
  private var isDone = false

  /// Begins the folder next to its target.
  /// - Throws: `RunFailure` with status 4 if the target exists and is not empty, 2 if the folder cannot be made.
  package init(_ target: Target) throws {
    var folder = target.path
    while folder.utf8.count > 1, folder.utf8.last == UInt8(ascii: "/") { folder = String(folder.dropLast()) }
    self.target = folder
    let files = FileManager.default
    if let there = try? files.contentsOfDirectory(atPath: folder), !there.isEmpty {
      throw RunFailure(
        .refused, "write '\(folder)/': the folder exists and is not empty",
        advice: "Name a new folder.")
    }
    let url = URL(fileURLWithPath: folder)
    path = url.deletingLastPathComponent().path + "/.\(url.lastPathComponent).fleetkit-\(UUID().uuidString).tmp"
    do {
      try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw RunFailure(.failed, "write '\(folder)/': \(error.localizedDescription)", advice: "Check the folder.")
    }
  }

  deinit { discard() }

  /// Gives the folder its name.
  /// - Throws: `RunFailure` if the target is no longer empty.
  package func publish() throws {
    // A folder can replace an empty folder, but never a folder with files.
    guard rename(path, target) == 0 else {
      throw RunFailure(.failed, "name '\(target)/': \(SystemError.last)")
    }
    isDone = true
  }

  /// Removes the folder, unless it already has its name.
  package func discard() {
    if !isDone { try? FileManager.default.removeItem(atPath: path) }
  }
}
