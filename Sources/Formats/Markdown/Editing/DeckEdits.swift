import Content

/// Applies deck changes to the deck's note, in the note's notation.
///
/// A changed card affects only its own lines, a new card copies the notation of another card, and the text between
/// cards is kept. The caller must read the result back and compare it with the record, because not every change can be
/// expressed.
/// - Source: formats/markdown.md, "What is written"
struct DeckEdits {
  let text: UnsafeBufferPointer<UInt8>
  let body: Range<Int>
  /// The cards of the note, with their source ranges.
  let there: DeckDraft
  /// The note's cards, with all ids.
  let before: DeckDraft
  /// The new content.
  let wanted: DeckDraft

  private var lineEnd: [UInt8] { LineEnd.first(in: text) ?? LineEnd.standard }

  /// Returns the edited note.
  /// - Returns: nil if two cards share a line, or a change needs notation that the note does not have.
  func edited() -> [UInt8]? {
    guard there.cards.count == before.cards.count, !there.cards.isEmpty, let blocks = blocks(),
      ChecklistEdits.same(before.description, wanted.description)
    else { return nil }
    let pairs = ChecklistMatching.pairs(
      before.cards.enumerated().map { ($0, $1.id?.bytes, $1.front.bytes) },
      wanted.cards.enumerated().map { ($0, $1.id?.bytes, $1.front.bytes) })
    var cards: [[UInt8]] = []
    for (index, card) in wanted.cards.enumerated() {
      let written = pairs[index].map { changed($0, in: blocks[$0], to: card) } ?? added(card, at: index, pairs, blocks)
      guard let written else { return nil }
      cards.append(written)
    }
    guard let gaps = gaps(wanted.cards.indices.map { pairs[$0] }, blocks) else { return nil }
    var out = Array(text[..<(blocks.first?.lowerBound ?? 0)])
    for (card, gap) in zip(cards, gaps) { out += gap + card }
    return out + text[(blocks.last?.upperBound ?? text.count)...]
  }

  /// Returns the lines of each card, without the last line end.
  private func blocks() -> [Range<Int>]? {
    var blocks: [Range<Int>] = []
    for card in there.cards {
      var start = card.range.lowerBound
      while start > body.lowerBound, !Self.endsLine(text[start - 1]) { start -= 1 }
      var end = card.range.upperBound
      while end < body.upperBound, !Self.endsLine(text[end]) { end += 1 }
      guard start < end, start >= blocks.last?.upperBound ?? body.lowerBound else { return nil }
      blocks.append(start..<end)
    }
    return blocks
  }

  private static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  // MARK: Cards

  private static func hasSameRest(_ one: CardDraft, _ other: CardDraft) -> Bool {
    one.tags.map(\.bytes) == other.tags.map(\.bytes) && ChecklistEdits.same(one.hint, other.hint)
      && ChecklistEdits.same(one.source, other.source) && ChecklistEdits.same(one.sortOrder, other.sortOrder)
      && ChecklistEdits.same(one.review, other.review) && ChecklistEdits.same(one.members, other.members)
  }

  private func changed(_ index: Int, in block: Range<Int>, to card: CardDraft) -> [UInt8]? {
    guard Self.hasSameRest(before.cards[index], card) else { return nil }
    return replaced(index, in: block, front: card.front, back: card.back)
  }

  /// Returns a new card in the notation of the nearest card that has only a front and a back.
  private func added(_ card: CardDraft, at index: Int, _ pairs: [Int: Int], _ blocks: [Range<Int>]) -> [UInt8]? {
    let near = (0..<index).reversed().compactMap { pairs[$0] }.first ?? 0
    let isPlain: (Int) -> Bool = { there.cards[$0].id == nil && Self.hasSameRest(before.cards[$0], card) }
    return there.cards.indices.filter(isPlain).min { abs($0 - near) < abs($1 - near) }
      .flatMap { replaced($0, in: blocks[$0], front: card.front, back: card.back) }
  }

  private func replaced(_ index: Int, in block: Range<Int>, front: SourcedText, back: SourcedText) -> [UInt8]? {
    let (old, place) = (before.cards[index], there.cards[index])
    var edits = TextEdits()
    for (old, new, place) in [(old.front, front, place.front), (old.back, back, place.back)]
    where old.bytes != new.bytes {
      guard !place.range.isEmpty, !new.bytes.isEmpty, block.lowerBound <= place.range.lowerBound,
        place.range.upperBound <= block.upperBound
      else { return nil }
      let lines = new.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      let indentation = indentation(of: place)
      edits.replace(
        place.range,
        with: Array(
          lines.enumerated().map { $0 == 0 || $1.isEmpty ? Array($1) : indentation + $1 }
            .joined(separator: lineEnd)))
    }
    edits.sort()
    return edits.applied(to: block, of: text.span, isLast: true)
  }

  /// Returns the white space before the second line of the text.
  private func indentation(of place: SourcedText) -> [UInt8] {
    guard place.stretches.count > 1 else { return [] }
    var start = place.stretches[1].source
    while start > place.range.lowerBound, NoteLines.isBlank(text[start - 1]) { start -= 1 }
    return Array(text[start..<place.stretches[1].source])
  }

  // MARK: Between cards

  /// Returns the text to write before each card: the existing text, or the usual gap before a new card and before a
  /// card that used to be the first.
  /// - Returns: nil if a heading or other text between two cards would be lost.
  private func gaps(_ order: [Int?], _ blocks: [Range<Int>]) -> [[UInt8]]? {
    let own = zip(blocks, blocks.dropFirst()).map { Array(text[$0.upperBound..<$1.lowerBound]) }
    let usual =
      Dictionary(grouping: own) { $0 }.max { ($0.value.count, $1.key.count) < ($1.value.count, $0.key.count) }?.key
      ?? lineEnd + lineEnd
    func isPlain(_ gap: [UInt8]) -> Bool {
      gap == usual || gap.allSatisfy { NoteLines.isBlank($0) || Self.endsLine($0) }
    }
    let kept = Set(order.compactMap { $0 })
    var left = Set(own.indices.filter { !isPlain(own[$0]) })
    var gaps: [[UInt8]] = []
    for (position, card) in order.enumerated() {
      guard position > 0 else {
        gaps.append([])
        continue
      }
      guard let card, card > 0 else {
        gaps.append(usual)
        continue
      }
      var gap = card - 1
      // The text above a removed card moves above the next card.
      while isPlain(own[gap]), gap > 0, !kept.contains(gap), left.contains(gap - 1) { gap -= 1 }
      left.remove(gap)
      gaps.append(own[gap])
    }
    return left.isEmpty ? gaps : nil
  }
}
