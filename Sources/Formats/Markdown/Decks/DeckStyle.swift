/// How the cards of a deck are written.
enum DeckStyle: Sendable, Equatable {
  /// `Q:` and `A:` at the beginning of lines.
  case questions
  /// `front :: back` on one line.
  case colons
  /// A heading, and what stands below it.
  case headings
}
