import MarkdownText
import TestSupport
import Testing

@testable import Markdown

@Suite struct DeckReaderTests {
  /// Returns the cards of a body as `front | back` with tags after `#`, preceded by the description.
  private func cards(_ body: String) -> [String] {
    var body = body
    return body.withUTF8 { bytes in
      let deck = DeckReader.read(bytes.span, body: 0..<bytes.count)
      return (deck.description.map { ["> " + $0.string] } ?? [])
        + deck.cards.map { card in
          "\(card.front.string) | \(card.back.string)" + card.tags.map { " #" + $0.string }.joined()
            + (card.review.map { " " + $0.string } ?? "")
        }
    }
  }

  private func judgement(_ body: String) -> (style: DeckStyle, certainty: Int, cards: Int)? {
    var body = body
    return body.withUTF8 { DeckReader.recognise($0.span, body: 0..<$0.count) }
  }

  @Test(arguments: [
    ("Q: a\nA: b\nQ: c\nA: d\n", ["a | b", "c | d"]),
    ("Q: a\n\nA: b\n\nmore\n\n\nQ: c\nd\nA: e\nf", ["a | b\n\nmore", "c\nd | e\nf"]),
    ("Q. a\nA. b\n", ["a | b"]),
    ("**Q:** a\n**A:** b\n", ["a | b"]),
    ("**Q: a?**\nA: b\n", ["a? | b"]),
    ("**Q1**: a\n**A1**: b\n", ["a | b"]),
    ("### Q: a\nA: b\n### Question 2: c\nAnswer: d\n", ["a | b", "c | d"]),
    ("- Q: a\n  A: b\n  more\n- Q: c\n- A: d", ["a | b\nmore", "c | d"]),
    ("1. Question: a\n   - Answer: b\n", ["a | b"]),
    ("В: а?\nО: б\nВопрос: в\nОтвет: г\n", ["а? | б", "в | г"]),
    ("Вопрос 1. а\nОтвет. б", ["а | б"]),
    ("Q: pick\nA. x\nB. y\nA: A", ["pick\nA. x\nB. y | A"]),
    ("Q: a\r\nA: b\r\n\r\nc\r\n", ["a | b\n\nc"]),
    ("# Title\n\nIntro.\n\n## Lights\n\nQ: a\nA: b\n\n---\n\n## Shapes\n\nQ: c\nA: d", ["> Intro.", "a | b", "c | d"]),
    ("Q: a\nA: b\n```\nQ: code\nA: code\n```\nQ: c\nA: d", ["a | b\n```\nQ: code\nA: code\n```", "c | d"]),
    ("Q: a\nA: b\n```\nQ: c\nA: d", ["a | b\n```", "c | d"]),
    ("Q: a\nA: b #lights #rule/23\nQ: c\nA: no. #5", ["a | b #lights #rule/23", "c | no. #5"]),
    ("Q: a\nA: b\nQ: open\nQ: c\nA: d\n", ["a | b", "open | ", "c | d"]),
    ("Q: a\nA:\n\n- x\n- y\n", ["a | - x\n- y"]),
    ("Q: a\nA: b\nA: c\n", ["a | b\nA: c"]),
  ])
  func questionsAndAnswers(_ body: String, _ expected: [String]) {
    #expect(cards(body) == expected)
  }

  @Test(arguments: [
    ("a :: b\nc ::: d\n", ["a | b", "c | d #reversed"]),
    ("- a :: b #t\n* c :: d", ["a | b #t", "c | d"]),
    ("#flashcards/lights a :: b", ["a | b #flashcards/lights"]),
    ("`x :: y` :: code\n", ["`x :: y` | code"]),
    ("a ` b :: c\n", ["a ` b | c"]),
    ("a :: b :: c\n", ["a | b :: c"]),
    ("a :: b <!--SR:!2024-01-05,4,270-->\n", ["a | b {\"easeFactor\":2.7,\"intervalDays\":4,\"due\":\"2024-01-05\"}"]),
    (
      "a :: b\n<!--SR:!2024-02-29,4.5,300-->\n",
      [
        "a | b {\"easeFactor\":3,\"intervalDays\":4.5,\"due\":\"2024-02-29\"}"
      ]
    ),
    ("a :: b <!--SR:!2023-02-29,4,270-->\n", ["a | b <!--SR:!2023-02-29,4,270-->"]),
    (
      "a ::: b\n<!--SR:!2024-01-05,4,270!2024-01-06,5,205-->\n",
      [
        "a | b\n<!--SR:!2024-01-05,4,270!2024-01-06,5,205--> #reversed"
      ]
    ),
    ("a\nb\n?\nc\nd\n\ne :: f", ["a\nb | c\nd", "e | f"]),
    (
      "a\n??\nb #t\n<!--SR:!2024-01-05,4,205-->\n\n",
      [
        "a | b #reversed #t {\"easeFactor\":2.05,\"intervalDays\":4,\"due\":\"2024-01-05\"}"
      ]
    ),
    ("# T\n#flashcards\n\nIntro.\n\na :: b\n\nBetween.\n\n## G\n\nc :: d", ["> Intro.\n\nBetween.", "a | b", "c | d"]),
    ("a\n?\nb\n```\n\nx\n```\nc\n\nd :: e", ["a | b\n```\n\nx\n```\nc", "d | e"]),
    ("a ::\nb :: c", ["a | ", "b | c"]),
  ])
  func colons(_ body: String, _ expected: [String]) {
    #expect(cards(body) == expected)
  }

