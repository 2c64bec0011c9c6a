import JSONText

/// The content of an item's document, as read from a text format.
package enum DraftBody: Sendable {
  /// The guide's text is a range of the source.
  case guide
  case checklist(ChecklistDraft)
  case deck(DeckDraft)

  // MARK: As JSON

  /// Appends the member of the document that holds the content: `"markdown":…`, `"sections":[…]` or `"cards":[…]`.
  /// - Parameter guide: the text of a guide, UTF-8.
  package func write(guide: Span<UInt8>, into out: inout ByteBuffer) {
    switch self {
    case .guide:
      out.append("\"markdown\":")
      out.appendJSONString(guide)
    case .checklist(let checklist):
      out.append("\"sections\":")
      PartWriter.list(checklist.sections, into: &out) { $0.write(into: &$1) }
    case .deck(let deck):
      out.append("\"cards\":")
      PartWriter.list(deck.cards, into: &out) { $0.write(into: &$1) }
    }
  }

  // MARK: Places

  /// Returns the bytes of the source that a value came from, or the closest enclosing range; nil if the value is not in
  /// the source.
  /// - Parameters:
  ///   - steps: the path from the document.
  ///   - part: which part of the value.
  ///   - body: the range of the document's content in the source.
  package func range(of steps: ArraySlice<JSONPointer.Step>, _ part: ValuePart, in body: Range<Int>) -> Range<Int>? {
    var steps = steps
    guard case .member(let name)? = steps.popFirst() else { return body }
    switch (name, self) {
    case ("markdown", .guide): return part.range(within: body)
    case ("sections", .checklist(let list)):
      guard case .element(let index)? = steps.popFirst(), list.sections.indices.contains(index) else { return body }
      return list.sections[index].range(of: steps, part)
    case ("cards", .deck(let deck)):
      guard case .element(let index)? = steps.popFirst(), deck.cards.indices.contains(index) else { return body }
      return deck.cards[index].range(of: steps, part)
    default: return nil
    }
  }
}

extension SectionDraft {
  fileprivate func write(into out: inout ByteBuffer) {
    var part = PartWriter(into: &out)
    part.text(.id, id, into: &out)
    part.text(.title, title, into: &out)
    part.text(.icon, icon, into: &out)
    part.text(.description, description, into: &out)
    part.json(.sortOrder, sortOrder, into: &out)
    if isCollapsed { part.flag(.isExpandedByDefault, false, into: &out) }
    part.begin(.items, into: &out)
    PartWriter.list(steps, into: &out) { $0.write(into: &$1) }
    part.end(members, into: &out)
  }

  fileprivate func range(of steps: ArraySlice<JSONPointer.Step>, _ part: ValuePart) -> Range<Int> {
    let whole = title.head(of: range)
    var steps = steps
    guard case .member(let name)? = steps.popFirst() else { return whole }
    switch name {
    case "id": return id?.range(of: part) ?? whole
    case "title": return title.range(of: part)
    case "icon": return icon?.range(of: part) ?? whole
    case "description": return description?.range(of: part) ?? whole
    case "sortOrder": return sortOrder?.range(of: part) ?? whole
    case "items":
      guard case .element(let index)? = steps.popFirst(), self.steps.indices.contains(index) else { return whole }
      return self.steps[index].range(of: steps, part)
    default: return whole
    }
  }
}

extension StepDraft {
  fileprivate func write(into out: inout ByteBuffer) {
    var part = PartWriter(into: &out)
    part.text(.id, id, into: &out)
    part.text(.title, title, into: &out)
    part.text(.itemDescription, details, into: &out)
    if isOptional { part.flag(.isOptional, true, into: &out) }
    if isRequired { part.flag(.isRequired, true, into: &out) }
    part.texts(.tags, tags, into: &out)
    part.json(.estimatedMinutes, minutes, into: &out)
    part.json(.sortOrder, sortOrder, into: &out)
    part.end(members, into: &out)
  }

  fileprivate func range(of steps: ArraySlice<JSONPointer.Step>, _ part: ValuePart) -> Range<Int> {
    let whole = title.head(of: range)
    guard case .member(let name)? = steps.first else { return whole }
    switch name {
    case "id": return id?.range(of: part) ?? whole
    case "title": return title.range(of: part)
    case "itemDescription": return details?.range(of: part) ?? whole
    case "estimatedMinutes": return minutes?.range(of: part) ?? whole
    case "tags": return tags.range(of: steps.dropFirst(), part) ?? whole
    case "sortOrder": return sortOrder?.range(of: part) ?? whole
    default: return whole
    }
  }
}

extension CardDraft {
  fileprivate func write(into out: inout ByteBuffer) {
    var part = PartWriter(into: &out)
    part.text(.id, id, into: &out)
    part.text(.front, front, into: &out)
    part.text(.back, back, into: &out)
    part.texts(.tags, tags, into: &out)
    part.text(.hint, hint, into: &out)
    part.text(.source, source, into: &out)
    part.json(.sortOrder, sortOrder, into: &out)
    part.json(.review, review, into: &out)
    part.end(members, into: &out)
  }

  fileprivate func range(of steps: ArraySlice<JSONPointer.Step>, _ part: ValuePart) -> Range<Int> {
    let whole = front.head(of: range)
    guard case .member(let name)? = steps.first else { return whole }
    switch name {
    case "id": return id?.range(of: part) ?? whole
    case "front": return front.range(of: part)
    case "back": return back.range(of: part)
    case "hint": return hint?.range(of: part) ?? whole
    case "source": return source?.range(of: part) ?? whole
    case "tags": return tags.range(of: steps.dropFirst(), part) ?? whole
    case "review": return review?.range ?? whole
    default: return whole
    }
  }
}

