import Foundation
import TestSupport
import Testing

/// The man pages that `packaging/manpages.py` generates from the help.
@Suite(.enabled(if: Shell.has("python3"), "python3 is not here"))
struct DistManPageTests {
  private static let sections = [
    "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO",
  ]

  /// Generates the pages for a help dump.
  private func pages(_ help: String, epoch: String = "1750000000") throws -> Scratch {
    let scratch = Scratch()
    let answer = try Shell.run(
      "python3", [Paths.root + "/packaging/manpages.py", "1.2.3", scratch.path], input: help,
      environment: ["SOURCE_DATE_EPOCH": epoch])
    try #require(answer.status == 0, "\(answer.errors)")
    return scratch
  }

  /// Renders a page as `man` does on a wide terminal, and includes groff's warnings.
  private func shown(_ path: String) throws -> Answer {
    try Shell.run(
      "man", ["--warnings", "--local-file", path],
      environment: ["MANWIDTH": "200", "LC_ALL": "C.UTF-8", "TERM": "dumb"]
    )
  }

  @Test func everyCommandHasAPageWithAllOfItsOptionsAndExamples() throws {
    let scratch = try pages(try CommandHelp.dump())
    let commands = try CommandHelp.root().all
    #expect(Set(scratch.names) == Set(commands.map { $0.words.joined(separator: "-") + ".1" }))
    #expect(commands.count > 5)
    for command in commands {
      let page = try scratch.text(command.words.joined(separator: "-") + ".1")
      let found = page.split(separator: "\n").filter { $0.hasPrefix(".Sh ") }.map { String($0.dropFirst(4)) }
      #expect(found.filter(Self.sections.contains) == Self.sections, "\(command.words)")
      #expect(found.contains("EXAMPLES") == command.discussion.contains("EXAMPLES\n"), "\(command.words)")
      for option in command.options {
        let name = "\\-" + option.replacingOccurrences(of: "-", with: "\\-")
        #expect(page.contains("\(name)\n") || page.contains("\(name) "), "\(command.words) \(option)")
      }
    }
  }

  @Test func anExampleMayTakeSeveralLines() throws {
    let help: [String: Any] = [
      "command": [
        "commandName": "tool",
        "discussion":
          "EXAMPLES\n  tool --one \\\n      --two\n      what it does\n  tool   no more\n\nEXIT STATUS\n  0  done",
      ]
    ]
    let scratch = try pages(String(decoding: try JSONSerialization.data(withJSONObject: help), as: UTF8.self))
    let page = try scratch.text("tool.1")
    #expect(page.contains(".It Li \"tool \\-\\-one \\-\\-two\"\nwhat it does\n.It Li tool\nno more\n"), "\(page)")
  }

  @Test func theSameHelpGivesTheSameBytesWithTheDateOfTheEpoch() throws {
    let help = try CommandHelp.dump()
    let first = try pages(help).text("fleetkit.1")
    #expect(try pages(help).text("fleetkit.1") == first)
    #expect(first.contains(".Dd June 15, 2025\n"))
    #expect(try pages(help, epoch: "0").text("fleetkit.1").contains(".Dd January 1, 1970\n"))
  }

  @Test(.enabled(if: Shell.has("mandoc"), "mandoc is not here (make judges)"))
  func mandocFindsNothingWrong() throws {
    let scratch = try pages(try CommandHelp.dump())
    let answer = try Shell.run("mandoc", ["-T", "lint", "-W", "warning"] + scratch.names.map { scratch[$0] })
    #expect(answer.output + answer.errors == "")
  }

  @Test(.enabled(if: Shell.has("man"), "man is not here (make judges)"))
  func groffFindsNothingWrong() throws {
    let scratch = try pages(try CommandHelp.dump())
    for name in scratch.names {
      let answer = try shown(scratch[name])
      #expect(answer.status == 0 && answer.errors.isEmpty, "\(name): \(answer.errors)")
      for section in Self.sections { #expect(answer.output.contains("\n\(section)\n"), "\(name) \(section)") }
    }
  }

  /// Any help text must be treated as text, never as a roff request.
  @Test(.enabled(if: Shell.has("man"), "man is not here (make judges)"))
  func textIsNeverTakenForMarkup() throws {
    let odd = [
      ".so /etc/passwd is text.", "'tis \\fBnot\\fP bold.", #"C:\new\*(xx costs 5 % of "it" – ça va."#,
      "Use --no-loss or -q, well-known names.",
    ]
    let help: [String: Any] = [
      "command": [
        "commandName": "tool", "abstract": ".Odd \\n things.",
        "discussion": odd.joined(separator: "\n\n")
          + "\n\nEXAMPLES\n  tool No Xr 'a\\b' \"c\"   .Sh EXAMPLES\n\nEXIT STATUS\n  0 .done\n  64  'wrong'",
        "arguments": [
          [
            "kind": "option", "names": [["kind": "long", "name": "at"], ["kind": "short", "name": "a"]],
            "valueName": "Op", "abstract": ".Op of 'it'.", "isOptional": true, "isRepeating": true,
            "defaultValue": "\\x",
          ], ["kind": "positional", "valueName": "An", "abstract": "No.", "isOptional": false, "isRepeating": true],
        ],
      ]
    ]
    let scratch = try pages(String(decoding: try JSONSerialization.data(withJSONObject: help), as: UTF8.self))
    let answer = try shown(scratch["tool.1"])
    #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer.errors)")
    let words =
      odd + [
        "tool — .Odd \\n things", "tool No Xr 'a\\b' \"c\"", ".Sh EXAMPLES", "-a, --at Op", "[-a | --at Op] ... An ...",
        ".Op of 'it'.", "The default is \\x.", ".done.", "'wrong'.",
      ]
    // A sentence may be followed by two spaces.
    let text = answer.output.replacing(#/ +/#, with: " ")
    for word in words { #expect(text.contains(word), "\(word)\n\(answer.output)") }
  }
}
