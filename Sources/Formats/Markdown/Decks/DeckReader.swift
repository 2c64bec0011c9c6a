import Content
import MarkdownSyntax
import MarkdownText

/// Reads the cards of a deck from the body of a note.
enum DeckReader {
  /// Returns the certainty, in percent, that a body is a deck, and the style of its cards; nil if there is no evidence
  /// for a deck.
  ///
  /// The certainty depends on the share of lines that belong to cards. A single card never gives more than 40 %.
  /// Headings with text below never give more than 65 %, because any guide has them.
  static func recognise(
    _ text: Span<UInt8>, body: Range<Int>
  ) -> (style: DeckStyle, certainty: Int, cards: Int)? {
    guard body.upperBound <= MarkdownTree.longest, DeckPrecheck.mayHoldCards(text, body) else { return nil }
    return DeckEvidence(text, DeckLines(text, in: body)).best
  }

  /// Reads the cards in the style of the majority. If there is a FleetKit comment, it determines the style.
  static func read(_ text: Span<UInt8>, body: Range<Int>) -> DeckDraft {
    guard body.upperBound <= MarkdownTree.longest else { return DeckDraft(description: SourcedText(text, body)) }
    let lines = DeckLines(text, in: body)
    return switch DeckEvidence(text, lines).style {
    case .questions: QuestionDeck.read(text, lines)
    case .colons: ColonDeck.read(text, lines)
    case .headings: HeadingDeck.read(text, lines)
    }
  }
}

/// The notation of a deck's cards.
enum DeckStyle: Sendable, Equatable {
  /// `Q:` and `A:` at the beginning of lines.
  case questions
  /// `front :: back` on one line.
  case colons
  /// A heading, and the text below it.
  case headings
}

/// A quick check for whether a body may contain cards, which is enough for most guides.
///
/// The check examines only colons and line ends, so it costs a fraction of splitting the body into lines. It never
/// rejects a body whose certainty would be at least 40 %.
enum DeckPrecheck {
  /// Whether a body needs a closer check.
  static func mayHoldCards(_ text: Span<UInt8>, _ body: Range<Int>) -> Bool {
    hasColons(text, body) || hasMarks(text, body)
  }

  /// Whether the body contains two consecutive colons.
  private static func hasColons(_ text: Span<UInt8>, _ body: Range<Int>) -> Bool {
    var at = body.lowerBound
    while let colon = next(0x3A, text, at..<body.upperBound) {
      if colon + 1 < body.upperBound, text[colon + 1] == 0x3A { return true }
      at = colon + 1
    }
    return false
  }

  /// Whether a line begins like a question or consists of `?`, or a heading may be a card.
  private static func hasMarks(_ text: Span<UInt8>, _ body: Range<Int>) -> Bool {
    var headings = 0
    var asking = 0
    var at = body.lowerBound
    while at < body.upperBound {
      let end = next(0x0A, text, at..<body.upperBound) ?? body.upperBound
      // A line that ends with a bare CR hides the lines after it.
      if end - at > 0, next(0x0D, text, at..<max(at, end - 1)) != nil { return true }
      let line = at..<end
      at = end + 1
      guard let first = line.first(where: { !DeckLine.isBlank(text[$0]) }) else { continue }
      switch text[first] {
      case 0x3F: return true
      case 0x23:
        headings += 1
        if let last = line.last(where: { !DeckLine.isBlank(text[$0]) && text[$0] != 0x23 && text[$0] != 0x0D }),
          text[last] == 0x3F
        {
          asking += 1
        }
        if beginsQuestion(text, first..<end) { return true }
      default:
        if beginsQuestion(text, first..<end) { return true }
      }
    }
    return headings >= 3 && (asking >= 2 || body.count <= headings * 400)
  }