extension SourcedText {
  /// Returns the range of a section's, step's or card's title line. A finding about the whole element underlines only
  /// this line.
  func head(of whole: Range<Int>) -> Range<Int> {
    range.isEmpty ? whole.lowerBound..<whole.lowerBound : range
  }

  /// Returns the bytes of the source that one part of the value came from.
  package func range(of part: ValuePart) -> Range<Int> {
    guard case .text(let part) = part, part.upperBound <= bytes.count else { return range }
    return source(of: part)
  }
}

extension [SourcedText] {
  fileprivate func range(of steps: ArraySlice<JSONPointer.Step>, _ part: ValuePart) -> Range<Int>? {
    guard case .element(let index)? = steps.first, indices.contains(index) else { return first?.range }
    return self[index].range(of: part)
  }
}

extension ValuePart {
  /// Returns the range of one part of a value whose text is unchanged in the source.
  package func range(within whole: Range<Int>) -> Range<Int> {
    guard case .text(let part) = self, part.upperBound <= whole.count else { return whole }
    return whole.lowerBound + part.lowerBound..<whole.lowerBound + part.upperBound
  }
}

/// Writes items, sections, steps and cards as JSON objects, with the commas between their members.
///
/// This is the only type that writes the names of these members. Missing values are left out, and a canonicalizer adds
/// the defaults.
package struct PartWriter {
  /// A member of an item, a section, a step or a card.
  package enum Field {
    case kind, contentType, language, createdAt, updatedAt, contentData
    case id, title, icon, description, isExpandedByDefault, items
    case itemDescription, isOptional, isRequired, tags, estimatedMinutes, sortOrder
    case front, back, hint, source, review

    @inlinable var key: StaticString {
      switch self {
      case .kind: "\"kind\":"
      case .contentType: "\"content_type\":"
      case .language: "\"language\":"
      case .createdAt: "\"created_at\":"
      case .updatedAt: "\"updated_at\":"
      case .contentData: "\"content_data\":"
      case .id: "\"id\":"
      case .title: "\"title\":"
      case .icon: "\"icon\":"
      case .description: "\"description\":"
      case .isExpandedByDefault: "\"isExpandedByDefault\":"
      case .items: "\"items\":"
      case .itemDescription: "\"itemDescription\":"
      case .isOptional: "\"isOptional\":"
      case .isRequired: "\"isRequired\":"
      case .tags: "\"tags\":"
      case .estimatedMinutes: "\"estimatedMinutes\":"
      case .sortOrder: "\"sortOrder\":"
      case .front: "\"front\":"
      case .back: "\"back\":"
      case .hint: "\"hint\":"
      case .source: "\"source\":"
      case .review: "\"review\":"
      }
    }
  }

  @usableFromInline var isEmpty = true

  /// Begins an object.
  @inlinable
  package init(into out: inout ByteBuffer) { out.append(UInt8(ascii: "{")) }

  /// Begins a member. Its value must follow.
  @inlinable
  package mutating func begin(_ field: Field, into out: inout ByteBuffer) {
    if !isEmpty { out.append(UInt8(ascii: ",")) }
    isEmpty = false
    out.append(field.key)
  }

  /// Writes a string.
  @inlinable
  package mutating func text(_ field: Field, _ text: Span<UInt8>, into out: inout ByteBuffer) {
    begin(field, into: &out)
    out.appendJSONString(text)
  }

  /// Writes a string, unless it is nil.
  package mutating func text(_ field: Field, _ text: SourcedText?, into out: inout ByteBuffer) {
    guard let text else { return }
    self.text(field, text.bytes.span, into: &out)
  }

  /// Writes strings, unless the list is empty.
  package mutating func texts(_ field: Field, _ texts: [SourcedText], into out: inout ByteBuffer) {
    guard !texts.isEmpty else { return }
    begin(field, into: &out)
    Self.list(texts, into: &out) { $1.appendJSONString($0.bytes.span) }
  }

  /// Writes a value that is already JSON, unless it is nil.
  package mutating func json(_ field: Field, _ value: SourcedText?, into out: inout ByteBuffer) {
    guard let value else { return }
    begin(field, into: &out)
    out.append(value.bytes.span)
  }

  /// Writes a constant that is already JSON.
  package mutating func json(_ field: Field, _ value: StaticString, into out: inout ByteBuffer) {
    begin(field, into: &out)
    out.append(value)
  }

  /// Writes true or false.
  @inlinable
  package mutating func flag(_ field: Field, _ value: Bool, into out: inout ByteBuffer) {
    begin(field, into: &out)
    out.append(value ? "true" : "false")
  }

  /// Writes a whole number.
  @inlinable
  package mutating func number(_ field: Field, _ value: Int64, into out: inout ByteBuffer) {
    begin(field, into: &out)
    if value >= 0, value < 10 { return out.append(UInt8(truncatingIfNeeded: 0x30 + value)) }
    out.append(utf8: String(value))
  }

  /// Ends the object.
  /// - Parameter members: further members, as the inside of a JSON object.
  package mutating func end(_ members: SourcedText? = nil, into out: inout ByteBuffer) {
    if let members, !members.bytes.isEmpty {
      if !isEmpty { out.append(UInt8(ascii: ",")) }
      out.append(members.bytes.span)
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Writes an array.
  static func list<Element>(
    _ elements: [Element], into out: inout ByteBuffer, _ write: (Element, inout ByteBuffer) -> Void
  ) {
    out.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      write(element, &out)
    }
    out.append(UInt8(ascii: "]"))
  }
}
