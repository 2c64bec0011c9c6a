import Content
import MarkdownSyntax

/// A part of a note's body that is not in its checklist.
struct OmittedPart: Sendable {
  enum What: Sendable {
    /// An Obsidian comment: `%%comment%%`.
    case comment
    /// A table row that has details but no title.
    case row
    /// A cell beyond the last column of the table's header.
    case cell
    /// `{{title}}` or `<% tp.file.title %>`. The checklist contains the placeholder, but a template engine should have
    /// replaced it.
    case placeholder
  }

  let what: What
  /// The range of the part in the note.
  let range: Range<Int>
}

extension ChecklistReader.Result {
  /// Records a range of the note as left out, unless it was already recorded.
  mutating func leaveOut(_ what: OmittedPart.What, _ range: Range<Int>) {
    if leftOut.last?.range == range { return }
    leftOut.append(OmittedPart(what: what, range: range))
  }

  /// Returns a title as people see it, and records the hidden parts: marks, link targets and comments.
  mutating func readable(_ title: SourcedText) -> SourcedText {
    if let placeholder = TemplatePlaceholder.find(title.bytes) { leaveOut(.placeholder, title.source(of: placeholder)) }
    guard let reading = PlainTitle.read(title) else { return title }
    marks += reading.marks
    skipped += reading.targets + reading.comments
    for comment in reading.comments { leaveOut(.comment, comment) }
    return reading.text
  }
}

/// Finds text that a template engine replaces when it creates a note.
enum TemplatePlaceholder {
  /// Returns the first `{{…}}` or `<%…%>`.
  static func find(_ title: [UInt8]) -> Range<Int>? {
    for (open, close) in [("{{", "}}"), ("<%", "%>")] {
      guard let start = first(Array(open.utf8), title, from: 0),
        let end = first(Array(close.utf8), title, from: start + 2)
      else { continue }
      return start..<end + 2
    }
    return nil
  }

  private static func first(_ mark: [UInt8], _ title: [UInt8], from start: Int) -> Int? {
    guard start + 1 < title.count else { return nil }
    return (start..<title.count - 1).first { title[$0] == mark[0] && title[$0 + 1] == mark[1] }
  }
}

/// The lines of Obsidian comments: from a line that begins with `%%` to the next line that contains `%%`.
///
/// An unclosed comment counts as text, and so do `%%` marks in fenced code. The time is linear in the length of the
/// note.
struct CommentLines: Sendable {
  private var ranges: [Range<Int>] = []

  init(_ note: NoteLines, _ tree: MarkdownTree) {
    let percent = ByteSearch.first(in: note.text.span, from: 0, to: note.text.count) { ByteSearch.equal($0, 0x25) }
    guard percent < note.text.count else { return }
    let fences = tree.fencedLines
    var nextFence = 0
    var start: Int?
    for line in 0..<note.lines.count {
      while nextFence < fences.count, fences[nextFence].upperBound <= line { nextFence += 1 }
      if nextFence < fences.count, fences[nextFence].contains(line) { continue }
      let inside = note.trimmed(note.lines[line])
      if let first = start {
        guard Self.mark(note, inside) != nil else { continue }
        ranges.append(first..<line + 1)
        start = nil
      } else if let mark = Self.mark(note, inside), mark == inside.lowerBound {
        let rest = inside.lowerBound + 2..<inside.upperBound
        guard let end = Self.mark(note, rest) else {
          start = line
          continue
        }
        // Text after a comment is shown.
        if end + 2 == inside.upperBound { ranges.append(line..<line + 1) }
      }
    }
  }

  /// Returns the offset of the first `%%`.
  private static func mark(_ note: NoteLines, _ range: Range<Int>) -> Int? {
    range.dropLast().first { note.text[$0] == UInt8(ascii: "%") && note.text[$0 + 1] == UInt8(ascii: "%") }
  }

  /// Returns the comment that covers the last of the given lines.
  func end(of lines: Range<Int>) -> Range<Int>? {
    guard !ranges.isEmpty, !lines.isEmpty else { return nil }
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].lowerBound < lines.upperBound { low = middle + 1 } else { high = middle }
    }
    guard low > 0, ranges[low - 1].upperBound >= lines.upperBound else { return nil }
    return ranges[low - 1]
  }
}
