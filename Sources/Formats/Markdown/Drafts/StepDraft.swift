/// A step of a checklist.
struct StepDraft: Sendable {
  /// Its id as written; nil when the note has none.
  var id: SourcedText?
  var title: SourcedText
  /// What stands below the title, indentation taken off; `itemDescription` in a record.
  var details: SourcedText?
  var isRequired = false
  var isOptional = false
  /// Estimated minutes, as JSON.
  var minutes: SourcedText?
  var tags: [SourcedText] = []
  /// The number that is written, where it is not the place among its siblings; as JSON.
  var sortOrder: SourcedText?
  /// Members that FleetKit does not know, as the inside of a JSON object.
  var members: SourcedText?
  /// All of it in the note.
  var range: Range<Int>
}
