import JSONText

extension Shape {
  /// What a damaged text of this shape is expected to hold.
  ///
  /// An object is identified by its id and its required members; lists count as well, because a section without a name may
  /// still have its steps.
  var outline: JSONOutline.Value {
    .object(
      members.map { ($0.nameText, $0.outline) },
      identity: Set(
        members.filter { $0.absent == .refuse || $0.absent == .derivedID || $0.kind == .objects }.map(\.nameText)))
  }
}

extension ShapeMember {
  fileprivate var outline: JSONOutline.Value {
    switch kind {
    case .text, .date, .tickTime, .contentType: .text
    case .bool: .boolean
    case .integer, .number: .number
    case .recordID, .identifier, .innerIdentifier: .identifier
    case .strings: .array(of: .text)
    case .objects: .array(of: child?.outline ?? .any)
    case .object: child?.outline ?? .any
    case .states, .extras, .any, .payload, .document: .any
    }
  }
}

extension JSONOutline {
  /// The sections of a checklist, the app's `checklists.content` column.
  package static let sections = JSONOutline(.array(of: Shapes.checklistSection.outline))
  /// The ticks of an execution, by the ids of their steps.
  package static let ticks = JSONOutline(.map(of: Shapes.itemState.outline))
  /// An array of texts.
  package static let texts = JSONOutline(.array(of: .text))
}
