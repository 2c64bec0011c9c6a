import Foundation

/// A folder for one test, which is removed afterwards.
public final class Scratch: Sendable {
  /// The path of the folder.
  public let path: String

  /// Creates an empty folder.
  public init() {
    path = NSTemporaryDirectory() + "fleetkit-test-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns a path inside the folder.
  public subscript(name: String) -> String { path + "/" + name }

  /// Writes a file and returns its path.
  public func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: self[name]))
    return self[name]
  }

  /// Returns the text of a file in the folder.
  public func text(_ name: String) throws -> String { try String(contentsOfFile: self[name], encoding: .utf8) }

  /// The names of the files in the folder.
  public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
