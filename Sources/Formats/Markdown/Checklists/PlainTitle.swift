import Content

/// Reads a title as people see it: without the marks of links, emphasis, code and highlights, and without comments.
///
/// `Check [[Engine|the engine]] **now**` becomes `Check the engine now`. Pictures, escaped marks and unpaired marks are
/// kept. The time is bounded because titles of more than `longest` bytes are not changed.
/// - Source: formats/markdown.md, "How people write checklists"
enum PlainTitle {
  /// A title that has marks.
  struct Reading {
    /// The text that is shown. Its range is the range of the whole title, marks included.
    var text: SourcedText
    /// The ranges of marks in the note.
    var marks: [Range<Int>] = []
    /// The ranges of link targets in the note.
    var targets: [Range<Int>] = []
    /// The ranges of comments in the note.
    var comments: [Range<Int>] = []
  }

  /// The longest title that is examined, in bytes.
  static let longest = 2048

  /// Whether a title shows all of its bytes.
  static func isPlain(_ bytes: [UInt8]) -> Bool { read(SourcedText(bytes: bytes, range: 0..<bytes.count)) == nil }

  /// Reads a title.
  /// - Returns: nil if the title has no marks, or consists only of marks.
  static func read(_ title: SourcedText) -> Reading? {
    guard title.bytes.count <= longest, title.bytes.contains(where: TitleMarks.isFirst) else { return nil }
    var marks = TitleMarks(title.bytes)
    marks.read(0..<title.bytes.count)
    guard !marks.removed.isEmpty else { return nil }
    marks.trim()
    guard !marks.kept.isEmpty else { return nil }
    var text = SourcedText(bytes: [], range: title.range)
    for part in marks.kept {
      let piece = title.part(part)
      let pieces = piece.stretches.isEmpty ? [.init(value: 0, source: piece.range.lowerBound)] : piece.stretches
      text.stretches += pieces.map { .init(value: text.bytes.count + $0.value, source: $0.source) }
      text.bytes += piece.bytes
    }
    var reading = Reading(text: text)
    for removed in marks.removed {
      let ranges = sources(of: removed.range, in: title)
      switch removed.kind {
      case .mark: reading.marks += ranges
      case .target: reading.targets += ranges
      case .comment: reading.comments += ranges
      }
    }
    return reading
  }

  /// Returns the note ranges from which a part of a title was read, line by line.
  private static func sources(of part: Range<Int>, in title: SourcedText) -> [Range<Int>] {
    let piece = title.part(part)
    guard !piece.stretches.isEmpty else { return [piece.range] }
    return piece.stretches.enumerated().map { index, stretch in
      let end = index + 1 < piece.stretches.count ? piece.stretches[index + 1].value : piece.bytes.count
      return stretch.source..<stretch.source + end - stretch.value
    }
  }
}

/// Separates the bytes of a title that are shown from its marks.
private struct TitleMarks {
  enum Kind { case mark, target, comment }

  private let bytes: [UInt8]
  /// The ranges that are shown, in order.
  private(set) var kept: [Range<Int>] = []
  private(set) var removed: [(range: Range<Int>, kind: Kind)] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether a byte may begin a mark.
  static func isFirst(_ byte: UInt8) -> Bool { "[*_`=%<".utf8.contains(byte) }

  private mutating func appendKept(_ range: Range<Int>) {
    if range.isEmpty { return }
    if let last = kept.last, last.upperBound == range.lowerBound {
      kept[kept.count - 1] = last.lowerBound..<range.upperBound
    } else {
      kept.append(range)
    }
  }

  private mutating func remove(_ range: Range<Int>, _ kind: Kind = .mark) {
    if !range.isEmpty { removed.append((range, kind)) }
  }

