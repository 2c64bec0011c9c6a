import MarkdownSyntax

/// Reads the sections and steps of a checklist from the body of a note.
///
/// What is a section, a step, a description follows formats/markdown.md, "Checklists". Every byte of the body that is
/// not white space stands in a text of the checklist or of its title, in `marks`, or in `skipped`. Time is linear in
/// the body; nothing is recursive.
enum ChecklistReader {
  /// What a note's body says.
  struct Result: Sendable {
    var checklist = ChecklistDraft()
    /// The heading that is the note's title; nil when no heading is.
    var title: SourcedText?
    /// Notation: bullets, boxes, heading marks, comments, dots and the words behind them.
    var marks: [Range<Int>] = []
    /// What no text says: rules, text that a comment replaces, text beside a description in the front matter, headings
    /// that gave their title to the ones below.
    var skipped: [Range<Int>] = []
    /// Boxes without text, which are no steps.
    var empty: [Range<Int>] = []
  }

  /// The keys of a section's comment.
  static let sectionKeys = ["id", "icon", "sort", "collapsed", "title", "description", "members"]
  /// The keys of a step's comment.
  static let stepKeys = [
    "id", "sort", "title", "details", "tags", "minutes", "required", "optional", "members",
  ]
  /// The keys of the comment at the beginning of a body.
  static let bodyKeys = ["description"]

  /// Reads the steps.
  /// - Parameters:
  ///   - title: the title for steps that stand below no heading.
  ///   - titleIsName: whether that is the name of the file, so that a heading which is the note's title counts more.
  ///   - hasDescription: whether the front matter has a description, so that text before the first section is none.
  static func read(
    _ text: UnsafeBufferPointer<UInt8>, body: Range<Int>, tree: MarkdownTree, title: String,
    titleIsName: Bool = false, hasDescription: Bool
  ) -> Result {
    var reading = ChecklistReading(text: text, body: body, tree: tree, title: title)
    reading.titleIsName = titleIsName
    reading.walk()
    return reading.finish(hasDescription: hasDescription)
  }
}
