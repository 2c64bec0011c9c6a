import MarkdownSyntax

/// Finds headings, links and constructs in a guide's Markdown, with their byte ranges.
///
/// The scan takes blocks from `MarkdownTree` and searches their lines for links, so that code is not read as text. The
/// time is linear in the length of the text. Memory is reused for the next text.
package struct MarkdownScan {
  /// The headings outside quotes and lists.
  package private(set) var headings: [MarkdownHeading] = []
  package private(set) var constructs: [MarkdownConstruct] = []
  /// The opening line of a fence that is never closed.
  package private(set) var openFence: Range<Int>?
  /// Links and images, in order.
  package var links: [MarkdownLink] { inline.links }

  private var inline = MarkdownInline()
  private var tree = MarkdownTree()

  /// Makes an empty scan.
  package init() {}

  /// Scans text and drops the results of the previous scan.
  package mutating func scan(_ bytes: Span<UInt8>) {
    begin()
    var body = 0..<bytes.count
    if let block = FrontMatterBlock(bytes) {
      body = block.body
      construct(.frontMatter, LineSyntax.firstLine(bytes))
    }
    tree.read(bytes, in: body)
    walk(bytes, tree)
  }

  /// Scans text that is already parsed into blocks, and drops the results of the previous scan.
  package mutating func scan(_ bytes: Span<UInt8>, tree: MarkdownTree) {
    begin()
    walk(bytes, tree)
  }

  private mutating func begin() {
    headings.removeAll(keepingCapacity: true)
    constructs.removeAll(keepingCapacity: true)
    inline.begin()
    openFence = nil
  }

  // MARK: Blocks

  private mutating func walk(_ bytes: Span<UInt8>, _ tree: MarkdownTree) {
    for index in tree.blocks.indices.dropFirst() {
      let block = tree.blocks[index]
      if case .heading(let level) = block.kind {
        heading(bytes, tree, block, level)
      } else {
        if block.parent == 0, !headings.isEmpty { headings[headings.count - 1].hasContent = true }
        scanBlock(bytes, tree, index)
      }
      inline.paragraphEnds()
    }
  }

  private mutating func scanBlock(_ bytes: Span<UInt8>, _ tree: MarkdownTree, _ index: Int) {
    let block = tree.blocks[index]
    let firstLine = tree.lines[block.lines.lowerBound]
    switch block.kind {
    case .document, .quote, .list, .rule, .heading: break
    case .item:
      if bytes[block.start] == UInt8(ascii: "+") { construct(.plusBullet, block.start..<block.start + 1) }
    case .code(let isFenced):
      construct(
        isFenced ? .fence : .indentedCode, block.parent == 0 ? firstLine : block.start..<firstLine.upperBound)
      if block.isUnclosed, block.next == tree.blocks.count { openFence = firstLine }
    case .table:
      construct(.table, firstLine)
      lines(bytes, tree, block)
    case .html, .definition: lines(bytes, tree, block)
    case .paragraph:
      var start = block.start
      // The first paragraph of a list item may begin with a task box.
      if index == block.parent + 1, tree.blocks[block.parent].kind == .item,
        let box = LineSyntax.box(bytes, at: start, end: firstLine.upperBound)
      {
        construct(.task, box)
        start = box.upperBound
      }
      tightHeading(bytes, start, firstLine.upperBound)
      scan(bytes, start..<firstLine.upperBound)
      for number in block.lines.dropFirst() {
        let line = tree.lines[number]
        let first = LineSyntax.skipBlanks(bytes, from: line.lowerBound, end: line.upperBound)
        tightHeading(bytes, first, line.upperBound)
        scan(bytes, first..<line.upperBound)
      }
    }
  }

  private mutating func lines(_ bytes: Span<UInt8>, _ tree: MarkdownTree, _ block: MarkdownBlock) {
    for number in block.lines {
      let line = tree.lines[number]
      scan(bytes, LineSyntax.skipBlanks(bytes, from: line.lowerBound, end: line.upperBound)..<line.upperBound)
    }
  }

  private mutating func scan(_ bytes: Span<UInt8>, _ part: Range<Int>) {
    inline.scan(bytes, part) { constructs.append(MarkdownConstruct(kind: $0, range: $1)) }
  }

  private mutating func construct(_ kind: MarkdownConstruct.Kind, _ range: Range<Int>) {
    constructs.append(MarkdownConstruct(kind: kind, range: range))
  }

  // MARK: Headings

  private mutating func heading(
    _ bytes: Span<UInt8>, _ tree: MarkdownTree, _ block: MarkdownBlock, _ level: Int
  ) {
    let first = tree.lines[block.lines.lowerBound]
    let isUnderlined = block.lines.count > 1
    var text = LineSyntax.trimmed(bytes, block.start..<first.upperBound)
    if !isUnderlined, let heading = LineSyntax.heading(bytes, at: block.start, end: first.upperBound) {
      text = heading.text
    }
    let whole = first.lowerBound..<tree.lines[block.lines.upperBound - 1].upperBound
    // A paragraph of several lines above a line of dashes is rarely a heading.
    if block.parent == 0, block.lines.count <= 2 {
      if isUnderlined { construct(.underlinedHeading, whole) }
      headings.append(MarkdownHeading(level: level, range: whole, text: text, isUnderlined: isUnderlined))
    } else if block.parent == 0, !headings.isEmpty {
      headings[headings.count - 1].hasContent = true
    }
    scan(bytes, text)
    if block.lines.count > 2 {
      for number in block.lines.dropFirst().dropLast() { scan(bytes, tree.lines[number]) }
    }
  }

  /// Adds a heading without a space after its marks. A single `#` may begin a tag of another program; two or more mark
  /// a heading.
  private mutating func tightHeading(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
    guard start < end, bytes[start] == UInt8(ascii: "#") else { return }
    let behind = LineSyntax.endOfRun(bytes, at: start, end: end)
    guard (2...6).contains(behind - start), behind < end, !LineSyntax.isBlank(bytes[behind]) else { return }
    construct(.tightHeading, start..<behind)
  }
}

