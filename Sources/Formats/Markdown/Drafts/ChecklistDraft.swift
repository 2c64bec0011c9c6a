/// A checklist as a note says it, or as it is about to be written into one.
struct ChecklistDraft: Sendable {
  /// Sections in order.
  var sections: [SectionDraft] = []
  /// Text before the first section, where the front matter has no description of its own.
  var description: SourcedText?
  /// Boxes that are ticked: a checklist keeps no ticks, a charter does.
  var ticked: [Range<Int>] = []

  // MARK: .

  /// Takes ids away that a section or step above has already: a line that someone copied is another step, and ticks of
  /// one must not tick the other.
  /// - Returns: where they stand.
  mutating func dropRepeatedIDs() -> [Range<Int>] {
    var seen: Set<[UInt8]> = []
    var dropped: [Range<Int>] = []
    for section in sections.indices {
      if let id = sections[section].id, !seen.insert(id.bytes).inserted {
        dropped.append(id.range)
        sections[section].id = nil
      }
      for step in sections[section].steps.indices {
        guard let id = sections[section].steps[step].id, !seen.insert(id.bytes).inserted else { continue }
        dropped.append(id.range)
        sections[section].steps[step].id = nil
      }
    }
    return dropped
  }
}

/// A section of a checklist.
struct SectionDraft: Sendable {
  /// Its id as written; nil when the note has none.
  var id: SourcedText?
  /// Its heading.
  var title: SourcedText
  var icon: SourcedText?
  /// Text between the heading and the first step.
  var description: SourcedText?
  /// Whether the app shows it folded (`isExpandedByDefault` is false).
  var isCollapsed = false
  /// The number that is written, where it is not the place among its siblings; as JSON.
  var sortOrder: SourcedText?
  /// Members that FleetKit does not know, as the inside of a JSON object: `"a":1,"b":[]`.
  var members: SourcedText?
  /// Steps in order.
  var steps: [StepDraft] = []
  /// All of it in the note.
  var range: Range<Int>
}

/// A step of a checklist.
struct StepDraft: Sendable {
  /// Its id as written; nil when the note has none.
  var id: SourcedText?
  var title: SourcedText
  /// What is below the title, indentation taken off; `itemDescription` in a record.
  var details: SourcedText?
  var isRequired = false
  var isOptional = false
  /// Estimated minutes, as JSON.
  var minutes: SourcedText?
  var tags: [SourcedText] = []
  /// The number that is written, where it is not the place among its siblings; as JSON.
  var sortOrder: SourcedText?
  /// Members that FleetKit does not know, as the inside of a JSON object.
  var members: SourcedText?
  /// All of it in the note.
  var range: Range<Int>
}

/// A deck of flashcards as a note says it, or as it is about to be written into one.
struct DeckDraft: Sendable {
  /// Cards in order.
  var cards: [CardDraft] = []
  /// Text before the first card, where the front matter has no description of its own.
  var description: SourcedText?
}

/// A card of a deck.
struct CardDraft: Sendable {
  /// Its id as written; nil when the note has none.
  var id: SourcedText?
  /// The question, Markdown.
  var front: SourcedText
  /// The answer, Markdown.
  var back: SourcedText
  var tags: [SourcedText] = []
  var hint: SourcedText?
  var source: SourcedText?
  /// The number that is written, where it is not the place among its siblings; as JSON.
  var sortOrder: SourcedText?
  /// How often it was practised, as a JSON object.
  var review: SourcedText?
  /// Members that FleetKit does not know, as the inside of a JSON object.
  var members: SourcedText?
  /// All of it in the note.
  var range: Range<Int>
}
