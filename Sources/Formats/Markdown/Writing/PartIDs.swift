import Content
import JSONText

/// Ids of the sections and steps, or the cards, of one note that its lines do not contain, by title or front.
///
/// Equal titles are numbered in order. When a title is edited in the note, its entry no longer applies.
struct PartIDs: Equatable, Sendable {
  /// A title, and the number of earlier parts with the same title.
  struct Key: Hashable, Sendable {
    let title: [UInt8]
    let number: Int
  }

  private(set) var sections: [Key: [UInt8]] = [:]
  private(set) var steps: [Key: [UInt8]] = [:]
  private(set) var cards: [Key: [UInt8]] = [:]

  var isEmpty: Bool { sections.isEmpty && steps.isEmpty && cards.isEmpty }

  init() {}

  /// Collects the ids of a record that reading its note does not yield.
  /// - Returns: nil if the two do not have the same sections and steps, or cards.
  init?(read: NoteRecord, wanted: NoteRecord) {
    if let read = read.withBody(DraftsFromRecord.deck), let wanted = wanted.withBody(DraftsFromRecord.deck) {
      guard read.cards.count == wanted.cards.count else { return nil }
      cards = Self.ids(read.cards.map { ($0.front, $0.id) }, wanted.cards.map(\.id))
      return
    }
    guard let read = read.withBody(DraftsFromRecord.checklist), let wanted = wanted.withBody(DraftsFromRecord.checklist)
    else { return nil }
    guard read.sections.map(\.steps.count) == wanted.sections.map(\.steps.count) else { return nil }
    sections = Self.ids(read.sections.map { ($0.title, $0.id) }, wanted.sections.map(\.id))
    steps = Self.ids(
      read.sections.flatMap { $0.steps.map { ($0.title, $0.id) } }, wanted.sections.flatMap { $0.steps.map(\.id) })
  }

  private static func ids(
    _ read: [(title: SourcedText, id: SourcedText?)], _ wanted: [SourcedText?]
  ) -> [Key: [UInt8]] {
    var ids: [Key: [UInt8]] = [:]
    var numbers = Numbers()
    for (one, id) in zip(read, wanted) {
      let key = numbers.key(one.title)
      if let id, id.bytes != one.id?.bytes { ids[key] = id.bytes }
    }
    return ids
  }

  /// Sets the ids of sections and steps that have none.
  func put(into checklist: inout ChecklistDraft) {
    if isEmpty { return }
    var numbers = (sections: Numbers(), steps: Numbers())
    for section in checklist.sections.indices {
      let title = checklist.sections[section].title
      let id = sections[numbers.sections.key(title)]
      if checklist.sections[section].id == nil, let id {
        checklist.sections[section].id = SourcedText(bytes: id, range: title.range)
      }
      for step in checklist.sections[section].steps.indices {
        let title = checklist.sections[section].steps[step].title
        let id = steps[numbers.steps.key(title)]
        if checklist.sections[section].steps[step].id == nil, let id {
          checklist.sections[section].steps[step].id = SourcedText(bytes: id, range: title.range)
        }
      }
    }
  }

  /// Sets the ids of cards that have none.
  func put(into deck: inout DeckDraft) {
    if cards.isEmpty { return }
    var numbers = Numbers()
    for card in deck.cards.indices {
      let front = deck.cards[card].front
      let id = cards[numbers.key(front)]
      if deck.cards[card].id == nil, let id { deck.cards[card].id = SourcedText(bytes: id, range: front.range) }
    }
  }

  /// Counts equal titles.
  private struct Numbers {
    private var counts: [[UInt8]: Int] = [:]

    mutating func key(_ title: SourcedText) -> Key {
      let number = counts[title.bytes, default: 0]
      counts[title.bytes] = number + 1
      return Key(title: title.bytes, number: number)
    }
  }

  // MARK: As JSON

  /// Reads the output of `write` and ignores anything else.
  init(_ json: JSONValue) {
    sections = Self.ids(json["sections"])
    steps = Self.ids(json["steps"])
    cards = Self.ids(json["cards"])
  }

  private static func ids(_ list: JSONValue?) -> [Key: [UInt8]] {
    var ids: [Key: [UInt8]] = [:]
    for entry in list?.elements ?? [] {
      let parts = entry.elements
      guard parts.count == 3, let title = parts[0].string, let number = parts[1].integer, let id = parts[2].string,
        UUIDText.form(of: id) == .canonical
      else { continue }
      ids[Key(title: Array(title.utf8), number: Int(clamping: number))] = Array(id.utf8)
    }
    return ids
  }

  /// Appends the members of an object.
  func write(into out: inout ByteBuffer) {
    write("sections", sections, into: &out)
    write("steps", steps, into: &out)
    write("cards", cards, into: &out)
  }

  private func write(_ name: StaticString, _ ids: [Key: [UInt8]], into out: inout ByteBuffer) {
    if ids.isEmpty { return }
    out.append(",\"")
    out.append(name)
    out.append("\":[")
    let sorted = ids.sorted {
      $0.key.title == $1.key.title
        ? $0.key.number < $1.key.number : $0.key.title.lexicographicallyPrecedes($1.key.title)
    }
    for (position, (key, id)) in sorted.enumerated() {
      if position > 0 { out.append(",") }
      out.append("[")
      key.title.withUnsafeBufferPointer { out.appendJSONString($0) }
      out.append(utf8: ",\(key.number),")
      id.withUnsafeBufferPointer { out.appendJSONString($0) }
      out.append("]")
    }
    out.append("]")
  }
}
