import Foundation

/// The paths of the files that tests need.
public enum Paths {
  /// The root of the package.
  public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// Libraries that the app wrote, with what the app decodes from each.
  public static let libraries = root + "/Tests/Fixtures/libraries"

  /// Official test suites; nil where the folder does not exist.
  public static let suites: String? = {
    let path = ProcessInfo.processInfo.environment["FLEETKIT_SUITES"] ?? root + "/../shared/suites"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()

  /// The command of the same build.
  public static let command: String = {
    if let path = ProcessInfo.processInfo.environment["FLEETKIT_COMMAND"] { return path }
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    for path in [bundle + "/fleetkit", root + "/.build/debug/fleetkit"]
    where FileManager.default.isExecutableFile(atPath: path) { return path }
    return root + "/.build/debug/fleetkit"
  }()
}