  /// Whether a line begins with the first letter of a mark for questions, such as `Q` or `В`, in any case.
  private static func beginsQuestion(_ text: Span<UInt8>, _ line: Range<Int>) -> Bool {
    for at in line {
      switch text[at] {
      case 0x51, 0x71: return true
      case 0xD0:
        let next = at + 1
        guard next < line.upperBound, text[next] == 0x92 || text[next] == 0xB2 else { return false }
        return (next..<line.upperBound).prefix(64).contains { text[$0] == 0x3A || text[$0] == 0x2E }
      case 0x20, 0x09, 0x23, 0x2A, 0x2B, 0x2D, 0x2E, 0x29, 0x5F, 0x30...0x39: continue
      default: return false
      }
    }
    return false
  }

  private static func next(_ byte: UInt8, _ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    text.extracting(first: range.upperBound).firstIndex(of: byte, from: range.lowerBound)
  }
}

/// The evidence that a note is a deck, counted in one pass over its lines.
struct DeckEvidence {
  private var questions = 0
  private var answered = 0
  /// The number of lines that belong to a question, up to the eighth line of the answer.
  private var questionLines = 0
  private var isOwn = false
  private var colons = 0
  private var colonLines = 0
  /// The number of lines with content other than headings, rules and tags.
  private var content = 0
  private let headings: [HeadingDeck.Heading]
  private let headingsThatAsk: Int

  /// Counts the lines.
  init(_ bytes: Span<UInt8>, _ lines: DeckLines) {
    headings = HeadingDeck.cards(bytes, lines)
    headingsThatAsk = headings.count { bytes.extracting($0.text).last == 0x3F }
    let title = DeckLine.title(bytes, lines)
    var isAnswered = false
    var separator: UInt8 = 0
    // The number of further lines that belong to the question. The front of a `?` card is above the `?`.
    var left = 0
    var paragraph = 0
    var isOpen = false
    for (index, line) in lines.all.enumerated() where !title.contains(index) {
      if line.isBlank {
        if !line.isCode { (paragraph, isOpen) = (0, false) }
        continue
      }
      if isStructure(bytes, line) {
        (paragraph, isOpen) = (0, false)
        if !isMarked(bytes, line) { continue }
      }
      content += 1
      if content == 1, CardComment.description(bytes, line.range) != nil { isOwn = true }
      if let mark = line.isCode ? nil : CardMark(bytes, line: line) {
        if mark.side == .question {
          questions += 1
          (isAnswered, separator, left) = (false, mark.separator, 8)
          if !isOwn, CardComment.read(bytes, mark.text) != nil { isOwn = true }
        } else if questions > 0, !isAnswered, mark.separator == separator {
          answered += 1
          (isAnswered, left) = (true, 8)
        }
      }
      if left > 0 {
        questionLines += 1
        left -= 1
      }
      countColons(bytes, line, &paragraph, &isOpen)
    }
  }

  private mutating func countColons(
    _ bytes: Span<UInt8>, _ line: DeckLines.Line, _ paragraph: inout Int, _ isOpen: inout Bool
  ) {
    if isOpen {
      colonLines += 1
    } else if ColonCard(bytes, line: line) != nil {
      colons += 1
      colonLines += 1
      paragraph = 0
    } else if paragraph > 0, ColonDeck.separator(bytes, line) != nil {
      colons += 1
      colonLines += paragraph + 1
      (paragraph, isOpen) = (0, true)
    } else if ScheduleComment.begins(bytes, line) {
      colonLines += 1
    } else {
      paragraph += 1
    }
  }

  private func isStructure(_ bytes: Span<UInt8>, _ line: DeckLines.Line) -> Bool {
    switch bytes[line.text] {
    case 0x23: DeckLine.heading(bytes, line) != nil || DeckLine.isTags(bytes, line)
    case 0x2D, 0x2A, 0x5F: DeckLine.isRule(bytes, line)
    default: false
    }
  }

  /// Whether a heading contains a question: `### Q: …`.
  private func isMarked(_ bytes: Span<UInt8>, _ line: DeckLines.Line) -> Bool {
    CardMark(bytes, line: line) != nil
  }

