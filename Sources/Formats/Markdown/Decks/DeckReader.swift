import Content
import Foundation
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
    _ text: UnsafeBufferPointer<UInt8>, body: Range<Int>
  ) -> (style: DeckStyle, certainty: Int, cards: Int)? {
    guard body.upperBound <= MarkdownTree.longest, DeckPrecheck.mayHoldCards(text, body) else { return nil }
    return DeckEvidence(text, DeckLines(text, in: body)).best
  }

  /// Reads the cards in the style of the majority. If there is a FleetKit comment, it determines the style.
  static func read(_ text: UnsafeBufferPointer<UInt8>, body: Range<Int>) -> DeckDraft {
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
  static func mayHoldCards(_ text: UnsafeBufferPointer<UInt8>, _ body: Range<Int>) -> Bool {
    hasColons(text, body) || hasMarks(text, body)
  }

  /// Whether the body contains two consecutive colons.
  private static func hasColons(_ text: UnsafeBufferPointer<UInt8>, _ body: Range<Int>) -> Bool {
    var at = body.lowerBound
    while let colon = next(0x3A, text, at..<body.upperBound) {
      if colon + 1 < body.upperBound, text[colon + 1] == 0x3A { return true }
      at = colon + 1
    }
    return false
  }

  /// Whether a line begins like a question or consists of `?`, or a heading may be a card.
  private static func hasMarks(_ text: UnsafeBufferPointer<UInt8>, _ body: Range<Int>) -> Bool {
    var headings = 0
    var asking = 0
    var at = body.lowerBound
    while at < body.upperBound {
      let end = next(0x0A, text, at..<body.upperBound) ?? body.upperBound
      // A line that ends with a bare CR hides the lines after it.
      if end - at > 0, next(0x0D, text, at..<max(at, end - 1)) != nil { return true }
      let line = at..<end
      at = end + 1
      guard let first = text[line].firstIndex(where: { !DeckLine.isBlank($0) }) else { continue }
      switch text[first] {
      case 0x3F: return true
      case 0x23:
        headings += 1
        if text[line].last(where: { $0 != 0x23 && $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) == 0x3F { asking += 1 }
        if beginsQuestion(text, first..<end) { return true }
      default:
        if beginsQuestion(text, first..<end) { return true }
      }
    }
    return headings >= 3 && (asking >= 2 || body.count <= headings * 400)
  }

  /// Whether a line begins with the first letter of a mark for questions, such as `Q` or `В`, in any case.
  private static func beginsQuestion(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Bool {
    for (index, byte) in text[line].enumerated() {
      switch byte {
      case 0x51, 0x71: return true
      case 0xD0:
        let at = line.lowerBound + index + 1
        guard at < line.upperBound, text[at] == 0x92 || text[at] == 0xB2 else { return false }
        return UnsafeBufferPointer(rebasing: text[at..<line.upperBound]).prefix(64).contains {
          $0 == 0x3A || $0 == 0x2E
        }
      case 0x20, 0x09, 0x23, 0x2A, 0x2B, 0x2D, 0x2E, 0x29, 0x5F, 0x30...0x39: continue
      default: return false
      }
    }
    return false
  }

  private static func next(_ byte: UInt8, _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, let base = text.baseAddress,
      let found = memchr(base + range.lowerBound, Int32(byte), range.count)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
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
  init(_ bytes: UnsafeBufferPointer<UInt8>, _ lines: DeckLines) {
    headings = HeadingDeck.cards(bytes, lines)
    headingsThatAsk = headings.count { bytes[$0.text].last == 0x3F }
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
    _ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line, _ paragraph: inout Int, _ isOpen: inout Bool
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

  private func isStructure(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line) -> Bool {
    switch bytes[line.text] {
    case 0x23: DeckLine.heading(bytes, line) != nil || DeckLine.isTags(bytes, line)
    case 0x2D, 0x2A, 0x5F: DeckLine.isRule(bytes, line)
    default: false
    }
  }

  /// Whether a heading contains a question: `### Q: …`.
  private func isMarked(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line) -> Bool {
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
