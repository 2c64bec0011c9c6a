/// A section of a checklist.
struct SectionDraft: Sendable {
  /// Its id as written; nil when the note has none.
  var id: SourcedText?
  /// Its heading.
  var title: SourcedText
  var icon: SourcedText?
  /// Text between the heading and the first step.
  var description: SourcedText?
  /// Whether the app shows it folded (`isExpandedByDefault` is false).
  var isCollapsed = false
  /// The number that is written, where it is not the place among its siblings; as JSON.
  var sortOrder: SourcedText?
  /// Members that FleetKit does not know, as the inside of a JSON object: `"a":1,"b":[]`.
  var members: SourcedText?
  /// Steps in order.
  var steps: [StepDraft] = []
  /// All of it in the note.
  var range: Range<Int>
}
