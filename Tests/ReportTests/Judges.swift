import Foundation
import TestSupport

/// Other people's programs that read our reports.
enum Judges {
  /// Why the tests that need a program are skipped.
  static let reason: String = "the judge is not installed; 'make judges' installs it"

  /// A program of the judges' Python; where judges are required, a missing one fails when it is run.
  static func python(_ program: String) -> String {
    let folder = ProcessInfo.processInfo.environment["FLEETKIT_JUDGES"] ?? Paths.root + "/.build/judges"
    return folder + "/bin/" + program
  }

  /// Whether the tests with a program and a file of the suites run.
  static func has(_ program: String, _ suite: String) -> Bool {
    // The suites are no judge: where their folder is missing, nobody can be asked.
    guard let suites = Paths.suites, FileManager.default.fileExists(atPath: suites + "/" + suite) else { return false }
    if ProcessInfo.processInfo.environment["FLEETKIT_REQUIRE_JUDGES"] == "1" { return true }
    return program.hasPrefix("/") ? FileManager.default.isExecutableFile(atPath: program) : Shell.has(program)
  }

  /// A file of the suites.
  static func suite(_ name: String) -> String { (Paths.suites ?? "(no suites)") + "/" + name }
}
