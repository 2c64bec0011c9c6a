import Content
import MarkdownSyntax
import MarkdownText
import TestSupport
import Testing

@testable import Markdown

@Suite struct ChecklistPropertyTests {
  private static let pieces = [
    "a", "Oil", " ", "  ", "\n", "\n\n", "\t", " · ", "·", " · 5 min", " · required", " · по желанию", "#tag", " #x/y",
    "tags: a, b",
    "<!--", "-->", " <!-- id=7 -->", "\\", "&amp;", "```", "~~~", "---", "===", "- ", "* ", "1. ", "- [ ] ", "[x] ",
    "☐ ", "• ", "____",
    "# ", "## ", "> ", "|", "<div>", "</div>", "[a]: b", "![[i.png]]", "😀", "שלום", "e\u{301}", "\u{200D}", "\r",
    "\r\n", "\u{0}",
    "\u{1B}", "\u{7F}", "\u{A0}", "\u{2028}", "\u{FEFF}", "\"", "'", "`", "**b**", "    code", ":", "Engine:", "é",
    "проверить",
  ]

  private func text(_ random: inout SeededRandom, _ most: Int = 8) -> SourcedText {
    if random.below(3) == 0 {
      return ChecklistHelp.sourced(random.pick(["Oil", "Lines led", "Проверить масло", "a b"]))
    }
    return ChecklistHelp.sourced((0..<random.below(most)).map { _ in random.pick(Self.pieces) }.joined())
  }

  private func maybe(_ random: inout SeededRandom, _ make: (inout SeededRandom) -> SourcedText) -> SourcedText? {
    random.below(3) == 0 ? make(&random) : nil
  }

  private func number(_ random: inout SeededRandom) -> SourcedText {
    ChecklistHelp.sourced(random.pick(["5", "0", "12.5", "-1", "1e3", "500", "\"5\"", "123456789012", "[1,2]"]))
  }

  private func draft(_ random: inout SeededRandom) -> ChecklistDraft {
    var draft = ChecklistDraft()
    draft.description = maybe(&random) { text(&$0, 12) }
    for _ in 0..<random.below(4) {
      var section = SectionDraft(title: text(&random), range: 0..<0)
      section.id = maybe(&random) { text(&$0, 3) }
      section.icon = maybe(&random) { text(&$0, 3) }
      section.description = maybe(&random) { text(&$0, 12) }
      section.isCollapsed = random.below(4) == 0
      section.sortOrder = maybe(&random) { number(&$0) }
      section.members = maybe(&random) { ChecklistHelp.sourced("\"k\":" + $0.json(depth: 2).filter { $0 != "\n" }) }
      for _ in 0..<random.below(5) {
        var step = StepDraft(title: text(&random), range: 0..<0)
        step.id = maybe(&random) { text(&$0, 3) }
        step.details = maybe(&random) { text(&$0, 14) }
        step.isRequired = random.below(3) == 0
        step.isOptional = random.below(4) == 0
        step.minutes = maybe(&random) { number(&$0) }
        step.tags = (0..<random.below(3)).map { _ in text(&random, 3) }
        step.sortOrder = maybe(&random) { number(&$0) }
        step.members = maybe(&random) { ChecklistHelp.sourced("\"a-->b\":" + $0.json(depth: 1).filter { $0 != "\n" }) }
        section.steps.append(step)
      }
      draft.sections.append(section)
    }
    return draft
  }

  @Test func everyDraftComesBack() throws {
    var random = SeededRandom(seed: 2026)
    for round in 0..<6000 {
      let draft = draft(&random)
      let text = ChecklistHelp.written(draft, language: random.pick(["en", "ru"]))
      let said = ChecklistHelp.said(try ChecklistHelp.read(text).checklist)
      guard said == ChecklistHelp.said(draft) else {
        let wrong = zip(said, ChecklistHelp.said(draft)).first { $0 != $1 }
        Issue.record(
          "round \(round): \(String(describing: wrong)) \(String(decoding: text, as: UTF8.self).debugDescription)")
        return
      }
      #expect(!text.contains(0x0D) && !text.contains(0))
    }
  }

  @Test func longTextsComeBack() throws {
    for unit in ["a ", "\n", " · 5 min", "#t ", "-", "\"", "[x]\n- ", "é"] {
      let long = ChecklistHelp.sourced(String(repeating: unit, count: 100_000 / unit.utf8.count))
      var step = StepDraft(title: long, range: 0..<0)
      step.details = long
      step.tags = [long]
      var draft = ChecklistDraft(sections: [ChecklistHelp.section("s", [step])])
      draft.sections[0].description = long
      let text = ChecklistHelp.written(draft)
      #expect(ChecklistHelp.said(try ChecklistHelp.read(text).checklist) == ChecklistHelp.said(draft))
    }
  }

  // MARK: Every byte

