import MarkdownSyntax

/// What a line is to a deck, seen by itself.
enum DeckLine {
  /// A heading with `#`: its level, and its text without the marks; nil for other lines.
  static func heading(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line) -> (level: Int, text: Range<Int>)? {
    guard !line.isCode, line.text - line.range.lowerBound <= 3 else { return nil }
    return LineSyntax.heading(bytes.span, at: line.text, end: line.range.upperBound).map { ($0.level, $0.text) }
  }

  /// Whether a line is a rule: three or more of `-`, `*` or `_`, with or without blanks.
  static func isRule(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line) -> Bool {
    !line.isCode && LineSyntax.isRule(bytes.span, at: line.text, end: line.range.upperBound)
  }

  /// Whether a line underlines a title: nothing but `=`.
  static func isTitleUnderline(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line) -> Bool {
    guard !line.isBlank, !line.isCode else { return false }
    return bytes[line.text..<line.range.upperBound].allSatisfy { $0 == 0x3D || isBlank($0) }
  }

  /// Whether a line holds tags and nothing else, as plugins mark decks: `#flashcards/lights`.
  static func isTags(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line) -> Bool {
    guard !line.isBlank, !line.isCode, bytes[line.text] == 0x23 else { return false }
    return CardTags.atEnd(bytes, line.text..<line.range.upperBound).rest.isEmpty
  }

  /// The lines of the title that a body begins with: a heading of the first level. Empty when it begins otherwise.
  static func title(_ bytes: UnsafeBufferPointer<UInt8>, _ lines: DeckLines) -> Range<Int> {
    guard let first = lines.all.firstIndex(where: { !$0.isBlank }) else { return 0..<0 }
    if let heading = heading(bytes, lines.all[first]) { return heading.level == 1 ? first..<first + 1 : 0..<0 }
    guard first + 1 < lines.all.count, isTitleUnderline(bytes, lines.all[first + 1]) else { return 0..<0 }
    return isPlain(bytes, lines.all[first]) ? first..<first + 2 : 0..<0
  }

  /// Whether a line can be a title: no card, which may have such a line in it, and nothing that begins a block.
  private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line) -> Bool {
    switch bytes[line.text] {
    case 0x3C, 0x3E, 0x7C: return false
    default: break
    }
    return !line.isCode && CardMark(bytes, line: line) == nil && ColonCard(bytes, line: line) == nil
      && LineSyntax.listItem(bytes.span, at: line.text, end: line.range.upperBound) == nil
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