/// A heading in a guide's body.
package struct MarkdownHeading {
  /// The level: 1 for `#`, 6 for `######`.
  package let level: Int
  /// The whole heading: one line, or two if it is underlined.
  package let range: Range<Int>
  /// The heading's text, without the surrounding marks and blanks.
  package let text: Range<Int>
  /// Whether the heading is underlined (`===`, `---`) instead of marked with `#`.
  package let isUnderlined: Bool
  /// Whether there is content other than blank lines between this heading and the next one.
  package var hasContent = false
}

/// A link or an image in a guide's body.
package struct MarkdownLink {
  /// The syntax of the link.
  package enum Form {
    /// `[[page#section|label]]`
    case wiki
    /// `![[image.png]]`
    case embed
    /// `[text](target)` or `[label]: target`
    case link
    /// `![text](target)`
    case image
    /// `<https://…>`
    case address
    /// `[text](target with blanks)`, which is shown as typed
    case broken
  }

  /// The syntax of the link.
  package let form: Form
  /// The whole link.
  package let range: Range<Int>
  /// The page or address that the link names, without section and label. Empty for a section of the same page.
  package let page: Range<Int>
  /// The text after `#`; nil if the link has none.
  package let section: Range<Int>?

  /// Page and section together.
  package var target: Range<Int> { page.lowerBound..<(section?.upperBound ?? page.upperBound) }
}

/// Markdown that other programs render and that the app shows as plain text.
package struct MarkdownConstruct {
  /// The kind of the construct.
  package enum Kind: Int, CaseIterable {
    case frontMatter, table, fence, indentedCode, html, task, footnote, underlinedHeading, plusBullet, tightHeading
  }

  /// The kind of the construct.
  package let kind: Kind
  /// The position of the construct: its first line, or its mark.
  package let range: Range<Int>
}

/// Finds links, images, HTML and footnotes within lines.
///
/// A failed search is not repeated for the rest of its line. Every other search moves forward or ends after a fixed
/// number of bytes, so no text makes the scan slow.
private struct MarkdownInline {
  private(set) var links: [MarkdownLink] = []

  private struct Bracket {
    let start: Int
    let isImage: Bool
  }

