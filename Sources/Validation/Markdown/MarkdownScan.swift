/// Finds headings, links and constructs in a guide's Markdown, with the bytes where they stand.
///
/// Goes line by line and knows fences, so that what is shown as code is not taken for text. It is no Markdown
/// parser: paragraphs are not joined, containers are followed only as far as the rules need it. Time is linear in
/// the text, whatever it holds; memory is kept for the next text.
package struct MarkdownScan {
  package private(set) var headings: [MarkdownHeading] = []
  package private(set) var constructs: [MarkdownConstruct] = []
  /// The opening line of a fence that is never closed.
  package private(set) var openFence: Range<Int>?
  /// Links and images, in order.
  package var links: [MarkdownLink] { inline.links }

  private enum Before {
    case blank, other
    /// A line of text; `single` when the line before it was none.
    case text(Range<Int>, single: Bool)
  }

  private struct Fence {
    let mark: UInt8
    let length: Int
    let line: Range<Int>
  }

  private var inline = MarkdownInline()
  private var before = Before.blank
  private var fence: Fence?
  private var isInList = false
  private var isInTable = false
  private var isInIndentedCode = false
  private var isInFrontMatter = false

  /// Makes a scan that has seen nothing.
  package init() {}

  /// Looks at a text; forgets the one before.
  package mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) {
    headings.removeAll(keepingCapacity: true)
    constructs.removeAll(keepingCapacity: true)
    inline.begin()
    openFence = nil
    before = .blank
    fence = nil
    isInList = false
    isInTable = false
    isInIndentedCode = false
    isInFrontMatter = Self.beginsWithFrontMatter(bytes)
    var at = 0
    while at < bytes.count {
      let end = ByteSearch.first(in: bytes, from: at, to: bytes.count) {
        ByteSearch.equal($0, 0x0A) | ByteSearch.equal($0, 0x0D)
      }
      line(bytes, at..<end)
      at = end + 1
      if end + 1 < bytes.count, bytes[end] == 0x0D, bytes[end + 1] == 0x0A { at += 1 }
    }
    openFence = fence?.line
  }

  // MARK: One line

  private mutating func line(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) {
    let lines = MarkdownLine(bytes, line)
    if isInFrontMatter { return frontMatter(bytes, lines) }
    if lines.isBlank {
      if fence == nil {
        before = .blank
        isInTable = false
        inline.paragraphEnds()
      }
      return
    }
    if let open = fence {
      noteContent()
      if lines.closes(open.mark, open.length) { fence = nil }
      return
    }
    if isInIndentedCode, lines.indent >= 4 { return }
    isInIndentedCode = false
    if lines.indent < 4 || isInList, let run = lines.fence {
      fence = Fence(mark: run.mark, length: run.length, line: line)
      return construct(.fence, line)
    }
    if lines.indent >= 4, !isInList, !isBehindText {
      isInIndentedCode = true
      return construct(.indentedCode, line)
    }
    if lines.indent < 4, heading(bytes, lines) { return }
    if isInTable { return noteContent() }
    if case .text(let text, let single) = before, lines.indent < 4 {
      if single, let level = lines.underline { return underlined(bytes, text, lines, level) }
      if lines.isTableRule, bytes[text].contains(UInt8(ascii: "|")) {
        isInTable = true
        return construct(.table, text)
      }
    }
    text(bytes, lines)
  }

  /// A list item or a line of a paragraph.
  private mutating func text(_ bytes: UnsafeBufferPointer<UInt8>, _ line: MarkdownLine) {
    noteContent()
    var content = line.first
    if let item = line.item {
      isInList = true
      content = item.content
      if bytes[line.first] == UInt8(ascii: "+") { construct(.plusBullet, line.first..<line.first + 1) }
      if let box = line.box(at: item.content) {
        construct(.task, box)
        content = box.upperBound
      }
      before = .other
    } else {
      if line.indent == 0, case .blank = before { isInList = false }
      if case .blank = before { before = .text(line.range, single: true) } else { before = joined(line) }
    }
    inline.scan(bytes, content..<line.range.upperBound) { constructs.append(MarkdownConstruct(kind: $0, range: $1)) }
  }

  /// What stands before the next line when this one follows text, a heading or a list item.
  private func joined(_ line: MarkdownLine) -> Before {
    switch before {
    case .text: .text(line.range, single: false)
    default: isInList ? .other : .text(line.range, single: true)
    }
  }

  /// Whether the line before is text that this one may continue.
  private var isBehindText: Bool { if case .text = before { true } else { false } }

  // MARK: Headings

  private mutating func heading(_ bytes: UnsafeBufferPointer<UInt8>, _ line: MarkdownLine) -> Bool {
    guard bytes[line.first] == UInt8(ascii: "#") else { return false }
    let level = line.run(from: line.first)
    guard level <= 6 else { return false }
    var start = line.first + level
    if start < line.range.upperBound, !MarkdownLine.isBlank(bytes[start]) {
      // One # may begin a tag of other programs; two or more mean a heading.
      if level > 1 { construct(.tightHeading, line.first..<start) }
      return false
    }
    while start < line.last, MarkdownLine.isBlank(bytes[start]) { start += 1 }
    var end = max(start, line.last)
    // Closing marks do not belong to the text.
    var closing = end
    while closing > start, bytes[closing - 1] == UInt8(ascii: "#") { closing -= 1 }
    if closing == start || closing < end && MarkdownLine.isBlank(bytes[closing - 1]) { end = closing }
    while end > start, MarkdownLine.isBlank(bytes[end - 1]) { end -= 1 }
    headings.append(
      MarkdownHeading(level: level, range: line.range, text: start..<end, isUnderlined: false))
    before = .other
    isInList = false
    isInTable = false
    inline.paragraphEnds()
    inline.scan(bytes, start..<end) { constructs.append(MarkdownConstruct(kind: $0, range: $1)) }
    return true
  }

  private mutating func underlined(
    _ bytes: UnsafeBufferPointer<UInt8>, _ text: Range<Int>, _ line: MarkdownLine, _ level: Int
  ) {
    let whole = text.lowerBound..<line.range.upperBound
    construct(.underlinedHeading, whole)
    let title = MarkdownLine(bytes, text)
    // The text was counted as content of the heading before it; one heading is no content of another.
    if !headings.isEmpty, countsOnly == headings.count { headings[headings.count - 1].hasContent = false }
    headings.append(
      MarkdownHeading(level: level, range: whole, text: title.first..<title.last, isUnderlined: true))
    before = .other
  }

  /// How many headings there were when the last one got its first line of content; 0 after its second.
  private var countsOnly = 0

  private mutating func noteContent() {
    guard !headings.isEmpty else { return }
    countsOnly = headings[headings.count - 1].hasContent ? 0 : headings.count
    headings[headings.count - 1].hasContent = true
  }

  private mutating func construct(_ kind: MarkdownConstruct.Kind, _ range: Range<Int>) {
    if kind != .underlinedHeading && kind != .tightHeading && kind != .plusBullet && kind != .task { noteContent() }
    if kind == .table || kind == .fence || kind == .indentedCode { before = .other }
    constructs.append(MarkdownConstruct(kind: kind, range: range))
  }

  // MARK: Front matter

  /// Whether the text begins with `---`, a line `name: …`, and has a closing line not far below.
  private static func beginsWithFrontMatter(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.starts(with: [0x2D, 0x2D, 0x2D]) else { return false }
    var lines = 0
    var start = 0
    for at in 0..<min(bytes.count, 16_384) where bytes[at] == 0x0A {
      let line = MarkdownLine(bytes, start..<at)
      if line.isDashes, lines > 1 { return true }
      if line.isDashes == (lines > 0) { return false }
      if lines == 1, !bytes[line.range].contains(UInt8(ascii: ":")) { return false }
      lines += 1
      start = at + 1
    }
    return false
  }

  private mutating func frontMatter(_ bytes: UnsafeBufferPointer<UInt8>, _ line: MarkdownLine) {
    if line.range.lowerBound == 0 { return construct(.frontMatter, line.range) }
    if line.isDashes { isInFrontMatter = false }
  }
}
