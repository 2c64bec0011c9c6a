/// A checklist as a note says it, or as it is about to be written into one.
struct ChecklistDraft: Sendable {
  /// Sections in order.
  var sections: [SectionDraft] = []
  /// Text before the first section, where the front matter has no description of its own.
  var description: SourcedText?
  /// Boxes that are ticked: a checklist keeps no ticks, a charter does.
  var ticked: [Range<Int>] = []
}
