import Content

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
  mutating func finish(_ bytes: UnsafeBufferPointer<UInt8>, lastIsCode: Bool = false) -> CardDraft {
    front.trim(bytes)
    back.trim(bytes)
    let range = start..<max(start, end)
    var review: SourcedText?
    // FleetKit writes all values into the comment, so in a card with a comment, a '#word' at the end of an answer is
    // not a tag.
    if comment == nil, !lastIsCode {
      if back.isEmpty {
        review = Self.takeSchedule(bytes, &front)
        tags += Self.takeTags(bytes, &front)
      } else {
        review = Self.takeSchedule(bytes, &back)
        tags += Self.takeTags(bytes, &back)
      }
    }
    var card = CardDraft(
      front: front.text(bytes, orAt: frontPlace), back: back.text(bytes, orAt: backPlace), tags: tags, review: review,
      range: range)
    comment?.apply(to: &card)
    return card
  }

  private static func takeSchedule(_ bytes: UnsafeBufferPointer<UInt8>, _ text: inout TextPieces) -> SourcedText? {
    guard let last = text.parts.last, let (start, review) = ScheduleComment.read(bytes, last),
      text.parts.count > 1 || start > last.lowerBound
    else { return nil }
    text.cutLast(at: start)
    text.trim(bytes)
    return SourcedText(bytes: review, range: start..<last.upperBound)
  }

  private static func takeTags(_ bytes: UnsafeBufferPointer<UInt8>, _ text: inout TextPieces) -> [SourcedText] {
    guard let last = text.parts.last else { return [] }
    let (found, rest) = CardTags.atEnd(bytes, last)
    guard !found.isEmpty, !rest.isEmpty || text.parts.count > 1 else { return [] }
    text.cutLast(at: rest.upperBound)
    text.trim(bytes)
    return found.map { SourcedText(bytes, $0) }
  }
}

/// A text that is joined from whole or partial lines of a note.
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
  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line, without columns: Int) {
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
  mutating func trim(_ bytes: UnsafeBufferPointer<UInt8>) {
    func isBlank(_ part: Range<Int>) -> Bool { bytes[part].allSatisfy { $0 == 0x20 || $0 == 0x09 } }
    while let last = parts.last, isBlank(last) { parts.removeLast() }
    let blank = parts.prefix(while: isBlank).count
    parts.removeFirst(blank)
    guard var last = parts.popLast() else { return }
    while let byte = bytes[last].last, byte == 0x20 || byte == 0x09 { last = last.lowerBound..<last.upperBound - 1 }
    parts.append(last)
    let first = parts[0]
    var at = first.lowerBound
    while bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
    if Self.columns(bytes, first.lowerBound..<at) < 4 { parts[0] = at..<first.upperBound }
  }

  /// Returns the text; `empty` is the source position for a text without lines.
  func text(_ bytes: UnsafeBufferPointer<UInt8>, orAt empty: Int) -> SourcedText {
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
      out.append(contentsOf: bytes[part])
    }
    if !stretches.isEmpty {
      stretches.insert(SourcedText.Stretch(value: 0, source: range.lowerBound), at: 0)
    }
    return SourcedText(bytes: out, range: range, stretches: stretches)
  }

  /// Returns the number of columns that blanks occupy; a tab advances to the next multiple of four.
  static func columns(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int {
    var column = 0
    for byte in bytes[range] { column += byte == 0x09 ? 4 - column % 4 : 1 }
    return column
  }
}