  /// The maximum number of open brackets. Deeper brackets are not links.
  private static let depth = 32
  /// The maximum length of a target. Links with longer targets are not recognized.
  private static let longestTarget = 2000

  private var brackets: [Bracket] = []
  /// The lengths of backtick runs that are not closed on this line, one bit for each length.
  private var lonelyBackticks: UInt64 = 0
  private var noWikiEnd = false

  /// Drops links and open brackets.
  mutating func begin() {
    links.removeAll(keepingCapacity: true)
    brackets.removeAll(keepingCapacity: true)
  }

  /// Drops open brackets, because they do not extend beyond the end of a paragraph.
  fileprivate mutating func paragraphEnds() { brackets.removeAll(keepingCapacity: true) }

  /// Scans one line, or the text after a list item's mark.
  mutating func scan(
    _ bytes: Span<UInt8>, _ line: Range<Int>, _ construct: (MarkdownConstruct.Kind, Range<Int>) -> Void
  ) {
    lonelyBackticks = 0
    noWikiEnd = false
    if definition(bytes, line) { return paragraphEnds() }
    let end = line.upperBound
    var at = Self.mark(bytes, line.lowerBound, end)
    while at < end {
      switch bytes[at] {
      case UInt8(ascii: "\\"): at += 2
      case UInt8(ascii: "`"): at = code(bytes, at, end)
      case UInt8(ascii: "["): at = open(bytes, at, end, construct)
      case UInt8(ascii: "]"): at = close(bytes, at, end)
      case UInt8(ascii: "<"): at = angle(bytes, at, end, construct)
      default: at += 1
      }
      at = Self.mark(bytes, at, end)
    }
  }

  /// Returns the position of the next byte that has a meaning inside a line: one of \ ` [ ] <.
  private static func mark(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    guard start < end else { return end }
    // In ASCII the backslash is between the two brackets.
    return ByteSearch.first(in: bytes, from: start, to: end) {
      ByteSearch.within($0, 0x5B...0x5D) | ByteSearch.equal($0, UInt8(ascii: "`"))
        | ByteSearch.equal($0, UInt8(ascii: "<"))
    }
  }

  // MARK: Code

  /// Returns the position after the code that begins here, or after the backticks if the code is not closed.
  private mutating func code(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var content = start
    while content < end, bytes[content] == bytes[start] { content += 1 }
    let length = content - start
    let bit: UInt64 = 1 << UInt64(min(length, 63))
    guard lonelyBackticks & bit == 0 else { return content }
    var at = content
    while at < end {
      guard bytes[at] == bytes[start] else {
        at += 1
        continue
      }
      let run = at
      while at < end, bytes[at] == bytes[start] { at += 1 }
      if at - run == length { return at }
    }
    lonelyBackticks |= bit
    return content
  }

  // MARK: Brackets

  private mutating func open(
    _ bytes: Span<UInt8>, _ at: Int, _ end: Int,
    _ construct: (MarkdownConstruct.Kind, Range<Int>) -> Void
  ) -> Int {
    let isImage = at > 0 && bytes[at - 1] == UInt8(ascii: "!")
    if at + 1 < end, bytes[at + 1] == UInt8(ascii: "[") {
      if let next = wiki(bytes, at, end, isEmbed: isImage) { return next }
    } else if at + 2 < end, bytes[at + 1] == UInt8(ascii: "^"), let mark = footnote(bytes, at, end) {
      construct(.footnote, mark)
      return mark.upperBound
    }
    if brackets.count == Self.depth { brackets.removeAll(keepingCapacity: true) }
    brackets.append(Bracket(start: at, isImage: isImage))
    return at + 1
  }

