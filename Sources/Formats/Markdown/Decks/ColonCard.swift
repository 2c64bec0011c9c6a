import MarkdownSyntax
import Validation

/// A card on one line: `front :: back`, or `front ::: back` for both directions.
struct ColonCard {
  let front: Range<Int>
  let back: Range<Int>
  /// The colons.
  let mark: Range<Int>
  /// Tags before the front.
  let tags: [Range<Int>]

  /// Whether it is asked in both directions.
  var isReversed: Bool { mark.count == 3 }

  /// Reads a line; nil when it holds no card.
  ///
  /// The colons have blanks around them, unless the note has the tag of Obsidian's spaced repetition, and do not stand
  /// in code; rows of tables hold no cards.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, line: DeckLines.Line) {
    guard !line.isBlank, !line.isCode, bytes[line.text] != 0x7C, DeckLine.heading(bytes, line) == nil else {
      return nil
    }
    let end = line.range.upperBound
    let start = LineSyntax.listItem(bytes.span, at: line.text, end: end) ?? line.text
    guard let mark = Self.colons(bytes, start..<end, isTight: line.isTight) else { return nil }
    let (tags, found) = CardTags.atStart(bytes, start..<mark.lowerBound)
    var front = found
    while let last = bytes[front].last, DeckLine.isBlank(last) { front = front.lowerBound..<front.upperBound - 1 }
    guard !front.isEmpty else { return nil }
    var at = mark.upperBound
    while at < end, DeckLine.isBlank(bytes[at]) { at += 1 }
    self.front = front
    self.mark = mark
    self.tags = tags
    back = at..<end
  }

  /// The first two or three colons with blanks around them, outside of code.
  private static func colons(
    _ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, isTight: Bool
  ) -> Range<Int>? {
    var at = line.lowerBound
    var ticks = 0
    // Found behind ticks that may turn out to be no code.
    var doubtful: Range<Int>?
    while true {
      at = ByteSearch.first(in: bytes, from: at, to: line.upperBound) {
        ByteSearch.equal($0, 0x60) | ByteSearch.equal($0, 0x3A)
      }
      guard at < line.upperBound else { break }
      let start = at
      let byte = bytes[at]
      while at < line.upperBound, bytes[at] == byte { at += 1 }
      if byte == 0x60 {
        if ticks == 0 {
          ticks = at - start
        } else if ticks == at - start {
          (ticks, doubtful) = (0, nil)
        }
      } else if at - start == 2 || at - start == 3, start > line.lowerBound,
        isTight || DeckLine.isBlank(bytes[start - 1]), isTight || at == line.upperBound || DeckLine.isBlank(bytes[at])
      {
        if ticks == 0 { return start..<at }
        doubtful = doubtful ?? start..<at
      }
    }
    return doubtful
  }
}
