import Foundation

/// A command test written as Markdown: a command and its output, with `2>` before lines of standard error, and `=>`
/// before the exit status.
public struct CommandFile {
  /// The text of the file.
  public let text: String
  private let environment: [String: String]
  private let normalise: (String) -> String

  /// Reads a command file.
  /// - Parameters:
  ///   - environment: variables for the commands, in addition to a fixed time.
  ///   - normalise: replaces text that differs from run to run, in addition to times and durations.
  public init(
    _ path: String, environment: [String: String] = [:], normalise: @escaping (String) -> String = { $0 }
  ) throws {
    text = try String(contentsOfFile: path, encoding: .utf8)
    self.environment = ["SOURCE_DATE_EPOCH": "1767607872", "TZ": "UTC"].merging(environment) { $1 }
    self.normalise = normalise
  }

  /// Runs all commands in `folder` and returns the file with their actual output.
  public func run(in folder: Scratch) throws -> String {
    var result: [String] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```"), isInside {
        if result.last == "" { result.removeLast() }
        isInside = false
        result.append(line)
      } else if isInside {
        if line.hasPrefix("$ ") { result += try run(line, in: folder) }
      } else {
        isInside = line == "```console"
        result.append(line)
      }
    }
    return result.joined(separator: "\n")
  }

  /// Runs a command and returns its output.
  private func run(_ line: String, in folder: Scratch) throws -> [String] {
    let command = String(line.dropFirst(2)).replacing("fleetkit ", with: Paths.command + " ")
    let answer = try Shell.run("/bin/bash", ["-c", command], environment: environment, folder: folder.path)
    var lines = [line] + self.lines(answer.output, folder)
    lines += self.lines(answer.errors, folder).map { $0.isEmpty ? "2>" : "2> " + $0 }
    if answer.status != 0 { lines.append("=> \(answer.status)") }
    return lines + [""]
  }

  /// Returns the lines without text that differs from run to run.
  private func lines(_ text: String, _ folder: Scratch) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines.map {
      normalise(
        $0.replacing(folder.path, with: "FOLDER")
          .replacing(/(in|after) [0-9.]+ s\b/, with: { "\($0.output.1) … s" })
          .replacing(/"(seconds|copy_seconds|sum|p50|p90|p99)":[0-9.e-]+/, with: { "\"\($0.output.1)\":0" })
          .replacing(/"(started|finished)":"[^"]*"/, with: { "\"\($0.output.1)\":\"TIME\"" })
          .replacing(/[0-9]{8}T[0-9]{6,9}Z/, with: "TIME"))
    }
  }

  /// Returns a line without ids and without the digits of public ids, which are random or depend on a path.
  public static func withoutIDs(_ line: String) -> String {
    line.replacing(/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/, with: "UUID")
      .replacing(/-[0-9A-F]{8}(["'])/, with: { "-DIGITS\($0.output.1)" })
  }

  /// The commands and their standard output, in file order.
  public var outputs: [(command: String, output: [String])] {
    var outputs: [(command: String, output: [String])] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if line.hasPrefix("$ ") {
        outputs.append((String(line.dropFirst(2)), []))
      } else if isInside, !line.isEmpty, !line.hasPrefix("2>"), !line.hasPrefix("=> "), let last = outputs.indices.last
      {
        outputs[last].output.append(line)
      }
    }
    return outputs
  }
}
