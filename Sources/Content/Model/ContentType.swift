/// What an item is, as `content_type` says it.
public enum ContentType: String, Sendable, CaseIterable {
  case checklist
  case practiceGuide = "practice_guide"
  case flashcardDeck = "flashcard_deck"
}
