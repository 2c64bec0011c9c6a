/// The seven kinds of HTML blocks: the line that begins one, and what ends it.
/// - Source: CommonMark 0.30, section 4.6
enum HTMLBlockSyntax: Sendable {
  /// `<script>`, `<pre>`, `<style>`, `<textarea>`, up to a closing tag of one of them.
  case verbatim
  /// `<!--` … `-->`
  case comment
  /// `<?` … `?>`
  case instruction
  /// `<!X` … `>`
  case declaration
  /// `<![CDATA[` … `]]>`
  case characterData
  /// A tag of a block element, up to a blank line.
  case element
  /// Any other tag alone on its line, up to a blank line. It cannot interrupt a paragraph.
  case anyTag

  /// Whether a blank line ends it.
  var endsAtBlankLine: Bool { self == .element || self == .anyTag }

  /// Reads a line that begins with `<`; nil if no block begins there.
  init?(_ text: Span<UInt8>, at start: Int, end: Int) {
    guard start + 1 < end, text[start] == UInt8(ascii: "<") else { return nil }
    switch text[start + 1] {
    case UInt8(ascii: "!"):
      if Self.begins(text, start + 2, end, Self.commentStart) {
        self = .comment
      } else if start + 2 < end, Self.isLetter(text[start + 2]) {
        self = .declaration
      } else if Self.begins(text, start + 2, end, Self.characterDataStart) {
        self = .characterData
      } else {
        return nil
      }
    case UInt8(ascii: "?"): self = .instruction
    default:
      let isClosing = text[start + 1] == UInt8(ascii: "/")
      let name = isClosing ? start + 2 : start + 1
      var at = name
      while at < end, at - name <= Self.longestName, Self.isLetter(text[at]) || text[at] &- 0x30 < 10 { at += 1 }
      let word = at - name <= Self.longestName ? Self.word(text, name..<at) : ""
      let isSolitary = at == end || text[at] <= 0x20 || text[at] == UInt8(ascii: ">")
      if !isClosing, isSolitary, Self.verbatimNames.contains(word) {
        self = .verbatim
      } else if isSolitary || at + 1 < end && text[at] == UInt8(ascii: "/") && text[at + 1] == UInt8(ascii: ">"),
        Self.blockNames.contains(word)
      {
        self = .element
      } else if let behind = Self.tag(text, at: start, end: end),
        LineSyntax.skipBlanks(text, from: behind, end: end) == end, isClosing || !Self.verbatimNames.contains(word)
      {
        self = .anyTag
      } else {
        return nil
      }
    }
  }

  /// Whether a line of the block ends it.
  func isEnded(_ text: Span<UInt8>, by line: Range<Int>) -> Bool {
    switch self {
    case .comment: Self.contains(text, line, Self.commentEnd)
    case .instruction: Self.contains(text, line, Self.instructionEnd)
    case .declaration: Self.contains(text, line, Self.declarationEnd)
    case .characterData: Self.contains(text, line, Self.characterDataEnd)
    case .verbatim: Self.containsVerbatimEnd(text, line)
    case .element, .anyTag: false
    }
  }

  // MARK: Names

  private static let longestName = 10
  private static let verbatimNames: Set<String> = ["script", "pre", "style", "textarea"]
  private static let blockNames: Set<String> = [
    "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
    "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
    "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
    "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "section", "source",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul",
  ]

  private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }

  private static func word(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
    var word = ""
    for at in range { word.unicodeScalars.append(Unicode.Scalar(text[at] | 0x20)) }
    return word
  }

  // MARK: Searching

  private static let commentStart = Array("--".utf8)
  private static let commentEnd = Array("-->".utf8)
  private static let instructionEnd = Array("?>".utf8)
  private static let declarationEnd = Array(">".utf8)
  private static let characterDataStart = Array("[CDATA[".utf8)
  private static let characterDataEnd = Array("]]>".utf8)
  private static let closingTag = Array("</".utf8)

  private static func begins(_ text: Span<UInt8>, _ start: Int, _ end: Int, _ word: [UInt8]) -> Bool {
    guard start + word.count <= end else { return false }
    for offset in word.indices where text[start + offset] != word[offset] { return false }
    return true
  }

  private static func contains(_ text: Span<UInt8>, _ line: Range<Int>, _ word: [UInt8]) -> Bool {
    let first = word[0]
    for at in line where text[at] == first && begins(text, at, line.upperBound, word) { return true }
    return false
  }

  private static func containsVerbatimEnd(_ text: Span<UInt8>, _ line: Range<Int>) -> Bool {
    for at in line where text[at] == UInt8(ascii: "<") && begins(text, at, line.upperBound, closingTag) {
      var end = at + 2
      while end < line.upperBound, end - at - 2 <= longestName, isLetter(text[end]) { end += 1 }
      if end < line.upperBound, text[end] == UInt8(ascii: ">"), verbatimNames.contains(word(text, at + 2..<end)) {
        return true
      }
    }
    return false
  }

  // MARK: Tags

  /// The index behind a whole opening or closing tag; nil without one.
  private static func tag(_ text: Span<UInt8>, at start: Int, end: Int) -> Int? {
    var at = start + 1
    let isClosing = at < end && text[at] == UInt8(ascii: "/")
    if isClosing { at += 1 }
    guard at < end, isLetter(text[at]) else { return nil }
    while at < end, isLetter(text[at]) || text[at] &- 0x30 < 10 || text[at] == 0x2D { at += 1 }
    while !isClosing {
      let next = LineSyntax.skipBlanks(text, from: at, end: end)
      guard next > at, next < end, isAttributeStart(text[next]) else { break }
      at = next
      while at < end, isAttributeStart(text[at]) || text[at] &- 0x30 < 10 || text[at] == 0x2D || text[at] == 0x2E {
        at += 1
      }
      let sign = LineSyntax.skipBlanks(text, from: at, end: end)
      guard sign < end, text[sign] == UInt8(ascii: "=") else { continue }
      let value = LineSyntax.skipBlanks(text, from: sign + 1, end: end)
      guard value < end, let behind = attributeValue(text, at: value, end: end) else { return nil }
      at = behind
    }
    at = LineSyntax.skipBlanks(text, from: at, end: end)
    if !isClosing, at < end, text[at] == UInt8(ascii: "/") { at += 1 }
    return at < end && text[at] == UInt8(ascii: ">") ? at + 1 : nil
  }

  private static func isAttributeStart(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
  }

  private static func attributeValue(_ text: Span<UInt8>, at start: Int, end: Int) -> Int? {
    var at = start
    if text[start] == UInt8(ascii: "\"") || text[start] == UInt8(ascii: "'") {
      at += 1
      while at < end, text[at] != text[start] { at += 1 }
      return at < end ? at + 1 : nil
    }
    // " ' = < > ` and blanks cannot be in a value without quotes.
    while at < end, text[at] > 0x20, ![0x22, 0x27, 0x3D, 0x3C, 0x3E, 0x60].contains(text[at]) { at += 1 }
    return at > start ? at : nil
  }
}
