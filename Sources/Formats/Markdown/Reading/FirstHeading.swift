import MarkdownSyntax

/// Finds the first heading of a guide: that is its title where the front matter has none.
enum FirstHeading {
  /// The heading's text without marks; nil if there is none. Headings in code, quotes and lists do not count, nor do
  /// underlined paragraphs of several lines.
  static func find(_ text: UnsafeBufferPointer<UInt8>, in tree: MarkdownTree) -> Range<Int>? {
    for block in tree.blocks where block.parent == 0 {
      guard case .heading = block.kind, block.lines.count <= 2 else { continue }
      let end = tree.lines[block.lines.lowerBound].upperBound
      guard block.lines.count == 1, let heading = LineSyntax.heading(text.span, at: block.start, end: end) else {
        return LineSyntax.trimmed(text.span, block.start..<end)
      }
      if !heading.text.isEmpty { return HeadingNotation.withoutBold(text, heading.text) }
    }
    return nil
  }
}
