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
