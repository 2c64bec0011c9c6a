import JSONText

/// A checklist as read from a text format, or as it will be written as text.
package struct ChecklistDraft: Sendable {
  /// Sections in order.
  package var sections: [SectionDraft] = []
  /// Text before the first section, unless the description comes from elsewhere.
  package var description: SourcedText?
  /// Ranges of ticked boxes. A checklist keeps no ticks; an execution does.
  package var ticked: [Range<Int>] = []

  package init(
    sections: [SectionDraft] = [], description: SourcedText? = nil, ticked: [Range<Int>] = []
  ) {
    self.sections = sections
    self.description = description
    self.ticked = ticked
  }

  /// Removes ids that an earlier section or step already has. A copied line is a separate step, and ticking it must not
  /// tick the original.
  /// - Returns: the ranges of the removed ids.
  package mutating func dropRepeatedIDs() -> [Range<Int>] {
    var seen: Set<[UInt8]> = []
    var dropped: [Range<Int>] = []
    for section in sections.indices {
      if let id = sections[section].id, !seen.insert(id.bytes).inserted {
        dropped.append(id.range)
        sections[section].id = nil
      }
      for step in sections[section].steps.indices {
        guard let id = sections[section].steps[step].id, !seen.insert(id.bytes).inserted else { continue }
        dropped.append(id.range)
        sections[section].steps[step].id = nil
      }
    }
    return dropped
  }
}

/// A section of a checklist.
package struct SectionDraft: Sendable {
  /// The id as written; nil if the source has none.
  package var id: SourcedText?
  /// The heading.
  package var title: SourcedText
  package var icon: SourcedText?
  /// Text between the heading and the first step.
  package var description: SourcedText?
  /// Whether the app shows the section folded (`isExpandedByDefault` is false).
  package var isCollapsed = false
  /// The number in the source as JSON, if it differs from the position among its siblings.
  package var sortOrder: SourcedText?
  /// Unknown members, as the inside of a JSON object: `"a":1,"b":[]`.
  package var members: SourcedText?
  /// Steps in order.
  package var steps: [StepDraft] = []
  /// The whole section in the source.
  package var range: Range<Int>

  package init(
    id: SourcedText? = nil, title: SourcedText, icon: SourcedText? = nil, description: SourcedText? = nil,
    isCollapsed: Bool = false, sortOrder: SourcedText? = nil, members: SourcedText? = nil,
    steps: [StepDraft] =
      [], range: Range<Int>
  ) {
    self.id = id
    self.title = title
    self.icon = icon
    self.description = description
    self.isCollapsed = isCollapsed
    self.sortOrder = sortOrder
    self.members = members
    self.steps = steps
    self.range = range
  }
}

/// A step of a checklist.
package struct StepDraft: Sendable {
  /// The id as written; nil if the source has none.
  package var id: SourcedText?
  package var title: SourcedText
  /// The text below the title without its indentation; `itemDescription` in a record.
  package var details: SourcedText?
  package var isRequired = false
  package var isOptional = false
  /// Estimated minutes, as JSON.
  package var minutes: SourcedText?
  package var tags: [SourcedText] = []
  /// The number in the source as JSON, if it differs from the position among its siblings.
  package var sortOrder: SourcedText?
  /// Unknown members, as the inside of a JSON object.
  package var members: SourcedText?
  /// The whole step in the source.
  package var range: Range<Int>
  /// The position below other steps, in a source that nests them; nil for an outermost step.
  package var nesting: Nesting?

  /// A position below other steps.
  package struct Nesting: Sendable {
    /// The number of bytes at the beginning of the title that come from the titles above, with their separators.
    package var inherited: Int
    /// The number of titles above.
    package var depth: Int
    /// The index in the section of the step directly above; nil if that is a label without a box.
    package var parent: Int?

    package init(inherited: Int, depth: Int, parent: Int?) {
      (self.inherited, self.depth, self.parent) = (inherited, depth, parent)
    }

    /// The separator between the titles of a nested step: `Parent › Child`.
    package static let separator = Array(" › ".utf8)
  }

  package init(
    id: SourcedText? = nil, title: SourcedText, details: SourcedText? = nil, isRequired: Bool = false,
    isOptional: Bool = false, minutes: SourcedText? = nil, tags: [SourcedText] = [],
    sortOrder: SourcedText? =
      nil, members: SourcedText? = nil, range: Range<Int>
  ) {
    self.id = id
    self.title = title
    self.details = details
    self.isRequired = isRequired
    self.isOptional = isOptional
    self.minutes = minutes
    self.tags = tags
    self.sortOrder = sortOrder
    self.members = members
    self.range = range
  }
}

