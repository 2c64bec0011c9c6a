import Content
import Diagnostics
import JSONText
import YAMLText

/// Finds values of a record in the note that it was read from.
struct NotePlaces {
  /// Where a value stands: some bytes of the note, or a place in its front matter.
  enum Spot {
    case text(Range<Int>)
    case yaml(YAMLDocument.Position)
    /// The note as a whole: what it does not say.
    case note
  }

  let note: ParsedNote

  /// Where the value at `pointer` stands, or what surrounds it.
  func spot(of pointer: JSONPointer, part: ValuePart) -> Spot {
    guard case .member(let name)? = pointer.steps.first else { return .note }
    let rest = Array(pointer.steps.dropFirst())
    if name == "content_data" { return body(rest, part) }
    return envelope(name, rest, part)
  }

  // MARK: Front matter

  private func envelope(_ name: String, _ rest: [JSONPointer.Step], _ part: ValuePart) -> Spot {
    if let member = note.metadata.member(name) { return yaml(member, [], rest, part) }
    switch name {
    case "title":
      if let heading = note.heading { return .text(within(heading, part)) }
    case "description":
      if let text = note.bodyDescription { return .text(range(of: text, part)) }
    case "content_type": return type
    case "extras":
      guard case .member("markdown")? = rest.first else { return yaml("extras", rest, part) }
    default: break
    }
    return .note
  }

  private var type: Spot {
    for key in MetadataKeys.type.read {
      if let position = note.yaml?.position(of: JSONPointer([.member(key)])) { return .yaml(position) }
      if let range = note.keyRanges[key] { return .text(range) }
    }
    return .note
  }

  private func yaml(
    _ member: NoteMetadata.Member, _ above: [JSONPointer.Step], _ rest: [JSONPointer.Step], _ part: ValuePart
  ) -> Spot {
    yaml(member.key, above + rest, part)
  }

  /// The value below a key, or the nearest that is there: tags may be one text.
  private func yaml(_ key: String, _ rest: [JSONPointer.Step], _ part: ValuePart) -> Spot {
    guard let document = note.yaml else { return note.keyRanges[key].map(Spot.text) ?? .note }
    var steps = rest
    while true {
      let pointer = JSONPointer([.member(key)] + steps)
      if let position = document.position(of: pointer, name: part == .name) ?? document.position(of: pointer) {
        return .yaml(position)
      }
      if steps.isEmpty { return .note }
      steps.removeLast()
    }
  }

  // MARK: The body

  private func body(_ steps: [JSONPointer.Step], _ part: ValuePart) -> Spot {
    guard case .member(let name)? = steps.first else { return .text(note.body) }
    let rest = Array(steps.dropFirst())
    switch (name, note.content) {
    case ("markdown", .guide): return .text(within(note.body, part))
    case ("sections", .checklist(let checklist)): return section(checklist, rest, part)
    case ("cards", .deck(let deck)): return card(deck, rest, part)
    default:
      if let member = note.metadata.document.first(where: { $0.name == name }) {
        return member.name == "checklistType"
          ? yaml(member.key, [], part) : yaml(member, [.member(name)], rest, part)
      }
      // What the document repeats from the envelope.
      let repeated = MetadataKeys.documentMembers.first { $0.name == name }?.repeats
      return repeated.map { envelope($0, rest, part) } ?? .note
    }
  }

  private func section(_ checklist: ChecklistDraft, _ steps: [JSONPointer.Step], _ part: ValuePart) -> Spot {
    guard case .element(let index)? = steps.first, checklist.sections.indices.contains(index) else {
      return .text(note.body)
    }
    let section = checklist.sections[index]
    guard steps.count > 1, case .member(let name) = steps[1] else { return .text(head(section.title, section.range)) }
    switch name {
    case "id": return .text(section.id.map { range(of: $0, part) } ?? head(section.title, section.range))
    case "title": return .text(range(of: section.title, part))
    case "icon": return .text(section.icon.map { range(of: $0, part) } ?? head(section.title, section.range))
    case "description":
      return .text(section.description.map { range(of: $0, part) } ?? head(section.title, section.range))
    case "sortOrder": return .text(section.sortOrder.map { range(of: $0, part) } ?? head(section.title, section.range))
    case "items": return step(section, Array(steps.dropFirst(2)), part)
    default: return .text(head(section.title, section.range))
    }
  }

  private func step(_ section: SectionDraft, _ steps: [JSONPointer.Step], _ part: ValuePart) -> Spot {
    guard case .element(let index)? = steps.first, section.steps.indices.contains(index) else {
      return .text(head(section.title, section.range))
    }
    let step = section.steps[index]
    let whole = head(step.title, step.range)
    guard steps.count > 1, case .member(let name) = steps[1] else { return .text(whole) }
    switch name {
    case "id": return .text(step.id.map { range(of: $0, part) } ?? whole)
    case "title": return .text(range(of: step.title, part))
    case "itemDescription": return .text(step.details.map { range(of: $0, part) } ?? whole)
    case "estimatedMinutes": return .text(step.minutes.map { range(of: $0, part) } ?? whole)
    case "tags": return .text(element(step.tags, Array(steps.dropFirst(2)), part) ?? whole)
    case "sortOrder": return .text(step.sortOrder.map { range(of: $0, part) } ?? whole)
    default: return .text(whole)
    }
  }

  private func card(_ deck: DeckDraft, _ steps: [JSONPointer.Step], _ part: ValuePart) -> Spot {
    guard case .element(let index)? = steps.first, deck.cards.indices.contains(index) else { return .text(note.body) }
    let card = deck.cards[index]
    let whole = head(card.front, card.range)
    guard steps.count > 1, case .member(let name) = steps[1] else { return .text(whole) }
    switch name {
    case "id": return .text(card.id.map { range(of: $0, part) } ?? whole)
    case "front": return .text(range(of: card.front, part))
    case "back": return .text(range(of: card.back, part))
    case "hint": return .text(card.hint.map { range(of: $0, part) } ?? whole)
    case "source": return .text(card.source.map { range(of: $0, part) } ?? whole)
    case "tags": return .text(element(card.tags, Array(steps.dropFirst(2)), part) ?? whole)
    case "review": return .text(card.review.map { range(of: $0, .value) } ?? whole)
    default: return .text(whole)
    }
  }

  private func element(_ texts: [SourcedText], _ steps: [JSONPointer.Step], _ part: ValuePart) -> Range<Int>? {
    guard case .element(let index)? = steps.first, texts.indices.contains(index) else { return texts.first?.range }
    return range(of: texts[index], part)
  }

  // MARK: Parts

  /// The first line of something that has a title: nobody wants forty lines underlined.
  private func head(_ title: SourcedText, _ range: Range<Int>) -> Range<Int> {
    title.range.isEmpty ? range.lowerBound..<range.lowerBound : title.range
  }

  private func range(of text: SourcedText, _ part: ValuePart) -> Range<Int> {
    guard case .text(let part) = part, part.upperBound <= text.bytes.count else { return text.range }
    return text.source(of: part)
  }

  private func within(_ range: Range<Int>, _ part: ValuePart) -> Range<Int> {
    guard case .text(let part) = part, part.upperBound <= range.count else { return range }
    return range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound
  }
}
