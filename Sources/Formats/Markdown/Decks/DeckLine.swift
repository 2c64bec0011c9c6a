/// What a line is to a deck, seen by itself.
enum DeckLine {
  /// A heading with `#`: its level, and its text without the marks; nil for other lines.
  static func heading(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line) -> (level: Int, text: Range<Int>)? {
    var at = line.text
    var end = line.range.upperBound
    guard at < end, bytes[at] == 0x23, !line.isCode, at - line.range.lowerBound <= 3 else { return nil }
    let start = at
    while at < end, bytes[at] == 0x23 { at += 1 }
    let level = at - start
    guard level <= 6, at == end || isBlank(bytes[at]) else { return nil }
    while at < end, isBlank(bytes[at]) { at += 1 }
    while end > at, isBlank(bytes[end - 1]) { end -= 1 }
    var closing = end
    while closing > at, bytes[closing - 1] == 0x23 { closing -= 1 }
    if closing < end, closing == at || isBlank(bytes[closing - 1]) { end = closing }
    while end > at, isBlank(bytes[end - 1]) { end -= 1 }
    return (level, at..<end)
  }

  /// Whether a line is a rule: three or more of `-`, `*` or `_`, with or without blanks.
  static func isRule(_ bytes: UnsafeBufferPointer<UInt8>, _ line: DeckLines.Line) -> Bool {
    guard !line.isBlank, !line.isCode else { return false }
    let mark = bytes[line.text]
    guard mark == 0x2D || mark == 0x2A || mark == 0x5F else { return false }
    var count = 0
    for byte in bytes[line.text..<line.range.upperBound] {
      if byte == mark { count += 1 } else if !isBlank(byte) { return false }
    }
    return count >= 3
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
      && ListMark.end(bytes, in: line.text..<line.range.upperBound) == nil
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
