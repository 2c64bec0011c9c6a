import JSONText

/// Writes a deck as the body of a note.
enum DeckText {
  /// Appends the body.
  static func write(_ deck: DeckDraft, into out: inout ByteBuffer) {}
}
