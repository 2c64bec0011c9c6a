/// What speaks for a note being a deck, counted in one pass over its lines.
struct DeckEvidence {
  private var questions = 0
  private var answered = 0
  /// Lines that belong to a question: to the eighth line of its answer.
  private var questionLines = 0
  private var isOwn = false
  private var colons = 0
  private var colonLines = 0
  /// Lines with content other than headings, rules and tags.
  private var content = 0
  private let headings: [HeadingDeck.Heading]
  private let headingsThatAsk: Int

  /// Counts.
  init(_ bytes: UnsafeBufferPointer<UInt8>, _ lines: DeckLines) {
    headings = HeadingDeck.cards(bytes, lines)
    headingsThatAsk = headings.count { bytes[$0.text].last == 0x3F }
    let title = DeckLine.title(bytes, lines)
    var isAnswered = false
    var separator: UInt8 = 0
    // How many further lines belong to the question; the fronts of a `?` stand above it.
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

  /// A heading may hold a question: `### Q: …`.
  private func isMarked(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line) -> Bool {
    CardMark(bytes, line: line) != nil
  }

  /// The style of most cards; questions before colons before headings.
  var style: DeckStyle {
    let marked = answered > 0 || isOwn ? questions : 0
    if isOwn || marked > 0 && marked >= colons && marked >= headings.count { return .questions }
    return colons > 0 && colons >= headings.count ? .colons : marked > 0 && headings.isEmpty ? .questions : .headings
  }

  /// The style that is surest; nil below 10 percent.
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

  /// Short answers below headings that ask look like cards; without questions it takes very short ones.
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
