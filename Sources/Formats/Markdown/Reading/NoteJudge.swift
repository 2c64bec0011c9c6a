import Content
import Interchange
import MarkdownSyntax

/// Decides what a note is when it does not say so itself.
///
/// Prose is known from one look at the beginning of each line; only notes with lists are looked at more closely.
/// Time is linear in the text.
enum NoteJudge {
  /// From this certainty on, a note is taken for a checklist or a deck.
  static let sure = 70
  /// From this certainty on, it is said that it might be one.
  static let possible = 40

  /// Looks at a note.
  /// - Parameters:
  ///   - tree: the blocks of the body.
  ///   - path: the note's path in its vault, folders and name, `/` between them.
  ///   - title: the title that the front matter gives; nil when it gives none.
  static func judge(
    _ text: UnsafeBufferPointer<UInt8>, body: Range<Int>, tree: MarkdownTree, path: String, title: String?,
    infer: ReadingOptions.Inference
  ) -> Judgement {
    let scan = NoteScan(text, tree)
    if infer == .never { return declaredByTasks(text, scan) }
    let deck = deck(text, body, path: path)
    if let deck, deck.type == .flashcardDeck { return deck }
    let listed = scan.itemCount + scan.details
    // Running text with a few bullets: no name of a folder makes a checklist of it.
    guard scan.itemCount > 0, listed * 7 >= scan.content else { return deck ?? prose(scan, listed) }
    let evidence = NoteEvidence(text, scan: scan, path: path, title: title)
    let certainty = evidence.certainty
    let isChecklist = certainty >= sure || (infer == .always && listed * 4 >= scan.content)
    if isChecklist {
      return Judgement(type: .checklist, certainty: max(certainty, 1), reasons: sorted(evidence.reasons, sign: 1))
    }
    if let deck { return deck }
    var judgement = Judgement(
      type: .practiceGuide, certainty: 100 - certainty, reasons: sorted(evidence.reasons, sign: -1))
    if certainty >= possible { judgement.couldBe = .checklist }
    return judgement
  }

  /// Without inference only tasks speak for themselves.
  private static func declaredByTasks(_ text: UnsafeBufferPointer<UInt8>, _ scan: NoteScan) -> Judgement {
    let said = "\(scan.taskCount) of \(max(1, scan.content)) lines are tasks"
    let isChecklist =
      scan.taskCount > 0 && scan.taskCount * 2 >= scan.itemCount && scan.taskCount * 2 >= scan.content - scan.details
    return Judgement(
      type: isChecklist ? .checklist : .practiceGuide, certainty: isChecklist ? 95 : 99,
      reasons: [Explanation.Reason(said, weight: isChecklist ? 95 : 50)])
  }

  private static func prose(_ scan: NoteScan, _ listed: Int) -> Judgement {
    guard scan.content > 0 else {
      return Judgement(
        type: .practiceGuide, certainty: 99, reasons: [Explanation.Reason("there is no list", weight: 50)])
    }
    let said = "\(scan.content - listed) of \(scan.content) lines are running text"
    return Judgement(type: .practiceGuide, certainty: 99, reasons: [Explanation.Reason(said, weight: 99)])
  }

  // MARK: Decks

  private static let deckFolders = ["flashcard", "card", "deck", "карточ", "колод", "anki"]

  /// A deck, or a guide that could be one; nil when nothing speaks for a deck.
  private static func deck(
    _ text: UnsafeBufferPointer<UInt8>, _ body: Range<Int>, path: String
  ) -> Judgement? {
    guard let found = DeckReader.recognise(text, body: body) else { return nil }
    let style =
      switch found.style {
      case .questions: "are written as 'Q:' and 'A:'"
      case .colons: "are written as 'front :: back'"
      case .headings: "are headings with answers"
      }
    var reasons = [Explanation.Reason("\(found.cards) cards \(style)", weight: found.certainty)]
    for folder in path.split(separator: "/").dropLast().reversed() {
      let words = FoldedWords.words(String(folder))
      guard words.contains(where: { word in deckFolders.contains { word.hasPrefix($0) } }) else { continue }
      reasons.append(Explanation.Reason("the folder is called '\(folder)'", weight: 30))
      break
    }
    let certainty = min(99, reasons.reduce(0) { $0 + $1.weight })
    guard certainty < sure else {
      return Judgement(type: .flashcardDeck, certainty: certainty, reasons: reasons)
    }
    guard certainty >= possible else { return nil }
    return Judgement(
      type: .practiceGuide, certainty: 100 - certainty,
      reasons: reasons.map { Explanation.Reason($0.text, weight: -$0.weight, line: $0.line) },
      couldBe: .flashcardDeck)
  }

  private static func sorted(_ reasons: [Explanation.Reason], sign: Int) -> [Explanation.Reason] {
    let ordered = reasons.enumerated().sorted {
      (abs($1.element.weight), $0.offset) < (abs($0.element.weight), $1.offset)
    }
    return ordered.map { Explanation.Reason($0.element.text, weight: sign * $0.element.weight, line: $0.element.line) }
  }
}
