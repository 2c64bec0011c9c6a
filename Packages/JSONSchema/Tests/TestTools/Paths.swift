import Foundation

/// The paths of the files that tests need.
public enum Paths {
  /// The root folder of the repository.
  public static let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    .path

  /// The folder of the official test suites; nil if it does not exist.
  public static let suites: String? = {
    let path = ProcessInfo.processInfo.environment["FLEETKIT_SUITES"] ?? root + "/../shared/suites"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()
}
