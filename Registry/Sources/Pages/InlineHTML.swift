/// Writes the text of one Markdown block as HTML: code, emphasis, links, pictures, escapes and line breaks.
///
/// Tags come only from this type; all text is escaped, so HTML in the text is shown as text. Links have the schemes
/// http, https and mailto, pictures only https; other links lose their target and keep their text. The time is linear in
/// the length of the text, whatever the text contains.
/// - Source: CommonMark 0.31, "Inlines" and appendix "A parsing strategy"; docs/adr/0022
struct InlineHTML {
  /// The link reference definitions of a document.
  struct Definitions {
    /// The targets, by normalized label.
    var targets: [String: [UInt8]] = [:]
    /// The number of bytes that further references may add, so that many references to one long target cannot become
    /// a page of any size.
    var budget: Int
  }

  private let text: [UInt8]
  private var definitions: Definitions
  private var at = 0
  /// Escaped text, to which tokens refer.
  private var pool: [UInt8] = []
  private var tokens: [Token] = []
  private var delimiters: [Delimiter] = []
  private var brackets: [Bracket] = []
  /// The number of brackets, counted from the first, that cannot begin a link because a link is inside them.
  private var inactive = 0
  /// The positions of the runs of backticks, by length, in reverse order. Nil until a backtick is found.
  private var backticks: [Int: [Int]]?

  /// A part of the output.
  private struct Token {
    var isText: Bool
    /// The part of the pool with the token's text; empty for delimiters.
    var range: Range<Int>
    /// Delimiters that are not emphasis.
    var mark: UInt8 = 0
    var count = 0
    /// The tags before and after the text.
    var before: [UInt8] = []
    var after: [UInt8] = []
    /// For a delimiter, whether each emphasis that begins with it is strong, from the innermost one.
    var opened: [Bool] = []
  }

  /// A run of `*` or `_`.
  private struct Delimiter {
    let token: Int
    let length: Int
    let canOpen: Bool
    let canClose: Bool
    /// The index of the previous delimiter that has not been removed.
    var previous: Int
    var isRemoved = false
  }

  /// A `[` or `![`.
  private struct Bracket {
    let token: Int
    let isImage: Bool
    /// The position of the text after the bracket.
    let start: Int
    /// The number of delimiters before the bracket.
    let delimiters: Int
    /// Whether another bracket follows, so that the text cannot be a label.
    var isNested = false
  }

  /// Appends the HTML of a block's text to `out`.
  /// - Parameter text: the lines without the marks of their containers, separated by line feeds.
  static func append(_ text: [UInt8], _ definitions: inout Definitions, to out: inout [UInt8]) {
    var inline = InlineHTML(text: text, definitions: definitions)
    inline.parse()
    inline.emphasize(from: 0)
    for token in inline.tokens { inline.write(token, to: &out) }
    definitions.budget = inline.definitions.budget
  }

  private init(text: [UInt8], definitions: Definitions) {
    self.text = text
    self.definitions = definitions
    pool.reserveCapacity(text.count + text.count / 8)
  }

  private func write(_ token: Token, to out: inout [UInt8]) {
    out += token.before
    out += pool[token.range]
    out += repeatElement(token.mark, count: token.count)
    for isStrong in token.opened.reversed() { out += (isStrong ? "<strong>" : "<em>").utf8 }
    out += token.after
  }

  // MARK: The text

