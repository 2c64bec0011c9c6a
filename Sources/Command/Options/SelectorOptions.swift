import ArgumentParser
import FleetKit

/// The options that select the records that a verb works on. Values of one selector are alternatives; different
/// selectors must all match.
struct SelectorOptions: ParsableArguments {
  @Option(name: .long, help: "Only records whose id is this or starts with this (at least four characters).")
  var id: [String] = []

  @Option(name: .long, help: "Only items whose title matches; * and ? are wildcards, case is ignored.")
  var title: [String] = []

  @Option(name: .long, help: "Only items with this tag; * and ? are wildcards. May be repeated; any match counts.")
  var tag: [String] = []

  @Option(
    name: .long,
    help: "Only records of this type: checklist, practice_guide, flashcard_deck, charter, execution, sync_operation.",
    completion: .list(["checklist", "practice_guide", "flashcard_deck", "charter", "execution", "sync_operation"]))
  var type: [String] = []

  @Option(name: .long, help: "Only records whose file matches; * and ? are wildcards.")
  var path: [String] = []

  func validate() throws {
    for word in type where !Selection.knownTypes.contains(Selection.typeWord(word)) {
      throw ValidationError(
        "Unknown type '\(word)'. The types are: "
          + "\(Selection.knownTypes.filter { !$0.hasSuffix("s") }.joined(separator: ", "))."
      )
    }
    for word in id where word.count < 4 && Int(word) == nil {
      throw ValidationError("--id \(word): give at least the first four characters of the id.")
    }
  }

  /// The selection; nil if no selector is given.
  var selection: Selection? {
    var selection = Selection()
    selection.ids = id
    selection.titles = title
    selection.tags = tag
    selection.types = type
    selection.paths = path
    return selection.isEmpty ? nil : selection
  }
}

/// The option `--from-format`.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .long, help: "Read every source as this format (required with -); see 'fleetkit formats'.",
    completion: .formats
  )
  var fromFormat: FormatID?
}

extension FormatID: ExpressibleByArgument {
  /// Makes a format's id from the name as typed. The code that uses the id checks whether the format exists.
  public init?(argument: String) { self.init(argument) }
}

extension CompletionKind {
  /// The names of all formats.
  static var formats: CompletionKind { .list(names) }
  private static let names = FormatRegistry.standard.formats.map(\.descriptor.name)
}
