import ArgumentParser
import FleetKit
import Foundation

/// The command `fleetkit`, with one subcommand per task.
@main
struct FleetKitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleetkit",
    abstract: "Move sailing content between AnyFleet libraries and files without losing anything.",
    discussion: """
      A library is the app's SQLite file (anyfleet.sqlite). A bundle is a JSON file with the same content, \
      either one record per line (.jsonl) or one document (.json). Sources are never changed. A new file gets its \
      name only when it is complete and on disk. A library is changed in one transaction or not at all.

      EXAMPLES
        fleetkit inspect anyfleet.sqlite                     show what is in it
        fleetkit export anyfleet.sqlite --to backup.jsonl    export everything
        fleetkit convert backup.jsonl --to new.sqlite        make a library from it
        fleetkit diff anyfleet.sqlite new.sqlite             compare their content
        fleetkit import curated.jsonl --into new.sqlite      add content to it
        fleetkit apply plan.json                             apply an import plan
        fleetkit migrate anyfleet.sqlite                     upgrade its schema
        fleetkit verify nightly.fleetpack --restore          test-restore a backup
        fleetkit restore nightly.fleetpack --to new.sqlite   restore a backup
        fleetkit doctor anyfleet.sqlite                      find problems in it
        fleetkit validate content/                           check content
        fleetkit publish anyfleet.sqlite --id 43A324AA       queue it for publication
        fleetkit serve --dev --database try.sqlite           run a test registry

      COMPLETIONS
        The packages install completions for bash, zsh and fish. To print them:
        fleetkit --generate-completion-script bash           or zsh, or fish

      EXIT STATUS
      \(HelpTopic.statuses)
      """,
    version: "0.1.0",
    groupedSubcommands: [
      CommandGroup(
        name: "Move content",
        subcommands: [ImportVerb.self, ExportVerb.self, ConvertVerb.self, ApplyVerb.self, MergeVerb.self]),
      CommandGroup(
        name: "Look at content", subcommands: [InspectVerb.self, ListVerb.self, ShowVerb.self, DiffVerb.self]),
      CommandGroup(
        name: "Keep a library safe",
        subcommands: [
          BackupVerb.self, BackupsVerb.self, VerifyVerb.self, RestoreVerb.self, MigrateVerb.self, DoctorVerb.self,
          RunsVerb.self, UndoVerb.self,
        ]),
      CommandGroup(
        name: "Check content and build packs",
        subcommands: [ValidateVerb.self, RulesVerb.self, InitVerb.self, PackVerb.self, FormatsVerb.self]),
      CommandGroup(
        name: "Publish",
        subcommands: [
          PublishVerb.self, UpdateVerb.self, UnpublishVerb.self, ForkVerb.self, LineageVerb.self, PullVerb.self,
          SyncVerb.self, QueueVerb.self, LoginVerb.self, LogoutVerb.self, ServeVerb.self,
        ]),
    ])

  /// The prefix of the parser's messages. All other messages have the same prefix.
  static var _errorPrefix: String { "fleetkit: " }

  static func main() {
    Interruption.install()
    let words = Array(CommandLine.arguments.dropFirst())
    if let topic = HelpTopic(words) { return Terminal.print(topic.text) }
    if let unknown = UnknownVerb(words) {
      Terminal.complain(unknown.message)
      Foundation.exit(ExitStatus.usage.rawValue)
    }
    do {
      var command = try alone(words) ?? parseAsRoot()
      try command.run()
    } catch let failure as RunFailure {
      Terminal.fail(failure)
    } catch let error as JSONError {
      // Records of sources are parsed where their place is known, so this error comes from a damaged stored record.
      Terminal.fail(.damagedRecord(error))
    } catch let code as ExitCode {
      Foundation.exit(code.rawValue)
    } catch {
      // The parser words these messages itself. Help and version exit with 0, wrong usage exits with 64.
      let status = exitCode(for: error)
      guard status != .success else { exit(withError: error) }
      Terminal.complain(fullMessage(for: error))
      Foundation.exit(status == .validationFailure ? ExitStatus.usage.rawValue : ExitStatus.internalError.rawValue)
    }
  }

  /// Parses one verb without the rest of the command tree, which saves some milliseconds.
  ///
  /// - Returns: nil if only the whole tree can parse the words or report what is wrong with them.
  private static func alone(_ words: [String]) -> (any ParsableCommand)? {
    let named = configuration.subcommands.first { $0.configuration.commandName == words.first }
    guard let verb = named, verb.configuration.subcommands.isEmpty,
      let command = try? verb.parseAsRoot(Array(words.dropFirst())), type(of: command) == verb
    else { return nil }
    return command
  }
}

/// A word that was typed where a verb is expected but that is not the name of a verb.
struct UnknownVerb {
  /// The message to print: the word, the closest verb or topic, and the usage.
  let message: String

  /// Checks the words after `fleetkit`.
  /// - Returns: nil if every word in the position of a verb is the name of a verb. The parser checks the rest.
  init?(_ words: [String]) {
    let isHelp = words.first == Self.help
    var parents: [any ParsableCommand.Type] = [FleetKitCommand.self]
    for word in isHelp ? words.dropFirst() : words[...] {
      // The parser handles the options of commands that only have subcommands.
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
      // In `fleetkit queue LIBRARY` the word is an argument of the default subcommand.
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
      \(FleetKitCommand._errorPrefix)unknown command \(isHelp ? "or topic " : "")\
      '\(TerminalEscaping.escape(word))'.\(meant)
      Usage: \(FleetKitCommand.usageString(for: parent))
        See '\(command) --help' for more information.
      """
  }
}

/// A help page that does not describe a verb.
enum HelpTopic: String, CaseIterable {
  case exitStatus = "exit-status"

  /// The topic of `fleetkit help TOPIC`; nil for any other words.
  init?(_ words: [String]) {
    guard words.count == 2, words[0] == "help" else { return nil }
    switch words[1].lowercased() {
    case Self.exitStatus.rawValue, "exit", "status", "exit-code", "exit-codes": self = .exitStatus
    default: return nil
    }
  }

  /// The text to print.
  var text: String {
    switch self {
    case .exitStatus:
      """
      EXIT STATUS
      \(Self.statuses)

      If several apply, the command exits with the first of these:
        \(ExitStatus.precedence.map { String($0.rawValue) }.joined(separator: " "))

      The help of each command explains its statuses, for example: fleetkit help sync
      """
    }
  }

  /// Every status with its meaning, one per line.
  static let statuses = ExitStatus.allCases.map { status in
    let number = String(status.rawValue)
    return "  \(number)\(String(repeating: " ", count: 5 - number.utf8.count))\(meaning(of: status))"
  }.joined(separator: "\n")

  private static func meaning(of status: ExitStatus) -> String {
    switch status {
    case .success: "done"
    case .findings: "findings or differences reported"
    case .failed: "failed, nothing written"
    case .partial: "some records were rejected; the rest were processed"
    case .refused: "refused"
    case .mismatch: "verification failed"
    case .newer: "needs a newer version of FleetKit"
    case .locked: "locked by another program"
    case .usage: "wrong usage"
    case .unreachable: "registry unreachable, or libxml2 is missing"
    case .internalError: "internal error"
    case .signInNeeded: "sign-in required"
    case .interrupted: "interrupted"
    }
  }
}
