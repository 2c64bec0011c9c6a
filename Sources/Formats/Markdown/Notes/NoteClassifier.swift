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
    _ text: Span<UInt8>, body: Range<Int>, tree: MarkdownTree, path: String, title: String?,
    infer: ReadingOptions.Inference
  ) -> NoteClassification {
    let scan = NoteScan(text, tree)
    if infer == .never { return declaredByTasks(text, scan) }
    let deck = deck(text, body, path: path)
    if let deck, deck.type == .flashcardDeck { return deck }
    let listed = scan.itemCount + scan.details
    // Running text with a few bullets is not a checklist, whatever the folder's name is.
    guard scan.itemCount > 0, listed * 7 >= scan.content else { return deck ?? prose(scan, listed) }
    let evidence = text.withUnsafeBufferPointer { NoteEvidence($0, scan: scan, path: path, title: title) }
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
  private static func declaredByTasks(_ text: Span<UInt8>, _ scan: NoteScan) -> NoteClassification {
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
    _ text: Span<UInt8>, _ body: Range<Int>, path: String
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

/// The evidence for and against a note being a checklist.
struct NoteEvidence {
  /// The reasons. A weight is positive if the reason is evidence for a checklist, and negative if it is evidence
  /// against one. The sum of the weights is the certainty in percent.
  private(set) var reasons: [Explanation.Reason] = []

  private let text: UnsafeBufferPointer<UInt8>
  private let scan: NoteScan
  private let count: Int
  /// The average number of characters in an item.
  private var mean = 0

  /// The maximum number of items in an unmarked checklist. Longer lists without boxes are more likely references than
  /// checklists.
  private static let mostUnmarked = 80
  /// The maximum number of points that wording, lengths and headings can add.
  private static let mostOfItems = 55

  /// The sum of all points, between 0 and 99.
  var certainty: Int { max(0, min(99, reasons.reduce(0) { $0 + $1.weight })) }

  init(_ text: UnsafeBufferPointer<UInt8>, scan: NoteScan, path: String, title: String?) {
    self.text = text
    self.scan = scan
    count = scan.items.count
    boxes()
    share()
    table()
    name(path, title)
    // Otherwise, the items can no longer change the result.
    guard count > 0, reasons.reduce(0, { $0 + $1.weight }) + Self.mostOfItems >= NoteClassifier.possible else { return }
    mean = scan.items.reduce(0) { $0 + length($1.label) } / count
    wording()
    lengths()
    links()
    leaders()
    times()
    definitions()
    numbers()
    innerHeadings()
    if scan.itemCount > Self.mostUnmarked, scan.taskCount + scan.markedCount == 0 {
      add(-25, "\(scan.itemCount) items, but no boxes to tick")
    }
    if scan.itemCount < 3 { add(-15, "only \(scan.itemCount) \(scan.itemCount == 1 ? "item" : "items")") }
  }

  private mutating func add(_ weight: Int, _ reason: String, at offset: Int? = nil) {
    reasons.append(Explanation.Reason(reason, weight: weight, line: offset.map(line)))
  }

  /// Returns the line number of an offset, counted from 1.
  private func line(_ offset: Int) -> Int {
    var line = 1
    for at in 0..<min(offset, text.count) where text[at] == 0x0A { line += 1 }
    return line
  }

  // MARK: Form

  private mutating func boxes() {
    let boxes = scan.taskCount + scan.markedCount
    guard boxes > 0 else { return }
    let first = scan.items.first { $0.isTask || $0.isMarked }?.line.lowerBound
    let what = scan.markedCount == 0 ? "are tasks" : "have boxes or blanks to tick"
    if boxes * 10 >= scan.itemCount * 9, boxes >= 3 {
      add(70, "\(boxes) of \(scan.itemCount) items \(what)", at: first)
    } else if boxes * 2 >= scan.itemCount {
      add(60, "\(boxes) of \(scan.itemCount) items \(what)", at: first)
    } else {
      add(20, "only \(boxes) of \(scan.itemCount) items \(what)", at: first)
    }
  }

  private mutating func table() {
    guard let table = scan.stepTable else { return }
    add(
      table.isSure ? 45 : 30, "a table header names \(table.isSure ? "steps" : "items")",
      at: table.header.lowerBound)
  }

  private mutating func share() {
    let listed = scan.itemCount + scan.details
    let all = max(1, scan.content)
    let percent = listed * 100 / all
    let reason = "\(listed) of \(all) lines belong to lists"
    switch percent {
    case 90...: add(25, reason)
    case 75..<90: add(15, reason)
    case 50..<75: add(0, reason)
    case 30..<50: add(-25, reason + "; the others are running text", at: scan.firstProse)
    default: add(-60, reason + "; the others are running text", at: scan.firstProse)
    }
    if scan.details > scan.itemCount * 3 { add(-15, "\(scan.itemCount) items have \(scan.details) lines of details") }
  }

  private mutating func name(_ path: String, _ title: String?) {
    let parts = path.split(separator: "/")
    var best: (weight: Int, word: String)?
    // The innermost folder whose name contains a known word counts.
    for folder in parts.dropLast().reversed() where best == nil {
      if let found = NoteVocabulary.find(NoteVocabulary.folders, in: String(folder)) {
        best = (found.weight, String(folder))
      }
    }
    if let best { add(best.weight, "the folder is called '\(best.word)'") }
    if let file = parts.last, Self.isDay(VaultFile.stem(of: String(file))) {
      add(-40, "the note is named after a day, like a diary entry")
    }
    var name = title
    if name == nil, let heading = scan.headings.first {
      name = String(decoding: text[heading.prefix(200)], as: UTF8.self)
    }
    let found = name.flatMap { NoteVocabulary.find(NoteVocabulary.titles, in: String($0.prefix(120))) }
    if let found {
      add(found.weight, "the title contains '\(found.word)'")
    } else if let file = parts.last, let found = NoteVocabulary.find(NoteVocabulary.titles, in: String(file)) {
      add(found.weight, "the file name contains '\(found.word)'")
    }
  }

  private mutating func innerHeadings() {
    for heading in scan.headings.dropFirst() {
      let title = String(decoding: text[heading.prefix(80)], as: UTF8.self)
      guard let found = NoteVocabulary.find(NoteVocabulary.headings, in: title), abs(found.weight) > 5 else { continue }
      add(found.weight, "a heading contains '\(found.word)'", at: heading.lowerBound)
      return
    }
  }

  /// Whether a name consists only of a date: `2026-01-05`, `2026_01_05`, `05.01.2026`, `20260105`.
  private static func isDay(_ name: String) -> Bool {
    guard (8...10).contains(name.utf8.count), name.utf8.allSatisfy({ $0 &- 0x30 < 10 || "-_.".utf8.contains($0) })
    else {
      return false
    }
    return NoteDate.parse(name.replacing("_", with: "-")) != nil
  }

  // MARK: Items

  private mutating func wording() {
    var imperative = 0
    var examples: [String] = []
    var first: Int?
    var looked = 0
    for item in scan.items where !item.isNested || item.isTask {
      looked += 1
      guard let word = WordFolding.first(text.span, item.label), ImperativeWords.contains(word) else { continue }
      imperative += 1
      if first == nil { first = item.line.lowerBound }
      guard examples.count < 2 else { continue }
      let shown = "'" + original(item.label) + "'"
      if !examples.contains(shown) { examples.append(shown) }
    }
    guard looked > 0 else { return }
    let reason = "\(imperative) of \(looked) items begin with an imperative"
    let shown = examples.isEmpty ? reason : reason + " (\(examples.joined(separator: ", ")))"
    switch imperative * 100 / looked {
    case 60...: add(35, shown, at: first)
    case 35..<60: add(20, shown, at: first)
    case 15..<35: add(5, shown, at: first)
    // Packing and shopping lists have short items without verbs.
    default: if looked >= 3, mean > 40 { add(-10, shown) }
    }
  }

  /// Returns the first word of a label as written.
  private func original(_ label: Range<Int>) -> String {
    let words = String(decoding: text[label.prefix(60)], as: UTF8.self)
    return String(words.drop { !$0.isLetter }.prefix { $0.isLetter || $0 == "-" })
  }

  /// Returns the approximate number of characters in a range of the text.
  private func length(_ range: Range<Int>) -> Int {
    var count = 0
    for at in range where text[at] & 0xC0 != 0x80 { count += 1 }
    return count
  }

  private mutating func lengths() {
    var sentences = 0
    for item in scan.items {
      let length = length(item.label)
      if length > 90, text[item.label].last.map({ $0 == UInt8(ascii: ".") }) == true { sentences += 1 }
    }
    if mean <= 60 {
      add(10, "items have \(mean) characters on average")
    } else if mean > 110 {
      add(-25, "items have \(mean) characters on average")
    }
    if sentences * 2 >= count { add(-20, "\(sentences) of \(count) items are long sentences") }
  }

  private mutating func links() {
    let links = scan.items.count { item in
      guard let first = text[item.label].first,
        first == UInt8(ascii: "[") || first == UInt8(ascii: "<") || first == 0x68
      else { return false }
      let label = text[item.label]
      if first == 0x68 { return label.starts(with: Array("http".utf8)) }
      return label.dropFirst().first == UInt8(ascii: "[") || label.contains(UInt8(ascii: "(")) || first == 0x3C
    }
    if links * 10 >= count * 6 {
      // If most items have boxes, a list of links may be a list of pages to work through.
      add(
        scan.taskCount * 10 >= scan.itemCount * 9 ? -20 : -70, "\(links) of \(count) items are links",
        at: scan.items.first?.line.lowerBound)
    }
  }

  /// Counts lines like `Mixture ........ RICH`.
  private mutating func leaders() {
    let leaders = scan.items.count { item in
      var dots = 0
      for at in item.label {
        if text[at] == UInt8(ascii: ".") { dots += 1 } else if text[at] != 0x20 { dots = 0 }
        if dots >= 4 { return true }
      }
      return false
    }
    if leaders >= 3, leaders * 2 >= count {
      add(30, "\(leaders) of \(count) items have dots before a required state", at: scan.items.first?.line.lowerBound)
    }
  }

  private mutating func times() {
    let times = scan.items.count { item in
      let label = text[item.label].drop { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "[") }.prefix(5)
      let digits = label.prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty, let next = label.dropFirst(digits.count).first else { return false }
      return (digits.count <= 2 && (next == UInt8(ascii: ":") || next == UInt8(ascii: ".")))
        || (digits.count == 4 && next == UInt8(ascii: "-")) || (digits.count == 4 && next == 0x20)
    }
    if times * 10 >= count * 4 {
      add(-50, "\(times) of \(count) items begin with a time or a date", at: scan.items.first?.line.lowerBound)
    }
  }

  /// Counts definitions such as `**Term** — what it means` or `Term: what it means`.
  private mutating func definitions() {
    let definitions = scan.items.count { !$0.isTask && !$0.isMarked && explains($0.label) }
    // In a short item, the text after the colon may be the required state: `Oil level: between the marks`.
    if definitions * 2 >= count { add(mean > 30 ? -25 : -10, "\(definitions) of \(count) items define a term") }
  }

  /// Counts phone numbers: `Coastguard: +44 23 9255 2100`.
  private mutating func numbers() {
    let numbers = scan.items.count { hasPhoneNumber($0.label) }
    if numbers * 4 >= count, scan.taskCount + scan.markedCount == 0 {
      add(-40, "\(numbers) of \(count) items have a phone number")
    }
  }

  /// Whether a label has at least seven digits with only blanks, dashes, dots and parentheses between them.
  private func hasPhoneNumber(_ label: Range<Int>) -> Bool {
    var digits = 0
    for at in label {
      switch text[at] {
      case 0x30...0x39: digits += 1
      case 0x20, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "/"): continue
      default: digits = 0
      }
      if digits >= 7 { return true }
    }
    return false
  }

  private func explains(_ label: Range<Int>) -> Bool {
    guard label.count > 24 else { return false }
    if text[label.lowerBound] == 0x2A, text[label.lowerBound + 1] == 0x2A {
      // `**Lead the lines** outside of everything` is an instruction.
      return WordFolding.first(text.span, label).map { !ImperativeWords.contains($0) } ?? true
    }
    for at in label.lowerBound + 2..<min(label.lowerBound + 60, label.upperBound - 3) {
      if text[at] == UInt8(ascii: ":"), text[at + 1] == 0x20 { return true }
      guard text[at] == 0x20 else { continue }
      if text[at + 1] == UInt8(ascii: "-"), text[at + 2] == 0x20 { return true }
      // – and —
      if text[at + 1] == 0xE2, text[at + 2] == 0x80, text[at + 3] == 0x93 || text[at + 3] == 0x94 { return true }
    }
    return false
  }
}