  /// The style of most cards. On a tie, questions take precedence over colons, and colons over headings.
  var style: DeckStyle {
    let marked = answered > 0 || isOwn ? questions : 0
    if isOwn || marked > 0 && marked >= colons && marked >= headings.count { return .questions }
    return colons > 0 && colons >= headings.count ? .colons : marked > 0 && headings.isEmpty ? .questions : .headings
  }

  /// The most certain style; nil if its certainty is below 10 %.
  var best: (style: DeckStyle, certainty: Int, cards: Int)? {
    if isOwn { return (.questions, 99, questions) }
    let all = max(1, content)
    let limits = [0, 40, 80, 97]
    let byQuestions =
      questions == 0
      ? 0 : min(limits[min(3, answered)], 100 * min(questionLines, all) / all * answered / questions)
    let byColons = min(limits[min(3, colons)], 100 * min(colonLines, all) / all)
    let byHeadings = headingCertainty
    let most = max(byQuestions, byColons, byHeadings)
    guard most >= 10 else { return nil }
    if most == byQuestions { return (.questions, most, questions) }
    return most == byColons ? (.colons, most, colons) : (.headings, most, headings.count)
  }

  /// The certainty that the headings are cards. Short answers below headings that are questions look like cards. If the
  /// headings are not questions, the answers must be very short.
  private var headingCertainty: Int {
    let answered = headings.filter(\.hasText)
    guard answered.count >= 3, answered.count * 5 >= headings.count * 4 else { return 0 }
    let areShort = answered.allSatisfy { $0.length <= 400 }
    if headingsThatAsk * 2 >= headings.count {
      return (areShort ? 65 : 40) * headingsThatAsk / headings.count
    }
    return answered.allSatisfy { $0.length <= 160 } ? 25 : 0
  }
}

/// Reads decks whose cards are marked `Q:` and `A:`, including those that FleetKit writes.
///
/// A card extends to the next question. Headings and rules directly before a question belong to no card.
struct QuestionDeck {
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
  static func read(_ bytes: Span<UInt8>, _ lines: DeckLines) -> DeckDraft {
    var reader = QuestionDeck(lines: lines)
    let title = DeckLine.title(bytes, lines)
    for index in lines.all.indices where !title.contains(index) { reader.parseLine(bytes, at: index) }
    reader.finish(bytes)
    return reader.deck
  }

  private init(lines: DeckLines) { self.lines = lines }

  private mutating func parseLine(_ bytes: Span<UInt8>, at index: Int) {
    let line = lines.all[index]
    if !line.isCode, let mark = CardMark(bytes, line: line) {
      if mark.side == .question, mark.isItem || mark.margin <= 3 { return begin(bytes, mark, line) }
      if mark.side == .answer, card != nil, !isAnswered, mark.separator == separator,
        mark.isItem || isItem || mark.margin <= 3
      {
        return answer(mark)
      }
    }
    open.append(index)
    if card == nil {
      if !parseDescription(bytes, line) { before.add(line.range) }
    } else if isAnswered {
      card?.back.add(bytes, line, without: indent)
    } else {
      card?.front.add(bytes, line, without: indent)
    }
  }

  /// Reads a description from a comment, where a description is stored if it cannot be shown as visible text.
  private mutating func parseDescription(_ bytes: Span<UInt8>, _ line: DeckLines.Line) -> Bool {
    guard deck.description == nil, !line.isBlank, bytes[line.text] == 0x3C,
      let description = CardComment.description(bytes, line.range)
    else { return false }
    deck.description = description
    open.removeAll()
    return true
  }

  private mutating func begin(_ bytes: Span<UInt8>, _ mark: CardMark, _ line: DeckLines.Line) {
    finish(bytes)
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

  private mutating func finish(_ bytes: Span<UInt8>) {
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
  static func cards(_ bytes: Span<UInt8>, _ lines: DeckLines) -> [Heading] {
    let (headings, level, _) = headings(bytes, lines)
    return headings.filter { $0.level == level }
  }

  /// Reads the cards.
  static func read(_ bytes: Span<UInt8>, _ lines: DeckLines) -> DeckDraft {
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
    _ bytes: Span<UInt8>, _ lines: DeckLines
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
