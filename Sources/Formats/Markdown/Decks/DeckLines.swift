import MarkdownSyntax

/// The lines of a text as decks are read: where each begins and ends, and whether it is code.
///
/// Code in a fence that is never closed counts as text, so that a stray fence hides no cards. 16 bytes for each line.
struct DeckLines {
  /// One line without its end.
  struct Line {
    fileprivate let start: Int32
    fileprivate let end: Int32
    fileprivate let firstText: Int32
    /// Whether it is a fence, or between two.
    fileprivate(set) var isCode = false
    /// Whether `front::back` needs no blanks around its colons.
    fileprivate(set) var isTight = false

    /// Its bytes.
    var range: Range<Int> { Int(start)..<Int(end) }
    /// Its first byte that is no blank; the line's end where there is none.
    var text: Int { Int(firstText) }
    /// Whether it holds nothing but blanks.
    var isBlank: Bool { firstText == end }
  }

  /// All lines in order.
  private(set) var all: [Line] = []
  /// Whether every fence is closed.
  private(set) var closesFences = true

  /// Splits a text into lines; texts that are longer than Markdown is read have none.
  init(_ text: UnsafeBufferPointer<UInt8>, in range: Range<Int>) {
    var tree = MarkdownTree()
    tree.read(text.span, in: range)
    let isTight = DeckTag.stands(in: text, before: range.upperBound)
    all.reserveCapacity(tree.lines.count)
    for line in tree.lines {
      let first = LineSyntax.skipBlanks(text.span, from: line.lowerBound, end: line.upperBound)
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
