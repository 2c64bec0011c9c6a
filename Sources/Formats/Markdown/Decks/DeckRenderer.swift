import Content
import JSONText
import MarkdownSyntax

/// Writes a deck as the body of a note, with questions and answers after `Q:` and `A:`.
///
/// Text that can be shown unchanged is written to the visible lines. Any other text is written to the comment after the
/// question, and a short form of it to the visible lines. Line ends are LF, and equal decks produce equal bytes.
/// - Source: formats/markdown.md, "Flashcards"
enum DeckRenderer {
  /// Appends the body.
  static func write(_ deck: DeckDraft, into out: inout ByteBuffer) {
    if let description = deck.description {
      if canShow(description.bytes, .description) {
        append(description.bytes, into: &out)
      } else {
        CommentAttributes.write([("description", CommentAttributes.json(description.bytes))], into: &out)
      }
      out.append(UInt8(ascii: "\n"))
    }
    for (index, card) in deck.cards.enumerated() {
      if index > 0 || deck.description != nil { out.append(UInt8(ascii: "\n")) }
      write(card, isFirst: index == 0, into: &out)
    }
  }

  /// Appends a card. The first card always has a comment, by which the reader recognizes FleetKit's notation.
  private static func write(_ card: CardDraft, isFirst: Bool, into out: inout ByteBuffer) {
    let showsFront = canShow(card.front.bytes, .front)
    let showsBack = canShow(card.back.bytes, .back)
    out.append("Q:")
    let front = showsFront ? card.front.bytes : short(card.front.bytes)
    let isBlock = showsFront && beginsBlock(front)
    let line = isBlock ? front[0..<0] : front.prefix { $0 != 0x0A }
    if !line.isEmpty { out.append(UInt8(ascii: " ")) }
    append(line, into: &out)
    let looksTagged = front.contains(0x23) || card.back.bytes.contains(0x23)
    CardComment.write(
      card, front: !showsFront, back: !showsBack, always: isFirst || looksTagged, into: &out)
    if isBlock { out.append("\n\n") }
    append(front[line.count...], into: &out)
    out.append("\n\nA:")
    let back = showsBack ? card.back.bytes : short(card.back.bytes)
    if showsBack, beginsBlock(back) { out.append("\n\n") } else if !back.isEmpty { out.append(UInt8(ascii: " ")) }
    append(back, into: &out)
    out.append(UInt8(ascii: "\n"))
  }

  private static func append(_ bytes: some Sequence<UInt8>, into out: inout ByteBuffer) {
    for byte in bytes { out.append(byte) }
  }

  // MARK: What can be shown

  private enum Role { case description, front, back }

  /// Whether text in the visible lines is read back unchanged. The check is conservative, because the comment can hold
  /// any text.
  private static func canShow(_ text: [UInt8], _ role: Role) -> Bool {
    guard let first = text.first, let last = text.last else { return role != .description }
    guard !isWhite(first), !isWhite(last), !text.contains(where: isControl) else { return false }
    let bytes = text.span
    if hasComment(bytes) { return false }
    let lines = DeckLines(bytes, in: 0..<bytes.count)
    guard lines.closesFences, let lastLine = lines.all.last else { return false }
    for line in lines.all where !canShow(bytes, line, role) { return false }
    // A heading or a rule at the end would be read as the heading or rule above the next card.
    return !DeckLine.isRule(bytes, lastLine) && DeckLine.heading(bytes, lastLine) == nil
  }

  private static func canShow(_ bytes: Span<UInt8>, _ line: DeckLines.Line, _ role: Role) -> Bool {
    if let mark = CardMark(bytes, line: line), mark.side == .question || role != .back { return false }
    guard role == .description else { return true }
    // In a note without cards, nothing in the description may look like one.
    if line.text < line.range.upperBound, bytes[line.text] == 0x23 || bytes[line.text] == 0x3F { return false }
    return !DeckLine.isRule(bytes, line) && !DeckLine.isTitleUnderline(bytes, line)
      && ColonCard(bytes, line: line) == nil
  }

  private static func hasComment(_ bytes: Span<UInt8>) -> Bool {
    for at in bytes.indices.dropLast(3) where bytes[at] == 0x3C && bytes[at + 1] == 0x21 && bytes[at + 2] == 0x2D {
      return true
    }
    return false
  }

  private static func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F
  }

  /// Whether text begins with syntax that only has meaning at the beginning of a line, such as a list mark or a fence.
  private static func beginsBlock(_ text: [UInt8]) -> Bool {
    guard let first = text.first else { return false }
    if first == 0x3E || first == 0x7C || first == 0x3C || first == 0x23 { return true }
    let end = text.firstIndex(of: 0x0A) ?? text.count
    return LineSyntax.fence(text.span, at: 0, end: end) != nil || LineSyntax.listItem(text.span, at: 0, end: end) != nil
  }

  /// Returns a one-line summary, at most 200 bytes, of text that is in the comment.
  private static func short(_ text: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    for byte in text {
      if out.count >= 200, byte & 0xC0 != 0x80 {
        out += Array("…".utf8)
        break
      }
      if isWhite(byte) || isControl(byte) {
        if out.last != 0x20, !out.isEmpty { out.append(0x20) }
      } else if byte == 0x3C {
        out += Array("&lt;".utf8)
      } else {
        out.append(byte)
      }
    }
    if out.last == 0x20 { out.removeLast() }
    return out
  }
}
