import ArgumentParser
import FleetKit

/// Which records a verb works on. Words of one selector are alternatives, different selectors must all agree.
struct SelectorOptions: ParsableArguments {
  @Option(name: .long, help: "Only the record with this id, or whose id starts with it (four characters or more).")
  var id: [String] = []

  @Option(name: .long, help: "Only items whose title matches; * and ? are wildcards, letter case does not count.")
  var title: [String] = []

  @Option(name: .long, help: "Only items with this tag.")
  var tag: [String] = []

  @Option(
    name: .long, help: "Only this type: checklist, practice_guide, flashcard_deck, charter, execution, sync_operation.")
  var type: [String] = []

  @Option(name: .long, help: "Only records whose file matches; * and ? are wildcards.")
  var path: [String] = []

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
