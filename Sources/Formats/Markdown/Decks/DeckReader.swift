import MarkdownText

/// Reads the cards of a deck from the body of a note.
enum DeckReader {
  /// How sure it is that a body is a deck, in percent, and in which style; nil when nothing speaks for it.
  static func recognise(
    _ text: UnsafeBufferPointer<UInt8>, body: Range<Int>
  ) -> (style: DeckStyle, certainty: Int, cards: Int)? {
    nil
  }

  /// Reads the cards.
  static func read(_ text: UnsafeBufferPointer<UInt8>, body: Range<Int>, hasDescription: Bool) -> DeckDraft {
    DeckDraft()
  }
}
