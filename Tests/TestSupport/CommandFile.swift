import Foundation

/// A command test written as Markdown: a command, what it prints, `2>` lines for standard error, `=>` the status.
public struct CommandFile {
  /// The file's text.
  public let text: String
  private let environment: [String: String]
  private let normalise: (String) -> String

  /// Reads a file.
  /// - Parameters:
  ///   - environment: variables for the commands, in addition to a fixed time.
  ///   - normalise: replaces text that differs from run to run, beyond times and durations.
  public init(
    _ path: String, environment: [String: String] = [:], normalise: @escaping (String) -> String = { $0 }
  ) throws {
    text = try String(contentsOfFile: path, encoding: .utf8)
    self.environment = ["SOURCE_DATE_EPOCH": "1767607872", "TZ": "UTC"].merging(environment) { $1 }
    self.normalise = normalise
  }

  /// Runs all commands in `folder` and returns the file as it should be.
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

  /// A command and what it printed.
  private func run(_ line: String, in folder: Scratch) throws -> [String] {
    let command = String(line.dropFirst(2)).replacing("fleetkit ", with: Paths.command + " ")
    let answer = try Shell.run("/bin/bash", ["-c", command], environment: environment, folder: folder.path)
    var lines = [line] + self.lines(answer.output, folder)
    lines += self.lines(answer.errors, folder).map { $0.isEmpty ? "2>" : "2> " + $0 }
    if answer.status != 0 { lines.append("=> \(answer.status)") }
    return lines + [""]
  }

  /// Lines without text that differs from run to run.
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

  /// A line without ids and the digits of public ids, which are drawn, or depend on a path.
  public static func withoutIDs(_ line: String) -> String {
    line.replacing(/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/, with: "UUID")
      .replacing(/-[0-9A-F]{8}(["'])/, with: { "-DIGITS\($0.output.1)" })
  }

  /// The commands and their standard output, in the order of the file.
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