  mutating func read(_ range: Range<Int>) {
    var at = range.lowerBound
    while at < range.upperBound {
      let next: Int?
      switch bytes[at] {
      case UInt8(ascii: "\\"): next = nil
      case UInt8(ascii: "!"): next = picture(at, range.upperBound)
      case UInt8(ascii: "["): next = wikiLink(at, range.upperBound) ?? link(at, range.upperBound)
      case UInt8(ascii: "`"): next = code(at, range.upperBound)
      case UInt8(ascii: "%"): next = comment(at, range.upperBound)
      case UInt8(ascii: "<"): next = hiddenComment(at, range.upperBound)
      case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "="): next = emphasis(at, range.upperBound)
      default: next = nil
      }
      if let next {
        at = next
      } else {
        // A character after a backslash is not a mark.
        let end = min(range.upperBound, at + (bytes[at] == UInt8(ascii: "\\") ? 2 : 1))
        appendKept(at..<end)
        at = end
      }
    }
  }

  /// Removes blanks at both ends, and one of the two blanks that a removed comment leaves between words.
  mutating func trim() {
    while let first = kept.first {
      let start = first.first { !NoteLines.isBlank(bytes[$0]) } ?? first.upperBound
      remove(first.lowerBound..<start)
      kept[0] = start..<first.upperBound
      if !kept[0].isEmpty { break }
      kept.removeFirst()
    }
    while let last = kept.last {
      let end = last.last { !NoteLines.isBlank(bytes[$0]) }.map { $0 + 1 } ?? last.lowerBound
      remove(end..<last.upperBound)
      kept[kept.count - 1] = last.lowerBound..<end
      if end > last.lowerBound { break }
      kept.removeLast()
    }
    for index in kept.indices.dropFirst()
    where NoteLines.isBlank(bytes[kept[index].lowerBound]) && NoteLines.isBlank(bytes[kept[index - 1].upperBound - 1])
      && removed.contains(where: { $0.kind == .comment && $0.range.upperBound == kept[index].lowerBound })
    {
      remove(kept[index].lowerBound..<kept[index].lowerBound + 1)
      kept[index] = kept[index].lowerBound + 1..<kept[index].upperBound
    }
    kept.removeAll(where: \.isEmpty)
  }

  // MARK: Marks. Each function returns the byte after the mark, or nil if there is none.

  /// Reads a picture, `![alt](x)` or `![[x]]`, which is shown unchanged.
  private mutating func picture(_ at: Int, _ end: Int) -> Int? {
    guard at + 1 < end, bytes[at + 1] == UInt8(ascii: "[") else { return nil }
    let close: Int?
    if at + 2 < end, bytes[at + 2] == UInt8(ascii: "[") {
      close = find("]]", from: at + 3, to: end).map { $0 + 2 }
    } else {
      close = linkParts(at + 1, end)?.end
    }
    guard let close else { return nil }
    appendKept(at..<close)
    return close
  }

  /// Reads a wiki link: `[[page]]` or `[[page|label]]`.
  private mutating func wikiLink(_ at: Int, _ end: Int) -> Int? {
    guard at + 1 < end, bytes[at + 1] == UInt8(ascii: "["), let close = find("]]", from: at + 2, to: end) else {
      return nil
    }
    let inside = at + 2..<close
    guard !inside.contains(where: { bytes[$0] == UInt8(ascii: "[") || bytes[$0] == UInt8(ascii: "]") }),
      inside.contains(where: { !NoteLines.isBlank(bytes[$0]) })
    else { return nil }
    var label = inside
    if let bar = inside.first(where: { bytes[$0] == UInt8(ascii: "|") }), bar + 1 < close, bar > inside.lowerBound {
      label = bar + 1..<close
    }
    guard label.contains(where: { !NoteLines.isBlank(bytes[$0]) }) else { return nil }
    remove(at..<at + 2)
    remove(inside.lowerBound..<label.lowerBound, .target)
    appendKept(label)
    remove(close..<close + 2)
    return close + 2
  }

  /// Reads a link: `[label](target)`.
  private mutating func link(_ at: Int, _ end: Int) -> Int? {
    guard let parts = linkParts(at, end), !parts.label.isEmpty else { return nil }
    remove(at..<at + 1)
    read(parts.label)
    remove(parts.label.upperBound..<parts.end, .target)
    return parts.end
  }

  private func linkParts(_ at: Int, _ end: Int) -> (label: Range<Int>, end: Int)? {
    guard let close = bytes[at + 1..<end].firstIndex(where: { $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: "[") }),
      bytes[close] == UInt8(ascii: "]"), close + 1 < end, bytes[close + 1] == UInt8(ascii: "(")
    else { return nil }
    var depth = 0
    for index in close + 1..<end {
      if bytes[index] == UInt8(ascii: "(") { depth += 1 }
      if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
      if depth == 0 { return index == close + 2 ? nil : (at + 1..<close, index + 1) }
    }
    return nil
  }

  private mutating func code(_ at: Int, _ end: Int) -> Int? {
    let width = run(at, end)
    var close = at + width
    while close < end {
      guard bytes[close] == UInt8(ascii: "`") else {
        close += 1
        continue
      }
      let other = run(close, end)
      if other == width, close > at + width {
        remove(at..<at + width)
        appendKept(at + width..<close)
        remove(close..<close + width)
        return close + width
      }
      close += other
    }
    // A shorter run of marks cannot begin inside a longer run.
    appendKept(at..<at + width)
    return at + width
  }

  /// Reads an Obsidian comment: `%%comment%%`.
  private mutating func comment(_ at: Int, _ end: Int) -> Int? {
    guard at + 1 < end, bytes[at + 1] == UInt8(ascii: "%"), let close = find("%%", from: at + 2, to: end) else {
      return nil
    }
    remove(at..<close + 2, .comment)
    return close + 2
  }

  /// Reads an HTML comment: `<!-- comment -->`.
  private mutating func hiddenComment(_ at: Int, _ end: Int) -> Int? {
    guard end - at >= 7, bytes[at..<at + 4].elementsEqual("<!--".utf8), var close = find("--", from: at + 4, to: end)
    else { return nil }
    while close + 2 < end, bytes[close + 2] != UInt8(ascii: ">") {
      guard let next = find("--", from: close + 1, to: end) else { return nil }
      close = next
    }
    guard close + 2 < end else { return nil }
    remove(at..<close + 3, .comment)
    return close + 3
  }

  /// Reads emphasis around whole words: `*x*`, `**x**`, `***x***`, the same forms with `_`, and `==x==`.
  private mutating func emphasis(_ at: Int, _ end: Int) -> Int? {
    let sign = bytes[at]
    let width = run(at, end)
    let inner = at + width
    let isMark = sign == UInt8(ascii: "=") ? width == 2 : width <= 3
    if isMark, inner < end, !NoteLines.isBlank(bytes[inner]), at == 0 || !isWord(bytes[at - 1]) {
      var close = inner + 1
      while close < end {
        guard bytes[close] == sign else {
          close += bytes[close] == UInt8(ascii: "\\") ? 2 : 1
          continue
        }
        let other = run(close, end)
        if other == width, !NoteLines.isBlank(bytes[close - 1]),
          close + other == bytes.count || !isWord(bytes[close + other])
        {
          remove(at..<inner)
          read(inner..<close)
          remove(close..<close + width)
          return close + width
        }
        close += other
      }
    }
    appendKept(at..<inner)
    return inner
  }

  private func run(_ at: Int, _ end: Int) -> Int { bytes[at..<end].prefix { $0 == bytes[at] }.count }

  private func isWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }

  private func find(_ mark: StaticString, from start: Int, to end: Int) -> Int? {
    guard start <= end - 2 else { return nil }
    return (start..<end - 1).first { bytes[$0] == mark.utf8Start[0] && bytes[$0 + 1] == mark.utf8Start[1] }
  }
}