  private mutating func wiki(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, isEmbed: Bool) -> Int? {
    guard !noWikiEnd else { return nil }
    var at = start + 2
    var section: Int?
    var label: Int?
    while at + 1 < end {
      switch bytes[at] {
      case UInt8(ascii: "]") where bytes[at + 1] == UInt8(ascii: "]"):
        let targetEnd = label ?? at
        let pageEnd = section ?? targetEnd
        guard at > start + 2 else { return at + 2 }
        links.append(
          MarkdownLink(
            form: isEmbed ? .embed : .wiki, range: (isEmbed ? start - 1 : start)..<at + 2,
            page: trimmed(bytes, start + 2..<pageEnd),
            section: section.map { trimmed(bytes, $0 + 1..<targetEnd) }))
        return at + 2
      // The innermost opening bracket counts; the outer ones are text.
      case UInt8(ascii: "[") where bytes[at + 1] == UInt8(ascii: "["): return at
      case UInt8(ascii: "#") where label == nil: section = section ?? at
      case UInt8(ascii: "|"): label = label ?? at
      default: break
      }
      at += 1
    }
    noWikiEnd = true
    return nil
  }

  /// Returns the range of a footnote, `[^1]`, or nil.
  private func footnote(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Range<Int>? {
    var at = start + 2
    while at < end, at - start < 64, bytes[at] > 0x20, bytes[at] != UInt8(ascii: "]") { at += 1 }
    guard at < end, at > start + 2, bytes[at] == UInt8(ascii: "]") else { return nil }
    return start..<at + 1
  }

  private mutating func close(_ bytes: Span<UInt8>, _ at: Int, _ end: Int) -> Int {
    guard let bracket = brackets.popLast(), at + 1 < end, bytes[at + 1] == UInt8(ascii: "(") else { return at + 1 }
    guard let (target, next) = target(bytes, at + 2, end) else {
      guard let inner = broken(bytes, at + 2, end) else { return at + 1 }
      links.append(
        MarkdownLink(form: .broken, range: bracket.start..<inner.upperBound + 1, page: inner, section: nil))
      return inner.upperBound + 1
    }
    add(bytes, bracket.isImage ? .image : .link, bracket.start..<next, target)
    return next
  }

  /// Returns the target that begins here and the end of the link; nil if it is not a target.
  private func target(_ bytes: Span<UInt8>, _ from: Int, _ end: Int) -> (Range<Int>, Int)? {
    var start = from
    while start < end, LineSyntax.isBlank(bytes[start]) { start += 1 }
    let limit = min(end, start + Self.longestTarget)
    var at = start
    if start < end, bytes[start] == UInt8(ascii: "<") {
      while at < limit, bytes[at] != UInt8(ascii: ">") { at += 1 }
      return at < limit ? (start + 1..<at, at + 1) : nil
    }
    var depth = 0
    while at < limit {
      switch bytes[at] {
      case UInt8(ascii: "\\"): at += 1
      case UInt8(ascii: "("):
        depth += 1
        if depth > Self.depth { return nil }
      case UInt8(ascii: ")"):
        if depth == 0 { return (start..<at, at + 1) }
        depth -= 1
      case 0x20, 0x09:
        // Unless a title follows, this is not a link.
        var next = at
        while next < limit, LineSyntax.isBlank(bytes[next]) { next += 1 }
        guard next < limit, depth == 0, [0x22, 0x27, 0x28, 0x29].contains(bytes[next]) else { return nil }
        return (start..<at, next)
      default: break
      }
      at += 1
    }
    return nil
  }

  /// Returns a target that is invalid because of its blanks, if it looks like an address or a file; otherwise nil.
  private func broken(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Range<Int>? {
    let limit = min(end, start + Self.longestTarget)
    var at = start
    var hasBlank = false
    while at < limit, bytes[at] != UInt8(ascii: ")") {
      if bytes[at] == UInt8(ascii: "(") || bytes[at] == UInt8(ascii: "\"") { return nil }
      hasBlank = hasBlank || bytes[at] == 0x20
      at += 1
    }
    guard at < limit, hasBlank else { return nil }
    if WebAddress.isWeb(bytes, start..<at) { return start..<at }
    // Text such as “(see the notes.md)”, with a file extension before the bracket, is rarely plain text.
    let ending = FileName.last(UTF8Reader.string(bytes, max(start, at - 32)..<at)).ending
    return ending == "md" || FileName.media.contains(ending ?? "") ? start..<at : nil
  }

  /// Records the line as a link if it has the form `[label]: target`, and returns whether it does.
  private mutating func definition(_ bytes: Span<UInt8>, _ line: Range<Int>) -> Bool {
    let start = line.lowerBound
    guard line.count > 4, bytes[start] == UInt8(ascii: "["), bytes[start + 1] != UInt8(ascii: "["),
      bytes[start + 1] != UInt8(ascii: "^")
    else { return false }
    var at = start + 1
    while at + 1 < line.upperBound, at - start < 200, bytes[at] != UInt8(ascii: "]") { at += 1 }
    guard at + 1 < line.upperBound, bytes[at] == UInt8(ascii: "]"), bytes[at + 1] == UInt8(ascii: ":") else {
      return false
    }
    var from = at + 2
    while from < line.upperBound, LineSyntax.isBlank(bytes[from]) { from += 1 }
    var end = from
    while end < line.upperBound, end - from < Self.longestTarget, bytes[end] > 0x20 { end += 1 }
    guard end > from else { return false }
    add(bytes, .link, line, from..<end)
    return true
  }

  // MARK: Angles

  /// Scans an address or an HTML tag.
  private mutating func angle(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int,
    _ construct: (MarkdownConstruct.Kind, Range<Int>) -> Void
  ) -> Int {
    var at = start + 1
    if at + 2 < end, bytes[at] == UInt8(ascii: "!"), bytes[at + 1] == 0x2D, bytes[at + 2] == 0x2D {
      construct(.html, start..<at + 3)
      return at + 3
    }
    while at < end, bytes[at] != UInt8(ascii: ">"), bytes[at] != UInt8(ascii: "<") { at += 1 }
    guard at < end, bytes[at] == UInt8(ascii: ">") else { return start + 1 }
    let inner = start + 1..<at
    if HTMLName.isTag(bytes, inner) {
      construct(.html, start..<at + 1)
    } else if WebAddress.begins(bytes, inner) {
      add(bytes, .address, start..<at + 1, inner)
    } else {
      // This is not a tag, so the text in between may contain links.
      return start + 1
    }
    return at + 1
  }

  // MARK: Pieces

  private mutating func add(
    _ bytes: Span<UInt8>, _ form: MarkdownLink.Form, _ range: Range<Int>, _ target: Range<Int>
  ) {
    let hash = bytes.extracting(first: target.upperBound).firstIndex(of: UInt8(ascii: "#"), from: target.lowerBound)
    links.append(
      MarkdownLink(
        form: form, range: range, page: target.lowerBound..<(hash ?? target.upperBound),
        section: hash.map { $0 + 1..<target.upperBound }))
  }

  private func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, LineSyntax.isBlank(bytes[start]) { start += 1 }
    while end > start, LineSyntax.isBlank(bytes[end - 1]) { end -= 1 }
    return start..<end
  }
}

/// The HTML elements that people use in Markdown.
enum HTMLName {
  private static let names: Set<String> = [
    "a", "abbr", "audio", "b", "big", "blockquote", "br", "button", "center", "code", "del", "details", "div", "em",
    "font", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "iframe", "img", "input", "ins", "kbd", "li", "link",
    "mark", "meta", "ol", "p", "pre", "q", "s", "script", "section", "small", "span", "strike", "strong", "style",
    "sub",
    "summary", "sup", "svg", "table", "tbody", "td", "th", "thead", "tr", "tt", "u", "ul", "video",
  ]

  /// Whether the text between `<` and `>` is a tag; `<boat's name>` is not.
  static func isTag(_ bytes: Span<UInt8>, _ inner: Range<Int>) -> Bool {
    var start = inner.lowerBound
    if start < inner.upperBound, bytes[start] == UInt8(ascii: "/") { start += 1 }
    var end = start
    while end < inner.upperBound, end - start < 12, isNamePart(bytes[end]) { end += 1 }
    guard end > start, end == inner.upperBound || bytes[end] <= 0x20 || bytes[end] == UInt8(ascii: "/") else {
      return false
    }
    guard names.contains(UTF8Reader.string(bytes, start..<end).lowercased()) else { return false }
    // Plain text continues with words, whereas attributes have an equals sign.
    let rest = bytes.extracting(end..<inner.upperBound)
    return rest.allSatisfy { $0 <= 0x20 || $0 == UInt8(ascii: "/") } || rest.contains(UInt8(ascii: "="))
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte &- 0x30 < 10
  }
}
