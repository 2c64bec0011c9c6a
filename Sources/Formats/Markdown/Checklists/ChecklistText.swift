import JSONText

/// Writes a checklist as the body of a note.
enum ChecklistText {
  /// Appends the body.
  /// - Parameter language: BCP 47; Russian checklists get Russian words.
  static func write(_ checklist: ChecklistDraft, language: String, into out: inout ByteBuffer) {}
}
