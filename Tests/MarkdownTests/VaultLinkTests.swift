import Diagnostics
import Foundation
import TestSupport
import Testing

@testable import Markdown

/// Links in a vault: their targets, and the places of findings about them.
@Suite struct VaultLinkTests {
  /// A vault of notes in which expected dead links are marked.
  private struct Vault {
    var notes: [(path: String, text: String)]
    var titles: [String: String] = [:]
    var aliases: [String: [String]] = [:]
    var files: [String] = []

    /// Returns the findings, such as `a.md 3:5–9 LNT0304`, in the order in which they are reported.
    func found() -> [Diagnostic] {
      let log = DiagnosticLog()
      let links = VaultLinks(folder: "vault/", source: "test", findings: log)
      files.forEach(links.file)
      for (path, marked) in notes {
        let title = titles[path] ?? path.split(separator: "/").last.map { String($0.dropLast(3)) } ?? ""
        var text = Marked(marked).text
        text.withUTF8 { bytes in
          let body = Self.body(bytes)
          links.addNote(
            path: path, id: "ID-" + path, title: title, aliases: aliases[path] ?? [], text: bytes.span, body: body)
        }
      }
      links.finish()
      return log.kept
    }

    private static func body(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
      let text = String(decoding: bytes, as: UTF8.self)
      guard text.hasPrefix("---\n"), let end = text.range(of: "\n---\n") else { return 0..<bytes.count }
      return text.utf8.distance(from: text.startIndex, to: end.upperBound)..<bytes.count
    }

    var expected: [String] {
      notes.flatMap { note in Marked(note.text).spots.map { "vault/\(note.path) \($0)" } }
    }

    func expectMarks(_ code: String = "LNT0304", sourceLocation: SourceLocation = #_sourceLocation) {
      let found = found()
      let places = found.map {
        "\($0.place.file) \($0.place.line ?? 0):\($0.place.column ?? 0)–\($0.place.endColumn ?? 0)"
      }
      #expect(places == expected, "\(found.map(\.message))", sourceLocation: sourceLocation)
      #expect(found.allSatisfy { $0.code.id == code }, sourceLocation: sourceLocation)
    }
  }

  @Test func namesAsObsidianResolvesThem() {
    Vault(
      notes: [
        ("index.md", "[[Anchor]] [[anchor]] [[guides/Anchor]] [[en/guides/anchor.md]] [[⟪guides/none⟫]]\n"),
        ("en/guides/Anchor.md", "[[index]] [[../../index]] [[⟪../index⟫]] [[Якорь]] [[якорь цепь]]\n"),
        ("ru/Якорь.md", "[[Chain]] [[⟪Cha in⟫]] [[The long chain|c]] [[⟪The short chain⟫|c]]\n"),
        ("ru/chain.md", "[[Stern to mooring]] ![[Anchor]] ![[⟪Ankor⟫]]\n"),
        ("stern.md", "A [[⟪b⟫]] c\n"),
      ],
      titles: ["stern.md": "Stern-to mooring", "ru/Якорь.md": "Якорь и цепь"],
      aliases: ["ru/chain.md": ["The long chain"], "ru/Якорь.md": ["Якорь-цепь"]]
    ).expectMarks()
  }

  @Test func filesAsMarkdownNamesThem() {
    Vault(notes: [
      (
        "a/one.md",
        """
        [x](two.md) [x](./two.md) [x](../b/three.md) [x](/b/three.md) [x](b/three.md) [x](three.md) [x](Two%20Boats.md)
        [x](<Two Boats.md>) [x](⟪./three.md⟫) [x](⟪../two.md⟫) [x](⟪../../a/two.md⟫) [x](⟪none.md⟫ "Title") [x](page/) [x](/)
        [x](https://example.org/none.md) [x](mailto:a@b.md) [x](obsidian://open?vault=x) <https://a.org/b.md>

        [ref]: ⟪gone.md⟫
        [ok]: two.md#t%77o
        `[x](code.md)` \\[x](text.md)

        ```
        [[code]]
        ```
        """
      ), ("a/two.md", "# Two\n"), ("a/Two Boats.md", ""), ("b/three.md", ""),
    ]).expectMarks()
  }

  /// macOS writes decomposed names, while people type composed ones.
  @Test func composedAndDecomposedNamesAreOne() {
    Vault(notes: [
      ("Буй".decomposedStringWithCanonicalMapping + ".md", "# Й\n[[буй]] [[Café]]\n"),
      ("Cafe\u{301}.md", "[[Бу\u{438}\u{306}#й]] [x](%D0%91%D1%83%D0%B9.md#\u{438}\u{306})\n"),
    ]).expectMarks()
  }

