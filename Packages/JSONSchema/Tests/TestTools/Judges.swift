import Foundation
import Testing

/// Other programs with which our results are compared.
///
/// The Python judges are in the folder that FLEETKIT_JUDGES names, or else in `.build/judges` (`make judges`). Tests
/// that need a missing judge are skipped; with FLEETKIT_REQUIRE_JUDGES=1 they run and fail.
public enum Judges {
  /// The reason for which tests that need a judge are skipped.
  public static let reason: Comment =
    "the judge is not installed (make judges), or the folder of official suites is not there (FLEETKIT_SUITES)"

  /// Whether a missing judge is a failure.
  public static let areRequired = ProcessInfo.processInfo.environment["FLEETKIT_REQUIRE_JUDGES"] == "1"

  private static let folder =
    ProcessInfo.processInfo.environment["FLEETKIT_JUDGES"] ?? Paths.root + "/.build/judges"

  /// The path of the judges' Python.
  public static let python = path("python")

  /// Returns the path of a program in the judges' Python environment, whether or not the program exists.
  public static func path(_ program: String) -> String { folder + "/bin/" + program }

  /// Returns the path of a file that was installed with the judges, whether or not the file exists.
  public static func file(_ name: String) -> String { folder + "/" + name }

  /// Whether tests that need a program in the judges' Python environment run.
  public static func has(_ program: String) -> Bool {
    areRequired || FileManager.default.isExecutableFile(atPath: path(program))
  }

  /// Whether tests that need a module in the judges' Python environment run.
  public static func has(module: String) -> Bool {
    if areRequired { return true }
    return has("python") && (try? Shell.run(python, ["-c", "import \(module)"]).status) == 0
  }

  /// Whether tests that need a file of the official suites run. The suites do not count as judges: without their
  /// folder, these tests cannot run.
  public static func has(suite name: String) -> Bool {
    Paths.suites.map { FileManager.default.fileExists(atPath: $0 + "/" + name) } ?? false
  }

  /// Returns the path of a file in the official suites, whether or not the file exists.
  public static func suite(_ name: String) -> String { (Paths.suites ?? "(no suites)") + "/" + name }

  /// Runs a program in the judges' Python environment.
  public static func run(
    _ program: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
    folder: String = Paths.root
  ) throws -> Answer {
    try Shell.run(path(program), arguments, input: input, environment: environment, folder: folder)
  }
}
