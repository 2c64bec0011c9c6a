import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Creates drafts from Haumana's objects. A piece becomes a practice guide and, if requested, a deck. A session becomes
/// a practice session. Every other object becomes a foreign record. All attributes are kept, so that they can be
/// written back.
///
/// - Source: formats/haumana.md, "What becomes what"
struct HaumanaDrafts {
  /// Whether pieces with a translation also become decks.
  let makesDecks: Bool

  /// Creates an object's drafts.
  func drafts(of item: HaumanaItem, as kind: HaumanaItem.Kind) -> [SourceDraft] {
    switch kind {
    case .piece: piece(item)
    case .session: [session(item)]
    case .user: [foreign(item, type: "user", id: item.text(.userId) ?? item.text(.id))]
    case .other: [foreign(item, type: "item", id: item.text(.id))]
    }
  }

  // MARK: Pieces

  private static let texts: [HaumanaItem.Attribute] = [
    .title, .lyrics, .language, .englishTranslation, .author, .sourceUrl, .notes,
  ]
  /// The piece attribute that only the phone has.
  static let phoneAttribute = HaumanaItem.Attribute.lastPracticed

  private func piece(_ item: HaumanaItem) -> [SourceDraft] {
    let title = item.text(.title)
    let wrong = Self.texts.compactMap { item[$0] }.filter { !$0.isText }
    guard wrong.isEmpty else {
      return [
        reject(
          item, .item, title: title?.string ?? "",
          wrong.map { .init(.typeMismatch, "'\(item.name(of: $0))' of a piece is not a string", at: $0.range) })
      ]
    }
    guard let title else {
      return [reject(item, .item, title: "", [.init(.requiredMember, "a piece has no 'title'", at: item.range)])]
    }
    let body = body(of: item)
    var guide = ItemDraft(.practiceGuide, title: title, range: item.range)
    guide.id = item.text(.pieceId) ?? item.text(.id)
    guide.language = item.text(.language)
    guide.created = item.isTime(.createdAt) ? item.text(.createdAt) : nil
    let updated: HaumanaItem.Attribute = item[.modifiedAt]?.isText ?? false ? .modifiedAt : .updatedAt
    guide.updated = item.isTime(updated) ? item.text(updated) : nil
    guide.tags = [item.text(.category) ?? item.text(.type)].compactMap { $0 }.filter { !$0.bytes.isEmpty }
    guide.body = .guide
    guide.guide = body
    guide.members = extras(item, guide)
    guard makesDecks, let deck = deck(of: item, guide) else { return [.item(guide)] }
    return [.item(guide), .item(deck)]
  }

  /// Returns the attributes of a piece that have no members of their own in the record.
  private func extras(_ item: HaumanaItem, _ guide: ItemDraft) -> SourcedText {
    func isExtra(_ field: HaumanaItem.Field) -> Bool {
      switch field.attribute {
      case .pieceId, .id, .title: false
      case .createdAt: guide.created == nil && !field.isNull
      case .modifiedAt, .updatedAt: guide.updated == nil && !field.isNull
      default: !field.isNull
      }
    }
    var json = ByteBuffer(capacity: 1024)
    json.append("\"extras\":{\"haumana\":")
    item.write(into: &json) { isExtra($0) && !isOfPhone($0) }
    // The attribute is kept in a separate member, because a version from the cloud lacks it and must not remove it.
    if item.fields.contains(where: { isOfPhone($0) && isExtra($0) }) {
      json.append(",\"haumana_phone\":")
      item.write(into: &json) { isOfPhone($0) && isExtra($0) }
    }
    json.append("}")
    return SourcedText(bytes: Array(json.bytes), range: item.range)
  }

  private func isOfPhone(_ field: HaumanaItem.Field) -> Bool { field.attribute == Self.phoneAttribute }

  /// Returns the guide's Markdown, with one section each for the lyrics, the translation and the notes.
  private func body(of item: HaumanaItem) -> SourcedText {
    var text = TextAssembly(tracksPlaces: item.tracksPlaces, capacity: item.range.count)
    for (heading, attribute) in HaumanaMarkdown.sections {
      guard let part = item.text(attribute), HaumanaMarkdown.hasContent(part) else { continue }
      HaumanaMarkdown.append(part, under: heading, into: &text)
    }
    return text.text(item.range)
  }

