import Foundation

/// The paths of the files that tests need.
public enum Paths {
  /// The root folder of the package.
  public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// The folder of the app's libraries, each with a dump of the values that the app decodes from it.
  public static let libraries = root + "/Tests/Fixtures/libraries"

  /// The folder of the official test suites; nil if it does not exist.
  public static let suites: String? = {
    let path = ProcessInfo.processInfo.environment["FLEETKIT_SUITES"] ?? root + "/../shared/suites"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()

  /// The path of the command from the same build.
  public static let command: String = {
    if let path = ProcessInfo.processInfo.environment["FLEETKIT_COMMAND"] { return path }
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    for path in [bundle + "/fleetkit", root + "/.build/debug/fleetkit"]
    where FileManager.default.isExecutableFile(atPath: path) { return path }
    return root + "/.build/debug/fleetkit"
  }()
}
