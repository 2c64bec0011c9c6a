import ArgumentParser
import FleetKit

/// A word that is typed where a verb is expected and names none.
struct UnknownVerb {
  /// What to print: the word, the verb or topic that is probably meant, and how the command is used.
  let message: String

  /// Looks at the words behind `fleetkit`.
  /// - Returns: nil when each word names a verb as far as verbs are expected; the parser judges the rest.
  init?(_ words: [String]) {
    let isHelp = words.first == Self.help
    var parents: [any ParsableCommand.Type] = [FleetKitCommand.self]
    for word in isHelp ? words.dropFirst() : words[...] {
      // Options of a command that only has verbs are those of the parser.
      if word.hasPrefix("-") {
        if isHelp { continue }
        return nil
      }
      let parent = parents.last ?? FleetKitCommand.self
      let verbs = parent.configuration.subcommands
      if let next = verbs.first(where: { $0.configuration.commandName == word }) {
        parents.append(next)
        continue
      }
      // `fleetkit queue LIBRARY`: the word belongs to the verb's default.
      let takesWords = verbs.isEmpty || !isHelp && parent.configuration.defaultSubcommand != nil
      if takesWords || parents.count == 1 && word == Self.help { return nil }
      message = Self.message(word, parents, isHelp: isHelp)
      return
    }
    return nil
  }

  private static let help = "help"

  private static func message(_ word: String, _ parents: [any ParsableCommand.Type], isHelp: Bool) -> String {
    let parent = parents.last ?? FleetKitCommand.self
    var known = parent.configuration.subcommands.compactMap { $0.configuration.commandName }
    if parents.count == 1 { known += isHelp ? HelpTopic.allCases.map(\.rawValue) : [help] }
    let command = parents.compactMap { $0.configuration.commandName }.joined(separator: " ")
    let meant = Spelling.nearest(to: word, among: known).map { " Did you mean '\($0)'?" } ?? ""
    return """
      \(FleetKitCommand._errorPrefix)there is no verb \(isHelp ? "or topic " : "")'\(TerminalText.escape(word))'.\(meant)
      Usage: \(FleetKitCommand.usageString(for: parent))
        See '\(command) --help' for more information.
      """
  }
}

/// A page of the help that is not about a verb.
enum HelpTopic: String, CaseIterable {
  case exitStatus = "exit-status"

  /// The topic that `fleetkit help TOPIC` asks for; nil when the words ask for something else.
  init?(_ words: [String]) {
    guard words.count == 2, words[0] == "help" else { return nil }
    switch words[1].lowercased() {
    case Self.exitStatus.rawValue, "exit", "status", "exit-code", "exit-codes": self = .exitStatus
    default: return nil
    }
  }

  /// What is printed.
  var text: String {
    switch self {
    case .exitStatus:
      """
      EXIT STATUS
      \(Self.statuses)

      When several apply, the first of these counts:
        \(ExitStatus.precedence.map { String($0.rawValue) }.joined(separator: " "))

      The help of a verb lists what a status means there: fleetkit help sync
      """
    }
  }

  /// Each status with its meaning, one a line.
  static let statuses = ExitStatus.allCases.map { status in
    let number = String(status.rawValue)
    return "  \(number)\(String(repeating: " ", count: 5 - number.utf8.count))\(meaning(of: status))"
  }.joined(separator: "\n")

  private static func meaning(of status: ExitStatus) -> String {
    switch status {
    case .success: "done"
    case .findings: "findings or differences"
    case .failed: "failed, nothing written"
    case .partial: "some records rejected, the rest done"
    case .refused: "refused"
    case .mismatch: "a proof does not match"
    case .newer: "something newer than this FleetKit"
    case .locked: "locked by another program"
    case .usage: "wrong usage"
    case .unreachable: "a registry is not reached, or libxml2 is missing"
    case .internalError: "internal error"
    case .signInNeeded: "sign-in needed"
    case .interrupted: "interrupted"
    }
  }
}
