import Content
import Testing

@testable import Markdown

/// Tables whose rows are steps.
@Suite struct StepTableTests {
  private static let head = "---\ntype: checklist\n---\n"
  private static let note =
    head + "# Provisions\n\n| Item | Qty | Min | Required | Notes | Done |\n|---|--:|---|---|---|:-:|\n"
    + "| Milk \\| cream | 3 | 5 min | x | cold | [x] |\n|Bread||  |||✓|\n| Salt | 1 | | | | |\n\nBye.\n"

  @Test func rowsAreSteps() {
    #expect(
      NoteHelp.said(Self.note) == [
        "section 'Provisions'", "  step 'Milk | cream' required", "    minutes '5'",
        "    details 'Qty: 3\\ncold'", "  step 'Bread'", "  step 'Salt'", "    details 'Qty: 1\\n\\nBye.'",
      ])
    guard case .checklist(let draft) = NoteHelp.parse(Self.note).content else { return }
    #expect(draft.ticked.map { String(decoding: Array(Self.note.utf8)[$0], as: UTF8.self) } == ["[x]", "✓"])
  }

  @Test(arguments: [
    "Task", "Steps", "Aufgabe", "Étape", "Tarea", "Attività", "Шаг", "Задача", "**Item**", "Was?", "To do", "Check",
  ])
  func headersInSixLanguages(_ header: String) {
    let text = Self.head + "| \(header) | Wer |\n|---|---|\n| Oil | Ann |\n"
    #expect(NoteHelp.said(text).contains("  step 'Oil'"), "\(header)")
    #expect(NoteHelp.said(text).contains("    details 'Wer: Ann'"), "\(header)")
  }

  @Test(arguments: ["| Port | Depth |\n|---|---|\n| Vis | 5 |\n", "| a | b |\n|---|---|\n| 1 | 2 |\n"])
  func otherTablesAreText(_ table: String) {
    let text = Self.head + "- [ ] a\n\n" + table
    #expect(NoteHelp.said(text).count { $0.hasPrefix("  step") } == 1)
  }

  @Test func aColumnOfSectionsMakesSections() {
    let text =
      Self.head + "| Section | Step |\n|---|---|\n| Engine | Oil |\n| | Belt |\n| Deck | Lines |\n| Deck | Fenders |\n"
    #expect(
      NoteHelp.said(text) == [
        "section 'Engine'", "  step 'Oil'", "  step 'Belt'", "section 'Deck'", "  step 'Lines'", "  step 'Fenders'",
      ])
    let edited = NoteHelp.edited(text) { $0.sections[1].title = ChecklistHelp.sourced("On deck") }
    #expect(edited == text.replacing("Deck", with: "On deck"))
  }

  @Test func rowsWithoutAStepAreReported() {
    let text = Self.head + "| Step | Qty |\n|---|---|\n| Oil | 1 | more |\n| | 2 |\n| | |\n"
    #expect(NoteHelp.findings(text) == ["MKD0125 6:13", "MKD0125 7:1"])
    #expect(NoteHelp.said(text).count { $0.hasPrefix("  step") } == 1)
  }

  @Test func ticksOfOtherWordsAreDetails() {
    let text = Self.head + "| Step | Done | Time |\n|---|---|---|\n| Oil | Friday | 1h |\n| Belt | no | 5 min |\n"
    #expect(
      NoteHelp.said(text).dropFirst() == [
        "  step 'Oil'", "    details 'Done: Friday\\nTime: 1h'", "  step 'Belt'", "    minutes '5'",
      ])
  }

  @Test func editsGoIntoTheirCells() {
    func change(_ body: (inout StepDraft) -> Void) -> String? {
      NoteHelp.edited(Self.note) { body(&$0.sections[0].steps[0]) }
    }
    #expect(
      change { $0.title = ChecklistHelp.sourced("Milk | whipped cream") }
        == Self.note.replacing("Milk \\| cream", with: "Milk \\| whipped cream"))
    #expect(change { $0.minutes = ChecklistHelp.sourced("7") } == Self.note.replacing("5 min", with: "7 min"))
    #expect(
      change { $0.details = ChecklistHelp.sourced("Qty: 4\nwarm") }
        == Self.note.replacing("| 3 |", with: "| 4 |").replacing("| cold |", with: "| warm |"))
    #expect(change { $0.isRequired = false } == Self.note.replacing("| x | cold", with: "|  | cold"))
    // A cell is limited to one line, and no column holds tags.
    #expect(change { $0.details = ChecklistHelp.sourced("Qty: 3\none\ntwo") } == nil)
    #expect(change { $0.tags = [ChecklistHelp.sourced("a")] } == nil)
    // Text after the table stays in its position.
    let last = NoteHelp.edited(Self.note) { $0.sections[0].steps[2].title = ChecklistHelp.sourced("Sea salt") }
    #expect(last == Self.note.replacing("| Salt |", with: "| Sea salt |"))
    let other = NoteHelp.edited(Self.note) { $0.sections[0].steps[1].minutes = ChecklistHelp.sourced("2") }
    #expect(other == Self.note.replacing("|Bread||  |||✓|", with: "|Bread|| 2 |||✓|"))
  }

  @Test func stepsAreAddedAndRemovedAsRows() {
    let added = NoteHelp.edited(Self.note) {
      var step = ChecklistHelp.step("Rum | gin")
      step.isRequired = true
      step.details = ChecklistHelp.sourced("Qty: 12")
      $0.sections[0].steps.insert(step, at: 1)
    }
    #expect(added == Self.note.replacing("|Bread", with: "| Rum \\| gin    | 12 |       | x |      | [ ] |\n|Bread"))
    let removed = NoteHelp.edited(Self.note) { $0.sections[0].steps.remove(at: 1) }
    #expect(removed == Self.note.replacing("|Bread||  |||✓|\n", with: ""))
  }

  @Test func everyByteOfATableIsAccountedFor() throws {
    let body =
      "| # | Step | Area | Tags | Qty |\n|---|---|---|---|---|\n| 1 | Oil `a\\|b` | In | x, #y | 3 | z |\n||b|||\n"
    let result = try ChecklistHelp.read(body)
    let bytes = Array(body.utf8)
    var seen = [Bool](repeating: false, count: bytes.count)
    func mark(_ text: SourcedText) {
      let stretches = text.stretches.isEmpty ? [.init(value: 0, source: text.range.lowerBound)] : text.stretches
      for (index, stretch) in stretches.enumerated() {
        let end = index + 1 < stretches.count ? stretches[index + 1].value : text.bytes.count
        for at in stretch.source..<stretch.source + end - stretch.value where at < seen.count { seen[at] = true }
      }
    }
    for section in result.checklist.sections {
      mark(section.title)
      for step in section.steps { ([step.title, step.details].compactMap { $0 } + step.tags).forEach(mark) }
    }
    for range in result.marks + result.skipped { for at in range { seen[at] = true } }
    #expect(bytes.indices.filter { !seen[$0] && !NoteLines.isWhite(bytes[$0]) }.isEmpty)
    #expect(result.checklist.sections.first?.steps.first?.title.string == "Oil a|b")
  }

  @Test(arguments: [
    ("| Task | Who | Done |\n|---|---|---|\n| Check oil | A | |\n| Check belt | B | |\n| Open cock | C | x |\n", true),
    ("| Knot | Use |\n|---|---|\n| Bowline | Loop |\n| Hitch | Post |\n| Bend | Ropes |\n", false),
  ])
  func aTableIsEvidence(_ text: String, _ isChecklist: Bool) {
    #expect((NoteHelp.parse(text).judgement.type == .checklist) == isChecklist)
  }
}