  @Test func headingsAndBlocks() {
    Vault(notes: [
      (
        "page.md",
        """
        # Before start!
        [[#Before start]] [x](#before-start) [[⟪#After⟫]] [x](⟪#after⟫) [[#Before start#Oil: 5 l]] [[#^oil-1]] [[⟪#^oil⟫]]

        ## Oil: 5 l
        Five litres. ^oil-1

        ## ⚓ The *chain*
        ## See [the list](list.md)
        ## Oil: 5 l
        ## Русский заголовок {#ru}
        Under
        =====
        """
      ),
      (
        "other.md",
        """
        [[page#The chain]] [x](page.md#-the-chain) [x](page.md#see-the-list) [x](page.md#oil-5-l-1) [x](page.md#⟪⟫oil-5-l-2)
        [[page#Русский заголовок]] [x](page.md#%D1%80%D1%83%D1%81%D1%81%D0%BA%D0%B8%D0%B9-%D0%B7%D0%B0%D0%B3%D0%BE%D0%BB%D0%BE%D0%B2%D0%BE%D0%BA)
        [x](page.md#ru) [[page#^oil-1|oil]] [[⟪page#^oil-2⟫|oil]] [[page#under]] [[⟪page#list⟫]] [[page#]]
        """.replacing("(page.md#⟪⟫oil-5-l-2)", with: "(⟪page.md#oil-5-l-2⟫)")
      ), ("list.md", ""),
    ]).expectMarks()
  }

  /// Whatever precedes a link, the place of its target is where an editor shows it.
  @Test(arguments: ["\n", "\r\n"])
  func placesBehindAnything(_ end: String) {
    let text = """
      ---
      title: Туман 🌫
      ---
      Text\t👩‍✈️ e\u{301} [[⟪Нет⟫]] text
      - [ ] Шаг ⛵️ [a](⟪нет.md#x⟫) и [[⟪ещё⟫|label]]

        > quote [b](⟪no.md⟫)
      """
    Vault(notes: [("note.md", text.replacing("\n", with: end))]).expectMarks()
  }

  @Test func linksThatCanLeadNowhere() {
    let found = Vault(notes: [("a.md", "See ⟪[the chart]()⟫, ⟪[[ ]]⟫ and ⟪[x](javascript:alert(1))⟫.\n")])
    found.expectMarks()
    #expect(found.found().first?.message.quoted == ["[the chart]()"])
  }

  @Test func picturesAndPapers() {
    let vault = Vault(
      notes: [
        (
          "guides/a.md",
          """
          ![k](images/knot.png) ![k](../img/Deep%20blue.JPG) ![[deep blue.jpg|300]] ![[knot.png]] ![x](https://a.org/b.png)
          ![k](/img/deep%20blue.jpg) ![k](./images/knot.png?raw=true) ![n](⟪../img/none.png⟫) ![[⟪нет.svg⟫]] ![n](⟪./knot.png⟫)
          """
        )
      ], files: ["guides/images/knot.png", "img/Deep blue.JPG", "img/route.gpx"])
    vault.expectMarks("LNT0305")
    Vault(
      notes: [("a.md", "[m](img/manual.pdf) [m](⟪none.pdf⟫) [r](img/route.gpx) [[⟪none.pdf⟫]] [w](x.html)\n")],
      files: ["img/manual.pdf", "img/route.gpx"]
    ).expectMarks()
  }

  /// The shortest path wins, and an ambiguous link is not reported.
  @Test func namesThatSeveralNotesHave() {
    Vault(notes: [
      ("deep/er/index.md", "# Deep\n"), ("index.md", "# Top\n"), ("deep/index.md", "[[index#Top]] [[⟪index#Deep⟫]]\n"),
      ("a/x/log.md", ""), ("b/x/log.md", "# Log\n"),
      ("one.md", "[[⟪deep/index#none⟫]] [[⟪/index#none⟫]] [[log#none]] [[x/log#none]] [[⟪a/x/log#none⟫]]"),
    ]).expectMarks()
  }

  @Test func aNoteFullOfDeadLinks() {
    let text = String(repeating: "[[x]] ", count: 500)
    let found = Vault(notes: [("a.md", text), ("b.md", "[[y]]")]).found()
    #expect(found.count == 102)
    #expect(found.last?.message.numbers == [400])
    #expect(found[100].place.file == "vault/b.md")
  }

  @Test func linesOfFilesInOldEncodings() throws {
    let log = DiagnosticLog()
    let links = VaultLinks(folder: "v", source: "", findings: log)
    var text = "Раз\r\nДва [[нет]] три\r\n"
    text.withUTF8 {
      links.addNote(path: "a.md", id: "1", title: "a", aliases: [], text: $0.span, body: 0..<$0.count, isUTF8: false)
    }
    links.finish()
    #expect(log.kept.map(\.excerpt) == ["Два [[нет]] три"])
  }

  /// No content makes a note slow to read.
  @Test(
    arguments: [
      "[[", "[x](", "^a ", "# [](", "# |[", "[[a#", "](", "\\", "[a]: b\n", "![[x|", "# a\n", "[x](%", "[[../", "`[",
    ])
  func hostileText(_ piece: String) {
    let text = String(repeating: piece, count: 400_000 / piece.utf8.count)
    let clock = ContinuousClock()
    let time = clock.measure { _ = Vault(notes: [("a.md", text), ("b.md", text)]).found() }
    #expect(time < .seconds(60))
  }
}
