import Content

/// Handles the titles of nested steps, which begin with the titles of the steps above.
enum NestedTitles {
  /// Returns the id of the step directly above each nested step, by the nested step's id; nil if a label is above it.
  /// - Parameters:
  ///   - there: the checklist with its source positions.
  ///   - record: the same checklist with ids.
  static func parents(of there: ChecklistDraft, _ record: ChecklistDraft) -> [[UInt8]: [UInt8]?] {
    var parents: [[UInt8]: [UInt8]?] = [:]
    for (section, known) in zip(there.sections, record.sections) {
      for (step, own) in zip(section.steps, known.steps) {
        guard let nesting = step.nesting, let id = own.id?.bytes else { continue }
        let above = nesting.parent.flatMap { known.steps.indices.contains($0) ? known.steps[$0].id?.bytes : nil }
        parents.updateValue(above, forKey: id)
      }
    }
    return parents
  }

  /// Updates the titles of nested steps in a wanted checklist to begin with the step titles of an edited note.
  /// - Returns: false if a step has moved below a different step.
  static func follow(
    _ there: ChecklistDraft, _ wanted: inout ChecklistDraft, as after: ChecklistDraft, were: [[UInt8]: [UInt8]?],
    are: [[UInt8]: [UInt8]?]
  ) -> Bool {
    guard there.sections.map(\.steps.count) == wanted.sections.map(\.steps.count) else { return false }
    for (number, section) in there.sections.enumerated() {
      for (index, step) in section.steps.enumerated() {
        let known = after.sections[number].steps[index]
        let title = wanted.sections[number].steps[index].title.bytes
        guard step.nesting != nil, known.title.bytes != title else { continue }
        guard let id = known.id?.bytes, let was = were[id], let now = are[id], was == now,
          let own = step.ownTitle(of: title, was: known.title.bytes)
        else { return false }
        wanted.sections[number].steps[index].title.bytes = known.title.bytes.prefix(step.nesting?.inherited ?? 0) + own
      }
    }
    return true
  }
}
