import Diagnostics
import Testing
import Validation

/// Cases of the rules for typed bullets, HTML, doubled words and misplaced content that are more difficult than the
/// examples on their pages.
@Suite struct TypedTextTests {
  /// Checks a checklist with one step.
  private func step(_ title: String, _ code: String) throws -> TextProbe {
    try TextProbe(Made.checklist(["{\"title\":\(TextProbe.quoted(title))}"]), code)
  }

  @Test(arguments: [
    ("- Close", "Close"), ("* Close", "Close"), ("- [ ] Close", "Close"), ("[x]Close", "Close"), ("[]  Close", "Close"),
    ("•Закрыть", "Закрыть"), ("— Закрыть", "Закрыть"), ("☑️ Close", "Close"), ("•\t• Close", "Close"), ("· a", "a"),
  ])
  func bulletsAreTakenOut(_ title: String, _ rest: String) throws {
    let probe = try step(title, "LNT0219")
    #expect(probe.findings.count == 1)
    #expect(probe.fixedTexts == [rest])
  }

  @Test(arguments: ["-", "- ", "[ ]", "•", "☐ ☐", "-5 °C", "– 3 m", "[x", "[a] b", "*x*", "·x", "", "€ 5", "“Close”"])
  func theseAreNoBullets(_ title: String) throws {
    #expect(try step(title, "LNT0219").findings.isEmpty)
  }

  @Test(arguments: [
    "See ![dipstick](dip.png)", "![](x)", "[the manual](https://example.org/a_(b))", "[a](b.md)", "![[dip.png]]",
    "a <i>b</i>", "a&nbsp;b", "5&#176;", "&#x27;a", "<a href=\"x\">b</a>", "<br />", "x &LT; y",
  ])
  func markupIsFound(_ title: String) throws {
    #expect(try step(title, "LNT0415").findings.count == 1)
  }

  @Test(arguments: [
    "a < b > c", "R&D; x", "&", "&;", "&#;", "<", "</", "<b", "Oil & water", "<5", "<имя>", "a &amp b", "[A](left)",
    "[x] y", "a [b] (c)",
    "[[", "[[]]", "[[Engine|check]]", "![", "[a](", "[a]()", "wait!", "[a\nb](c.d)",
  ])
  func theseAreNoMarkup(_ title: String) throws {
    #expect(try step(title, "LNT0415").findings.isEmpty)
  }

  @Test(arguments: [
    "Close the the valve", "The the valve", "valve valve", "соль и и спирт", "Также также закрыть",
    "close (the valve valve)",
  ])
  func doubledWordsAreFound(_ title: String) throws {
    #expect(try step(title, "LNT0414").findings.count == 1)
  }

  @Test(arguments: [
    "Bora Bora", "the, the", "the  the", "a a", "16 16", "the-the the-the", "the theme", "has his", "no no", "the",
    " the", "the the the", "the the the the", "Mayday mayday", "x1 x1", "на\u{a0}на", "", "the the’s",
  ])
  func theseAreNotDoubled(_ title: String) throws {
    #expect(try step(title, "LNT0414").findings.map(\.message) == [])
  }

  @Test func otherLanguagesDoubleWords() throws {
    for (language, count) in [("fr", 0), ("en-GB", 1), ("EN", 1), ("", 1), ("eng", 0), ("e", 0)] {
      let json = """
        {"content_type":"practice_guide","title":"A","language":"\(language)","content_data":{"markdown":"nous nous"}}
        """
      #expect(try TextProbe(json, "LNT0414").findings.count == count, "\(language)")
    }
  }

  @Test func aMegabyteTakesNoTime() throws {
    for text in ["the ", "<", "<b ", "&amp", "- ", "• ", "[ ]", "the the ", "[](", "[[a", "![a](b", "[a]("] {
      let long = String(repeating: text, count: 250_000)
      for code in ["LNT0219", "LNT0414", "LNT0415"] { #expect(try step(long, code).findings.count <= 1) }
    }
  }

  @Test(arguments: [
    ("checklist", "\"content_data\":{\"steps\":[1]}", "content_data.sections[].items"),
    ("checklist", "\"sections\":[{}]", "content_data.sections[]"),
    ("practice_guide", "\"content_data\":{},\"body\":\"x\"", "content_data.markdown"),
    ("flashcard_deck", "\"content_data\":{\"cards\":[]},\"cards\":[{}]", "content_data.cards[]"),
  ])
  func contentInAWrongPlaceIsNamed(_ type: String, _ body: String, _ place: String) throws {
    let probe = try TextProbe("{\"content_type\":\"\(type)\",\"title\":\"A\",\(body)}", "LNT0218")
    #expect(probe.findings.count == 1)
    #expect(probe.findings.first?.fix.hasSuffix(place) ?? false)
  }

  @Test(arguments: [
    "{\"content_type\":\"charts\",\"title\":\"A\"}",
    "{\"content_type\":\"checklist\",\"title\":\"A\",\"content_data\":{\"sections\":[{},{\"items\":[]}]}}",
    "{\"content_type\":\"practice_guide\",\"title\":\"A\",\"content_data\":{\"markdown\":\"x\"}}",
  ])
  func theseAreLeftToOthers(_ json: String) throws {
    #expect(try TextProbe(json, "LNT0218").findings.isEmpty)
  }
}
