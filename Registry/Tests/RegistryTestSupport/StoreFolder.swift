import Foundation

/// A folder for one test, which is removed afterwards.
public final class StoreFolder: Sendable {
  /// The folder.
  public let path: String

  /// Makes an empty folder.
  public init() {
    path = NSTemporaryDirectory() + "fleetkit-registry-test-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns a path inside the folder.
  public subscript(name: String) -> String { path + "/" + name }

  /// Returns the bytes of all files in the folder, by name.
  public func files() throws -> [String: Data] {
    var all: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      all[name] = try Data(contentsOf: URL(fileURLWithPath: self[name]))
    }
    return all
  }
}
