import Content
import MarkdownSyntax

/// A card whose lines are being collected.
struct CardParts {
  /// The offset at which the card's first line begins.
  var start: Int
  var front = TextPieces()
  var back = TextPieces()
  /// The source position of the texts if the card has no text.
  private var frontPlace: Int
  var backPlace: Int
  var tags: [SourcedText] = []
  /// The content of the card's FleetKit comment; nil if there is no such comment.
  var comment: CardComment?

  init(start: Int, frontPlace: Int) {
    self.start = start
    self.frontPlace = frontPlace
    backPlace = frontPlace
  }

  /// The offset at which the card's last text ends.
  private var end: Int {
    max(frontPlace, backPlace, front.parts.last?.upperBound ?? 0, back.parts.last?.upperBound ?? 0)
  }

  /// Returns the finished card, without blank lines, and with the tags and the schedule at its end removed from the
  /// text.
  mutating func finish(_ bytes: Span<UInt8>, lastIsCode: Bool = false) -> CardDraft {
    front.trim(bytes)
    back.trim(bytes)
    let range = start..<max(start, end)
    var review: SourcedText?
    // FleetKit writes all values into the comment, so in a card with a comment, a '#word' at the end of an answer is
    // not a tag.
    if comment == nil, !lastIsCode {
      if back.isEmpty {
        review = Self.removeSchedule(bytes, from: &front)
        tags += Self.removeTags(bytes, from: &front)
      } else {
        review = Self.removeSchedule(bytes, from: &back)
        tags += Self.removeTags(bytes, from: &back)
      }
    }
    var card = CardDraft(
      front: front.text(bytes, orAt: frontPlace), back: back.text(bytes, orAt: backPlace), tags: tags, review: review,
      range: range)
    comment?.apply(to: &card)
    return card
  }

  private static func removeSchedule(_ bytes: Span<UInt8>, from text: inout TextPieces) -> SourcedText? {
    guard let last = text.parts.last, let (start, review) = ScheduleComment.read(bytes, last),
      text.parts.count > 1 || start > last.lowerBound
    else { return nil }
    text.cutLast(at: start)
    text.trim(bytes)
    return SourcedText(bytes: review, range: start..<last.upperBound)
  }

  private static func removeTags(_ bytes: Span<UInt8>, from text: inout TextPieces) -> [SourcedText] {
    guard let last = text.parts.last else { return [] }
    let (found, rest) = CardTags.atEnd(bytes, last)
    guard !found.isEmpty, !rest.isEmpty || text.parts.count > 1 else { return [] }
    text.cutLast(at: rest.upperBound)
    text.trim(bytes)
    return found.map { SourcedText(bytes, $0) }
  }
}

/// Text that is joined from whole or partial lines of a note.
///
/// LF separates the lines, regardless of the line ends in the note.
struct TextPieces {
  /// The line ranges in order, one for each line.
  private(set) var parts: [Range<Int>] = []

  /// Whether there are no lines.
  var isEmpty: Bool { parts.isEmpty }

  /// Adds a line or the rest of a line.
  mutating func add(_ part: Range<Int>) { parts.append(part) }

  /// Adds a line, with up to `columns` columns of its indentation removed.
  mutating func add(_ bytes: Span<UInt8>, _ line: DeckLines.Line, without columns: Int) {
    var at = line.range.lowerBound
    var column = 0
    while at < line.text, column < columns {
      let width = bytes[at] == 0x09 ? 4 - column % 4 : 1
      guard column + width <= columns else { break }
      column += width
      at += 1
    }
    parts.append(at..<line.range.upperBound)
  }

  /// Adds another text as a paragraph of its own.
  mutating func addParagraph(_ other: TextPieces) {
    guard let first = other.parts.first else { return }
    if !parts.isEmpty { parts.append(first.lowerBound..<first.lowerBound) }
    parts += other.parts
  }

  /// Drops the last line.
  mutating func removeLast() { _ = parts.popLast() }

  /// Truncates the last line at an offset.
  mutating func cutLast(at offset: Int) {
    guard let last = parts.popLast() else { return }
    parts.append(last.lowerBound..<max(last.lowerBound, min(offset, last.upperBound)))
  }

