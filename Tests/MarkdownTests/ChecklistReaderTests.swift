import Testing

@testable import Markdown

@Suite struct ChecklistReaderTests {
  /// Returns sections as `Title: step | step`, with descriptions in brackets and details in braces.
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
        == ["Note: A{- deep\n  - deeper} | A › task{para} | B{hard} | C soft"])
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
      try outline("# T\n## S\nEngine:\n- Oil\n") == ["# T", "S — Engine: Oil"])
    #expect(
      try outline("## S\n- Oil\n\n**After**\n- Water\n\nDeck\n- Lines\n## T\n- x\n")
        == ["S: Oil", "After: Water{Deck} | Lines", "T: x"])
  }

  @Test func itemsThatHoldTasksAreSections() throws {
    #expect(
      try outline("- Engine\n  - [ ] Oil\n  - [ ] Water\n- Deck\n\n  Wear shoes.\n  - [ ] Lines\n")
        == ["Engine: Oil | Water", "Deck [Wear shoes.]: Lines"])
    #expect(try outline("- [ ] Engine\n  - [ ] Oil\n") == ["Note: Engine | Engine › Oil"])
    #expect(try outline("- Engine\n  - [ ] Oil\n- Deck\n") == ["Note: Engine | Engine › Oil | Deck"])
  }

  @Test func marksThatMarkdownDoesNotKnow() throws {
    #expect(
      try outline("Engine:\n☐ Oil\n☐ Water\n   hot side\n☑ Belt\n\nDeck:\n____ Lines\nFenders ____\n[ ] Hatches\n")
        == ["Engine: Oil | Water{hot side} | Belt", "Deck: Lines | Fenders | Hatches"])
    #expect(try outline("• Люки закрыть\n• Кингстоны\n  открыть\n") == ["Note: Люки закрыть | Кингстоны{открыть}"])
    #expect(try outline("- ☐ Oil\n- ☐ Water\n") == ["Note: Oil | Water"])
    #expect(try outline("    ☐ Oil\n    ☐ Water\n") == ["Note: Oil | Water"])
  }

  @Test func nestedTasksAreSteps() throws {
    #expect(
      try outline(
        "1. Engine\n   - [ ] Oil\n     level\n     - [x] Dipstick\n   - note\n   - [ ] Water\n2. Deck\n3. Sails\n")
        == ["Note: Engine | Engine › Oil level | Engine › Oil level › Dipstick{- note} | Engine › Water | Deck | Sails"]
    )
    #expect(
      try outline("- [ ] A\n  - group\n    - [ ] B\n  - [ ] C › D\n\n  Behind it.\n- [ ] E\n")
        == ["Note: A | A › group › B | A › C › D{Behind it.} | E"])
    let steps = try #require(try ChecklistHelp.read("- [ ] A\n  - g\n    - [ ] B\n").checklist.sections.first?.steps)
    #expect(steps.map { $0.nesting?.inherited } == [nil, 12] && steps.map { $0.nesting?.depth } == [nil, 2])
    #expect(steps[1].title.range == 24..<25)
    // A box that contains only children.
    #expect(try outline("- [ ]\n  - [ ] B\n") == ["Note: B"])
  }

  @Test func boxesTooDeepAreNamed() throws {
    let long = String(repeating: "long ", count: 90)
    let result = try ChecklistHelp.read("- [ ] \(long)\n  - [ ] B\n  - [ ] C\n")
    #expect(result.checklist.sections.first?.steps.count == 1 && result.unread.count == 2)
    // A long label, a callout title and a heading are not repeated in every title below them.
    let many = (0..<5000).map { _ in "  - [ ] b\n" }.joined()
    for text in [
      "- [ ] a\n  - \(long)\n" + many.replacing("  -", with: "    -"),
      "> [!todo] \(long)\n" + many.replacing("  -", with: "> -"),
      "# \(long)\n" + (0..<5000).map { _ in "## b\n- [ ] c\n" }.joined(),
    ] {
      let read = try ChecklistHelp.read(text).checklist
      let bytes = read.sections.flatMap { $0.steps.map(\.title.bytes.count) + [$0.title.bytes.count] }
      #expect(bytes.reduce(0, +) < 200_000)
    }
    let deep = (0..<10_000).map { String(repeating: " ", count: min($0, 200) * 2) + "- [ ] a\n" }.joined()
    let read = try ChecklistHelp.read(deep)
    let steps = read.checklist.sections.flatMap(\.steps)
    #expect(steps.count > 60 && read.unread.count > 20)
    #expect(steps.allSatisfy { $0.title.bytes.count < 1000 })
  }

  @Test func calloutsHaveSteps() throws {
    #expect(
      try outline(
        "## Start\n## Go\n- [ ] Fuel\n\n> [!warning]+ Engine\n> Look first.\n> - [ ] Oil\n>   more\n>\n>   Details.\n>   - [ ] Cap\n> > - [ ] Deep\n\n> Only a quote\n\n- [ ] Go\n"
      )
        == [
          "Start: ",
          "Go: Fuel{> Look first.} | Engine › Oil more{Details.} | Engine › Oil more › Cap | Engine › Deep{> Only a quote} | Go",
        ])
    #expect(try outline("> [!todo]\n> - [x] A\n> - [ ] B\n") == ["Note: A | B"])
    #expect(try outline("> ☐ A\n> ☐ B\n> text\n") == ["Note: A | B text"])
  }

  @Test func boxesAsPeopleTypeThem() throws {
    let text =
      "-[ ] A\n-[x] B\n\n- [] C\n- []D\n- [ ]E\n- [x]F\n- [/] G\n- [-] H\n- [>] I\n- [х] J\n- [✓] K\n- [\u{A0}] L\n* [!] M\n"
    let result = try ChecklistHelp.read(text)
    #expect(
      result.checklist.sections.first?.steps.map(\.title.string)
        == ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M"])
    #expect(result.checklist.ticked.count == 4)
    #expect(try outline("- [ ] A\n-[ ] B\n[ ] C\n") == ["Note: A | B | C"])
    #expect(
      try outline("- [x](a.md) link\n- [a] choice\n- [x][y]\n- [/]path\n- [1] note\n")
        == ["Note: x link | [a] choice | [x][y] | [/]path | [1] note"])
  }

  @Test(arguments: [
    ("Oil · 5 mins", "Oil", "5", ""), ("Oil · 5 minutes", "Oil", "5", ""), ("Oil · 5m", "Oil", "5", ""),
    ("Oil · 1 h", "Oil", "60", ""), ("Oil · 1 h 30", "Oil", "90", ""), ("Oil · 1,5 hours", "Oil", "90", ""),
    ("Oil · Required", "Oil", "", "r"), ("Oil (required)", "Oil", "", "r"), ("Oil • required", "Oil", "", "r"),
    ("Oil (OPTIONAL) · 2 ч", "Oil", "120", "o"), ("Oil (10 min) #a", "Oil", "10", ""),
    ("Oil · 1h30min", "Oil", "90", ""), ("Oil — 5 min", "Oil", "5", ""), ("Oil - required", "Oil", "", "r"),
    ("Oil – 1 h · optional", "Oil", "60", "o"), ("Oil (5 min, required)", "Oil", "5", "r"),
    ("Oil (1,5 h)", "Oil", "90", ""), ("Oil · required • #a", "Oil", "", "r"),
    ("Port - starboard", "Port - starboard", "", ""), ("Oil (5 min, cold)", "Oil (5 min, cold)", "", ""),
    ("Oil-5 min", "Oil-5 min", "", ""), ("- required", "- required", "", ""),
    ("Oil · Стандарт", "Oil · Стандарт", "", ""), ("Chain · 5 m", "Chain · 5 m", "", ""),
    ("Oil · 5 bananas", "Oil · 5 bananas", "", ""), ("(required)", "(required)", "", ""),
    ("Oil · 99999999 h", "Oil · 99999999 h", "", ""), ("Oil (see note)", "Oil (see note)", "", ""),
  ])
  func attributesAsPeopleTypeThem(_ label: String, _ title: String, _ minutes: String, _ flags: String) throws {
    let step = try #require(try ChecklistHelp.read("- [ ] \(label)\n").checklist.sections.first?.steps.first)
    #expect(step.title.string == title && step.minutes?.string ?? "" == minutes)
    #expect((step.isRequired ? "r" : "") + (step.isOptional ? "o" : "") == flags)
  }

  @Test(arguments: ["requierd", "Optionall", "5 minz", "2 houres"]) func nearlyAttributesAreNamed(_ word: String) throws
  {
    let result = try ChecklistHelp.read("- [ ] Oil · \(word)\n- [ ] Port · Starboard\n")
    #expect(result.unknown.map(\.range) == [13..<13 + word.utf8.count])
    #expect(result.unknown.allSatisfy { $0.isBehindDot })
    #expect(result.checklist.sections.first?.steps.first?.title.string == "Oil · \(word)")
  }

  /// Time words without a dot may be part of a title: they are kept and counted.
  @Test(arguments: [
    ("Oil 5 mins", 4), ("Oil, 1 h 30 min", 5), ("Oil Required", 4), ("Wait 5m", 5), ("Oil", nil), ("5 min", nil),
    ("Chain 5 m", nil),
  ])
  func attributesWithoutADotAreCounted(_ title: String, _ start: Int?) throws {
    let result = try ChecklistHelp.read("- [ ] \(title)\n")
    #expect(result.unknown.map(\.range) == (start.map { [6 + $0..<6 + title.utf8.count] } ?? []))
    #expect(result.unknown.allSatisfy { !$0.isBehindDot })
    #expect(result.checklist.sections.first?.steps.first?.title.string == title)
  }

  @Test func tagsOfSteps() throws {
    #expect(
      try outline(
        "- [ ] Oil #engine #safety/first\n- [ ] Channel #9\n- [ ] Code `a #b`\n- [ ] #only\n- [ ] (5 min) Сало #еда\n")
        == ["Note: Oil #engine #safety/first | Channel #9 | Code a #b | #only | (5 min) Сало #еда"])
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
        == ["A [One.]: x{| a | b |\n|---|---|\n\n> quote} | y", "B: z"])
    #expect(try outline("- x\n\n---\n\nAfter the rule.\n\n---\n") == ["Note: x{---\n\nAfter the rule.}"])
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

  @Test func commentsOfOthersAreTextOrLeftOut() throws {
    #expect(try outline("- [ ] A <!-- todo -->\n- [ ] B <!-- id=5 -->\n") == ["Note: A | B"])
    #expect(try outline("## A\n<!-- todo -->\n- x\n## B\n<!-- id=5 -->\n- y\n") == ["A [<!-- todo -->]: x", "B: y"])
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func lineEndsOfAnyKind(_ end: String) throws {
    let text = "# T\n\n## A\nOne\ntwo\n- x\n  y\n\n  d\n  e\n".split(separator: "\n", omittingEmptySubsequences: false)
    #expect(try outline(text.joined(separator: end)) == ["# T", "A [One\ntwo]: x y{d\ne}"])
  }

  /// Deeply nested and long texts take time in proportion to their length.
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