  private static let lines = [
    "# Before departure", "## Engine", "### Oil", "Engine:", "**Lines**", "- Oil", "* [ ] Water #tag",
    "+ [x] Fuel · 5 min", "1. One",
    "2) Two", "  - nested", "    - [ ] deep", "  details", "", "", "☐ Oil", "• Water", "____ Fuel", "Diesel ____",
    "[ ] loose", "text",
    "> quote", "```", "| a | b |", "---", "===", "<!-- todo -->", "<!-- id=5 -->", "- [ ]", "-", "-   ", "[a]: b",
    "    code", "\t- tab",
    "- a\\", "- b  ", "lazy", "<div>", "- # h", "- > q", "- ```", "- - x", "* * *", "– dash", "    ☐ deep box",
    "- [ ] [a]: b", "## x ##", "> [!tip] Call", "> - [ ] quoted", ">   - [ ] deep", "-[ ] near", "- []", "- [ ]Word",
    "- [/] half", "  - [x] child · 5 mins", "  text (required)",
  ]

  /// Every byte that is not white space belongs to a text, to a mark or to skipped content.
  @Test(arguments: [false, true])
  func everyByteIsAccountedFor(_ hasDescription: Bool) throws {
    var random = SeededRandom(seed: hasDescription ? 77 : 78)
    for round in 0..<6000 {
      let end = random.pick(["\n", "\r\n", "\r"])
      let text = Array((0..<random.below(14)).map { _ in random.pick(Self.lines) + end }.joined().utf8)
      let result = try ChecklistHelp.read(text, hasDescription: hasDescription)
      var seen = [Int](repeating: 0, count: text.count + 1)
      func add(_ range: Range<Int>) { for at in range where at < seen.count { seen[at] += 1 } }
      func add(_ value: SourcedText?) {
        guard let value else { return }
        for (from, to) in Self.stretches(value) {
          add(to..<to + from.count)
          // The bytes at a text's place are the text itself.
          for (offset, byte) in value.bytes[from].enumerated() where to + offset < text.count {
            #expect(
              byte == text[to + offset] || NoteLines.isWhite(byte) || [0xE2, 0x80, 0x94, 0xBA].contains(byte),
              "round \(round): \(value) \(String(decoding: text, as: UTF8.self).debugDescription)")
          }
        }
      }
      add(result.title)
      add(result.checklist.description)
      for section in result.checklist.sections {
        if !section.title.range.isEmpty { add(section.title) }
        for value in [section.id, section.icon, section.description, section.sortOrder, section.members] { add(value) }
        for step in section.steps {
          for value in [step.id, step.title, step.details, step.minutes, step.sortOrder, step.members] { add(value) }
          for tag in step.tags { add(tag) }
        }
      }
      for range in result.marks + result.skipped { add(range) }
      let lost = text.indices.filter { seen[$0] == 0 && !NoteLines.isWhite(text[$0]) }
      guard lost.isEmpty else {
        let line = String(decoding: text, as: UTF8.self).debugDescription
        Issue.record("round \(round): \(lost.map { text[$0] }) at \(lost) of \(line)")
        return
      }
      let marks = result.marks.flatMap { text[$0].filter { !NoteLines.isWhite($0) } }
      #expect(marks.count < text.count || text.isEmpty || text.count < 40)
    }
  }

  /// Whatever a note contains, reading never traps, and the result can be written and read again.
  @Test func damagedNotes() throws {
    var random = SeededRandom(seed: 4711)
    let signs = Array("-*+[]x #·☐_<!>=\"{}\\\n\r\t`|:1. ".utf8)
    for round in 0..<3000 {
      let lines = (0..<random.below(12) + 1).map { _ in random.pick(Self.lines) + "\n" }
      var text = Array(lines.joined().utf8)
      for _ in 0..<random.below(6) {
        let at = random.below(text.count)
        switch random.below(3) {
        case 0: text[at] = random.pick(signs)
        case 1: text.insert(random.pick(signs), at: at)
        default: if text.count > 1 { text.remove(at: at) }
        }
      }
      // A note has already been decoded when it is read.
      let note = Array(String(decoding: text, as: UTF8.self).utf8)
      let draft = try ChecklistHelp.read(note).checklist
      let again = try ChecklistHelp.read(ChecklistHelp.written(draft)).checklist
      #expect(ChecklistHelp.said(again) == ChecklistHelp.said(draft), "round \(round)")
    }
  }

  /// Returns the runs of consecutive bytes in a text, each as a range of the text and a position in the note.
  private static func stretches(_ text: SourcedText) -> [(Range<Int>, Int)] {
    guard !text.stretches.isEmpty else { return [(0..<text.bytes.count, text.range.lowerBound)] }
    return text.stretches.enumerated().map { index, stretch in
      let end = index + 1 < text.stretches.count ? text.stretches[index + 1].value : text.bytes.count
      return (stretch.value..<end, stretch.source)
    }
  }
}
