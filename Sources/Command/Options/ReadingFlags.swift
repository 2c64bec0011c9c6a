import ArgumentParser
import FleetKit

/// How sources are read: each kind of source has a heading of its own in the help.
///
/// The group has no title where a verb uses it: a title would replace those of the groups in it.
struct ReadingFlags: ParsableArguments {
  @OptionGroup(title: "Notes in Markdown") var notes: NoteFlags

  @OptionGroup(title: "Tables") var table: TableFlags

  @OptionGroup(title: "Other apps") var apps: AppFlags

  /// The options of the run.
  var options: ReadingOptions {
    var options = ReadingOptions()
    options.infer = ReadingOptions.Inference(rawValue: notes.infer) ?? .auto
    options.explains = notes.explain
    options.user = apps.user
    options.decks = apps.decks
    options.withTicks = notes.withTicks
    options.table = table.options
    return options
  }
}

/// How notes are read that do not say what they are.
struct NoteFlags: ParsableArguments {
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

  @Flag(
    name: .long,
    help: "Make an execution of the ticks of each note that has any, on one charter for all notes of the source.")
  var withTicks = false

  func validate() throws {
    guard ReadingOptions.Inference(rawValue: infer) != nil else {
      let words = ReadingOptions.Inference.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--infer takes \(words), not '\(infer)'.")
    }
  }
}

/// How exports of other apps are read.
struct AppFlags: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("The user whose data is read, where a source has the data of several.", valueName: "id"))
  var user: String?

  @Flag(name: .long, help: "Read texts with a translation as flashcard decks, too, line by line (Haumana).")
  var decks = false
}
