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

      EXIT STATUS
      \(HelpTopic.statuses)
      """,
    version: "0.1.0",
    subcommands: [
      ConvertVerb.self, ImportVerb.self, ApplyVerb.self, ExportVerb.self, ListVerb.self, ShowVerb.self,
      InspectVerb.self, DiffVerb.self, MergeVerb.self,
      BackupVerb.self, BackupsVerb.self, VerifyVerb.self, RestoreVerb.self, MigrateVerb.self, DoctorVerb.self,
      RunsVerb.self, UndoVerb.self,
      PublishVerb.self, UpdateVerb.self, UnpublishVerb.self, ForkVerb.self, LineageVerb.self, PullVerb.self,
      SyncVerb.self, QueueVerb.self, LoginVerb.self, LogoutVerb.self, ServeVerb.self,
      ValidateVerb.self, PackVerb.self,
      RulesVerb.self, FormatsVerb.self, InitVerb.self,
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
