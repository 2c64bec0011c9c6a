import Content

/// Reads MkDocs admonitions: `!!! warning "Title"`, `??? note` and `???+ tip`, with indented text below.
///
/// In a description, the title becomes a line with a colon, and the text loses its indentation.
/// - Source: formats/markdown.md, "How people write checklists"
enum Admonition {
  /// Returns the title of the admonition that a line begins, or its type if it has no title; nil for other lines.
  static func title(_ note: NoteLines, _ line: Range<Int>) -> SourcedText? {
    let text = note.text
    let line = note.trimmed(line)
    guard line.count > 4, let sign = line.first.map({ text[$0] }),
      sign == UInt8(ascii: "!") || sign == UInt8(ascii: "?"),
      text[line.lowerBound + 1] == sign, text[line.lowerBound + 2] == sign
    else { return nil }
    var at = line.lowerBound + 3
    if sign == UInt8(ascii: "?"), text[at] == UInt8(ascii: "+") { at += 1 }
    guard at < line.upperBound, NoteLines.isBlank(text[at]) else { return nil }
    let rest = note.trimmed(at..<line.upperBound)
    let type = rest.prefix {
      text[$0] >= 0x80 || (0x61...0x7A).contains(text[$0] | 0x20) || text[$0] == UInt8(ascii: "-")
    }
    guard !type.isEmpty else { return nil }
    let typeRange = rest.lowerBound..<rest.lowerBound + type.count
    let quoted = note.trimmed(typeRange.upperBound..<rest.upperBound)
    if let open = quoted.firstIndex(where: { text[$0] == UInt8(ascii: "\"") }), quoted.count > 2,
      text[quoted.upperBound - 1] == UInt8(ascii: "\"")
    {
      let title = note.trimmed(quoted[open] + 1..<max(quoted[open] + 1, quoted.upperBound - 1))
      if !title.isEmpty { return SourcedText(text.span, title) }
    }
    var title = SourcedText(text.span, typeRange)
    if (0x61...0x7A).contains(title.bytes[0]) { title.bytes[0] -= 0x20 }
    return title
  }

  /// Whether the given lines of a note contain an admonition.
  static func isIn(_ note: NoteLines, _ lines: Range<Int>) -> Bool {
    lines.contains { title(note, note.lines[$0]) != nil }
  }

  /// Joins pieces of text with a blank line between them, with admonitions converted to text. Returns nil if there are
  /// no pieces.
  static func text(_ note: NoteLines, _ pieces: [Range<Int>]) -> SourcedText? {
    guard let first = pieces.first, let last = pieces.last, pieces.contains(where: { isIn(note, $0) }) else {
      return nil
    }
    var joined = NoteLines.Joined()
    for piece in pieces {
      let start = note.lines[piece.lowerBound].lowerBound
      if piece != first { for _ in 0..<2 { joined.add(UInt8(ascii: "\n"), at: max(0, start - 1)) } }
      var isInside = false
      for line in piece {
        if line > piece.lowerBound { joined.add(UInt8(ascii: "\n"), at: note.lines[line - 1].upperBound) }
        let range = note.lines[line]
        if let title = title(note, range) {
          for (index, byte) in title.bytes.enumerated() { joined.add(byte, at: title.range.lowerBound + index) }
          joined.add(UInt8(ascii: ":"), at: range.upperBound - 1)
          isInside = true
        } else if isInside, note.isBlank(line) || note.indentation(line) >= 4 {
          var (at, column) = (range.lowerBound, 0)
          while column < 4, at < range.upperBound, NoteLines.isBlank(note.text[at]) {
            column = note.text[at] == 0x09 ? 4 : column + 1
            at += 1
          }
          joined.add(note.text.span, at..<range.upperBound)
        } else {
          isInside = false
          joined.add(note.text.span, range)
        }
      }
    }
    var text = joined.sourced
    text.range = note.lines[first.lowerBound].lowerBound..<note.lines[last.upperBound - 1].upperBound
    return text
  }
}
