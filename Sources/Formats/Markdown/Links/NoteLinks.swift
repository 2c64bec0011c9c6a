import Foundation
import JSONText
import MarkdownSyntax
import Validation

/// The anchors and links in a note's body: its headings and blocks as hashes, and every link to another file or to a
/// section. Can be created on any thread, in time linear in the length of the text.
struct NoteLinks: Sendable {
  /// A link that may have a target in the vault.
  struct Link: Sendable {
    /// The syntax of the link.
    let form: Form
    /// The range of the page in `bytes`.
    let page: Range<Int>
    /// The range in `bytes` of the text after `#`; nil if the link has no `#`.
    let section: Range<Int>?
    let line: UInt32
    let column: UInt32
    /// The column at which the link ends; 0 if it ends on another line.
    let endColumn: UInt32
  }

  /// The syntax of a link.
  enum Form: UInt8, Sendable {
    /// `[[page]]`
    case wiki
    /// `![[page]]`
    case embed
    /// `[text](page.md)`
    case link
    /// `![text](image.png)`
    case image
    /// A link that cannot have a target. `page` is its text, and `section` is the reason.
    case broken
  }

  /// The sorted hashes of headings and blocks. A heading that occurs twice has two equal hashes.
  private(set) var anchors: [UInt32] = []
  /// The links in the order of the text.
  private(set) var links: [Link] = []
  /// The text of all links, one after another.
  private(set) var bytes: [UInt8] = []
  /// The lines that contain the links, for notes whose lines cannot be read from the disk again.
  private(set) var lines: [String] = []
  /// The number of links beyond the limit per note.
  private(set) var leftOut = 0

  /// The maximum number of links per note. A note with more links was generated, probably as an attack.
  private static let most = 20_000
  private static let longestLine = 2048

  /// Reads the links of a note.
  /// - Parameters:
  ///   - scan: a scan that the caller keeps, because its memory is reused for the next note.
  ///   - keepsLines: whether to keep the lines of links, which is necessary if the file is not in UTF-8.
  init(
    _ text: Span<UInt8>, body: Range<Int>, tree: MarkdownTree, scan: inout MarkdownScan,
    keepsLines: Bool = false
  ) {
    scan.scan(text, tree: tree)
    for heading in scan.headings { HeadingAnchors.append(text, heading.text, to: &anchors) }
    BlockMarks.append(text.extracting(body.clamped(to: 0..<text.count)), to: &anchors)
    if anchors.count > 1 { anchors.sort() }
    var counter = LinePlaces()
    for link in scan.links {
      guard let target = Target(link, text) else { continue }
      guard links.count < Self.most else {
        leftOut += 1
        continue
      }
      let start = counter.position(of: target.place.lowerBound, in: text)
      let end = counter.position(of: target.place.upperBound, in: text)
      let page = append(target.page)
      let section = target.section.map { append($0) }
      links.append(
        Link(
          form: target.form, page: page, section: section, line: UInt32(clamping: start.line),
          column: UInt32(clamping: start.column),
          endColumn: end.line == start.line ? UInt32(clamping: end.column) : 0))
      if keepsLines { lines.append(Self.line(around: target.place.lowerBound, in: text)) }
    }
  }

  private mutating func append(_ text: String) -> Range<Int> {
    let start = bytes.count
    bytes += text.utf8
    return start..<bytes.count
  }

  private static func line(around offset: Int, in text: Span<UInt8>) -> String {
    var start = offset
    while start > 0, text[start - 1] != 0x0A, offset - start <= longestLine { start -= 1 }
    var end = offset
    while end < text.count, text[end] != 0x0A, end - start <= longestLine { end += 1 }
    if end > start, text[end - 1] == 0x0D { end -= 1 }
    return end - start > longestLine ? "" : String(decoding: text.extracting(start..<end))
  }
}

extension NoteLinks {
  /// The target of a link, as named by the link.
  private struct Target {
    let form: Form
    let page: String
    let section: String?
    /// The range at which a finding points.
    let place: Range<Int>

