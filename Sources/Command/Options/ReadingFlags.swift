import ArgumentParser
import FleetKit

/// How notes are read that do not say what they are.
struct ReadingFlags: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      Notes that do not say what they are: auto (default) takes one for a checklist or a deck when the evidence is \
      strong, never goes by lists of tasks only, always takes every list for a checklist.
      """, valueName: "when"),
    completion: .list(ReadingOptions.Inference.allCases.map(\.rawValue)))
  var infer: String = ReadingOptions.Inference.auto.rawValue

  @Flag(name: .long, help: "Say of every note what it was taken for, how sure that is, and why.")
  var explain = false

  @Option(
    name: .long,
    help: ArgumentHelp("The user whose data is read, where a source has the data of several.", valueName: "id"))
  var user: String?

  @Flag(name: .long, help: "Read texts with a translation as flashcard decks, too, line by line (Haumana).")
  var decks = false

  @Flag(
    name: .long,
    help: "Make an execution of the ticks of each note that has any, on one charter for all notes of the source.")
  var withTicks = false

  @OptionGroup(title: "Tables") var table: TableFlags

  func validate() throws {
    guard ReadingOptions.Inference(rawValue: infer) != nil else {
      let words = ReadingOptions.Inference.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--infer takes \(words), not '\(infer)'.")
    }
  }

  /// The options of the run.
  var options: ReadingOptions {
    var options = ReadingOptions()
    options.infer = ReadingOptions.Inference(rawValue: infer) ?? .auto
    options.explains = explain
    options.user = user
    options.decks = decks
    options.withTicks = withTicks
    options.table = table.options
    return options
  }
}
