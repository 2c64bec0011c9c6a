import Foundation
import TestSupport
import Testing

/// A command as the parser describes it (`--experimental-dump-help`).
struct CommandHelp {
  /// Its words, such as `fleetkit` and `convert`.
  let words: [String]
  /// The help's text below the abstract.
  let discussion: String
  /// The heading of each option that the help shows, by its long name; empty for those without one.
  let headings: [String: String]
  /// The long names of its options that the help shows.
  var options: [String] { headings.keys.sorted() }
  /// Commands below it; not the parser's own `help`.
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

  /// It and everything below it.
  var all: [CommandHelp] { [self] + commands.flatMap(\.all) }

  /// The dump itself.
  static func dump() throws -> String { try Shell.fleetkit("--experimental-dump-help").output }

  /// The command `fleetkit`.
  static func root() throws -> CommandHelp {
    let document = try JSONSerialization.jsonObject(with: Data(try dump().utf8)) as? [String: Any]
    return try CommandHelp(try #require(document?["command"] as? [String: Any]))
  }

  /// Whether the verb exists.
  static func hasVerb(_ name: String) -> Bool {
    ((try? root())?.commands ?? []).contains { $0.words.last == name }
  }
}

/// A page of the documentation, with the text between its fences.
struct DistPage {
  /// Its text.
  let text: String

  /// Reads a page by its path from the root.
  init(_ path: String) throws { text = try String(contentsOfFile: Paths.root + "/" + path, encoding: .utf8) }

  /// The blocks of a language, in order.
  func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "\n```").enumerated().filter { index, part in
      index % 2 == 1 && part.hasPrefix(language + "\n")
    }.map { String($0.element.dropFirst(language.count + 1)) + "\n" }
  }
}
