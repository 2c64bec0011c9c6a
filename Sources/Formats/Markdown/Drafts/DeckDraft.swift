/// A deck of flashcards as a note says it, or as it is about to be written into one.
struct DeckDraft: Sendable {
  /// Cards in order.
  var cards: [CardDraft] = []
  /// Text before the first card, where the front matter has no description of its own.
  var description: SourcedText?
}
