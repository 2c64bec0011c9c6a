import MarkdownText

/// Reads the sections and steps of a checklist from the body of a note.
enum ChecklistReader {
  /// What a note's body says.
  struct Result: Sendable {
    var checklist = ChecklistDraft()
    /// The heading that is the note's title; nil when no heading is.
    var title: SourcedText?
  }

  /// Reads the steps.
  /// - Parameters:
  ///   - title: the title for steps that stand below no heading.
  ///   - hasDescription: whether the front matter has a description, so that text before the first section is none.
  static func read(
    _ text: UnsafeBufferPointer<UInt8>, body: Range<Int>, tree: MarkdownTree, title: String, hasDescription: Bool
  ) -> Result {
    Result()
  }
}
