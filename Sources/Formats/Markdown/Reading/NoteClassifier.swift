import Content
import Interchange
import MarkdownSyntax

/// Decides the type of a note that does not declare one.
///
/// Prose is recognized by the beginnings of its lines; only notes with lists are examined more closely. The time is
/// linear in the length of the text.
enum NoteClassifier {
  /// The minimum certainty, in percent, for recognizing a note as a checklist or a deck.
  static let sure = 70
  /// The minimum certainty, in percent, for reporting that a note might be a checklist or a deck.
  static let possible = 40

  /// Classifies a note.
  /// - Parameters:
  ///   - tree: the blocks of the body.
  ///   - path: the note's path in its vault, with `/` between names.
  ///   - title: the title in the front matter, or nil.
  static func judge(
    _ text: UnsafeBufferPointer<UInt8>, body: Range<Int>, tree: MarkdownTree, path: String, title: String?,
    infer: ReadingOptions.Inference
  ) -> NoteClassification {
    let scan = NoteScan(text, tree)
    if infer == .never { return declaredByTasks(text, scan) }
    let deck = deck(text, body, path: path)
    if let deck, deck.type == .flashcardDeck { return deck }
    let listed = scan.itemCount + scan.details
    // Running text with a few bullets is not a checklist, whatever the folder's name is.
    guard scan.itemCount > 0, listed * 7 >= scan.content else { return deck ?? prose(scan, listed) }
    let evidence = NoteEvidence(text, scan: scan, path: path, title: title)
    let certainty = evidence.certainty
    let isChecklist = certainty >= sure || (infer == .always && listed * 4 >= scan.content)
    if isChecklist {
      return NoteClassification(
        type: .checklist, certainty: max(certainty, 1), reasons: sorted(evidence.reasons, sign: 1))
    }
    if let deck { return deck }
    var judgement = NoteClassification(
      type: .practiceGuide, certainty: 100 - certainty, reasons: sorted(evidence.reasons, sign: -1))
    if certainty >= possible { judgement.couldBe = .checklist }
    return judgement
  }

  /// If inference is off, only tasks count as evidence.
  private static func declaredByTasks(_ text: UnsafeBufferPointer<UInt8>, _ scan: NoteScan) -> NoteClassification {
    let reason = "\(scan.taskCount) of \(max(1, scan.content)) lines are tasks"
    let isChecklist =
      scan.taskCount > 0 && scan.taskCount * 2 >= scan.itemCount && scan.taskCount * 2 >= scan.content - scan.details
    return NoteClassification(
      type: isChecklist ? .checklist : .practiceGuide, certainty: isChecklist ? 95 : 99,
      reasons: [Explanation.Reason(reason, weight: isChecklist ? 95 : 50)])
  }

  private static func prose(_ scan: NoteScan, _ listed: Int) -> NoteClassification {
    guard scan.content > 0 else {
      return NoteClassification(
        type: .practiceGuide, certainty: 99, reasons: [Explanation.Reason("there is no list", weight: 50)])
    }
    let reason = "\(scan.content - listed) of \(scan.content) lines are running text"
    return NoteClassification(type: .practiceGuide, certainty: 99, reasons: [Explanation.Reason(reason, weight: 99)])
  }

  // MARK: Decks

  private static let deckFolders = ["flashcard", "card", "deck", "карточ", "колод", "anki"]

  /// Returns a deck, or a guide that could be a deck; nil if there is no evidence for a deck.
  private static func deck(
    _ text: UnsafeBufferPointer<UInt8>, _ body: Range<Int>, path: String
  ) -> NoteClassification? {
    guard let found = DeckReader.recognise(text, body: body) else { return nil }
    let style =
      switch found.style {
      case .questions: "are written as 'Q:' and 'A:'"
      case .colons: "are written as 'front :: back'"
      case .headings: "are headings with answers"
      }
    var reasons = [Explanation.Reason("\(found.cards) cards \(style)", weight: found.certainty)]
    for folder in path.split(separator: "/").dropLast().reversed() {
      let words = WordFolding.words(String(folder))
      guard words.contains(where: { word in deckFolders.contains { word.hasPrefix($0) } }) else { continue }
      reasons.append(Explanation.Reason("the folder is called '\(folder)'", weight: 30))
      break
    }
    let certainty = min(99, reasons.reduce(0) { $0 + $1.weight })
    guard certainty < sure else {
      return NoteClassification(type: .flashcardDeck, certainty: certainty, reasons: reasons)
    }
    guard certainty >= possible else { return nil }
    return NoteClassification(
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
