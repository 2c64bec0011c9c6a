import ArgumentParser
import FleetKit

/// Which records a verb works on. Words of one selector are alternatives, different selectors must all agree.
struct SelectorOptions: ParsableArguments {
  @Option(name: .long, help: "Only the record with this id, or whose id starts with it (four characters or more).")
  var id: [String] = []

  @Option(name: .long, help: "Only items whose title matches; * and ? are wildcards, letter case does not count.")
  var title: [String] = []

  @Option(name: .long, help: "Only items with this tag; * and ? are wildcards. Repeated, any of them will do.")
  var tag: [String] = []

  @Option(
    name: .long, help: "Only this type: checklist, practice_guide, flashcard_deck, charter, execution, sync_operation.",
    completion: .list(["checklist", "practice_guide", "flashcard_deck", "charter", "execution", "sync_operation"]))
  var type: [String] = []

  @Option(name: .long, help: "Only records whose file matches; * and ? are wildcards.")
  var path: [String] = []

  func validate() throws {
    for word in type where !Selection.knownTypes.contains(Selection.typeWord(word)) {
      throw ValidationError(
        "There is no type '\(word)'. Types are: \(Selection.knownTypes.filter { !$0.hasSuffix("s") }.joined(separator: ", "))."
      )
    }
    for word in id where word.count < 4 && Int(word) == nil {
      throw ValidationError("--id \(word): an id needs at least its first four characters.")
    }
  }

  /// The selection; nil when nothing is selected in particular.
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
