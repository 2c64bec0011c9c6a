import Content

/// Reads decks whose cards are marked `Q:` and `A:`, including those that FleetKit writes.
///
/// A card extends to the next question. Headings and rules directly before a question belong to no card.
struct QuestionDeck {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let lines: DeckLines
  private var deck = DeckDraft()
  private var before = TextPieces()
  private var card: CardParts?
  private var isAnswered = false
  private var isItem = false
  private var separator: UInt8 = 0
  private var indent = 0
  /// The lines that were added to the last text, so that headings at its end can be removed again.
  private var open: [Int] = []

  /// Reads the cards; text before the first card is the description.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ lines: DeckLines) -> DeckDraft {
    var reader = QuestionDeck(bytes: bytes, lines: lines)
    let title = DeckLine.title(bytes, lines)
    for index in lines.all.indices where !title.contains(index) { reader.take(index) }
    reader.finish()
    return reader.deck
  }

  private init(bytes: UnsafeBufferPointer<UInt8>, lines: DeckLines) {
    self.bytes = bytes
    self.lines = lines
  }

  private mutating func take(_ index: Int) {
    let line = lines.all[index]
    if !line.isCode, let mark = CardMark(bytes, line: line) {
      if mark.side == .question, mark.isItem || mark.margin <= 3 { return begin(mark, line) }
      if mark.side == .answer, card != nil, !isAnswered, mark.separator == separator,
        mark.isItem || isItem || mark.margin <= 3
      {
        return answer(mark)
      }
    }
    open.append(index)
    if card == nil {
      if !takeDescription(line) { before.add(line.range) }
    } else if isAnswered {
      card?.back.add(bytes, line, without: indent)
    } else {
      card?.front.add(bytes, line, without: indent)
    }
  }

  /// Reads a description from a comment, where it is stored if it cannot be visible text.
  private mutating func takeDescription(_ line: DeckLines.Line) -> Bool {
    guard deck.description == nil, !line.isBlank, bytes[line.text] == 0x3C,
      let description = CardComment.description(bytes, line.range)
    else { return false }
    deck.description = description
    open.removeAll()
    return true
  }

  private mutating func begin(_ mark: CardMark, _ line: DeckLines.Line) {
    finish()
    var parts = CardParts(start: line.range.lowerBound, frontPlace: mark.text.upperBound)
    var text = mark.text
    if let (comment, start) = CardComment.read(bytes, text) {
      parts.comment = comment
      // One blank precedes the comment; further blanks belong to the text.
      text = text.lowerBound..<(start > text.lowerBound && bytes[start - 1] == 0x20 ? start - 1 : start)
    }
    parts.front.add(text)
    card = parts
    (isAnswered, isItem, separator) = (false, mark.isItem, mark.separator)
    indent = mark.isItem ? mark.indent : mark.margin
    open = []
  }

  private mutating func answer(_ mark: CardMark) {
    card?.back.add(mark.text)
    card?.backPlace = mark.text.upperBound
    isAnswered = true
    indent = max(mark.isItem ? mark.indent : mark.margin, isItem ? indent : 0)
    open = []
  }

  private mutating func finish() {
    var lastIsCode = false
    while let last = open.last {
      let line = lines.all[last]
      guard line.isBlank || DeckLine.isRule(bytes, line) || DeckLine.heading(bytes, line) != nil else {
        lastIsCode = line.isCode
        break
      }
      open.removeLast()
      if card == nil {
        before.removeLast()
      } else if isAnswered {
        card?.back.removeLast()
      } else {
        card?.front.removeLast()
      }
    }
    open = []
    guard var card else {
      before.trim(bytes)
      if deck.description == nil, !before.isEmpty { deck.description = before.text(bytes, orAt: 0) }
      before = TextPieces()
      return
    }
    deck.cards.append(card.finish(bytes, lastIsCode: lastIsCode))
    self.card = nil
  }
}
