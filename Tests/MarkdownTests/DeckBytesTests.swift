import Content
import MarkdownSyntax
import TestSupport
import Testing

@testable import Markdown

/// Every byte of a body belongs to exactly one text of the deck, or to one of the marks that formats/markdown.md lists.
@Suite struct DeckBytesTests {
  /// Patterns for the marks that may remain of a line after each text was replaced with `·`.
  private static let marks = [
    // Q and A, with the characters around them
    #"\s*([-*+]\s+|\d+[.)]\s+)?(#{1,6}\s+)?[*_]{0,4}"#
      + #"(Q|A|В|О|[Qq]uestion|[Aa]nswer|Вопрос|Ответ) ?\d*[*_]{0,4}[:.][*_]{0,4}\s*·?\s*(#·\s*)*[*_]{0,4}\s*"#
      + #"(<!-- id=· tags=\["·"\] -->)?\s*"#,
    // front :: back, with tags at both ends; a text, followed by tags or a schedule
    #"\s*([-*+]\s+|\d+[.)]\s+)?(#·\s*)*·?\s*(::)?\s*·?\s*(#·\s*)*·?\s*"#,
    // headings above cards, and headings that are cards
    #" {0,3}#{1,6}(\s+[^·]*)?"#, #" {0,3}#{1,6}\s+·\s*(#·\s*)*\s*#*\s*"#,
    // rules, tag lines, question mark lines
    #"\s*([-*_]\s*){3,}"#, #"\s*(#[\w/-]+\s*)+"#, #"\s*\?\??\s*"#,
    // an underlined title
    #"=+\s*"#, #"Title\s*"#,
  ]

  private static let front = "---\ntitle: x\n---\n"

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
      body = Self.front + body
      let text = body
      body.withUTF8 { bytes in
        let deck = DeckReader.read(bytes.span, body: Self.front.utf8.count..<bytes.count)
        cards += deck.cards.count
        guard let left = left(bytes, deck) else {
          Issue.record(
            "round \(round): a byte is in two texts, or a text differs from the bytes at its place: \(text.debugDescription)"
          )
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

  /// Bytes that are not text can be read without a crash.
  @Test func anyBytesAreRead() {
    var random = SeededRandom(seed: 0xF0F0)
    let pieces: [[UInt8]] =
      Self.lines.map { Array($0.utf8) } + [[0xFF], [0xD0], [0], [0x0D], [0x0A], [0x0D, 0x0A], [0x60]]
    for _ in 0..<3000 {
      var text: [UInt8] = []
      for _ in 0..<random.below(20) { text += random.pick(pieces) + random.pick([[], [0x0A]]) }
      for _ in 0..<random.below(4) where !text.isEmpty { text[random.below(text.count)] = UInt8(random.below(256)) }
      text.withUnsafeBufferPointer { bytes in
        let body = min(random.below(8), bytes.count)..<bytes.count
        let deck = DeckReader.read(bytes.span, body: body)
        let texts = deck.cards.flatMap { [$0.front, $0.back] + $0.tags } + [deck.description].compactMap { $0 }
        #expect(texts.allSatisfy { body.contains($0.range) || $0.range.isEmpty })
        #expect((DeckReader.recognise(bytes.span, body: body)?.certainty ?? 0) <= 100)
        _ = CardFolders.card(fromFile: "x.md", bytes.span, body: body)
        _ = CardFolders.Note(path: "cards/x.md", declaresType: false, text: bytes.span, body: body)
      }
    }
  }

  /// The quick check agrees with the full check.
  @Test func noDeckIsOverlooked() {
    var random = SeededRandom(seed: 0x61A9)
    var found = 0
    for _ in 0..<3000 {
      let end = random.pick(["\n", "\r\n", "\r"])
      let lines = (0..<3).map { _ in random.pick(Self.lines + ["## Why?", "## How? ##"]) }
      var body = (0..<1 + random.below(20)).map { _ in random.pick(lines) + end }.joined()
      body.withUTF8 { bytes in
        let body = 0..<bytes.count
        guard let best = DeckEvidence(bytes.span, DeckLines(bytes.span, in: body)).best, best.certainty >= 40 else {
          return
        }
        found += 1
        let isNoticed = DeckPrecheck.mayHoldCards(bytes.span, body)
        #expect(isNoticed, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
    }
    #expect(found > 500)
  }

  /// Returns the body with a `·` for each text; nil if texts overlap or differ from the note's bytes.
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
    for (index, byte) in bytes.enumerated().dropFirst(Self.front.utf8.count) {
      if !taken[index] { out.append(byte) } else { out.append(1) }
    }
    // Blanks inside a text belong to the text.
    return String(decoding: out, as: UTF8.self).replacing(/\u{1}([ \t]*\u{1})*/, with: "·")
  }
}