    /// The maximum length of a name, in bytes. Longer text is not a name.
    private static let longest = 1024

    /// Reads the target of a link; nil if the target is outside the vault.
    init?(_ link: MarkdownLink, _ bytes: Span<UInt8>) {
      if let reason = BrokenLink.reason(link, bytes) {
        form = .broken
        page = Self.text(bytes, link.range)
        section = reason
        place = link.range
        return
      }
      guard link.page.count <= Self.longest, link.section?.count ?? 0 <= Self.longest else { return nil }
      switch link.form {
      case .wiki: form = .wiki
      case .embed: form = .embed
      case .link: form = .link
      case .image: form = .image
      case .address, .broken: return nil
      }
      // `[[1]](#source)` is a link whose text has brackets around it.
      if form == .wiki, link.range.upperBound < bytes.count, bytes[link.range.upperBound] == UInt8(ascii: "(") {
        return nil
      }
      let isOutside = bytes.withUnsafeBufferPointer {
        WebAddress.begins($0.span, link.page) || WebAddress.isWeb($0.span, link.page)
      }
      if isOutside { return nil }
      var page = Self.text(bytes, link.page)
      if form == .link || form == .image { page = FileName.decoded(Self.unescaped(page)) }
      // All programs treat a bare “#” as the top of the page. A link with template syntax has no known target until
      // Jekyll, Hugo or a template engine has inserted the text.
      if Self.isTemplate(page) { return nil }
      // In tables, Obsidian writes `[[page\|label]]`.
      if form == .wiki || form == .embed, link.section == nil, page.utf8.last == UInt8(ascii: "\\") {
        page.removeLast()
      }
      let section = link.section.map { FileName.decoded(Self.text(bytes, $0)) }.flatMap { $0.isEmpty ? nil : $0 }
      guard !page.isEmpty || section != nil, !page.utf8.contains(0) else { return nil }
      // A link to a name without an extension points to a page of a web site.
      if form == .link, !page.isEmpty, FileName.last(page).ending == nil { return nil }
      self.page = page
      self.section = section
      place = form == .image ? link.page : link.target
    }

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
      String(decoding: bytes.extracting(range).extracting(first: longest))
    }

    /// Whether the text contains `{{`, `{%` or `<%`.
    private static func isTemplate(_ text: String) -> Bool {
      zip(text.utf8, text.utf8.dropFirst()).contains { first, second in
        switch first {
        case UInt8(ascii: "{"): second == UInt8(ascii: "{") || second == UInt8(ascii: "%")
        case UInt8(ascii: "<"): second == UInt8(ascii: "%")
        default: false
        }
      }
    }

    /// Returns the text without backslash escapes, so that `\(` becomes a parenthesis.
    private static func unescaped(_ text: String) -> String {
      guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
      var out: [UInt8] = []
      var bytes = text.utf8[...]
      while let byte = bytes.popFirst() {
        if byte == UInt8(ascii: "\\"), let next = bytes.first, next > 0x20, next < 0x7F,
          !(next | 0x20 >= 0x61 && next | 0x20 <= 0x7A), next &- 0x30 >= 10
        {
          continue
        }
        out.append(byte)
      }
      return String(decoding: out, as: UTF8.self)
    }
  }
}

/// The hashes by which links may name a heading: the hash of its text, and the hash of the text without marks.
private enum HeadingAnchors {
  /// The maximum length of a heading, in bytes. Longer headings were not intended as headings.
  private static let longest = 1024