  /// Returns the deck for a piece with a translation, with one card for each line.
  private func deck(of item: HaumanaItem, _ guide: ItemDraft) -> ItemDraft? {
    guard let lyrics = item.text(.lyrics), let translation = item.text(.englishTranslation) else { return nil }
    let cards = HaumanaMarkdown.cards(lyrics, translation)
    guard !cards.isEmpty else { return nil }
    var deck = ItemDraft(.flashcardDeck, title: guide.title, range: item.range)
    if let id = guide.id {
      deck.id = SourcedText(
        bytes: Array(CanonicalUUID.derived(["haumana", "deck", CanonicalUUID.canonical(id.string)]).utf8),
        range: id.range)
    }
    deck.language = guide.language
    deck.created = guide.created
    deck.updated = guide.updated
    deck.tags = guide.tags
    deck.body = .deck(DeckDraft(cards: cards))
    if let id = guide.id {
      var json = ByteBuffer(capacity: 128)
      json.append("\"extras\":{\"haumana\":{\"deckOf\":")
      json.appendJSONString(CanonicalUUID.canonical(id.string))
      json.append("}}")
      deck.members = SourcedText(bytes: Array(json.bytes), range: item.range)
    }
    return deck
  }

  // MARK: Others

  private func session(_ item: HaumanaItem) -> SourceDraft {
    guard let id = item.text(.sessionId) ?? item.text(.id) else {
      return reject(
        item, .practiceSession, title: "",
        [.init(.requiredMember, "a practice session has no 'sessionId'", at: item.range)])
    }
    func member(_ name: String, _ text: SourcedText, _ value: String) -> RecordDraft.Member {
      var json = ByteBuffer(capacity: 64)
      json.appendJSONString(value)
      return RecordDraft.Member(name, SourcedText(bytes: Array(json.bytes), range: text.range))
    }
    func normal(_ text: SourcedText) -> String { Timestamp.parse(text.string).map { $0.0.iso8601 } ?? text.string }
    var members = [member("id", id, CanonicalUUID.canonical(id.string))]
    if let piece = item.text(.pieceId) {
      members.append(member("content_id", piece, CanonicalUUID.canonical(piece.string)))
    }
    if let start = item.text(.startedAt) ?? item.text(.startTime) {
      members.append(member("started_at", start, normal(start)))
    }
    if let end = item.text(.endedAt) ?? item.text(.endTime) { members.append(member("ended_at", end, normal(end))) }
    return .record(
      RecordDraft(.practiceSession, title: id.string, members: members + origin(item.byCloudNames), range: item.range))
  }

  /// Creates a record for an object that has no counterpart in AnyFleet.
  func foreign(_ item: HaumanaItem, type: String, id: SourcedText?) -> SourceDraft {
    var key = ByteBuffer(capacity: 64)
    let name =
      id?.string ?? CanonicalUUID.derived([type] + item.fields.map { String(decoding: item.json($0), as: UTF8.self) })
    key.appendJSONString("haumana/\(type)/\(name)")
    var kind = ByteBuffer(capacity: 32)
    kind.appendJSONString(type)
    let members = [
      RecordDraft.Member("id", SourcedText(bytes: Array(key.bytes), range: id?.range ?? item.range)),
      RecordDraft.Member("system", SourcedText(bytes: Array("\"haumana\"".utf8), range: item.range)),
      RecordDraft.Member("type", SourcedText(bytes: Array(kind.bytes), range: item.range)), raw(item),
    ]
    return .record(RecordDraft(.foreign, title: name, members: members, range: item.range))
  }

  private func origin(_ item: HaumanaItem) -> [RecordDraft.Member] {
    [RecordDraft.Member("system", SourcedText(bytes: Array("\"haumana\"".utf8), range: item.range)), raw(item)]
  }

  /// Returns all attributes unchanged.
  private func raw(_ item: HaumanaItem) -> RecordDraft.Member {
    var json = ByteBuffer(capacity: 512)
    item.write(into: &json)
    return RecordDraft.Member("raw", SourcedText(bytes: Array(json.bytes), range: item.range))
  }

  private func reject(
    _ item: HaumanaItem, _ kind: RecordKind, title: String, _ problems: [RejectedDraft.Problem]
  ) -> SourceDraft {
    var json = ByteBuffer(capacity: 512)
    item.write(into: &json)
    return .rejected(
      RejectedDraft(kind, title: title, json: Array(json.bytes), problems: problems, range: item.range))
  }
}

/// Converts a piece's text to Markdown, and line by line to cards.
enum HaumanaMarkdown {
  /// The sections of a guide and the attributes that they hold, in order.
  static let sections: [(heading: StaticString, attribute: HaumanaItem.Attribute)] = [
    ("Lyrics", .lyrics), ("Translation", .englishTranslation), ("Notes", .notes),
  ]

  /// Whether a string contains anything except whitespace.
  static func hasContent(_ text: SourcedText) -> Bool {
    guard let first = text.bytes.first else { return false }
    return first > 0x20 && first < 0x7F || text.string.contains { !$0.isWhitespace }
  }

