import Content
import Interchange
import MarkdownSyntax
import Testing

@testable import Markdown

@Suite struct NoteJudgeTests {
  private func judge(
    _ text: String, path: String = "note.md", title: String? = nil, infer: ReadingOptions.Inference = .auto
  ) -> NoteClassification {
    var text = text + (text.isEmpty ? "\n" : "")
    return text.withUTF8 {
      NoteClassifier.judge($0.span, body: 0..<$0.count, tree: tree($0.span), path: path, title: title, infer: infer)
    }
  }

  private func why(_ judgement: NoteClassification) -> String {
    "\(judgement.type) \(judgement.certainty): "
      + judgement.reasons.map { "\($0.weight) \($0.text)" }.joined(separator: "; ")
  }

  @Test func corpusIsLargeAndInTwoLanguages() {
    #expect(NoteCorpus.all.count >= 60)
    #expect(RussianNotes.checklists.count + RussianNotes.guides.count >= 25)
  }

  /// The precision is 1: no guide is classified as a checklist.
  @Test(arguments: NoteCorpus.all.filter { !$0.isChecklist })
  func guidesStayGuides(_ note: NoteCorpus.Note) {
    let judgement = judge(note.text, path: note.path)
    #expect(judgement.type == .practiceGuide, "\(note.path): \(why(judgement))")
  }

  /// At least nine of ten checklists are recognized, and the others are reported as possible checklists.
  @Test func checklistsAreFound() {
    let checklists = NoteCorpus.all.filter(\.isChecklist)
    let missed = checklists.filter { judge($0.text, path: $0.path).type != .checklist }
    let said = missed.map { "\($0.path): \(why(judge($0.text, path: $0.path)))" }
    #expect(missed.count * 10 <= checklists.count, "\(said.joined(separator: "\n"))")
    for note in missed {
      #expect(judge(note.text, path: note.path).couldBe == .checklist, "\(note.path)")
    }
  }

  @Test func neverMeansTasksOnly() {
    #expect(judge("- Check oil\n- Open cock\n", path: "checklists/a.md", infer: .never).type == .practiceGuide)
    #expect(judge("- [ ] Oil\n- [ ] Cock\n", infer: .never).type == .checklist)
    #expect(judge("A.\n\nB.\n\nC.\n\n- [ ] Oil\n", infer: .never).type == .practiceGuide)
  }

  @Test func alwaysMeansAnyList() {
    #expect(judge("Two words.\n\n- sand\n- mud\n", infer: .always).type == .checklist)
    #expect(judge("Words.\n", infer: .always).type == .practiceGuide)
    #expect(judge("A.\n\nB.\n\nC.\n\nD.\n\nE.\n\n- x\n", infer: .always).type == .practiceGuide)
  }

  /// Reference pages in the boat's folder, which are not lists of tasks.
  @Test(arguments: [
    "# Emergency contacts\n\n- Coastguard: +44 23 9255 2100\n- Marina office: 01983 299745\n- Jon: 07700 900123\n- Doctor: 07700 900456\n",
    "# Reasons for a MAYDAY\n\n- Fire on board\n- Sinking\n- Person overboard\n- Grave and imminent danger\n- Explosion\n",
    "# Phonetic alphabet\n\n- Alfa\n- Bravo\n- Charlie\n- Delta\n- Echo\n",
    "# Emergency reference\n\n"
      + (1...25).map { topic in
        "## Topic \(topic)\n\n"
          + (1...10).map { "- \(["Check", "Call", "The pump", "Water", "A hole"][$0 % 5]) \($0)\n" }.joined()
          + "\n"
      }.joined(),
    "# Справочник: сигналы бедствия\n\n- Красная ракета\n- Оранжевый дым\n- Огонь на борту\n- MAYDAY голосом\n",
  ])
  func referenceTextsAreGuides(_ text: String) {
    let judgement = judge(text, path: "Boat/page.md")
    #expect(judgement.type == .practiceGuide, "\(why(judgement))")
    // With boxes, the same text is a checklist.
    let boxed = judge(text.replacing("\n- ", with: "\n- [ ] "), path: "Boat/page.md")
    #expect(boxed.type == .checklist || boxed.couldBe == .checklist, "\(why(boxed))")
  }

  @Test func calloutsAndOddBoxesCount() {
    #expect(judge("> [!todo] Engine\n> - [ ] Oil\n> - [ ] Belt\n> - [/] Water\n", path: "x.md").type == .checklist)
    #expect(judge("-[ ] Oil\n-[x] Belt\n-[ ] Water\n").type == .checklist)
  }

  @Test func weakEvidenceIsSaid() {
    let judgement = judge("# Departure\n\n- Engine oil\n- Shore power\n- Fenders\n- Lines\n")
    #expect(judgement.type == .practiceGuide)
    #expect(judgement.couldBe == .checklist)
    #expect((30...60).contains(judgement.certainty))
  }

  @Test func reasonsAreConcrete() throws {
    let judgement = judge("# Departure\n\n- Check oil\n- Close gas\n- Open cock\n", path: "Checklists/x.md")
    #expect(judgement.type == .checklist)
    let imperative = judgement.reasons.first { $0.text.quoted == ["Check", "Close"] }
    #expect(imperative?.line == 3 && imperative?.text.numbers == [3, 3])
    #expect(judgement.reasons.contains { $0.text.quoted == ["Checklists"] })
    #expect(judgement.reasons.map { abs($0.weight) } == judgement.reasons.map { abs($0.weight) }.sorted(by: >))
    let guide = judge("Words and words.\n\n- x\n- y\n- z\n", path: "guides/x.md")
    #expect(guide.reasons.first { $0.text.quoted == ["guides"] }?.weight == 35)
  }

  @Test func namesInEitherNormalForm() {
    let text = "- Люки\n- Кингстоны\n- Трап\n- Концы\n"
    let nfd = "Чек-листы прие\u{308}мки/x.md"
    let nfc = "Чек-листы приёмки/x.md"
    #expect(judge(text, path: nfd).certainty == judge(text, path: nfc).certainty)
    #expect(judge(text, path: "прие\u{308}мка.md").certainty == judge(text, path: "приёмка.md").certainty)
    #expect(WordFolding.words("Чек-лист ПРИЁМКИ Й") == ["чеклист", "приемки", "и"])
  }

  @Test(arguments: [
    "", "\n", "\r\r", "-", "- ", "[", "_", "___", "☐", "\u{FEFF}", "#", "```", "1.", "1", "•", "- [ ]", "| |",
  ])
  func smallNotes(_ text: String) {
    for infer in ReadingOptions.Inference.allCases {
      let judgement = judge(text, infer: infer)
      #expect((0...100).contains(judgement.certainty))
    }
  }
}