  /// Drops blank lines at both ends, blanks at the end, and the indentation of the first line unless it makes the line
  /// code.
  mutating func trim(_ bytes: Span<UInt8>) {
    func isBlank(_ part: Range<Int>) -> Bool { part.allSatisfy { DeckLine.isBlank(bytes[$0]) } }
    while let last = parts.last, isBlank(last) { parts.removeLast() }
    let blank = parts.prefix(while: isBlank).count
    parts.removeFirst(blank)
    guard var last = parts.popLast() else { return }
    while let at = last.last, DeckLine.isBlank(bytes[at]) { last = last.lowerBound..<at }
    parts.append(last)
    let first = parts[0]
    var at = first.lowerBound
    while bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
    if Self.columns(bytes, first.lowerBound..<at) < 4 { parts[0] = at..<first.upperBound }
  }

  /// Returns the text; `empty` is the source position for text without lines.
  func text(_ bytes: Span<UInt8>, orAt empty: Int) -> SourcedText {
    guard let first = parts.first, let last = parts.last else { return SourcedText(bytes: [], range: empty..<empty) }
    let range = first.lowerBound..<max(first.lowerBound, last.upperBound)
    var out: [UInt8] = []
    var stretches: [SourcedText.Stretch] = []
    out.reserveCapacity(range.count)
    for (index, part) in parts.enumerated() {
      if index > 0 { out.append(0x0A) }
      let isNext = index > 0 && parts[index - 1].upperBound + 1 == part.lowerBound
      if index > 0, !isNext || stretches.isEmpty == false {
        stretches.append(SourcedText.Stretch(value: out.count, source: part.lowerBound))
      }
      out.append(contentsOf: bytes.extracting(part))
    }
    if !stretches.isEmpty {
      stretches.insert(SourcedText.Stretch(value: 0, source: range.lowerBound), at: 0)
    }
    return SourcedText(bytes: out, range: range, stretches: stretches)
  }

  /// Returns the number of columns that blanks occupy; a tab advances to the next multiple of four.
  static func columns(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    var column = 0
    for at in range { column += bytes[at] == 0x09 ? 4 - column % 4 : 1 }
    return column
  }
}

/// The mark before a question or an answer: `Q:`, `A.`, `**Question 3:**`, `- В:`.
struct CardMark {
  /// The side of the card that follows the mark.
  enum Side { case question, answer }

  let side: Side
  /// The separator, `:` or `.`. A question and its answer use the same separator.
  let separator: UInt8
  /// The rest of the mark's line, without emphasis that began at the mark.
  let text: Range<Int>
  /// The number of columns by which lines below are indented if they belong to the same list item.
  let indent: Int
  /// Whether a list mark precedes the mark.
  let isItem: Bool
  /// The number of blank columns at the beginning of the line.
  let margin: Int

  private struct Word {
    let bytes: [UInt8]
    let side: Side

    init(_ text: StaticString, _ side: Side) {
      bytes = text.withUTF8Buffer { Array($0) }
      self.side = side
    }
  }

  // Single letters must be capitals, because many lists begin with `a.`.
  private static let words: [Word] = [
    Word("Q", .question), Word("A", .answer), Word("В", .question), Word("О", .answer),
    Word("Question", .question), Word("question", .question), Word("QUESTION", .question),
    Word("Answer", .answer), Word("answer", .answer), Word("ANSWER", .answer),
    Word("Вопрос", .question), Word("вопрос", .question), Word("ВОПРОС", .question),
    Word("Ответ", .answer), Word("ответ", .answer), Word("ОТВЕТ", .answer),
  ]

  /// Reads a line; nil if the line does not begin with a mark.
  init?(_ bytes: Span<UInt8>, line: DeckLines.Line) {
    var at = line.text
    let end = line.range.upperBound
    guard at < end else { return nil }
    margin = TextPieces.columns(bytes, line.range.lowerBound..<at)
    var isItem = false
    if let behind = LineSyntax.listItem(bytes, at: at, end: end) {
      isItem = true
      at = behind
    }
    self.isItem = isItem
    indent = isItem ? TextPieces.columns(bytes, line.range.lowerBound..<at) : margin
    if let behind = Self.hashes(bytes, at..<end) { at = behind }
    let emphasis = Self.emphasis(bytes, at..<end)
    at += emphasis.count
    guard at < end, let word = Self.word(bytes, at..<end) else { return nil }
    at += word.bytes.count
    if let behind = Self.number(bytes, at..<end) { at = behind }
    var isClosed = emphasis.isEmpty
    if !isClosed, Self.matches(bytes, at, end, emphasis) {
      isClosed = true
      at += emphasis.count
    }
    guard at < end, bytes[at] == 0x3A || bytes[at] == 0x2E else { return nil }
    separator = bytes[at]
    side = word.side
    at += 1
    if !isClosed, Self.matches(bytes, at, end, emphasis) {
      isClosed = true
      at += emphasis.count
    }
    guard at == end || bytes[at] == 0x20 || bytes[at] == 0x09 else { return nil }
    while at < end, bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
    var last = end
    if !isClosed {
      while last > at, bytes[last - 1] == 0x20 || bytes[last - 1] == 0x09 { last -= 1 }
      guard last - at > emphasis.count, Self.matches(bytes, last - emphasis.count, end, emphasis) else { return nil }
      last -= emphasis.count
    }
    text = at..<last
  }