  private mutating func parse() {
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: "\\"): escape()
      case UInt8(ascii: "`"): code()
      case UInt8(ascii: "*"), UInt8(ascii: "_"): delimiter()
      case UInt8(ascii: "["): open(isImage: false)
      case UInt8(ascii: "!") where at + 1 < text.count && text[at + 1] == UInt8(ascii: "["): open(isImage: true)
      case UInt8(ascii: "]"): close()
      case UInt8(ascii: "<"): angle()
      case UInt8(ascii: "&"): entity()
      case UInt8(ascii: "\n"): lineBreak()
      default: plain()
      }
    }
  }

  /// Appends the bytes of `text` in a range as escaped text.
  private mutating func append(_ range: Range<Int>) {
    let (text, start) = (text, pool.count)
    Markup.append(text.span.extracting(range), to: &pool)
    extendText(from: start)
  }

  /// Makes everything in the pool from `start` a part of the last text token, or a new one.
  private mutating func extendText(from start: Int) {
    if let last = tokens.indices.last, tokens[last].isText, tokens[last].range.upperBound == start {
      tokens[last].range = tokens[last].range.lowerBound..<pool.count
    } else {
      tokens.append(Token(isText: true, range: start..<pool.count))
    }
  }

  private mutating func appendTag(_ tag: [UInt8]) {
    tokens.append(Token(isText: false, range: pool.count..<pool.count, before: tag))
  }

  private static let special: [Bool] = (0..<256).map { "\\`*_[!]<&\n".utf8.contains(UInt8($0)) }

  private mutating func plain() {
    let start = at
    at += 1
    while at < text.count, !Self.special[Int(text[at])] { at += 1 }
    append(start..<at)
  }

  private mutating func literal() {
    append(at..<at + 1)
    at += 1
  }

  private mutating func escape() {
    guard at + 1 < text.count else { return literal() }
    if text[at + 1] == UInt8(ascii: "\n") {
      at += 2
      return appendTag(Array("<br>\n".utf8))
    }
    if Self.isPunctuation(text[at + 1]) { at += 1 }
    literal()
  }

  private mutating func lineBreak() {
    var spaces = 0
    if let last = tokens.last, last.isText {
      while pool.count > last.range.lowerBound, pool.last == 0x20 {
        pool.removeLast()
        spaces += 1
      }
      tokens[tokens.count - 1].range = last.range.lowerBound..<pool.count
    }
    at += 1
    appendTag(Array((spaces >= 2 ? "<br>\n" : "\n").utf8))
  }

  private mutating func code() {
    let length = run(at, UInt8(ascii: "`"))
    if backticks == nil { backticks = allBackticks() }
    while let next = backticks?[length]?.last, next <= at { backticks?[length]?.removeLast() }
    guard let closing = backticks?[length]?.last else {
      append(at..<at + length)
      at += length
      return
    }
    var content = text[(at + length)..<closing].map { $0 == 0x0A ? 0x20 : $0 }
    if content.first == 0x20, content.last == 0x20, content.contains(where: { $0 != 0x20 }) {
      content = Array(content.dropFirst().dropLast())
    }
    let start = pool.count
    Markup.append(content.span, to: &pool)
    tokens.append(
      Token(isText: false, range: start..<pool.count, before: Array("<code>".utf8), after: Array("</code>".utf8)))
    at = closing + length
  }

  private func allBackticks() -> [Int: [Int]] {
    var found: [Int: [Int]] = [:]
    var at = 0
    while at < text.count {
      let length = run(at, UInt8(ascii: "`"))
      if length > 0 { found[length, default: []].append(at) }
      at += max(1, length)
    }
    return found.mapValues { $0.reversed() }
  }

  /// Returns the number of bytes equal to `mark` from a position.
  private func run(_ start: Int, _ mark: UInt8) -> Int {
    var end = start
    while end < text.count, text[end] == mark { end += 1 }
    return end - start
  }

  /// Passes character references to the browser, which decodes them as text.
  private mutating func entity() {
    var end = at + 1
    let isNumber = end < text.count && text[end] == UInt8(ascii: "#")
    if isNumber { end += 1 }
    let start = end
    while end < text.count, end - start < 32, Self.isAlphanumeric(text[end]) { end += 1 }
    guard end > start, end < text.count, text[end] == UInt8(ascii: ";") else { return literal() }
    let before = pool.count
    pool += text[at...end]
    extendText(from: before)
    at = end + 1
  }

  /// Reads an address in angle brackets, or `<br>`.
  private mutating func angle() {
    var end = at + 1
    while end < text.count, text[end] > 0x20, text[end] != UInt8(ascii: "<"), text[end] != UInt8(ascii: ">") {
      end += 1
    }
    let content = text[(at + 1)..<end]
    let word = String(decoding: content.prefix(4), as: UTF8.self).lowercased()
    if word == "br" || word == "br/", content.count <= 3 {
      while end < text.count, text[end] == 0x20 || text[end] == UInt8(ascii: "/") { end += 1 }
      if end < text.count, text[end] == UInt8(ascii: ">") {
        at = end + 1
        return appendTag(Array("<br>".utf8))
      }
    }
    guard end < text.count, text[end] == UInt8(ascii: ">") else { return literal() }
    let isAddress = content.contains(UInt8(ascii: "@")) && !content.contains(UInt8(ascii: ":"))
    guard isAddress || Self.hasScheme(content) else { return literal() }
    let target = isAddress ? Array("mailto:".utf8) + content : Array(content)
    let tags = Self.linkTag(target)
    appendTag(tags ?? [])
    append(at + 1..<end)
    appendTag(tags == nil ? [] : Array("</a>".utf8))
    at = end + 1
  }

  // MARK: Links

  private mutating func open(isImage: Bool) {
    if !brackets.isEmpty { brackets[brackets.count - 1].isNested = true }
    let end = at + (isImage ? 2 : 1)
    let (text, start) = (text, pool.count)
    Markup.append(text.span.extracting(at..<end), to: &pool)
    tokens.append(Token(isText: true, range: start..<pool.count))
    brackets.append(
      Bracket(token: tokens.count - 1, isImage: isImage, start: end, delimiters: delimiters.count))
    // The bracket may become a tag, so the following text needs a token of its own.
    tokens.append(Token(isText: true, range: pool.count..<pool.count))
    at = end
  }

  private mutating func close() {
    guard let bracket = brackets.popLast() else { return literal() }
    let isActive = bracket.isImage || brackets.count >= inactive
    inactive = min(inactive, brackets.count)
    guard isActive, let (target, end) = target(of: bracket) else { return literal() }
    emphasize(from: bracket.delimiters)
    tokens[bracket.token].range = pool.count..<pool.count
    tokens[bracket.token].isText = false
    if bracket.isImage {
      picture(target, from: bracket.token)
    } else {
      inactive = brackets.count
      if let tag = Self.linkTag(target) {
        tokens[bracket.token].before = tag
        appendTag(Array("</a>".utf8))
      }
    }
    at = end
    // Text after the link must not become a part of it.
    tokens.append(Token(isText: true, range: pool.count..<pool.count))
  }

  /// Replaces the tokens of a picture's text by the picture. Without an address that can be loaded, the text remains.
  private mutating func picture(_ target: [UInt8], from first: Int) {
    guard Self.begins(target, "https://") else { return }
    var tag = Array("<img loading=\"lazy\" src=\"".utf8)
    Markup.append(target.span, to: &tag)
    tag += "\" alt=\"".utf8
    for token in tokens[(first + 1)...] {
      if token.isText { tag += pool[token.range] }
      tag += repeatElement(token.mark, count: token.count)
    }
    tag += "\">".utf8
    tokens.removeLast(tokens.count - first)
    appendTag(tag)
  }

  /// Returns the target after a closing bracket, or the target of a label, and the position after the link.
  private mutating func target(of bracket: Bracket) -> (target: [UInt8], end: Int)? {
    var next = at + 1
    if next < text.count, text[next] == UInt8(ascii: "("),
      let found = LinkTarget.parenthesized(text.span, from: next + 1)
    {
      return found
    }
    guard !definitions.targets.isEmpty else { return nil }
    var label = bracket.start..<at
    if next < text.count, text[next] == UInt8(ascii: "["), let end = LinkTarget.labelEnd(text.span, from: next + 1) {
      if end > next + 1 { label = next + 1..<end }
      next = end + 1
    }
    guard label.lowerBound != bracket.start || !bracket.isNested, label.count < 1000,
      let target = definitions.targets[LinkTarget.normalized(text[label])], target.count <= definitions.budget
    else { return nil }
    definitions.budget -= target.count
    return (target, next)
  }

  /// Returns the opening tag of a link; nil for an address with another scheme, or without one.
  private static func linkTag(_ target: [UInt8]) -> [UInt8]? {
    guard begins(target, "https://") || begins(target, "http://") || begins(target, "mailto:") else { return nil }
    var tag = Array("<a rel=\"nofollow ugc\" href=\"".utf8)
    Markup.append(target.span, to: &tag)
    return tag + "\">".utf8
  }

  private static func begins(_ target: [UInt8], _ scheme: String) -> Bool {
    let beginning = target.prefix(scheme.utf8.count)
    return beginning.count == scheme.utf8.count
      && zip(beginning, scheme.utf8).allSatisfy { $0 == $1 || $0 >= 0x41 && $0 <= 0x5A && $0 | 0x20 == $1 }
  }

  private static func hasScheme(_ target: ArraySlice<UInt8>) -> Bool {
    guard let colon = target.firstIndex(of: UInt8(ascii: ":")), (2...32).contains(colon - target.startIndex),
      let first = target.first, isAlphanumeric(first), first > 0x39
    else { return false }
    return target[..<colon].allSatisfy { isAlphanumeric($0) || "+.-".utf8.contains($0) }
  }

  // MARK: Emphasis

  private mutating func delimiter() {
    let mark = text[at]
    let length = run(at, mark)
    let before = scalar(before: at)
    let after = scalar(from: at + length)
    let isLeft = !Self.isSpace(after) && (!Self.isMark(after) || Self.isSpace(before) || Self.isMark(before))
    let isRight = !Self.isSpace(before) && (!Self.isMark(before) || Self.isSpace(after) || Self.isMark(after))
    let isStar = mark == UInt8(ascii: "*")
    tokens.append(Token(isText: false, range: pool.count..<pool.count, mark: mark, count: length))
    delimiters.append(
      Delimiter(
        token: tokens.count - 1, length: length, canOpen: isLeft && (isStar || !isRight || Self.isMark(before)),
        canClose: isRight && (isStar || !isLeft || Self.isMark(after)), previous: delimiters.count - 1))
    at += length
  }

  /// Turns the delimiters after the first `bottom` ones into emphasis, and removes them.
  private mutating func emphasize(from bottom: Int) {
    // For each kind of closing delimiter, the index up to which there is no opening one.
    var lowest = [Int](repeating: bottom - 1, count: 12)
    var closer = bottom
    while closer < delimiters.count {
      let closing = delimiters[closer]
      guard closing.canClose, !closing.isRemoved, tokens[closing.token].count > 0 else {
        closer += 1
        continue
      }
      let kind =
        (tokens[closing.token].mark == UInt8(ascii: "*") ? 0 : 6) + (closing.canOpen ? 3 : 0) + closing.length % 3
      if let opener = opener(of: closer, above: lowest[kind]) {
        let (first, last) = (delimiters[opener].token, closing.token)
        let isStrong = tokens[first].count >= 2 && tokens[last].count >= 2
        tokens[first].opened.append(isStrong)
        tokens[last].before += (isStrong ? "</strong>" : "</em>").utf8
        tokens[first].count -= isStrong ? 2 : 1
        tokens[last].count -= isStrong ? 2 : 1
        // Delimiters between the two are text.
        delimiters[closer].previous = tokens[first].count > 0 ? opener : delimiters[opener].previous
      } else {
        lowest[kind] = delimiters[closer].previous
        delimiters[closer].isRemoved = !closing.canOpen
        closer += 1
      }
    }
    delimiters.removeLast(delimiters.count - bottom)
  }

  /// Returns the nearest delimiter that a closing one matches; nil if no delimiter above `lowest` matches.
  private mutating func opener(of closer: Int, above lowest: Int) -> Int? {
    let closing = delimiters[closer]
    var index = closing.previous
    while index > lowest {
      let opening = delimiters[index]
      if opening.canOpen, !opening.isRemoved, tokens[opening.token].mark == tokens[closing.token].mark,
        tokens[opening.token].count > 0
      {
        let isOdd =
          (opening.canClose || closing.canOpen) && (opening.length + closing.length) % 3 == 0
          && (opening.length % 3 != 0 || closing.length % 3 != 0)
        if !isOdd { return index }
      }
      index = opening.previous
    }
    return nil
  }

  // MARK: Characters

  private func scalar(before index: Int) -> Unicode.Scalar {
    var start = index - 1
    while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
    return scalar(from: max(start, 0), to: index)
  }

  private func scalar(from index: Int) -> Unicode.Scalar { scalar(from: index, to: min(index + 4, text.count)) }

  private func scalar(from start: Int, to end: Int) -> Unicode.Scalar {
    guard start < end else { return "\n" }
    return String(decoding: text[start..<end], as: UTF8.self).unicodeScalars.first ?? "\n"
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return isPunctuation(UInt8(truncatingIfNeeded: scalar.value)) }
    return switch scalar.properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
      .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
      true
    default: false
    }
  }

  private static func isPunctuation(_ byte: UInt8) -> Bool {
    (0x21...0x2F).contains(byte) || (0x3A...0x40).contains(byte) || (0x5B...0x60).contains(byte)
      || (0x7B...0x7E).contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}

