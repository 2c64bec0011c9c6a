import Foundation

/// A new folder that gets its name when all of its files are there.
package final class StagedFolder {
  /// Where its files are written for the time being.
  package let path: String
  private let target: String
  private var isDone = false

  /// Begins it next to where it will be.
  /// - Throws: `RunFailure` with status 4 when the folder is there and not empty, 2 when it cannot be made.
  package init(_ target: Target) throws {
    var folder = target.path
    while folder.utf8.count > 1, folder.utf8.last == UInt8(ascii: "/") { folder = String(folder.dropLast()) }
    self.target = folder
    let files = FileManager.default
    if let there = try? files.contentsOfDirectory(atPath: folder), !there.isEmpty {
      throw RunFailure(
        .refused, "write '\(folder)/': the folder is there and has files in it",
        advice: "Name a folder that is not there yet.")
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

  /// Gives it its name.
  /// - Throws: `RunFailure` when the folder is not empty any more.
  package func publish() throws {
    // Over an empty folder a folder may be moved, over one with files never.
    guard rename(path, target) == 0 else {
      throw RunFailure(.failed, "name '\(target)/': \(SystemError.last)")
    }
    isDone = true
  }

  /// Removes it, unless it has its name.
  package func discard() {
    if !isDone { try? FileManager.default.removeItem(atPath: path) }
  }
}
