import Content
import JSONText

/// Makes drafts from the content of a canonical record.
///
/// Every member is kept in a draft. Unknown members, and nulls for optional members, are kept in `members`. A nil
/// result means that a value has the wrong type, so that no note can hold it.
enum DraftsFromRecord {
  /// Returns the draft of a checklist's `sections`.
  static func checklist(_ sections: JSONNode) -> ChecklistDraft? {
    var draft = ChecklistDraft()
    let isSound = everyElement(sections) { node, position in
      guard let section = section(node, position) else { return false }
      draft.sections.append(section)
      return true
    }
    return isSound ? draft : nil
  }

  /// Returns the draft of a deck's `cards`.
  static func deck(_ cards: JSONNode) -> DeckDraft? {
    var draft = DeckDraft()
    let isSound = everyElement(cards) { node, position in
      guard let card = card(node, position) else { return false }
      draft.cards.append(card)
      return true
    }
    return isSound ? draft : nil
  }

  private static func section(_ node: JSONNode, _ position: Int) -> SectionDraft? {
    var reader = MemberSorter(node)
    guard let title = reader.text("title") else { return nil }
    var section = SectionDraft(title: title, range: 0..<0)
    section.id = reader.text("id")
    section.icon = reader.text("icon")
    section.description = reader.text("description")
    section.isCollapsed = reader.bool("isExpandedByDefault", standard: true) == false
    section.sortOrder = reader.number("sortOrder", unless: position)
    var isSound = true
    if let items = reader.take("items", .array) {
      isSound = everyElement(items) { node, position in
        guard let step = step(node, position) else { return false }
        section.steps.append(step)
        return true
      }
    }
    section.members = reader.rest()
    return isSound && reader.isSound ? section : nil
  }

  private static func step(_ node: JSONNode, _ position: Int) -> StepDraft? {
    var reader = MemberSorter(node)
    guard let title = reader.text("title") else { return nil }
    var step = StepDraft(title: title, range: 0..<0)
    step.id = reader.text("id")
    step.details = reader.text("itemDescription")
    step.isRequired = reader.bool("isRequired", standard: false)
    step.isOptional = reader.bool("isOptional", standard: false)
    step.minutes = reader.number("estimatedMinutes", unless: nil)
    step.tags = reader.texts("tags")
    step.sortOrder = reader.number("sortOrder", unless: position)
    step.members = reader.rest()
    return reader.isSound ? step : nil
  }

  private static func card(_ node: JSONNode, _ position: Int) -> CardDraft? {
    var reader = MemberSorter(node)
    guard let front = reader.text("front"), let back = reader.text("back") else { return nil }
    var card = CardDraft(front: front, back: back, range: 0..<0)
    card.id = reader.text("id")
    card.tags = reader.texts("tags")
    card.hint = reader.text("hint")
    card.source = reader.text("source")
    card.sortOrder = reader.number("sortOrder", unless: position)
    card.review = reader.take("review", .object).map { MemberSorter.sourced($0.raw) }
    card.members = reader.rest()
    return reader.isSound ? card : nil
  }

  private static func everyElement(_ node: JSONNode, _ body: (JSONNode, Int) -> Bool) -> Bool {
    guard node.kind == .array else { return false }
    var position = 0
    var isSound = true
    node.forEachElement { element in
      isSound = isSound && element.kind == .object && body(element, position)
      position += 1
    }
    return isSound
  }
}

/// Removes members from an object one by one. `rest` returns the remaining members.
private struct MemberSorter {
  private var members: [(name: JSONNode, value: JSONNode)] = []
  /// Whether every removed member had the right type.
  private(set) var isSound = true

  init(_ node: JSONNode) {
    var found: [(name: JSONNode, value: JSONNode)] = []
    node.forEachMember { found.append(($0, $1)) }
    members = found
  }

  /// Removes a member and returns its value; nil if the member is missing or null. A null remains for `rest`.
  mutating func take(_ name: StaticString, _ kind: JSONToken.Kind) -> JSONNode? {
    guard let index = members.firstIndex(where: { $0.name.equals(name) }), !members[index].value.isNull else {
      return nil
    }
    let value = members.remove(at: index).value
    if value.kind == kind { return value }
    isSound = false
    return nil
  }

  mutating func text(_ name: StaticString) -> SourcedText? {
    take(name, .string).map { SourcedText(bytes: $0.textBytes, range: 0..<0) }
  }

  /// Removes and returns a Boolean. A null makes the object unsound.
  mutating func bool(_ name: StaticString, standard: Bool) -> Bool {
    guard let index = members.firstIndex(where: { $0.name.equals(name) }) else { return standard }
    let value = members.remove(at: index).value.bool
    isSound = isSound && value != nil
    return value ?? standard
  }

  /// Removes a number and returns it as JSON; also nil if it is the whole number `position`.
  mutating func number(_ name: StaticString, unless position: Int?) -> SourcedText? {
    guard let value = take(name, .number) else { return nil }
    if let position, value.raw.elementsEqual(String(position).utf8) { return nil }
    return Self.sourced(value.raw)
  }

  mutating func texts(_ name: StaticString) -> [SourcedText] {
    var all: [SourcedText] = []
    var areTexts = true
    take(name, .array)?.forEachElement { element in
      areTexts = areTexts && element.kind == .string
      all.append(SourcedText(bytes: element.textBytes, range: 0..<0))
    }
    isSound = isSound && areTexts
    return all
  }

  /// Returns the remaining members as JSON, without the braces of the object; nil if there are none.
  func rest() -> SourcedText? {
    guard !members.isEmpty else { return nil }
    var text = ByteBuffer(capacity: 256)
    for member in members {
      if text.count > 0 { text.append(UInt8(ascii: ",")) }
      text.append(member.name.raw)
      text.append(UInt8(ascii: ":"))
      text.append(member.value.raw)
    }
    return Self.sourced(text.bytes)
  }

  static func sourced(_ bytes: UnsafeBufferPointer<UInt8>) -> SourcedText {
    SourcedText(bytes: Array(bytes), range: 0..<0)
  }
}
