import TestSupport
import Testing

@testable import Markdown

/// Every byte of a body is in exactly one text of the deck, or in one of the marks that formats/markdown.md lists.
@Suite struct DeckBytesTests {
  /// What may be left of a line when its texts are taken out, `·` where one stood.
  private static let marks = [
    // Q and A, with what stands around them
    #"\s*([-*+]\s+|\d+[.)]\s+)?(#{1,6}\s+)?[*_]{0,4}"#
      + #"(Q|A|В|О|[Qq]uestion|[Aa]nswer|Вопрос|Ответ) ?\d*[*_]{0,4}[:.][*_]{0,4}\s*·?\s*(#·\s*)*[*_]{0,4}\s*"#
      + #"(<!-- id=· tags=\["·"\] -->)?\s*"#,
    // front :: back, with tags at both ends; a text, and tags or a schedule behind it
    #"\s*([-*+]\s+|\d+[.)]\s+)?(#·\s*)*·?\s*(::)?\s*·?\s*(#·\s*)*·?\s*"#,
    // headings over cards, and headings that are cards
    #" {0,3}#{1,6}(\s+[^·]*)?"#, #" {0,3}#{1,6}\s+·\s*(#·\s*)*\s*#*\s*"#,
    // rules, lines of tags, lines of question marks
    #"\s*([-*_]\s*){3,}"#, #"\s*(#[\w/-]+\s*)+"#, #"\s*\?\??\s*"#,
    // an underlined title
    #"=+\s*"#, #"Title\s*"#,
  ]

  private static let lines = [
    "Q: What?", "A: That.", "Q. How?", "A. So.", "**Q:** bold", "**A:** bold", "- Q: item", "  A: item", "- A: item",
    "**Q: all bold?**", "### Question 3: heading", "Answer 3: text", "Вопрос: да?", "Ответ: нет", "front :: back",
    "- front ::: back #tag", "#deck/one front :: back", "a `x :: y` b", "many", "words of a line", "  indented", "?",
    "??",
    "---", "* * *", "# Title", "## Part", "### Deep ###", "#flashcards/sea", "#one #two", "text #tag", "```", "~~~",
    "", "", "", "   ", "\t", "<!--SR:!2024-01-05,4,270-->", "text <!--SR:!2024-01-05,4,270-->", "<!--SR:!bad-->",
    "> quote", "| a :: b |", "- one", "1. two", "Q: own <!-- id=7 tags=[\"x\"] -->", "A:", "Q:", "::", "#",
  ]

  @Test func everyByteIsAccountedFor() throws {
    let marks = try Self.marks.map { try Regex($0) }
    var random = SeededRandom(seed: 0xB17E)
    var cards = 0
    for round in 0..<1500 {
      let end = random.pick(["\n", "\r\n", "\r"])
      var body = (0..<1 + random.below(14)).map { _ in random.pick(Self.lines) + end }.joined()
      if random.below(8) == 0 { body = "Title" + end + "====" + end + body }
      let text = body
      body.withUTF8 { bytes in
        let deck = DeckReader.read(bytes, body: 0..<bytes.count, hasDescription: false)
        cards += deck.cards.count
        guard let left = left(bytes, deck) else {
          Issue.record(
            "round \(round): a byte is taken twice, or a text is not what stands there: \(text.debugDescription)")
          return
        }
        for line in left.split(whereSeparator: \.isNewline)
        where !marks.contains(where: { line.wholeMatch(of: $0) != nil }) {
          Issue.record("round \(round): left is \(line.debugDescription) of \(text.debugDescription)")
          return
        }
      }
    }
    #expect(cards > 1500)
  }

  /// The body with a `·` for each text; nil when texts overlap or differ from what stands in the note.
  private func left(_ bytes: UnsafeBufferPointer<UInt8>, _ deck: DeckDraft) -> String? {
    var taken = [Bool](repeating: false, count: bytes.count)
    func take(_ text: SourcedText?, isMade: Bool = false) -> Bool {
      guard let text else { return true }
      let places = isMade ? Array(text.range) : text.bytes.indices.map { text.source(of: $0..<$0 + 1).lowerBound }
      for (index, place) in places.enumerated() {
        let isLineEnd = !isMade && text.bytes[index] == 0x0A
        guard isLineEnd || isMade || bytes[place] == text.bytes[index] else { return false }
        if !isLineEnd, bytes[place] != 0x20, bytes[place] != 0x09 {
          if taken[place] { return false }
          taken[place] = true
        }
      }
      return true
    }
    var isRight = take(deck.description)
    for card in deck.cards {
      isRight = isRight && take(card.front) && take(card.back) && take(card.review, isMade: true) && take(card.id)
      for tag in card.tags where isRight { isRight = take(tag, isMade: tag.string == "reversed") }
    }
    guard isRight else { return nil }
    var out: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if !taken[index] { out.append(byte) } else { out.append(1) }
    }
    // Blanks inside of a text are its own.
    return String(decoding: out, as: UTF8.self).replacing(/\u{1}([ \t]*\u{1})*/, with: "·")
  }
}