  @Test(arguments: [
    ("# T\n\n## a\n\nb\n\n## c ##\nd\n", ["a | b", "c | d"]),
    ("T\n===\n\nIntro.\n\n## G\n\nAbout.\n\n### a #t\nb\n\n### c\n\nd\n", ["> Intro.\n\nAbout.", "a | b #t", "c | d"]),
    ("## a\nb\n### no text\n## c\nd", ["a | b\n### no text", "c | d"]),
    ("## a\nb\n## c\n", ["a | b", "c | "]),
    ("## a\n```\n## code\n```\n", ["a | ```\n## code\n```"]),
    ("# a\nb\n\n# c\nd\n", ["a | b", "c | d"]),
    ("# T\n\n# a\nb\n\n# c\nd\n", ["a | b", "c | d"]),
    ("No cards here.\n", ["> No cards here."]),
    ("", []),
  ])
  func headings(_ body: String, _ expected: [String]) {
    #expect(cards(body) == expected)
  }

  @Test func aDescriptionOfTheFrontMatterIsEnough() {
  }

  @Test func decksAreRecognised() throws {
    let questions = try #require(judgement("# Lights\n\nQ: a\nA: b\n\nQ: c\nA: d\n\nQ: e\nA: f\n"))
    #expect(questions.style == .questions && questions.certainty == 97 && questions.cards == 3)
    let colons = try #require(judgement("a :: b\nc :: d\n\ne ::: f\n"))
    #expect(colons.style == .colons && colons.certainty == 97 && colons.cards == 3)
    let own = try #require(judgement("Q: a <!-- id=7 -->\n\nA: b\n"))
    #expect(own.style == .questions && own.certainty == 99)
    let headings = try #require(judgement("# T\n\n## a?\nb\n\n## c?\nd\n\n## e?\nf\n"))
    #expect(headings.style == .headings && headings.certainty == 65)
  }

  @Test(arguments: [
    "# Reefing\n\nQ: When?\n\nA: Early.\n\n" + String(repeating: "A long paragraph of a guide.\n\n", count: 30),
    "Use `std::string` and std::vector.\n\nstd::move :: what\n\n" + String(repeating: "Words.\n\n", count: 20),
    "# Guide\n\nProse: with colons.\n\n## Part\n\n" + String(repeating: "More prose here. ", count: 40),
    "| a :: b | c :: d |\n| --- | --- |\n| e :: f | g |\n", "```\na :: b\nc :: d\ne :: f\n```\n", "", "::\n", "Q:\n",
    "A. one\nB. two\nC. three\n", "key:: value\nother:: value\n",
  ])
  func guidesAreNoDecks(_ body: String) {
    #expect((judgement(body)?.certainty ?? 0) < 40)
  }

  @Test func textsSayWhereTheyStand() throws {
    var body = "# T\r\n\r\n- **Q:** front 😀\r\n  below\r\n- **A:** back #tag\r\n  <!--SR:!2024-01-05,4,270-->\r\n"
    try body.withUTF8 { bytes in
      let card = try #require(DeckReader.read(bytes.span, body: 0..<bytes.count).cards.first)
      func noted(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
      #expect(card.front.string == "front 😀\nbelow")
      #expect(noted(card.front.range) == "front 😀\r\n  below")
      #expect(noted(card.front.source(of: 11..<16)) == "below")
      #expect(noted(card.back.range) == "back")
      #expect(card.tags.map { noted($0.range) } == ["tag"])
      #expect(card.review.map { noted($0.range) } == "<!--SR:!2024-01-05,4,270-->")
      #expect(noted(card.range).hasPrefix("- **Q:**"))
    }
  }
}
