import Foundation

/// The result of a process.
public struct Answer: Sendable {
  /// The exit status, or 128 + signal when a signal ended the process.
  public let status: Int32
  /// Standard output.
  public let output: String
  /// Standard error.
  public let errors: String
}

/// Runs other programs.
public enum Shell {
  /// Runs a program, given by name or path, and waits for its end.
  public static func run(
    _ program: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
    folder: String? = nil
  ) throws -> Answer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program.hasPrefix("/") ? program : "/usr/bin/env")
    process.arguments = program.hasPrefix("/") ? arguments : [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    let scratch = Scratch()
    let outputPath = scratch["out"]
    let errorPath = scratch["err"]
    for path in [outputPath, errorPath] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    process.standardOutput = FileHandle(forWritingAtPath: outputPath)
    process.standardError = FileHandle(forWritingAtPath: errorPath)
    if let input {
      process.standardInput = FileHandle(forReadingAtPath: try scratch.write("in", input))
    } else {
      process.standardInput = FileHandle.nullDevice
    }
    try process.run()
    process.waitUntilExit()
    let status =
      process.terminationReason == .uncaughtSignal ? 128 + process.terminationStatus : process.terminationStatus
    return Answer(
      status: status,
      output: String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: outputPath))) ?? Data(), as: UTF8.self),
      errors: String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: errorPath))) ?? Data(), as: UTF8.self))
  }

  /// Whether a program is installed. When judges are required, tests are not skipped because of a missing program but
  /// fail.
  public static func has(_ program: String) -> Bool {
    if Judges.areRequired { return true }
    return (try? run("which", [program]).status) == 0
  }
}
