import Content
import MarkdownSyntax
import Validation

/// Reads decks in the notation of Obsidian's spaced repetition plugin: `front :: back`, or a front and a back with a
/// line that contains only `?` between them.
///
/// Headings, rules and lines of tags belong to no card. Other text that belongs to no card is the description.
struct ColonDeck {
  private var deck = DeckDraft()
  private var rest = TextPieces()
  /// Lines that may be the front of a multi-line card.
  private var pending = TextPieces()
  /// The card to which further lines belong.
  private var card: CardParts?
  /// Whether a line that contains only `?` began the card's back, so that the back extends to the next blank line.
  private var isOpen = false
  private var lastIsCode = false

  /// Reads the cards.
  static func read(_ bytes: Span<UInt8>, _ lines: DeckLines) -> DeckDraft {
    var reader = ColonDeck()
    let title = DeckLine.title(bytes, lines)
    for index in lines.all.indices where !title.contains(index) { reader.parse(bytes, lines.all[index]) }
    reader.finishCard(bytes)
    reader.dropPending(bytes)
    if !reader.rest.isEmpty { reader.deck.description = reader.rest.text(bytes, orAt: 0) }
    return reader.deck
  }

  private mutating func parse(_ bytes: Span<UInt8>, _ line: DeckLines.Line) {
    if isOpen, line.isCode || !line.isBlank {
      card?.back.add(line.range)
      lastIsCode = line.isCode
      return
    }
    if line.isBlank, !line.isCode {
      finishCard(bytes)
      dropPending(bytes)
    } else if let found = ColonCard(bytes, line: line) {
      finishCard(bytes)
      dropPending(bytes)
      begin(bytes, found, line)
    } else if let marks = Self.separator(bytes, line), !pending.isEmpty {
      finishCard(bytes)
      separate(marks)
    } else if ScheduleComment.begins(bytes, line), addSchedule(line) {
      return
    } else if DeckLine.isRule(bytes, line) || DeckLine.isTags(bytes, line) || DeckLine.heading(bytes, line) != nil {
      finishCard(bytes)
      dropPending(bytes)
    } else {
      finishCard(bytes)
      pending.add(line.range)
    }
  }

  /// Returns the range of a separator line: `?`, or `??` for both directions.
  static func separator(_ bytes: Span<UInt8>, _ line: DeckLines.Line) -> Range<Int>? {
    var end = line.range.upperBound
    guard !line.isBlank, !line.isCode, bytes[line.text] == 0x3F else { return nil }
    while DeckLine.isBlank(bytes[end - 1]) { end -= 1 }
    guard end - line.text <= 2, bytes[end - 1] == 0x3F else { return nil }
    return line.text..<end
  }

  private mutating func begin(_ bytes: Span<UInt8>, _ found: ColonCard, _ line: DeckLines.Line) {
    var parts = CardParts(start: line.range.lowerBound, frontPlace: found.front.lowerBound)
    parts.front.add(found.front)
    parts.back.add(found.back)
    parts.backPlace = found.back.lowerBound
    parts.tags = found.tags.map { SourcedText(bytes, $0) }
    if found.isReversed { parts.tags.append(Self.reversed(found.mark)) }
    card = parts
    isOpen = false
  }

  private mutating func separate(_ marks: Range<Int>) {
    guard let start = pending.parts.first?.lowerBound else { return }
    var parts = CardParts(start: start, frontPlace: start)
    parts.front = pending
    pending = TextPieces()
    parts.backPlace = marks.upperBound
    if marks.count == 2 { parts.tags.append(Self.reversed(marks)) }
    card = parts
    isOpen = true
    lastIsCode = false
  }

  /// Adds the schedule on the line directly below a card to the card.
  private mutating func addSchedule(_ line: DeckLines.Line) -> Bool {
    guard card != nil, pending.isEmpty else { return false }
    card?.back.add(line.range)
    return true
  }

  private static func reversed(_ mark: Range<Int>) -> SourcedText {
    SourcedText(bytes: Array("reversed".utf8), range: mark)
  }

  private mutating func finishCard(_ bytes: Span<UInt8>) {
    guard var parts = card else { return }
    deck.cards.append(parts.finish(bytes, lastIsCode: lastIsCode))
    (card, isOpen, lastIsCode) = (nil, false, false)
  }

  private mutating func dropPending(_ bytes: Span<UInt8>) {
    pending.trim(bytes)
    rest.addParagraph(pending)
    pending = TextPieces()
  }
}

/// A card on one line: `front :: back`, or `front ::: back` for both directions.
struct ColonCard {
  let front: Range<Int>
  let back: Range<Int>
  /// The colons.
  let mark: Range<Int>
  /// Tags before the front.
  let tags: [Range<Int>]

  /// Whether the card is asked in both directions.
  fileprivate var isReversed: Bool { mark.count == 3 }

  /// Reads a line; nil if the line contains no card.
  ///
  /// The colons must not be in code. They need blanks around them unless the note has the tag of Obsidian's spaced
  /// repetition plugin. Table rows contain no cards.
  init?(_ bytes: Span<UInt8>, line: DeckLines.Line) {
    guard !line.isBlank, !line.isCode, bytes[line.text] != 0x7C, DeckLine.heading(bytes, line) == nil else {
      return nil
    }
    let end = line.range.upperBound
    let start = LineSyntax.listItem(bytes, at: line.text, end: end) ?? line.text
    guard let mark = Self.colons(bytes, start..<end, isTight: line.isTight) else { return nil }
    let (tags, found) = CardTags.atStart(bytes, start..<mark.lowerBound)
    var front = found
    while let last = front.last, DeckLine.isBlank(bytes[last]) { front = front.lowerBound..<last }
    guard !front.isEmpty else { return nil }
    var at = mark.upperBound
    while at < end, DeckLine.isBlank(bytes[at]) { at += 1 }
    self.front = front
    self.mark = mark
    self.tags = tags
    back = at..<end
  }

  /// Returns the first two or three colons outside code that have blanks around them.
  private static func colons(
    _ bytes: Span<UInt8>, _ line: Range<Int>, isTight: Bool
  ) -> Range<Int>? {
    var at = line.lowerBound
    var ticks = 0
    // The first colons after an opening backtick. The backtick may turn out not to begin code.
    var doubtful: Range<Int>?
    while true {
      at = ByteSearch.first(in: bytes, from: at, to: line.upperBound) {
        ByteSearch.equal($0, 0x60) | ByteSearch.equal($0, 0x3A)
      }
      guard at < line.upperBound else { break }
      let start = at
      let byte = bytes[at]
      while at < line.upperBound, bytes[at] == byte { at += 1 }
      if byte == 0x60 {
        if ticks == 0 {
          ticks = at - start
        } else if ticks == at - start {
          (ticks, doubtful) = (0, nil)
        }
      } else if at - start == 2 || at - start == 3, start > line.lowerBound,
        isTight || DeckLine.isBlank(bytes[start - 1]), isTight || at == line.upperBound || DeckLine.isBlank(bytes[at])
      {
        if ticks == 0 { return start..<at }
        doubtful = doubtful ?? start..<at
      }
    }
    return doubtful
  }
}
