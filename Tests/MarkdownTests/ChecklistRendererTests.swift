import Content
import Testing

@testable import Markdown

@Suite struct ChecklistTextTests {
  /// A checklist without any unusual content.
  private var plain: ChecklistDraft {
    var open = ChecklistHelp.step("Sea cock open")
    open.id = ChecklistHelp.sourced("0C7D")
    open.isRequired = true
    open.tags = ["engine", "safety"].map(ChecklistHelp.sourced)
    open.details = ChecklistHelp.sourced("Handle in line with the pipe.")
    var oil = ChecklistHelp.step("Oil between the marks")
    oil.minutes = ChecklistHelp.sourced("5")
    var slip = ChecklistHelp.step("Slip lines led")
    slip.isOptional = true
    slip.tags = [ChecklistHelp.sourced("two words")]
    var engine = ChecklistHelp.section("Engine", [open, oil])
    engine.id = ChecklistHelp.sourced("5E1A")
    engine.icon = ChecklistHelp.sourced("gearshape")
    engine.description = ChecklistHelp.sourced("Ten minutes before.")
    return ChecklistDraft(sections: [engine, ChecklistHelp.section("Lines", [slip])])
  }

  @Test func plainChecklistsLookPlain() {
    #expect(
      String(decoding: ChecklistHelp.written(plain), as: UTF8.self) == """
        ## Engine
        <!-- id=5E1A icon=gearshape -->

        Ten minutes before.

        - [ ] Sea cock open · required · #engine #safety <!-- id=0C7D -->

          Handle in line with the pipe.
        - [ ] Oil between the marks · 5 min

        ## Lines

        - [ ] Slip lines led · optional · tags: two words

        """)
  }

  @Test func russianChecklistsSpeakRussian() throws {
    let text = ChecklistHelp.written(plain, language: "ru-RU")
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("- [ ] Sea cock open · обязательно · #engine #safety <!-- id=0C7D -->"))
    #expect(lines.contains("- [ ] Oil between the marks · 5 мин"))
    #expect(lines.contains("- [ ] Slip lines led · по желанию · tags: two words"))
    #expect(ChecklistHelp.said(try ChecklistHelp.read(text).checklist) == ChecklistHelp.said(plain))
  }

  @Test func theOnlySectionIsNoTitle() throws {
    let draft = ChecklistDraft(sections: [ChecklistHelp.section("Engine", [ChecklistHelp.step("Oil")])])
    let text = ChecklistHelp.written(draft)
    #expect(String(decoding: text, as: UTF8.self) == "## Engine\n<!-- collapsed=false -->\n\n- [ ] Oil\n")
    #expect(ChecklistHelp.said(try ChecklistHelp.read(text).checklist) == ChecklistHelp.said(draft))
  }

  @Test func oneStepIsOneLine() {
    var edited = plain
    edited.sections[0].steps[1].title = ChecklistHelp.sourced("Oil at the upper mark")
    let before = ChecklistHelp.written(plain).split(separator: 0x0A, omittingEmptySubsequences: false)
    let after = ChecklistHelp.written(edited).split(separator: 0x0A, omittingEmptySubsequences: false)
    #expect(before.count == after.count)
    #expect(zip(before, after).filter { $0 != $1 }.count == 1)
  }

  @Test(arguments: [
    "", " ", "a · 5 min", "a · required", "a #tag", "#tag", "<!-- id=1 -->", "a <!-- id=1 -->", "-->", "a\nb", "a\tb",
    "a\\",
    "[ ] a", "x\u{0}y", "a · #b", "tags: x", "a · tags: x", "· a", "a ·", "`code", "☐ a", "___", "a   b", " a", "a ",
    "a\r\nb", "a\u{301}", "שלום", "😀", "<div>", "&amp;", "```", "- [ ] a", "# a", "1. a", "[a]: b", "| a | b |",
  ])
  func titlesComeBack(_ title: String) throws {
    var step = ChecklistHelp.step(title)
    step.isRequired = title.utf8.count % 2 == 0
    step.details = ChecklistHelp.sourced(title)
    var section = ChecklistHelp.section(title, [step, ChecklistHelp.step("next")])
    section.description = ChecklistHelp.sourced(title)
    var draft = ChecklistDraft(sections: [section, ChecklistHelp.section("last")])
    draft.description = ChecklistHelp.sourced(title)
    let text = ChecklistHelp.written(draft)
    let said = ChecklistHelp.said(try ChecklistHelp.read(text).checklist)
    #expect(said == ChecklistHelp.said(draft), "\(String(decoding: text, as: UTF8.self))")
  }
}
