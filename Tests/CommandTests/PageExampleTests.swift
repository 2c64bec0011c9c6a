import FleetKit
import Foundation
import TestSupport
import Testing

/// The examples in the documentation pages, which must show what the command really prints.
///
/// A block is run when it starts with `$ fleetkit` or with `$` and a small tool that changes or shows a file. Every
/// further line that starts with `$` is one more command. A line that contains only `…` represents omitted lines. A
/// block after `<!-- file: name -->` is a file that the other examples on the page use.
@Suite struct PageExampleTests {
  /// The page of each format, and other pages with examples.
  private static let pages =
    Set(FormatRegistry.standard.formats.map { "formats/\($0.descriptor.page).md" }).sorted()
    + [
      "README.md", "docs/first-hour.md", "docs/migrating.md", "docs/importing.md", "docs/diffing.md",
      "docs/doctor.md", "docs/exit-status.md", "docs/signing-packs.md", "docs/validating.md", "docs/backups.md",
      "formats/backup.md", "formats/tables.md", "docs/merging.md", "docs/plans.md", "docs/proof.md",
      "docs/publishing.md",
    ]

  @Test(arguments: pages)
  func printsWhatThePageSays(_ page: String) throws {
    let text = try String(contentsOfFile: Paths.root + "/" + page, encoding: .utf8)
    let scratch = Scratch()
    try FileManager.default.copyItem(atPath: Paths.root + "/samples", toPath: scratch["samples"])
    try FileManager.default.createDirectory(atPath: scratch["Tests/Fixtures"], withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Paths.libraries, toPath: scratch["Tests/Fixtures/libraries"])
    try FileManager.default.copyItem(
      atPath: Paths.root + "/Tests/Fixtures/matrix", toPath: scratch["Tests/Fixtures/matrix"])
    for match in text.matches(of: /<!-- file: ([^>\n]+) -->\n```[a-z]+\n((?s).*?)```/) {
      let name = String(match.output.1)
      let folder = (scratch[name] as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      _ = try scratch.write(name, String(match.output.2))
    }
    var examples = 0
    for match in text.matches(of: /```\n(\$ (?:fleetkit|cat|cp|find|sed) (?s).*?)```/) {
      for example in Self.examples(String(match.output.1)) {
        try run(example, in: scratch, page)
        examples += 1
      }
    }
    #expect(examples > 1)
  }

  private struct Example {
    let command: String
    var output: [String] = []
  }

  private static func examples(_ block: String) -> [Example] {
    var examples: [Example] = []
    for line in block.split(separator: "\n").map(String.init) {
      if line.hasPrefix("$ ") {
        examples.append(Example(command: String(line.dropFirst(2))))
      } else {
        examples[examples.count - 1].output.append(line)
      }
    }
    return examples
  }

  private func run(_ example: Example, in scratch: Scratch, _ page: String) throws {
    var command = example.command
    if command.hasPrefix("fleetkit ") { command = command.replacing("fleetkit ", with: Paths.command + " ") }
    // Backups contain the time at which they were made.
    let showsTimes = page.contains("backup") || ["README.md", "docs/first-hour.md"].contains(page)
    let clock = showsTimes ? "export SOURCE_DATE_EPOCH=1767607872; " : ""
    let answer = try Shell.run(
      "/bin/bash", ["-c", "export LC_ALL=C; " + clock + command + " 2>&1"], folder: scratch.path)
    let found = Self.lines(answer.output)
    var rest = found[...]
    var isGap = false
    for line in example.output.map(Self.plain) {
      if line == "…" {
        isGap = true
      } else if isGap {
        let at = try #require(rest.firstIndex(of: line), "\(page): \(example.command): \(line)")
        rest = rest[(at + 1)...]
        isGap = false
      } else {
        let next = rest.popFirst()
        try #require(next == line, "\(page): \(example.command)")
      }
    }
    #expect(isGap || rest.isEmpty, "\(page): \(example.command): \(rest)")
  }

  private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map { plain(String($0)) } }

  /// Returns a line of output without the parts that differ from run to run.
  private static func plain(_ line: String) -> String {
    line.replacing(/in [0-9.]+ s([.;])/, with: { "in … s\($0.output.1)" })
      .replacing(/[0-9]{8}T[0-9]{9}Z/, with: "TIME")
  }
}
