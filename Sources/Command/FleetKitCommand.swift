import ArgumentParser
import FleetKit
import Foundation

/// The command `fleetkit`: one verb for each job.
@main
struct FleetKitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleetkit",
    abstract: "Move sailing content between AnyFleet libraries and files, and lose nothing on the way.",
    discussion: """
      A library is the app's SQLite file (anyfleet.sqlite). A bundle is a JSON file with the same content, \
      one record a line (.jsonl) or one document (.json). Reading never changes a source; a new file gets its \
      name only when it is complete and on disk; a library is changed all at once or not at all.

      EXAMPLES
        fleetkit inspect anyfleet.sqlite                     what is in it?
        fleetkit export anyfleet.sqlite --to backup.jsonl    everything, as text
        fleetkit convert backup.jsonl --to new.sqlite        a new library from it
        fleetkit diff anyfleet.sqlite new.sqlite             do both say the same?
        fleetkit import curated.jsonl --into new.sqlite      bring content into it
        fleetkit apply plan.json                             just what a plan holds
        fleetkit migrate anyfleet.sqlite                     to today's schema
        fleetkit verify nightly.fleetpack --restore          would it all come back?
        fleetkit restore nightly.fleetpack --to new.sqlite   a library from a backup
        fleetkit doctor anyfleet.sqlite                      what is wrong with it?
        fleetkit validate content/                           is it good?
        fleetkit publish anyfleet.sqlite --id 43A324AA       queue it for publication
        fleetkit serve --dev --database try.sqlite           a registry to try with

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

  /// Messages of the parser begin like all others.
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
      // Records of sources are parsed where their place is known; this one is a stored record that is damaged.
      Terminal.fail(.damagedRecord(error))
    } catch let code as ExitCode {
      Foundation.exit(code.rawValue)
    } catch {
      // Help and version end with 0, wrong usage with 64, both worded by the parser.
      let status = exitCode(for: error)
      guard status != .success else { exit(withError: error) }
      Terminal.complain(fullMessage(for: error))
      Foundation.exit(status == .validationFailure ? ExitStatus.usage.rawValue : ExitStatus.internalError.rawValue)
    }
  }

  /// The command of a verb that is parsed by itself; nil where only the whole command can be parsed, or can say what is
  /// wrong. Parsing the whole tree takes some milliseconds longer.
  private static func alone(_ words: [String]) -> (any ParsableCommand)? {
    let named = configuration.subcommands.first { $0.configuration.commandName == words.first }
    guard let verb = named, verb.configuration.subcommands.isEmpty,
      let command = try? verb.parseAsRoot(Array(words.dropFirst())), type(of: command) == verb
    else { return nil }
    return command
  }
}

extension RunContext {
  /// The time that stands in for times that a source does not give: now, or what SOURCE_DATE_EPOCH says.
  static var currentTime: Timestamp {
    if let text = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"], let seconds = Int64(text),
      case let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000), !overflow
    {
      return Timestamp(milliseconds: milliseconds)
    }
    return Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }
}
