import Foundation
import TestSupport
import Testing

/// Examples in the pages are what the command really prints.
///
/// A block that starts with `$ fleetkit` is run; `…` on a line of its own stands for lines left out. A block after
/// `<!-- file: name -->` is a file that the examples of its page work on.
@Suite struct PageExampleTests {
  @Test(arguments: [
    "README.md", "formats/json-bundle.md", "formats/sqlite-library.md", "docs/migrating.md", "docs/doctor.md",
    "docs/validating.md",
  ])
  func printsWhatThePageSays(_ page: String) throws {
    let text = try String(contentsOfFile: Paths.root + "/" + page, encoding: .utf8)
    let scratch = Scratch()
    try FileManager.default.copyItem(atPath: Paths.root + "/samples", toPath: scratch["samples"])
    try FileManager.default.createDirectory(atPath: scratch["Tests/Fixtures"], withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Paths.libraries, toPath: scratch["Tests/Fixtures/libraries"])
    for match in text.matches(of: /<!-- file: (\S+) -->\n```json\n((?s).*?)```/) {
      _ = try scratch.write(String(match.output.1), String(match.output.2))
    }
    var examples = 0
    for match in text.matches(of: /```\n\$ (fleetkit [^\n]*)\n((?s).*?)```/) {
      let command = String(match.output.1).replacing("fleetkit ", with: Paths.command + " ")
      let answer = try Shell.run("/bin/bash", ["-c", command + " 2>&1"], folder: scratch.path)
      let found = Self.lines(answer.output)
      var rest = found[...]
      var isGap = false
      for line in Self.lines(String(match.output.2)) {
        if line == "…" {
          isGap = true
        } else if isGap {
          let at = try #require(rest.firstIndex(of: line), "\(page): \(match.output.1): \(line)")
          rest = rest[(at + 1)...]
          isGap = false
        } else {
          let next = rest.popFirst()
          try #require(next == line, "\(page): \(match.output.1)")
        }
      }
      #expect(isGap || rest.isEmpty, "\(page): \(match.output.1): \(rest)")
      examples += 1
    }
    #expect(examples > 1)
  }

  private static func lines(_ text: String) -> [String] {
    text.replacing(/in [0-9.]+ s([.;])/, with: { "in … s\($0.output.1)" })
      .replacing(/[0-9]{8}T[0-9]{9}Z/, with: "TIME").split(separator: "\n").map(String.init)
  }
}
