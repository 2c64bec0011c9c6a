import MarkdownSyntax
import MarkdownText

/// Reads the cards of a deck from the body of a note.
enum DeckReader {
  /// How sure it is that a body is a deck, in percent, and in which style; nil when nothing speaks for it.
  ///
  /// What counts is the share of lines that belong to cards. A single card never gives more than 40, headings with
  /// text below never more than 65: any guide is made of them.
  static func recognise(
    _ text: UnsafeBufferPointer<UInt8>, body: Range<Int>
  ) -> (style: DeckStyle, certainty: Int, cards: Int)? {
    guard body.upperBound <= MarkdownTree.longest, DeckGlance.mayHoldCards(text, body) else { return nil }
    return DeckEvidence(text, DeckLines(text, in: body)).best
  }

  /// Reads the cards in the style that most of them have; FleetKit's own comment settles it.
  /// - Parameter hasDescription: whether the front matter has a description, so that text outside of cards is none.
  static func read(_ text: UnsafeBufferPointer<UInt8>, body: Range<Int>, hasDescription: Bool) -> DeckDraft {
    guard body.upperBound <= MarkdownTree.longest else {
      return DeckDraft(description: hasDescription ? nil : SourcedText(text, body))
    }
    let lines = DeckLines(text, in: body)
    var deck =
      switch DeckEvidence(text, lines).style {
      case .questions: QuestionDeck.read(text, lines)
      case .colons: ColonDeck.read(text, lines)
      case .headings: HeadingDeck.read(text, lines)
      }
    if hasDescription { deck.description = nil }
    return deck
  }
}
