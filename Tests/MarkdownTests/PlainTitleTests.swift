import Content
import TestSupport
import Testing

@testable import Markdown

/// Titles with links, emphasis, comments and anchors.
@Suite struct ReadableTitleTests {
  private static func shown(_ title: String) -> String {
    let bytes = Array(title.utf8)
    return PlainTitle.read(SourcedText(bytes: bytes, range: 0..<bytes.count))?.text.string ?? title
  }

  @Test(arguments: [
    ("[[Engine]]", "Engine"), ("Check [[Engine room|the engine]] now", "Check the engine now"),
    ("See [the list](list.md)", "See the list"), ("[a (b)](x_(y).md) c", "a (b) c"), ("**Check** oil", "Check oil"),
    ("*now* _here_ __there__ ***all***", "now here there all"), ("Set `A|B` to ==on==", "Set A|B to on"),
    ("**[[Oil|the *oil*]]** `x`", "the *oil* x"), ("[**bold**](a)", "bold"), ("``a`b``", "a`b"),
    ("Oil %%not cold%% level", "Oil level"), ("Oil %%x%%", "Oil"), ("Oil <!-- ask --> level", "Oil level"),
    ("**Масло** и [[Вода|вода]]", "Масло и вода"),
  ])
  func marksAreNotShown(_ title: String, _ shown: String) { #expect(Self.shown(title) == shown) }

  @Test(arguments: [
    "2 * 3 * 4", "5*3*2", "snake_case_name", "a == b == c", "**", "* a", "`open", "[x] y", "![a](b.png)", "![[a.png]]",
    "[[]]", "[[ ]]", "[](x)", "[a] (b)", "\\*a\\*", "**a", "50 % of 100 %", "[^1]", "%%", "____", "**bold*",
    "[[a]", "Fuel ____ l", "%% %%", "<!-- a", "a < b", "<!-->",
  ])
  func otherSignsStay(_ title: String) { #expect(Self.shown(title) == title) }

  @Test func anyTitleIsReadWithoutATrap() {
    var random = SeededRandom(seed: 5)
    let pieces = [
      "*", "**", "_", "`", "``", "[", "[[", "]", "]]", "|", "(", ")", "==", "%%", "!", "<!--", "-->", "\\", "a", " ",
      "é", "{#a}",
      "^b",
    ]
    for _ in 0..<20_000 {
      let bytes = Array((0..<random.below(14)).map { _ in random.pick(pieces) }.joined().utf8)
      let title = SourcedText(bytes: bytes, range: 7..<7 + bytes.count)
      _ = TitleSuffix.strip(title)
      guard let read = PlainTitle.read(title) else { continue }
      // Every displayed byte equals the byte of the title at the recorded place.
      for (index, byte) in read.text.bytes.enumerated() { #expect(bytes[read.text.place(index) - 7] == byte) }
      let counted = read.text.bytes.count + (read.marks + read.targets + read.comments).reduce(0) { $0 + $1.count }
      #expect(counted == bytes.count, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  private static let note = """
    # The [[Boat]] list

    ## Engine [room](engine.md) {#engine}

    - [ ] Check [[Oil level|the oil]] and **then** run · 5 min ^oil
    - [ ] See [[Filters]] first ^filter-1

    """

  @Test func titlesOfANote() {
    #expect(NoteHelp.parse(Self.note).title == "The Boat list")
    #expect(
      NoteHelp.said(Self.note) == [
        "section 'Engine room'", "  step 'Check the oil and then run'", "    minutes '5'", "  step 'See Filters first'",
      ])
  }

  @Test func anEditKeepsTheMarks() {
    func edit(_ step: Int, _ title: String) -> String? {
      NoteHelp.edited(Self.note) { $0.sections[0].steps[step].title = ChecklistHelp.sourced(title) }
    }
    #expect(
      edit(0, "Check the oil and then stop") == Self.note.replacing("** run", with: "** stop"))
    #expect(edit(0, "Check the new oil and then run") == Self.note.replacing("|the oil", with: "|the new oil"))
    #expect(edit(0, "Check the oil and then run twice") == Self.note.replacing("run ·", with: "run twice ·"))
    #expect(edit(1, "See Filter first") == Self.note.replacing("[[Filters]]", with: "[[Filters|Filter]]"))
    #expect(
      edit(0, "Look at it")
        == Self.note.replacing("Check [[Oil level|the oil]] and **then** run", with: "Look at it"))
    let section = NoteHelp.edited(Self.note) { $0.sections[0].title = ChecklistHelp.sourced("Engine bay") }
    #expect(section?.contains("## Engine [bay](engine.md) {#engine}\n") == true)
    let minutes = NoteHelp.edited(Self.note) { $0.sections[0].steps[0].minutes = ChecklistHelp.sourced("9") }
    #expect(minutes == Self.note.replacing("5 min", with: "9 min"))
  }

  @Test func aNewStepKeepsItsOwnMarks() {
    let title = "Set `A` to **on**"
    let text = NoteHelp.edited(Self.note) { $0.sections[0].steps.append(ChecklistHelp.step(title)) }
    #expect(text.map { NoteHelp.said($0).last } == "  step '\(title)'")
  }

  @Test func aNewStepHasNoAnchor() {
    let text = NoteHelp.edited(Self.note) {
      $0.sections[0].steps.append(ChecklistHelp.step("Log it"))
      $0.sections.append(ChecklistHelp.section("Deck", [ChecklistHelp.step("Lines")]))
    }
    #expect(text?.contains("- [ ] Log it\n") == true && text?.contains("## Deck\n") == true)
  }

  @Test(arguments: ["a **b** c", "See [[x]]", "`code`", "Oil ^abc", "Oil {#a}", "[a](b)", "%%a%% b", "==a=="])
  func aRecordsMarksComeBack(_ title: String) throws {
    let draft = ChecklistDraft(sections: [ChecklistHelp.section(title, [ChecklistHelp.step(title)])])
    let read = try ChecklistHelp.read(ChecklistHelp.written(draft)).checklist
    #expect(ChecklistHelp.said(read) == ChecklistHelp.said(draft))
  }

  @Test(arguments: [
    ("Oil ^abc-1", "Oil"), ("Oil {#a}", "Oil"), ("Oil{#a}", "Oil"), ("Oil {: .b }", "Oil"), ("Oil { #a .b } ^c", "Oil"),
    ("^abc", "^abc"), ("x ^ y", "x ^ y"), ("2^8", "2^8"), ("{#a}", "{#a}"), ("Set {x}", "Set {x}"),
    ("a ^b c", "a ^b c"),
  ])
  func tailsOfTitles(_ title: String, _ rest: String) {
    let bytes = Array(title.utf8)
    #expect(TitleSuffix.strip(SourcedText(bytes: bytes, range: 0..<bytes.count)).0.string == rest)
  }

  @Test func admonitionsAreText() {
    let text = """
      ---
      type: checklist
      ---
      # List

      ## Engine

      !!! warning "Be careful"
          Do not run.

          Twice.

      - [ ] Oil

      ## Deck

      ??? note
          Later.

      - [ ] Lines

      """
    #expect(
      NoteHelp.said(text) == [
        "section 'Engine'", " description 'Be careful:\\nDo not run.\\n\\nTwice.'", "  step 'Oil'",
        "section 'Deck'", " description 'Note:\\nLater.'", "  step 'Lines'",
      ])
    #expect(
      NoteHelp.edited(text) { $0.sections[0].steps[0].title = ChecklistHelp.sourced("Belt") }
        == text.replacing("Oil", with: "Belt"))
    #expect(NoteHelp.edited(text) { $0.sections[0].description = ChecklistHelp.sourced("No.") } == nil)
    #expect(
      NoteHelp.said("---\ntype: checklist\n---\n!!! tip \"Fuel\"\n    - [ ] Tank\n    - [ ] Filter\n") == [
        "section 'Fuel'", "  step 'Tank'", "  step 'Filter'",
      ])
  }

  @Test func placeholdersOfTemplatesAreReported() {
    let text = "---\ntype: checklist\n---\n## {{title}}\n\n- [ ] Oil <% tp.date.now() %>\n- [ ] {{a\n"
    #expect(NoteHelp.findings(text) == ["MKD0126 4:4", "MKD0126 6:11"])
  }

  @Test func commentsAreLeftOutWithTheirPlaces() {
    let text = """
      ---
      type: checklist
      ---
      %% for me %%

      - [ ] Oil %%cold%% level
      - [ ] Water

      %%
      - [ ] Old step
      %%

      - [ ] Belt
      %%
      - [ ] Another one
      %%
      - [ ] Last

      %% not closed

      """
    #expect(
      NoteHelp.said(text) == [
        "section 'note'", "  step 'Oil level'", "  step 'Water'", "  step 'Belt'", "  step 'Last'",
        "    details '%% not closed'",
      ])
    #expect(NoteHelp.findings(text) == ["MKD0125 4:1", "MKD0125 6:11", "MKD0125 9:1", "MKD0125 14:1"])
  }
}
