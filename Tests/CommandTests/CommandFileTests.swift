import Foundation
import TestSupport
import Testing

/// Command tests written as Markdown: a command, what it prints, `2>` lines for standard error, `=>` the status.
///
/// `FLEETKIT_RECORD=1` writes what the commands print into the files.
@Suite struct CommandFileTests {
  private static let folder = Golden.folder + "/commands"
  static let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
    $0.hasSuffix(".md")
  }.sorted()

  @Test(arguments: files)
  func printsWhatTheFileSays(_ name: String) throws {
    let path = Self.folder + "/" + name
    let text = try String(contentsOfFile: path, encoding: .utf8)
    // Every file of commands works in a folder of its own, with the samples in it.
    let scratch = Scratch()
    try FileManager.default.copyItem(atPath: Paths.root + "/samples", toPath: scratch["samples"])
    try FileManager.default.copyItem(atPath: Paths.libraries, toPath: scratch["libraries"])
    var result: [String] = []
    var isInside = false
    var block: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```"), isInside {
        result += try Self.run(block, in: scratch)
        block = []
        isInside = false
        result.append(line)
      } else if line == "```console" {
        isInside = true
        result.append(line)
      } else if isInside {
        block.append(line)
      } else {
        result.append(line)
      }
    }
    try Golden.compare(result.joined(separator: "\n"), with: "commands/" + name)
  }

  /// Runs every `$ ` line of a block and answers the block as it should be.
  private static func run(_ block: [String], in scratch: Scratch) throws -> [String] {
    var lines: [String] = []
    for line in block where line.hasPrefix("$ ") {
      let command = String(line.dropFirst(2)).replacing("fleetkit ", with: Paths.command + " ")
      let answer = try Shell.run(
        "/bin/bash", ["-c", command], environment: ["SOURCE_DATE_EPOCH": "1767607872", "TZ": "UTC"],
        folder: scratch.path)
      lines.append(line)
      lines += Self.lines(answer.output)
      lines += Self.lines(answer.errors).map { $0.isEmpty ? "2>" : "2> " + $0 }
      if answer.status != 0 { lines.append("=> \(answer.status)") }
      lines.append("")
    }
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// Lines without what differs from run to run.
  private static func lines(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines.map {
      $0.replacing(/(in|after) [0-9.]+ s\./, with: { "\($0.output.1) … s." }).replacing(
        /"seconds":[0-9.]+/, with: "\"seconds\":0"
      )
      .replacing(/[0-9]{8}T[0-9]{9}Z/, with: "TIME")
    }
  }
}