/// Finds the machine-readable suffix of a heading or an item: a block id (` ^abc123`), and MkDocs and Kramdown
/// attributes (`{#id}`, `{: .class }`). The suffix is not part of the title.
enum TitleSuffix {
  /// Returns the start of the suffix, including the blanks before it, or the end of `part` if there is no suffix.
  static func start<Bytes: RandomAccessCollection>(_ text: Bytes, _ part: Range<Int>) -> Int
  where Bytes.Element == UInt8, Bytes.Index == Int {
    var end = trimmed(text, part)
    let last = end
    // A title may end with one block id and one attribute list, in either order.
    for _ in 0..<2 {
      guard let start = blockID(text, part.lowerBound, end) ?? attributes(text, part.lowerBound, end) else { break }
      end = trimmed(text, part.lowerBound..<start)
    }
    // A title that consists only of such a suffix is kept.
    return end == last || end == part.lowerBound ? part.upperBound : end
  }

  /// Returns the text without its suffix.
  static func strip(_ text: SourcedText) -> (SourcedText, marks: [Range<Int>]) {
    let start = start(text.bytes, 0..<text.bytes.count)
    guard start < text.bytes.count else { return (text, []) }
    return (text.part(0..<start), [text.source(of: start..<text.bytes.count)])
  }

  private static func trimmed<Bytes: RandomAccessCollection>(_ text: Bytes, _ part: Range<Int>) -> Int
  where Bytes.Element == UInt8, Bytes.Index == Int {
    var end = part.upperBound
    while end > part.lowerBound, NoteLines.isBlank(text[end - 1]) { end -= 1 }
    return end
  }

  /// Returns the start of a block id at the end: ` ^abc-123`.
  private static func blockID<Bytes: RandomAccessCollection>(_ text: Bytes, _ lower: Int, _ end: Int) -> Int?
  where Bytes.Element == UInt8, Bytes.Index == Int {
    var at = end
    while at > lower, end - at <= 64, isName(text[at - 1]) { at -= 1 }
    guard at < end, at - 1 > lower, text[at - 1] == UInt8(ascii: "^"), NoteLines.isBlank(text[at - 2]) else {
      return nil
    }
    return at - 1
  }

  /// Returns the start of an attribute list at the end: `{#id}`, `{ #id .class }`, `{: .class key="value" }`.
  private static func attributes<Bytes: RandomAccessCollection>(_ text: Bytes, _ lower: Int, _ end: Int) -> Int?
  where Bytes.Element == UInt8, Bytes.Index == Int {
    guard end - lower > 3, text[end - 1] == UInt8(ascii: "}") else { return nil }
    var at = end - 2
    while at > lower, end - at <= 200, text[at] != UInt8(ascii: "{"), text[at] != UInt8(ascii: "}") { at -= 1 }
    guard at > lower, text[at] == UInt8(ascii: "{"), NoteLines.isBlank(text[at - 1]) || text[at + 1] == 0x23 else {
      return nil
    }
    var first = at + 1
    if text[first] == UInt8(ascii: ":") { first += 1 }
    while first < end - 1, NoteLines.isBlank(text[first]) { first += 1 }
    guard first + 1 < end - 1, text[first] == UInt8(ascii: "#") || text[first] == UInt8(ascii: "."),
      isName(text[first + 1])
    else { return nil }
    return at
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
  }
}
