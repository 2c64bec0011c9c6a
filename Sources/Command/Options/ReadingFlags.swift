import ArgumentParser
import FleetKit

/// The options for reading sources. Each kind of source has its own heading in the help.
///
/// Verbs use this group without a title, because a title would replace the titles of the groups in it.
struct ReadingFlags: ParsableArguments {
  @OptionGroup(title: "Notes in Markdown") var notes: NoteFlags

  @OptionGroup(title: "Tables") var table: TableFlags

  @OptionGroup(title: "Other apps") var apps: AppFlags

  /// The run's reading options.
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

/// The options for reading notes without a declared type.
struct NoteFlags: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      How to classify notes without a type: auto (default) recognizes a checklist or a deck if the evidence is \
      strong, never recognizes only task lists, always makes every list a checklist.
      """, valueName: "when"),
    completion: .list(ReadingOptions.Inference.allCases.map(\.rawValue)))
  var infer: String = ReadingOptions.Inference.auto.rawValue

  @Flag(name: .long, help: "Print how each note was classified, with the certainty and the reasons.")
  var explain = false

  @Flag(
    name: .long,
    help: "Make an execution from each note with ticks; all executions of a source belong to one charter.")
  var withTicks = false

  func validate() throws {
    guard ReadingOptions.Inference(rawValue: infer) != nil else {
      let words = ReadingOptions.Inference.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--infer must be \(words), not '\(infer)'.")
    }
  }
}

/// The options for reading other apps' exports.
struct AppFlags: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("The user whose data is read, if a source contains several users.", valueName: "id"))
  var user: String?

  @Flag(name: .long, help: "Also make flashcard decks from texts with a translation, one card per line (Haumana).")
  var decks = false
}
