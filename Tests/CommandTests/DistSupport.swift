import Foundation
import TestSupport
import Testing

/// A command as the parser describes it (`--experimental-dump-help`).
struct CommandHelp {
  /// The words of the command, such as `fleetkit` and `convert`.
  let words: [String]
  /// The help text below the abstract.
  let discussion: String
  /// The heading of each option in the help, by the option's long name; empty for options without a heading.
  let headings: [String: String]
  /// The long names of the options in the help.
  var options: [String] { headings.keys.sorted() }
  /// The subcommands, without the parser's own `help`.
  let commands: [CommandHelp]

  /// Reads one command of the dump.
  init(_ object: [String: Any], below parents: [String] = []) throws {
    let words = parents + [try #require(object["commandName"] as? String)]
    self.words = words
    discussion = object["discussion"] as? String ?? ""
    let arguments = (object["arguments"] as? [[String: Any]] ?? []).filter { $0["shouldDisplay"] as? Bool ?? true }
    var headings: [String: String] = [:]
    for argument in arguments {
      for name in argument["names"] as? [[String: Any]] ?? [] where name["kind"] as? String == "long" {
        if let word = name["name"] as? String { headings[word] = argument["sectionTitle"] as? String ?? "" }
      }
    }
    self.headings = headings
    commands = try (object["subcommands"] as? [[String: Any]] ?? []).filter { $0["commandName"] as? String != "help" }
      .map { try CommandHelp($0, below: words) }
  }

  /// The command and all its subcommands.
  var all: [CommandHelp] { [self] + commands.flatMap(\.all) }

  /// Returns the raw dump.
  static func dump() throws -> String { try Shell.fleetkit("--experimental-dump-help").output }

  /// Returns the command `fleetkit`.
  static func root() throws -> CommandHelp {
    let document = try JSONSerialization.jsonObject(with: Data(try dump().utf8)) as? [String: Any]
    return try CommandHelp(try #require(document?["command"] as? [String: Any]))
  }

  /// Whether the verb exists.
  static func hasVerb(_ name: String) -> Bool {
    ((try? root())?.commands ?? []).contains { $0.words.last == name }
  }
}

/// A documentation page with access to its fenced blocks.
struct DistPage {
  /// The text of the page.
  let text: String

  /// Reads a page by its path relative to the project root.
  init(_ path: String) throws { text = try String(contentsOfFile: Paths.root + "/" + path, encoding: .utf8) }

  /// Returns the fenced blocks of a language, in order.
  func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "\n```").enumerated().filter { index, part in
      index % 2 == 1 && part.hasPrefix(language + "\n")
    }.map { String($0.element.dropFirst(language.count + 1)) + "\n" }
  }
}
