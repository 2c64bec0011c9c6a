import Foundation
import Testing

/// Other programs that our results are compared with.
///
/// Those written in Python are in the folder that FLEETKIT_JUDGES names, or else in `.build/judges` (`make judges`).
/// Where one is missing, tests that need it are skipped; with FLEETKIT_REQUIRE_JUDGES=1 they run and fail.
public enum Judges {
  /// Why tests that need one are skipped.
  public static let reason: Comment =
    "the judge is not installed (make judges), or the folder of official suites is not there (FLEETKIT_SUITES)"

  /// Whether a missing judge is a failure.
  public static let areRequired = ProcessInfo.processInfo.environment["FLEETKIT_REQUIRE_JUDGES"] == "1"

  private static let folder =
    ProcessInfo.processInfo.environment["FLEETKIT_JUDGES"] ?? Paths.root + "/.build/judges"

  /// The judges' Python.
  public static let python = path("python")

  /// The path of a program of the judges' Python, whether or not it exists.
  public static func path(_ program: String) -> String { folder + "/bin/" + program }

  /// A file that was installed with the judges, whether or not it exists.
  public static func file(_ name: String) -> String { folder + "/" + name }

  /// Whether tests that need a program of the judges' Python run.
  public static func has(_ program: String) -> Bool {
    areRequired || FileManager.default.isExecutableFile(atPath: path(program))
  }

  /// Whether tests that need a module of the judges' Python run.
  public static func has(module: String) -> Bool {
    if areRequired { return true }
    return has("python") && (try? Shell.run(python, ["-c", "import \(module)"]).status) == 0
  }

  /// Whether tests that need a file of the official suites run. The suites are not a judge: where their folder is
  /// missing, these tests cannot run.
  public static func has(suite name: String) -> Bool {
    Paths.suites.map { FileManager.default.fileExists(atPath: $0 + "/" + name) } ?? false
  }

  /// A file of the official suites, whether or not it exists.
  public static func suite(_ name: String) -> String { (Paths.suites ?? "(no suites)") + "/" + name }

  /// Runs a program of the judges' Python.
  public static func run(
    _ program: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
    folder: String = Paths.root
  ) throws -> Answer {
    try Shell.run(path(program), arguments, input: input, environment: environment, folder: folder)
  }
}
