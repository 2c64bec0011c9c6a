import Content

/// Reads decks whose cards are headings with their answers below.
///
/// The cards are the headings of the deepest level that has text below its headings. Headings above that level describe
/// the cards below them and belong to no card; their text is part of the description.
enum HeadingDeck {
  /// A heading, and the amount of text below it.
  struct Heading {
    let line: Int
    let level: Int
    let text: Range<Int>
    var hasText = false
    /// The number of bytes of text below the heading, not counting blanks at line ends.
    var length = 0
  }

  /// Returns the headings that are cards.
  static func cards(_ bytes: UnsafeBufferPointer<UInt8>, _ lines: DeckLines) -> [Heading] {
    let (headings, level, _) = headings(bytes, lines)
    return headings.filter { $0.level == level }
  }

  /// Reads the cards.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ lines: DeckLines) -> DeckDraft {
    var deck = DeckDraft()
    var rest = TextPieces()
    var paragraph = TextPieces()
    var card: CardParts?
    var lastIsCode = false
    let (headings, level, title) = headings(bytes, lines)
    var next = 0
    func finish() {
      if var parts = card { deck.cards.append(parts.finish(bytes, lastIsCode: lastIsCode)) }
      card = nil
      paragraph.trim(bytes)
      rest.addParagraph(paragraph)
      paragraph = TextPieces()
    }
    for (index, line) in lines.all.enumerated() where !title.contains(index) {
      if next < headings.count, headings[next].line == index {
        let heading = headings[next]
        next += 1
        if heading.level <= level {
          finish()
          if heading.level == level {
            var parts = CardParts(start: line.range.lowerBound, frontPlace: heading.text.lowerBound)
            let (tags, front) = CardTags.atEnd(bytes, heading.text)
            parts.front.add(front.isEmpty ? heading.text : front)
            if !front.isEmpty { parts.tags = tags.map { SourcedText(bytes, $0) } }
            parts.backPlace = line.range.upperBound
            card = parts
          }
          continue
        }
      }
      if !line.isBlank { lastIsCode = line.isCode }
      if card == nil { paragraph.add(line.range) } else { card?.back.add(line.range) }
    }
    finish()
    if !rest.isEmpty { deck.description = rest.text(bytes, orAt: 0) }
    return deck
  }

  /// Returns three values: all headings except the title, the level of the cards, and the lines of the title.
  private static func headings(
    _ bytes: UnsafeBufferPointer<UInt8>, _ lines: DeckLines
  ) -> (headings: [Heading], level: Int, title: Range<Int>) {
    var headings: [Heading] = []
    for (index, line) in lines.all.enumerated() where !line.isBlank {
      if let (level, text) = DeckLine.heading(bytes, line) {
        headings.append(Heading(line: index, level: level, text: text))
      } else if !headings.isEmpty, !DeckLine.isRule(bytes, line) {
        headings[headings.count - 1].hasText = true
        headings[headings.count - 1].length += line.range.upperBound - line.text
      }
    }
    var title = DeckLine.title(bytes, lines)
    if let first = headings.first, title.contains(first.line) {
      // If all headings are first-level headings, the first heading is also a card if it has an answer.
      let isCard = first.hasText && headings.count > 1 && headings.allSatisfy { $0.level == 1 }
      if isCard { title = 0..<0 } else { headings.removeFirst() }
    }
    return (headings, headings.lazy.filter(\.hasText).map(\.level).max() ?? 0, title)
  }
}
