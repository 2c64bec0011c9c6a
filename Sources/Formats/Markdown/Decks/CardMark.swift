import MarkdownSyntax

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
  init?(_ bytes: UnsafeBufferPointer<UInt8>, line: DeckLines.Line) {
    var at = line.text
    let end = line.range.upperBound
    guard at < end else { return nil }
    margin = TextPieces.columns(bytes, line.range.lowerBound..<at)
    var isItem = false
    if let behind = LineSyntax.listItem(bytes.span, at: at, end: end) {
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

  private static func hashes(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
    var at = range.lowerBound
    while at < range.upperBound, bytes[at] == 0x23 { at += 1 }
    guard (1...6).contains(at - range.lowerBound) else { return nil }
    let behind = at
    while at < range.upperBound, bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
    return at > behind ? at : nil
  }

  private static func emphasis(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> [UInt8] {
    guard let first = range.isEmpty ? nil : bytes[range.lowerBound], first == 0x2A || first == 0x5F else { return [] }
    return Array(bytes[range].prefix(4).prefix { $0 == first })
  }

  private static func word(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Word? {
    switch bytes[range.lowerBound] {
    case 0x51, 0x71, 0x41, 0x61, 0xD0: break
    default: return nil
    }
    return words.last { matches(bytes, range.lowerBound, range.upperBound, $0.bytes) }
  }

  /// Returns the number of a question, with or without a blank before it.
  private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
    var at = range.lowerBound
    if at < range.upperBound, bytes[at] == 0x20 { at += 1 }
    let start = at
    while at < range.upperBound, at - start < 4, (0x30...0x39).contains(bytes[at]) { at += 1 }
    return at > start ? at : nil
  }

  private static func matches(
    _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, _ end: Int, _ wanted: [UInt8]
  ) -> Bool {
    guard at + wanted.count <= end else { return false }
    for index in wanted.indices where bytes[at + index] != wanted[index] { return false }
    return true
  }
}
