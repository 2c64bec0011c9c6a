import Testing

@testable import Markdown

@Suite struct ChecklistReaderTests {
  /// Sections as `Title: step | step`, descriptions in brackets, details in braces.
  private func outline(_ text: String, hasDescription: Bool = false) throws -> [String] {
    let result = try ChecklistHelp.read(text, title: "Note", hasDescription: hasDescription)
    var lines: [String] = []
    if let title = result.title { lines.append("# \(title.string)") }
    if let description = result.checklist.description { lines.append("[\(description.string)]") }
    for section in result.checklist.sections {
      let steps = section.steps.map { step in
        step.title.string + (step.details.map { "{\($0.string)}" } ?? "")
          + step.tags.map { " #\($0.string)" }.joined()
      }
      let description = section.description.map { " [\($0.string)]" } ?? ""
      lines.append("\(section.title.string)\(description): \(steps.joined(separator: " | "))")
    }
    return lines
  }

  @Test func taskListsOfAnyBullet() throws {
    #expect(
      try outline("- [ ] A\n- [x] B\n\n* [X] C\n+ [ ] D\n\n1. [ ] E\n2) [ ] F\n") == ["Note: A | B | C | D | E | F"])
    #expect(try ChecklistHelp.read("- [ ] A\n- [x] B\n* [X] C\n").checklist.ticked == [10..<13, 18..<21])
  }

  @Test func whatIsBelowIsDetails() throws {
    #expect(
      try outline("- [ ] A\n    - deep\n      - deeper\n    - [ ] task\n\n  para\n- [ ] B  \n  hard\n- [ ] C\n  soft\n")
        == ["Note: A{  - deep\n    - deeper\n  - [ ] task\n\npara} | B{hard} | C soft"])
    #expect(
      try outline("1. A\n\n   ```\n   x\n\n     y\n   ```\n2. B\\\n   more\n") == [
        "Note: A{```\nx\n\n  y\n```} | B{more}"
      ])
    #expect(try outline("- A\n\t- tab\n\t\t- two\n") == ["Note: A{- tab\n\t- two}"])
  }

  @Test func headingsAreSections() throws {
    #expect(
      try outline("# Berth\n\nIntro.\n\n## Engine\nWarm.\n\n- Oil\n\n## Lines\n- Slip\n")
        == ["# Berth", "[Intro.]", "Engine [Warm.]: Oil", "Lines: Slip"])
    #expect(try outline("# Berth\n- Oil\n") == ["# Berth", "Note: Oil"])
    #expect(try outline("# A\n- x\n# B\n- y\n") == ["A: x", "B: y"])
    #expect(try outline("Berth\n=====\n\nEngine\n------\n- Oil\n") == ["# Berth", "Engine: Oil"])
    #expect(
      try outline("# T\n## Engine\n### Before start\n- Oil\n### After start\n- Water\n## Notes\nText only.\n")
        == ["# T", "Engine — Before start: Oil", "Engine — After start: Water", "Notes [Text only.]: "])
  }

  @Test func linesThatStandForHeadings() throws {
    #expect(try outline("**Engine**\n- Oil\n\n**Lines:**\n\n- Slip\n") == ["Engine: Oil", "Lines: Slip"])
    #expect(try outline("# T\nEngine:\n- Oil\n\nПалуба:\n* Люки\n") == ["# T", "Engine: Oil", "Палуба: Люки"])
    #expect(
      try outline("We went out. Then we did this:\n- Oil\n") == ["[We went out. Then we did this:]", "Note: Oil"])
    #expect(
      try outline("# T\n## S\nEngine:\n- Oil\n") == ["# T", "S [Engine:]: Oil"])
  }

  @Test func itemsThatHoldTasksAreSections() throws {
    #expect(
      try outline("- Engine\n  - [ ] Oil\n  - [ ] Water\n- Deck\n\n  Wear shoes.\n  - [ ] Lines\n")
        == ["Engine: Oil | Water", "Deck [Wear shoes.]: Lines"])
    #expect(try outline("- [ ] Engine\n  - [ ] Oil\n") == ["Note: Engine{- [ ] Oil}"])
    #expect(try outline("- Engine\n  - [ ] Oil\n- Deck\n") == ["Note: Engine{- [ ] Oil} | Deck"])
  }

  @Test func marksThatMarkdownDoesNotKnow() throws {
    #expect(
      try outline("Engine:\n☐ Oil\n☐ Water\n   hot side\n☑ Belt\n\nDeck:\n____ Lines\nFenders ____\n[ ] Hatches\n")
        == ["Engine: Oil | Water{hot side} | Belt", "Deck: Lines | Fenders | Hatches"])
    #expect(try outline("• Люки закрыть\n• Кингстоны\n  открыть\n") == ["Note: Люки закрыть | Кингстоны{открыть}"])
    #expect(try outline("- ☐ Oil\n- ☐ Water\n") == ["Note: Oil | Water"])
    #expect(try outline("    ☐ Oil\n    ☐ Water\n") == ["Note: Oil | Water"])
  }

  @Test func tagsOfSteps() throws {
    #expect(
      try outline(
        "- [ ] Oil #engine #safety/first\n- [ ] Channel #9\n- [ ] Code `a #b`\n- [ ] #only\n- [ ] (5 min) Сало #еда\n")
        == ["Note: Oil #engine #safety/first | Channel #9 | Code `a #b` | #only | (5 min) Сало #еда"])
    let step = try #require(
      try ChecklistHelp.read("- [ ] Oil · required · 12.5 min · #a\n").checklist.sections.first?.steps.first)
    #expect(step.title.string == "Oil")
    #expect(step.isRequired && !step.isOptional)
    #expect(step.minutes?.string == "12.5")
    #expect(step.tags.map(\.string) == ["a"])
    #expect(step.tags.first?.range == 38..<39)
  }

  @Test func textBehindStepsStays() throws {
    #expect(
      try outline("## A\nOne.\n- x\n\n| a | b |\n|---|---|\n\n> quote\n- y\n\n---\n\n## B\n- z\n")
        == ["A [One.\n\n| a | b |\n|---|---|\n\n> quote]: x | y", "B: z"])
    #expect(try outline("## A\n- x\n## B\n\n[r]: http://a.b\n") == ["A: x", "B [[r]: http://a.b]: "])
  }

  @Test func emptyBoxesAreNoSteps() throws {
    let result = try ChecklistHelp.read("- [ ] A\n- [ ]\n- \n- [ ] B\n")
    #expect(result.checklist.sections.first?.steps.map(\.title.string) == ["A", "B"])
    #expect(result.empty.count == 2)
  }

  @Test func textBesideADescriptionIsSkipped() throws {
    #expect(try outline("Intro.\n\n## A\n- x\n## B\n", hasDescription: true) == ["A: x", "B: "])
    #expect(try outline("Intro.\n\n- x\n", hasDescription: true) == ["Note [Intro.]: x"])
    #expect(try outline("Intro.\n\n- x\n") == ["[Intro.]", "Note: x"])
  }

  @Test func commentsOfOthersAreText() throws {
    #expect(try outline("- [ ] A <!-- todo -->\n- [ ] B <!-- id=5 -->\n") == ["Note: A <!-- todo --> | B"])
    #expect(try outline("## A\n<!-- todo -->\n- x\n## B\n<!-- id=5 -->\n- y\n") == ["A [<!-- todo -->]: x", "B: y"])
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func lineEndsOfAnyKind(_ end: String) throws {
    let text = "# T\n\n## A\nOne\ntwo\n- x\n  y\n\n  d\n  e\n".split(separator: "\n", omittingEmptySubsequences: false)
    #expect(try outline(text.joined(separator: end)) == ["# T", "A [One\ntwo]: x y{d\ne}"])
  }

  /// Deep and long texts take time in proportion to their length.
  @Test func hostileTexts() throws {
    let texts = [
      String(repeating: "- ", count: 20_000), String(repeating: "> ", count: 20_000) + "- a",
      String(repeating: "☐ a\n", count: 20_000),
      String(repeating: "- [ ] a · required #b <!-- id=1 -->\n", count: 10_000),
      "- [ ] " + String(repeating: " · 5 min", count: 50_000),
      "- [ ] " + String(repeating: "<!-- id=1 -->", count: 30_000),
      (0..<400).map { String(repeating: "  ", count: $0) + "- [ ] a\n" }.joined(),
      String(repeating: "# a\n", count: 20_000), String(repeating: "**a**\n\n- b\n\n", count: 10_000),
    ]
    let clock = ContinuousClock()
    for text in texts {
      let time = try clock.measure { _ = try ChecklistHelp.read(text) }
      #expect(time < .seconds(60), "\(text.prefix(20))")
    }
  }
}