  private static func hashes(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var at = range.lowerBound
    while at < range.upperBound, bytes[at] == 0x23 { at += 1 }
    guard (1...6).contains(at - range.lowerBound) else { return nil }
    let behind = at
    while at < range.upperBound, bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
    return at > behind ? at : nil
  }

  private static func emphasis(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
    guard let first = range.isEmpty ? nil : bytes[range.lowerBound], first == 0x2A || first == 0x5F else { return [] }
    let marks = bytes.extracting(range).extracting(first: 4)
    return [UInt8](marks.extracting(first: marks.firstIndex { $0 != first } ?? marks.count))
  }

  private static func word(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Word? {
    switch bytes[range.lowerBound] {
    case 0x51, 0x71, 0x41, 0x61, 0xD0: break
    default: return nil
    }
    return words.last { matches(bytes, range.lowerBound, range.upperBound, $0.bytes) }
  }

  /// Returns the number of a question, with or without a blank before it.
  private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var at = range.lowerBound
    if at < range.upperBound, bytes[at] == 0x20 { at += 1 }
    let start = at
    while at < range.upperBound, at - start < 4, (0x30...0x39).contains(bytes[at]) { at += 1 }
    return at > start ? at : nil
  }

  private static func matches(
    _ bytes: Span<UInt8>, _ at: Int, _ end: Int, _ wanted: [UInt8]
  ) -> Bool {
    guard at + wanted.count <= end else { return false }
    for index in wanted.indices where bytes[at + index] != wanted[index] { return false }
    return true
  }
}

/// Finds the tags before or after the text of a card: `#lights`.
///
/// A tag consists of letters, digits, `_`, `-` and `/`, and has at least one letter. Every character beyond ASCII
/// counts as a letter.
enum CardTags {
  /// Returns the tags at the end of a line, in order and without `#`, and the text before the tags.
  static func atEnd(
    _ bytes: Span<UInt8>, _ line: Range<Int>
  ) -> (tags: [Range<Int>], rest: Range<Int>) {
    var tags: [Range<Int>] = []
    var end = line.upperBound
    while true {
      while end > line.lowerBound, DeckLine.isBlank(bytes[end - 1]) { end -= 1 }
      var at = end
      var hasLetter = false
      while at > line.lowerBound, isPart(bytes[at - 1]) {
        at -= 1
        hasLetter = hasLetter || isLetter(bytes[at])
      }
      guard hasLetter, at > line.lowerBound, bytes[at - 1] == 0x23,
        at - 1 == line.lowerBound || DeckLine.isBlank(bytes[at - 2])
      else { break }
      tags.append(at..<end)
      end = at - 1
    }
    return (tags.reversed(), line.lowerBound..<end)
  }

  /// Returns the tags at the beginning of a line, where plugins put deck names, and the text after the tags.
  static func atStart(
    _ bytes: Span<UInt8>, _ line: Range<Int>
  ) -> (tags: [Range<Int>], rest: Range<Int>) {
    var tags: [Range<Int>] = []
    var start = line.lowerBound
    while start < line.upperBound, bytes[start] == 0x23 {
      var at = start + 1
      var hasLetter = false
      while at < line.upperBound, isPart(bytes[at]) {
        hasLetter = hasLetter || isLetter(bytes[at])
        at += 1
      }
      guard hasLetter, at < line.upperBound, DeckLine.isBlank(bytes[at]) else { break }
      tags.append(start + 1..<at)
      while at < line.upperBound, DeckLine.isBlank(bytes[at]) { at += 1 }
      start = at
    }
    return (tags, start..<line.upperBound)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte >= 0x80
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x5F || byte == 0x2D || byte == 0x2F
  }
}