/// A deck of flashcards as read from a text format, or as it will be written as text.
package struct DeckDraft: Sendable {
  /// Cards in order.
  package var cards: [CardDraft] = []
  /// Text before the first card, unless the description comes from elsewhere.
  package var description: SourcedText?

  package init(
    cards: [CardDraft] = [], description: SourcedText? = nil
  ) {
    self.cards = cards
    self.description = description
  }
}

/// A card of a deck.
package struct CardDraft: Sendable {
  /// The id as written; nil if the source has none.
  package var id: SourcedText?
  /// The question, Markdown.
  package var front: SourcedText
  /// The answer, Markdown.
  package var back: SourcedText
  package var tags: [SourcedText] = []
  package var hint: SourcedText?
  package var source: SourcedText?
  /// The number in the source as JSON, if it differs from the position among its siblings.
  package var sortOrder: SourcedText?
  /// The review of the card, as a JSON object.
  package var review: SourcedText?
  /// Unknown members, as the inside of a JSON object.
  package var members: SourcedText?
  /// The whole card in the source.
  package var range: Range<Int>

  package init(
    id: SourcedText? = nil, front: SourcedText, back: SourcedText, tags: [SourcedText] = [], hint: SourcedText? = nil,
    source: SourcedText? = nil, sortOrder: SourcedText? = nil, review: SourcedText? = nil,
    members:
      SourcedText? = nil, range: Range<Int>
  ) {
    self.id = id
    self.front = front
    self.back = back
    self.tags = tags
    self.hint = hint
    self.source = source
    self.sortOrder = sortOrder
    self.review = review
    self.members = members
    self.range = range
  }
}

/// An item as read from a text format: the values of its envelope and the draft of its document.
package struct ItemDraft: Sendable {
  package var type: ContentType
  /// The id as written; nil if the source has none.
  package var id: SourcedText?
  package var title: SourcedText
  package var description: SourcedText?
  package var tags: [SourcedText] = []
  package var language: SourcedText?
  /// Times as RFC 3339.
  package var created: SourcedText?
  package var updated: SourcedText?
  /// The content of the document; nil for an item without one.
  package var body: DraftBody?
  /// The text of a guide.
  package var guide: SourcedText?
  /// Further members of the item, as the inside of a JSON object.
  package var members: SourcedText?
  /// Further members of the item's document, as the inside of a JSON object.
  package var documentMembers: SourcedText?
  /// The whole item in the source.
  package var range: Range<Int>

  package init(_ type: ContentType, title: SourcedText, range: Range<Int>) {
    self.type = type
    self.title = title
    self.range = range
  }

  /// Appends the item as JSON, for a canonicalizer.
  package func write(into out: inout ByteBuffer) {
    var item = PartWriter(into: &out)
    item.json(.kind, "\"item\"", into: &out)
    item.text(.id, id, into: &out)
    item.begin(.contentType, into: &out)
    out.appendJSONString(type.rawValue)
    item.text(.title, title, into: &out)
    item.text(.description, description, into: &out)
    item.texts(.tags, tags, into: &out)
    item.text(.language, language, into: &out)
    item.text(.createdAt, created, into: &out)
    item.text(.updatedAt, updated, into: &out)
    if let body {
      item.begin(.contentData, into: &out)
      out.append(UInt8(ascii: "{"))
      let text = guide?.bytes ?? []
      body.write(guide: text.span, into: &out)
      if let documentMembers, !documentMembers.bytes.isEmpty {
        out.append(UInt8(ascii: ","))
        out.append(documentMembers.bytes.span)
      }
      out.append(UInt8(ascii: "}"))
    }
    item.end(members, into: &out)
  }

  /// Returns the bytes of the source that a value came from, or the closest enclosing range.
  package func range(of pointer: JSONPointer, _ part: ValuePart) -> Range<Int> {
    let whole = title.head(of: range)
    var steps = pointer.steps[...]
    guard case .member(let name)? = steps.popFirst() else { return whole }
    if name == "content_data", let body {
      if let found = body.range(of: steps, part, in: guide?.range ?? whole) { return found }
      guard case .member(let inner)? = steps.first else { return whole }
      return value(inner, part) ?? documentMembers?.range ?? whole
    }
    return value(name, part) ?? members?.range ?? whole
  }

  private func value(_ name: String, _ part: ValuePart) -> Range<Int>? {
    switch name {
    case "id": id?.range(of: part)
    case "title": title.range(of: part)
    case "description": description?.range(of: part)
    case "tags": tags.first?.range
    case "language": language?.range(of: part)
    case "created_at", "createdAt": created?.range
    case "updated_at", "updatedAt": updated?.range
    default: nil
    }
  }
}
