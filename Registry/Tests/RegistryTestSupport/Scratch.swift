import Foundation

/// A folder for one test, which is removed afterwards.
public final class Scratch: Sendable {
  /// The folder.
  public let path: String

  /// Makes an empty folder.
  public init() {
    path = NSTemporaryDirectory() + "registry-test-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns a path inside the folder.
  public subscript(name: String) -> String { path + "/" + name }
}
