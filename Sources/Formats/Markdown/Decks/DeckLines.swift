import MarkdownSyntax
import Validation

/// The lines that the deck readers read, with the bounds of each line and whether it is code.
///
/// Code in an unclosed fence counts as text, so that a stray fence hides no cards. Each line takes 16 bytes of memory.
struct DeckLines {
  /// One line, without its line end.
  struct Line {
    fileprivate let start: Int32
    fileprivate let end: Int32
    fileprivate let firstText: Int32
    /// Whether the line is a fence or in a fenced block.
    fileprivate(set) var isCode = false
    /// Whether `front::back` needs no blanks around its colons.
    fileprivate(set) var isTight = false

    /// The bytes of the line.
    var range: Range<Int> { Int(start)..<Int(end) }
    /// The offset of the line's first byte that is not a blank, or the line's end.
    var text: Int { Int(firstText) }
    /// Whether the line contains only blanks.
    var isBlank: Bool { firstText == end }
  }

  /// All lines in order.
  private(set) var all: [Line] = []
  /// Whether every fence is closed.
  private(set) var closesFences = true

  /// Splits text into lines; text longer than the limit for Markdown yields no lines.
  init(_ text: Span<UInt8>, in range: Range<Int>) {
    var tree = MarkdownTree()
    tree.read(text, in: range)
    let isTight = DeckTag.isPresent(in: text, before: range.upperBound)
    all.reserveCapacity(tree.lines.count)
    for line in tree.lines {
      let first = LineSyntax.skipBlanks(text, from: line.lowerBound, end: line.upperBound)
      all.append(
        Line(
          start: Int32(line.lowerBound), end: Int32(line.upperBound), firstText: Int32(first), isTight: isTight))
    }
    for block in tree.blocks where block.kind == .code(isFenced: true) {
      if block.isUnclosed {
        closesFences = false
      } else {
        for line in block.lines { all[line].isCode = true }
      }
    }
  }
}

/// The role of a line in a deck, regardless of the lines around it.
enum DeckLine {
  /// Returns the level of a heading with `#`, and its text without the marks; nil for other lines.
  static func heading(_ bytes: Span<UInt8>, _ line: DeckLines.Line) -> (level: Int, text: Range<Int>)? {
    guard !line.isCode, line.text - line.range.lowerBound <= 3 else { return nil }
    return LineSyntax.heading(bytes, at: line.text, end: line.range.upperBound).map { ($0.level, $0.text) }
  }

  /// Whether a line is a rule: three or more `-`, `*` or `_` characters, with or without blanks.
  static func isRule(_ bytes: Span<UInt8>, _ line: DeckLines.Line) -> Bool {
    !line.isCode && LineSyntax.isRule(bytes, at: line.text, end: line.range.upperBound)
  }

  /// Whether a line underlines a title: it contains only `=`.
  static func isTitleUnderline(_ bytes: Span<UInt8>, _ line: DeckLines.Line) -> Bool {
    guard !line.isBlank, !line.isCode else { return false }
    return (line.text..<line.range.upperBound).allSatisfy { bytes[$0] == 0x3D || isBlank(bytes[$0]) }
  }

  /// Whether a line contains only tags. Plugins mark decks with such lines: `#flashcards/lights`.
  static func isTags(_ bytes: Span<UInt8>, _ line: DeckLines.Line) -> Bool {
    guard !line.isBlank, !line.isCode, bytes[line.text] == 0x23 else { return false }
    return CardTags.atEnd(bytes, line.text..<line.range.upperBound).rest.isEmpty
  }

  /// Returns the lines of the first-level heading with which a body begins. The range is empty if the body does not
  /// begin with such a heading.
  static func title(_ bytes: Span<UInt8>, _ lines: DeckLines) -> Range<Int> {
    guard let first = lines.all.firstIndex(where: { !$0.isBlank }) else { return 0..<0 }
    if let heading = heading(bytes, lines.all[first]) { return heading.level == 1 ? first..<first + 1 : 0..<0 }
    guard first + 1 < lines.all.count, isTitleUnderline(bytes, lines.all[first + 1]) else { return 0..<0 }
    return isPlain(bytes, lines.all[first]) ? first..<first + 2 : 0..<0
  }

  /// Whether a line can be a title: it is not part of a card and does not begin a block.
  private static func isPlain(_ bytes: Span<UInt8>, _ line: DeckLines.Line) -> Bool {
    switch bytes[line.text] {
    case 0x3C, 0x3E, 0x7C: return false
    default: break
    }
    return !line.isCode && CardMark(bytes, line: line) == nil && ColonCard(bytes, line: line) == nil
      && LineSyntax.listItem(bytes, at: line.text, end: line.range.upperBound) == nil
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// The tag by which Obsidian's spaced repetition plugin finds its notes: `#flashcards`, or `flashcards` in the front
/// matter.
private enum DeckTag {
  private static let words = ["flashcards", "карточки"].map { Array($0.utf8) }

  /// Returns whether a note has the tag anywhere before `end`, in one pass.
  fileprivate static func isPresent(in text: Span<UInt8>, before end: Int) -> Bool {
    words.contains { word in
      var from = 0
      while let at = ByteSearch.position(of: word, in: text, from: from, to: end) {
        if at > 0, "# -[,\"'/".utf8.contains(text[at - 1]), hasMark(text, at) { return true }
        from = at + 1
      }
      return false
    }
  }

  /// Whether the word at an offset is a tag: it follows `#`, or is on a front matter line that lists tags.
  private static func hasMark(_ text: Span<UInt8>, _ at: Int) -> Bool {
    if text[at - 1] == UInt8(ascii: "#") { return true }
    var start = at
    while start > 0, at - start < 200, text[start - 1] != 0x0A, text[start - 1] != 0x0D { start -= 1 }
    let before = text.extracting(start..<at)
    if before.starts(with: "tags:") || before.starts(with: "tag:") { return true }
    return before.allSatisfy { " -\"'".utf8.contains($0) } && text.starts(with: "---") && at < 4096
      && before.contains(UInt8(ascii: "-"))
  }
}
