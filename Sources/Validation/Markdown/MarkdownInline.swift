import MarkdownSyntax

/// Finds links, images, HTML and footnotes inside lines.
///
/// Every search that fails is remembered for the rest of its line, every other one moves the reader on or ends
/// after a fixed number of bytes: no text makes it slow.
struct MarkdownInline {
  private(set) var links: [MarkdownLink] = []

  private struct Bracket {
    let start: Int
    let isImage: Bool
  }

  /// Brackets that wait for their end; more than this many inside each other are no link.
  private static let depth = 32
  /// Longer targets are no links.
  private static let longestTarget = 2000

  private var brackets: [Bracket] = []
  /// Lengths of runs of backticks that have no partner on this line.
  private var lonelyBackticks: UInt64 = 0
  private var noWikiEnd = false

  /// Forgets everything.
  mutating func begin() {
    links.removeAll(keepingCapacity: true)
    brackets.removeAll(keepingCapacity: true)
  }

  /// Brackets do not reach over the end of a paragraph.
  mutating func paragraphEnds() { brackets.removeAll(keepingCapacity: true) }

  /// Looks at one line, or at what follows a list item's mark.
  mutating func scan(
    _ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, _ construct: (MarkdownConstruct.Kind, Range<Int>) -> Void
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

  /// The next byte that means something inside a line: one of \ ` [ ] <.
  private static func mark(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Int {
    guard start < end else { return end }
    // In ASCII the brackets stand on both sides of the backslash.
    return ByteSearch.first(in: bytes, from: start, to: end) {
      ByteSearch.within($0, 0x5B...0x5D) | ByteSearch.equal($0, UInt8(ascii: "`"))
        | ByteSearch.equal($0, UInt8(ascii: "<"))
    }
  }

  // MARK: Code

  /// Behind the code that begins here, or behind the backticks when nothing ends it.
  private mutating func code(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Int {
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
    _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, _ end: Int,
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

  private mutating func wiki(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int, isEmbed: Bool) -> Int? {
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
      // The inner of two openings counts; the outer ones are text.
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

  /// `[^1]`
  private func footnote(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Range<Int>? {
    var at = start + 2
    while at < end, at - start < 64, bytes[at] > 0x20, bytes[at] != UInt8(ascii: "]") { at += 1 }
    guard at < end, at > start + 2, bytes[at] == UInt8(ascii: "]") else { return nil }
    return start..<at + 1
  }

  private mutating func close(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, _ end: Int) -> Int {
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

  /// The target that begins here, and where the link ends.
  private func target(_ bytes: UnsafeBufferPointer<UInt8>, _ from: Int, _ end: Int) -> (Range<Int>, Int)? {
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
        // A title follows, or this is no link.
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

  /// What was meant for a target, an address or a file, and is none because of its blanks.
  private func broken(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Range<Int>? {
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
    // “(see the notes.md)” is hardly ever text: a file's ending stands before the bracket.
    let ending = FileName.last(UTF8Reader.string(bytes, max(start, at - 32)..<at)).ending
    return ending == "md" || FileName.media.contains(ending ?? "") ? start..<at : nil
  }

  /// Whether the line is `[label]: target`.
  private mutating func definition(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Bool {
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

  /// An address, or a tag of HTML.
  private mutating func angle(
    _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int,
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
      // Not a tag: what stands between may hold links.
      return start + 1
    }
    return at + 1
  }

  // MARK: Pieces

  private mutating func add(
    _ bytes: UnsafeBufferPointer<UInt8>, _ form: MarkdownLink.Form, _ range: Range<Int>, _ target: Range<Int>
  ) {
    let hash = bytes[target].firstIndex(of: UInt8(ascii: "#"))
    links.append(
      MarkdownLink(
        form: form, range: range, page: target.lowerBound..<(hash ?? target.upperBound),
        section: hash.map { $0 + 1..<target.upperBound }))
  }

  private func trimmed(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, LineSyntax.isBlank(bytes[start]) { start += 1 }
    while end > start, LineSyntax.isBlank(bytes[end - 1]) { end -= 1 }
    return start..<end
  }
}