  /// Appends the hashes of a heading; usually there is only one.
  static func append(_ bytes: Span<UInt8>, _ range: Range<Int>, to keys: inout [UInt32]) {
    let key = LinkKey.heading(bytes, range)
    keys.append(key)
    guard range.count <= longest else { return }
    // Signs, links and names in braces are rare, and each of them contains one of these bytes.
    guard
      bytes.extracting(range).contains(where: { $0 == 0x5B || $0 == 0x7B || $0 >= 0xE2 || $0 == 0x26 || $0 == 0x3C })
    else {
      return
    }
    var text = String(decoding: bytes.extracting(range))
    if let name = removeName(from: &text) { keys.append(LinkKey.heading(name)) }
    let plain = LinkKey.heading(withoutSigns(withoutTargets(text)))
    if plain != key { keys.append(plain) }
  }

  /// Removes `{#name}`, with which MkDocs, Hugo and other programs name a heading, and returns the name.
  private static func removeName(from text: inout String) -> String? {
    guard text.utf8.last == UInt8(ascii: "}"), let open = text.utf8.lastIndex(of: UInt8(ascii: "{")) else { return nil }
    let inner = text[text.utf8.index(after: open)...].dropLast()
    // `{ #name }` and `{: #name .class }` are also accepted.
    guard let mark = inner.split(whereSeparator: { " :".contains($0) }).first(where: { $0.hasPrefix("#") }) else {
      return nil
    }
    let name = String(mark.dropFirst())
    text = String(text[..<open])
    return name
  }

  /// Returns the text without link targets: `[the chain](chain.md)` and `[[Chain|the chain]]` become `the chain`.
  private static func withoutTargets(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "[")) else { return text }
    var out: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "]"), bytes.first == UInt8(ascii: "("),
        let end = bytes.firstIndex(of: UInt8(ascii: ")"))
      {
        bytes = bytes[(end + 1)...]
      } else if byte == UInt8(ascii: "|"), let open = out.lastIndex(of: UInt8(ascii: "[")) {
        out.removeSubrange(open...)
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Returns the text without emoji and signs, which anchors do not contain.
  private static func withoutSigns(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .otherSymbol, .modifierSymbol, .mathSymbol, .currencySymbol, .privateUse, .format, .enclosingMark: continue
      default: if scalar.value != 0xFE0F { out.append(scalar) }
      }
    }
    return String(out)
  }
}

/// Finds the marks that Obsidian gives blocks: `^abc` at the end of a line.
private enum BlockMarks {
  private static let longest = 64

  /// Appends the hashes of the marks in the text.
  static func append(_ text: Span<UInt8>, to keys: inout [UInt32]) {
    var from = 0
    while let start = text.firstIndex(of: 0x5E, from: from) {
      var end = start + 1
      while end < text.count, end - start <= longest, isMark(text[end]) { end += 1 }
      from = end
      var rest = end
      while rest < text.count, text[rest] == 0x20 || text[rest] == 0x09 || text[rest] == 0x0D { rest += 1 }
      guard end > start + 1, start == 0 || text[start - 1] <= 0x20, rest == text.count || text[rest] == 0x0A else {
        continue
      }
      keys.append(LinkKey.block(String(decoding: text.extracting(start + 1..<end))))
    }
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte &- 0x30 < 10 || byte == 0x2D
  }
}

/// Counts lines and columns for offsets that mostly increase. Lines are counted by searching for line ends, and columns
/// only within one line.
struct LinePlaces {
  private var line = 1
  private var lineStart = 0
  /// The offset up to which the columns of the line have been counted.
  private var counted = 0
  private var column = 1

  /// Returns the line and column of byte `offset` in `text`, which must be the same text in every call.
  mutating func position(of offset: Int, in text: Span<UInt8>) -> TextPosition {
    let end = min(max(0, offset), text.count)
    if end < counted { (line, lineStart, counted, column) = (1, 0, 0, 1) }
    let before = text.extracting(first: end)
    while let found = before.firstIndex(of: 0x0A, from: counted) {
      line += 1
      lineStart = found + 1
      (counted, column) = (lineStart, 1)
    }
    for at in counted..<end where text[at] & 0xC0 != 0x80 { column += 1 }
    counted = end
    return TextPosition(line: line, column: column)
  }
}