/// Reads the targets of links.
enum LinkTarget {
  /// The number of parentheses that a target may contain inside each other.
  private static let deepest = 32

  /// Reads `target "title")`, as after `](`.
  /// - Returns: the target and the position after the parenthesis; nil if the text is something else.
  static func parenthesized(_ text: Span<UInt8>, from start: Int) -> (target: [UInt8], end: Int)? {
    var at = skipSpace(text, from: start)
    guard let (target, end) = destination(text, from: at) else { return nil }
    at = skipSpace(text, from: end)
    if at > end, let title = titleEnd(text, from: at) { at = skipSpace(text, from: title) }
    return at < text.count && text[at] == UInt8(ascii: ")") ? (target, at + 1) : nil
  }

  /// Reads a definition, `[label]: target "title"`.
  static func definition(_ text: [UInt8]) -> (label: String, target: [UInt8])? {
    guard text.first == UInt8(ascii: "["), let end = labelEnd(text.span, from: 1), end + 1 < text.count,
      text[end + 1] == UInt8(ascii: ":"),
      let (target, _) = destination(text.span, from: skipSpace(text.span, from: end + 2))
    else { return nil }
    return (normalized(text[1..<end]), target)
  }

  /// Returns the position of the bracket that ends a label; nil if the label is too long or contains a bracket.
  static func labelEnd(_ text: Span<UInt8>, from start: Int) -> Int? {
    var at = start
    while at < text.count, at - start < 1000 {
      if text[at] == UInt8(ascii: "]") { return at }
      if text[at] == UInt8(ascii: "[") { return nil }
      at += text[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  /// Returns a label in the form in which labels are compared.
  static func normalized(_ label: ArraySlice<UInt8>) -> String {
    String(decoding: label, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
      .uppercased()
  }

  private static func destination(_ text: Span<UInt8>, from start: Int) -> (target: [UInt8], end: Int)? {
    var target: [UInt8] = []
    var at = start
    let isPointed = at < text.count && text[at] == UInt8(ascii: "<")
    if isPointed { at += 1 }
    var depth = 0
    while at < text.count {
      let byte = text[at]
      if isPointed {
        if byte == UInt8(ascii: ">") { return (target, at + 1) }
        if byte == 0x0A || byte == UInt8(ascii: "<") { return nil }
      } else {
        if byte <= 0x20 || byte == 0x7F { break }
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") {
          if depth == 0 { break }
          depth -= 1
        }
        guard depth <= deepest else { return nil }
      }
      if byte == UInt8(ascii: "\\"), at + 1 < text.count, text[at + 1] < 0x80, text[at + 1] > 0x20 { at += 1 }
      target.append(text[at])
      at += 1
    }
    return isPointed || depth > 0 ? nil : (target, at)
  }

  private static func titleEnd(_ text: Span<UInt8>, from start: Int) -> Int? {
    guard start < text.count else { return nil }
    let opening = text[start]
    guard "\"'(".utf8.contains(opening) else { return nil }
    let closing = opening == UInt8(ascii: "(") ? UInt8(ascii: ")") : opening
    var at = start + 1
    while at < text.count {
      if text[at] == closing { return at + 1 }
      if text[at] == UInt8(ascii: "("), opening == text[at] { return nil }
      at += text[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  private static func skipSpace(_ text: Span<UInt8>, from start: Int) -> Int {
    var at = start
    while at < text.count, text[at] == 0x20 || text[at] == 0x09 || text[at] == 0x0A { at += 1 }
    return at
  }
}
