/// What stands in the body of a note.
enum NoteContent: Sendable {
  /// A practice guide: the body is its text, byte for byte.
  case guide
  case checklist(ChecklistDraft)
  case deck(DeckDraft)
}
