import Content
import Foundation
import TestSupport
import Testing

@testable import Markdown

@Suite struct CardFolderTests {
  private func note(_ path: String, _ body: String = "Back.", declaresType: Bool = false) -> CardFolders.Note {
    CardFolders.Note(path: path, declaresType: declaresType, text: body.utf8.span, body: 0..<body.utf8.count)
  }

  private func card(_ name: String, _ body: String) -> CardDraft {
    CardFolders.card(fromFile: name, body.utf8.span, body: 0..<body.utf8.count)
  }

  @Test func foldersOfCardsAreFound() {
    let found = CardFolders.find([
      note("flashcards/b.md"), note("flashcards/a.md"), note("flashcards/README.md", "# x\n\n## y"),
      note("Anki/Knots/bowline.md"), note("Anki/Knots/reef knot.md"), note("Anki/Knots/Knots.md", "[[bowline]]"),
      note("карточки/Огни/топовый.md"), note("карточки/Огни/бортовой.md"), note("guides/a.md"), note("guides/b.md"),
      note("x/Флешкарты/один.md"),
    ])
    #expect(
      found == [
        .init(path: "Anki/Knots", files: ["Anki/Knots/bowline.md", "Anki/Knots/reef knot.md"]),
        .init(path: "flashcards", files: ["flashcards/a.md", "flashcards/b.md"]),
        .init(path: "карточки/Огни", files: ["карточки/Огни/бортовой.md", "карточки/Огни/топовый.md"]),
      ])
  }

  @Test func namesMayBeDecomposed() {
    #expect(CardFolders.isDeckName("Флеш-карты".decomposedStringWithCanonicalMapping))
    #expect(
      CardFolders.front(ofFile: "Лёгкий якорь.md".decomposedStringWithCanonicalMapping).utf8.elementsEqual(
        "Лёгкий якорь".precomposedStringWithCanonicalMapping.utf8))
    #expect(CardFolders.front(ofFile: "No. 5") == "No. 5")
    #expect(CardFolders.front(ofFile: ".md") == ".md")
  }

  @Test(arguments: [
    ("# T\n\ntext\n\n## Part\n\nmore", false), ("Q: a\nA: b\n\nQ: c\nA: d", false),
    (String(repeating: "a ", count: 1025), false),
    ("", false), ("# Only a title", false), ("# T\n\ntext", true), ("- a\n- b", true), ("Q: a\nA: b", true),
  ])
  func oneNoteThatIsNoCardDecides(_ body: String, _ areCards: Bool) {
    let found = CardFolders.find([note("cards/a.md"), note("cards/b.md"), note("cards/c.md", body)])
    #expect(found.count == (areCards ? 1 : 0))
  }

  @Test func declaredNotesAreNoCards() {
    #expect(CardFolders.find([note("cards/a.md"), note("cards/b.md"), note("cards/c.md", declaresType: true)]).isEmpty)
  }

  @Test func cardsAreRead() {
    let plain = card("Bowline.md", "# bowline\n\nA loop that holds.\n\n![[bowline.png]] #knots\n")
    #expect(plain.front.string == "Bowline")
    #expect(plain.back.string == "A loop that holds.\n\n![[bowline.png]]")
    #expect(plain.tags.map(\.string) == ["knots"])
    let other = card("Bowline.md", "# Another\n\nText.")
    #expect(other.back.string == "# Another\n\nText.")
    let asked = card("one.md", "Q: What?\nA: That.\n")
    #expect(asked.front.string == "What?")
    #expect(asked.back.string == "That.")
    #expect(card("empty.md", "").back.bytes.isEmpty)
  }
}