  /// Returns the lines of a string, without line breaks and surrounding whitespace.
  private static func lines(of bytes: Span<UInt8>) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    lines.reserveCapacity(16)
    var start = 0
    for index in bytes.indices where bytes[index] == 0x0A {
      lines.append(trimmed(start..<index, bytes))
      start = index + 1
    }
    lines.append(trimmed(start..<bytes.count, bytes))
    return lines
  }

  private static func trimmed(_ line: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int> {
    var (start, end) = (line.lowerBound, line.upperBound)
    while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 || bytes[start] == 0x0D { start += 1 }
    while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 || bytes[end - 1] == 0x0D { end -= 1 }
    return start..<end
  }

  /// Appends a section. Line breaks are kept, and markup is escaped.
  static func append(_ text: SourcedText, under heading: StaticString, into out: inout TextAssembly) {
    let lines = lines(of: text.bytes.span)
    guard let first = lines.firstIndex(where: { !$0.isEmpty }), let last = lines.lastIndex(where: { !$0.isEmpty })
    else { return }
    let start = lines[first].lowerBound
    out.insert(out.isEmpty ? "## " : "\n## ", at: text.place(start))
    out.insert(heading, at: text.place(start))
    out.insert("\n\n", at: text.place(start))
    for index in first...last {
      let line = lines[index]
      let isBreak = index < last && !line.isEmpty && !lines[index + 1].isEmpty
      if line.isEmpty, index > first, lines[index - 1].isEmpty { continue }
      append(text, line, into: &out)
      out.insert(isBreak ? "  \n" : "\n", at: text.place(max(line.lowerBound, line.upperBound - 1)))
    }
  }

  /// The meaning that a byte can have in Markdown.
  private enum Markup: UInt8 {
    case never, anywhere, atStart, afterNumber
  }

  private static let markup: [Markup] = (UInt8.min...UInt8.max).map { byte in
    if "\\`*_[]<&|~".utf8.contains(byte) { return .anywhere }
    if "#>-+=:".utf8.contains(byte) { return .atStart }
    return ".)".utf8.contains(byte) ? .afterNumber : .never
  }

  /// Appends a line with its markup characters escaped.
  private static func append(_ text: SourcedText, _ line: Range<Int>, into out: inout TextAssembly) {
    var run = line.lowerBound
    for index in line {
      let isSpecial =
        switch markup[Int(text.bytes[index])] {
        case .never: false
        case .anywhere: true
        case .atStart: index == line.lowerBound
        case .afterNumber:
          index > line.lowerBound && text.bytes[line.lowerBound..<index].allSatisfy { $0 &- 0x30 < 10 }
        }
      guard isSpecial else { continue }
      if index > run { out.append(text, run..<index) }
      out.insert("\\", at: text.place(index))
      run = index
    }
    if run < line.upperBound { out.append(text, run..<line.upperBound) }
  }

  /// Creates a card for each line and its translation.
  ///
  /// Lines are paired within stanzas, or in order if the stanzas differ. Surplus lines on one side are added to the
  /// last card, so that no line is lost.
  static func cards(_ lyrics: SourcedText, _ translation: SourcedText) -> [CardDraft] {
    let left = stanzas(of: lyrics)
    let right = stanzas(of: translation)
    let pairs =
      left.count == right.count && zip(left, right).allSatisfy({ $0.count == $1.count })
      ? Array(zip(left, right)) : [(left.flatMap { $0 }, right.flatMap { $0 })]
    var cards: [CardDraft] = []
    for (ours, theirs) in pairs {
      let count = min(ours.count, theirs.count)
      for index in 0..<count {
        let isLast = index == count - 1
        let front = joined(lyrics, isLast ? Array(ours[index...]) : [ours[index]])
        let back = joined(translation, isLast ? Array(theirs[index...]) : [theirs[index]])
        cards.append(CardDraft(front: front, back: back, range: front.range))
      }
    }
    return cards
  }

  private static func stanzas(of text: SourcedText) -> [[Range<Int>]] {
    var stanzas: [[Range<Int>]] = []
    var isNew = true
    for line in lines(of: text.bytes.span) {
      if line.isEmpty {
        isNew = true
      } else if isNew {
        stanzas.append([line])
        isNew = false
      } else {
        stanzas[stanzas.count - 1].append(line)
      }
    }
    return stanzas
  }

  private static func joined(_ text: SourcedText, _ lines: [Range<Int>]) -> SourcedText {
    guard lines.count > 1, let first = lines.first, let last = lines.last else {
      return lines.first.map { text.part($0) } ?? SourcedText(bytes: [], range: text.range)
    }
    var all = TextAssembly(tracksPlaces: !text.stretches.isEmpty)
    for (index, line) in lines.enumerated() {
      if index > 0 { all.insert("\n", at: text.place(line.lowerBound)) }
      all.append(text, line)
    }
    let range = text.place(first.lowerBound)..<text.place(last.upperBound - 1) + 1
    return all.text(range.lowerBound <= range.upperBound ? range : text.range)
  }
}
