import Content
import JSONText
import TestSupport
import Testing

@testable import Markdown

@Suite struct DeckTextTests {
  private func source(_ text: String) -> SourcedText { SourcedText(bytes: Array(text.utf8), range: 0..<0) }

  private func card(_ front: String, _ back: String) -> CardDraft {
    CardDraft(front: source(front), back: source(back), range: 0..<0)
  }

  private func written(_ deck: DeckDraft) -> [UInt8] {
    var out = ByteBuffer()
    DeckRenderer.write(deck, into: &out)
    return out.copy(0..<out.count)
  }

  private func read(_ bytes: [UInt8]) -> DeckDraft {
    DeckReader.read(bytes.span, body: 0..<bytes.count)
  }

  /// Returns the whole content of a deck as bytes, so that comparisons are exact.
  private func said(_ deck: DeckDraft) -> [[[UInt8]?]] {
    [[deck.description?.bytes]]
      + deck.cards.map { card in
        [
          card.id?.bytes, card.front.bytes, card.back.bytes, card.hint?.bytes, card.source?.bytes,
          card.sortOrder?.bytes, card.review?.bytes, card.members?.bytes,
        ] + card.tags.map(\.bytes)
      }
  }

  @Test func aDeckReadsWell() {
    var first = card("What does a cone, point down, mean?", "Under sail **and** engine.\n\nShown forward.")
    first.id = source("7C1D")
    first.tags = [source("shapes"), source("rule 25")]
    first.hint = source("Not everybody who has sails up is sailing.")
    let second = card("Which vessels show this?\n\n![[light.png]]", "- trawlers\n- under way")
    let deck = DeckDraft(cards: [first, second, card("Q: nested\nA: x", " blank ")], description: source("Lights."))
    #expect(
      String(decoding: written(deck), as: UTF8.self) == """
        Lights.

        Q: What does a cone, point down, mean? <!-- id=7C1D tags=["shapes","rule 25"] \
        hint="Not everybody who has sails up is sailing." -->

        A: Under sail **and** engine.

        Shown forward.

        Q: Which vessels show this?

        ![[light.png]]

        A:

        - trawlers
        - under way

        Q: Q: nested A: x <!-- front="Q: nested\\nA: x" back=" blank " -->

        A: blank

        """)
    #expect(said(read(written(deck))) == said(deck))
  }

  @Test func oneChangedAnswerIsOneChangedLine() {
    var deck = DeckDraft(cards: (0..<20).map { card("Front \($0)?", "Back \($0).") })
    let before = String(decoding: written(deck), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    deck.cards[7].back = source("Another back.")
    let after = String(decoding: written(deck), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(before.count == after.count)
    #expect(zip(before, after).count { $0 != $1 } == 1)
  }

  @Test func everyDeckComesBack() {
    var random = SeededRandom(seed: 0xDEC6)
    for round in 0..<3000 {
      let deck = deck(&random)
      let text = written(deck)
      guard said(read(text)) == said(deck) else {
        Issue.record("round \(round): \(String(decoding: text, as: UTF8.self).debugDescription)")
        return
      }
      // Writing the deck again produces the same text.
      #expect(written(read(text)) == text)
    }
  }

  @Test func longTextsComeBack() {
    for text in [
      String(repeating: "a line\n", count: 15_000) + "end", String(repeating: "`", count: 100_000),
      String(repeating: "Q: x\n", count: 20_000), String(repeating: "é", count: 50_000),
    ] {
      let deck = DeckDraft(cards: [card(text, text), card("x", "y")])
      #expect(said(read(written(deck))) == said(deck))
    }
  }

  private func deck(_ random: inout SeededRandom) -> DeckDraft {
    var deck = DeckDraft()
    if random.below(4) == 0 {
      let description = text(&random)
      if !description.isEmpty { deck.description = source(description) }
    }
    for _ in 0..<random.below(5) {
      var card = card(text(&random), text(&random))
      if random.below(2) == 0 { card.id = source(random.below(3) == 0 ? text(&random) : "5E1A-\(random.below(99))") }
      if random.below(3) == 0 { card.tags = (0..<random.below(3)).map { _ in source(text(&random)) } }
      if random.below(4) == 0 { card.hint = source(text(&random)) }
      if random.below(4) == 0 { card.source = source(text(&random)) }
      if random.below(4) == 0 { card.sortOrder = source("\(random.below(2000) - 1000)") }
      if random.below(4) == 0 { card.review = source("{\"easeFactor\":2.5,\"x\":\"a-->b\"}") }
      if random.below(4) == 0 { card.members = source("\"k\":\"-- >\",\"n\":[1,{\"d\":null}]") }
      deck.cards.append(card)
    }
    return deck
  }

  private func text(_ random: inout SeededRandom) -> String {
    let pieces = [
      "word", "Words of a sentence.", " ", "  ", "\n", "\n\n", "\t", "\r", "\r\n", "Q:", "Q: ", "\nQ: x", "\nA: y",
      "A:", "**Q:** ", "- Q: z", "\n- ", "1. ", "# ", "\n## H", "\n---", "\n===", "***", "```", "\n```\n", "~~~\n",
      "\n    ", "<!--", "-->", "<!-- id=7 -->", "<!--SR:!2024-01-05,4,270-->", " #tag", "#", " :: ", " ::: ", "\n?\n",
      "?", "|", "> ", "\\", "\"", "`", "&lt;", "<b>", "😀", "e\u{301}", "é", "שלום", "\u{202E}", "\u{FEFF}", "\u{0}",
      "\u{1}", "\u{7F}", "\u{85}", "\u{2028}", "\u{FFFF}", "В: ", "\nОтвет: ", "Question 1: ", "[[page#x|y]]", "---\n",
      "description=",
    ]
    if random.below(12) == 0 { return "" }
    return (0..<1 + random.below(6)).map { _ in random.pick(pieces) }.joined()
  }
}
