import MarkdownSyntax

/// Reads the title of a section from its heading, or from a line that stands for one.
enum HeadingNotation {
  /// The text of a heading, `#` or underlined, and the bytes of its marks.
  static func read(_ note: NoteLines, _ lines: Range<Int>, from start: Int) -> (SourcedText, marks: [Range<Int>]) {
    let first = note.lines[lines.lowerBound]
    let from = min(max(start, first.lowerBound), first.upperBound)
    let line = note.trimmed(from..<first.upperBound)
    if lines.count == 1 {
      guard let heading = LineSyntax.heading(note.text.span, at: line.lowerBound, end: line.upperBound) else {
        return (SourcedText(note.text, line), [])
      }
      let title = heading.text
      let inner = withoutBold(note.text, title)
      let bold = inner == title ? [] : [title.lowerBound..<inner.lowerBound, inner.upperBound..<title.upperBound]
      let opening = line.lowerBound..<line.lowerBound + heading.level
      let closing = heading.closing.isEmpty ? [] : [heading.closing]
      return (SourcedText(note.text, inner), [opening] + closing + bold)
    }
    let underline = note.lines[lines.upperBound - 1]
    let parts = [line] + lines.dropFirst().dropLast().map { note.trimmed(note.lines[$0]) }
    return (note.joined(parts), [underline])
  }

  /// The title that a line of text is: bold as a whole, or short with a colon at its end; nil when it is neither.
  /// - Parameter isRightAbove: whether the list begins on the next line, so that any short line will do.
  static func plain(
    _ note: NoteLines, _ line: Range<Int>, isRightAbove: Bool = false
  ) -> (SourcedText, marks: [Range<Int>])? {
    let text = note.text
    var title = line
    var marks: [Range<Int>] = []
    func dropColon() {
      guard let last = title.last, text[last] == UInt8(ascii: ":") else { return }
      marks.append(last..<last + 1)
      title = note.trimmed(title.lowerBound..<last)
    }
    dropColon()
    let hasColon = !marks.isEmpty
    let isBold =
      title.count > 4 && isPair(text, title.lowerBound) && isPair(text, title.upperBound - 2)
      && text[title.lowerBound] == text[title.upperBound - 1]
    if isBold {
      let inner = note.trimmed(title.lowerBound + 2..<title.upperBound - 2)
      guard !inner.contains(where: { text[$0] == text[title.lowerBound] }), !inner.isEmpty else { return nil }
      marks += [title.lowerBound..<title.lowerBound + 2, title.upperBound - 2..<title.upperBound]
      title = inner
      if !hasColon { dropColon() }
    } else {
      // A sentence that leads to a list is no title.
      let isTitle = hasColon && title.count <= 80 && !hasStop(text, title) || isRightAbove && isShort(text, title)
      guard isTitle, !title.isEmpty else { return nil }
    }
    return title.isEmpty ? nil : (SourcedText(text, title), marks)
  }

  /// What is inside of a text that is bold as a whole: `**Engine**`; the text itself where it is not.
  static func withoutBold(_ text: UnsafeBufferPointer<UInt8>, _ title: Range<Int>) -> Range<Int> {
    guard title.count > 4, isPair(text, title.lowerBound), isPair(text, title.upperBound - 2),
      text[title.lowerBound] == text[title.upperBound - 1]
    else { return title }
    let inner = title.lowerBound + 2..<title.upperBound - 2
    let mark = text[title.lowerBound]
    guard !inner.contains(where: { text[$0] == mark }), !NoteLines.isBlank(text[inner.lowerBound]),
      !NoteLines.isBlank(text[inner.upperBound - 1])
    else { return title }
    return inner
  }

  /// Whether a line is so short, and so little of a sentence, that it may be the title of the list right below it.
  static func isShort(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Bool {
    guard let last = line.last, line.count <= 80, !hasStop(text, line) else { return false }
    // Letters of other scripts take two bytes.
    let letters = line.reduce(0) { $0 + (text[$1] & 0xC0 != 0x80 ? 1 : 0) }
    return letters <= 40 && !".,;!?".utf8.contains(text[last]) && text[line.lowerBound] != UInt8(ascii: ">")
  }

  private static func isPair(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
    text[at] == text[at + 1] && (text[at] == UInt8(ascii: "*") || text[at] == UInt8(ascii: "_"))
  }

  private static func hasStop(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    range.dropLast().contains {
      text[$0 + 1] == 0x20
        && (text[$0] == UInt8(ascii: ".") || text[$0] == UInt8(ascii: "!") || text[$0] == UInt8(ascii: "?"))
    }
  }
}

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
