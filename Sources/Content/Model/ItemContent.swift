/// The document of an item, by content type.
public enum ItemContent: Equatable, Sendable {
  case checklist(Checklist)
  case practiceGuide(PracticeGuide)
  case flashcardDeck(FlashcardDeck)

  /// What the item that has this document is.
  public var contentType: ContentType {
    switch self {
    case .checklist: .checklist
    case .practiceGuide: .practiceGuide
    case .flashcardDeck: .flashcardDeck
    }
  }

  /// The checklist, nil for other documents.
  public var checklist: Checklist? {
    if case .checklist(let document) = self { document } else { nil }
  }

  /// The practice guide, nil for other documents.
  public var practiceGuide: PracticeGuide? {
    if case .practiceGuide(let document) = self { document } else { nil }
  }

  /// The flashcard deck, nil for other documents.
  public var flashcardDeck: FlashcardDeck? {
    if case .flashcardDeck(let document) = self { document } else { nil }
  }

  /// What all documents have in common.
  var document: any ItemDocument {
    switch self {
    case .checklist(let document): document
    case .practiceGuide(let document): document
    case .flashcardDeck(let document): document
    }
  }
}
