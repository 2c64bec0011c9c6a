import Diagnostics

/// Steps and sections are plain text without HTML, Markdown links or Markdown pictures.
///
/// The app shows tags and entities as plain text. They often come with a list that is pasted from a web page. The app
/// also shows `[words](address)`, `![words](picture.png)` and `![[picture.png]]` as plain text, so the link cannot be
/// tapped and the picture does not appear. A link between notes of a vault, `[[Chain]]`, is not reported.
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/0/itemDescription
/// {"content_type": "checklist", "title": "Gas", "content_data": {"sections": [{"title": "Galley", "items": [
///   {"title": "<b>Close</b> the bottle", "itemDescription": "Bottle &amp; stove"}]}]}}
/// ```
///
/// ```json bad /content_data/sections/0/title
/// {"content_type": "checklist", "title": "Газ", "content_data": {"sections": [{"title": "Камбуз<br/>", "items": [
///   {"title": "Перекрыть баллон"}]}]}}
/// ```
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/0/itemDescription
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Oil", "items": [
///   {"title": "Pull the ![dipstick](dip.png)", "itemDescription": "See [the manual](https://example.org/oil)"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Gas", "content_data": {"sections": [{"title": "Galley & stove", "items": [
///   {"title": "Pressure <30 mbar"}, {"title": "Call <boat's name>", "itemDescription": "R&D; 2<a and b>3"}]}]}}
/// ```
struct NoMarkupInPlainText: Rule {
  static let code = DiagnosticCode(
    "LNT0415", "markup-in-plain-text", .warning,
    "A step or a section contains HTML, or a Markdown link or picture.",
    why: "the app shows the markup as plain text", fix: "write the text without markup")

  /// Entities that programs write and people seldom type.
  private static let entities: Set<String> = [
    "amp", "lt", "gt", "quot", "apos", "nbsp", "ndash", "mdash", "deg", "laquo", "raquo", "ldquo", "rdquo", "lsquo",
    "rsquo", "bdquo", "hellip", "bull", "middot", "times", "minus", "plusmn", "shy", "copy", "reg", "trade", "euro",
    "frac12", "frac14", "auml", "ouml", "uuml", "szlig", "eacute", "egrave", "agrave", "ccedil", "rarr", "larr",
  ]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .markup) { text in
      switch text.role {
      case .title, .sectionTitle, .sectionDescription, .stepTitle, .stepDetails: break
      default: return
      }
      var first: Range<Int>?
      var count = 0
      var at = 0
      while at < text.bytes.count {
        guard let found = Self.markup(text.bytes.span, at) else {
          at += 1
          continue
        }
        first = first ?? found
        count += 1
        at = found.upperBound
      }
      guard let first else { return }
      report.finding(
        "the app shows \(Quotation.of(text.bytes.span, first))\(Quotation.more(count - 1)) as plain text",
        at: text.node,
        in: first)
    }
  }

  /// Returns the range of the tag, entity, link or picture that begins here.
  private static func markup(_ bytes: Span<UInt8>, _ start: Int) -> Range<Int>? {
    switch bytes[start] {
    case UInt8(ascii: "<"):
      // Longer tags are links with long addresses. Without the limit, text full of `<` would be read again for each
      // one.
      let limit = min(bytes.count, start + 400)
      var at = start + 1
      while at < limit, bytes[at] != UInt8(ascii: ">"), bytes[at] != UInt8(ascii: "<") { at += 1 }
      guard at < limit, bytes[at] == UInt8(ascii: ">"), HTMLName.isTag(bytes, start + 1..<at) else { return nil }
      return start..<at + 1
    case UInt8(ascii: "&"):
      let limit = min(bytes.count, start + 10)
      var at = start + 1
      while at < limit, bytes[at] != UInt8(ascii: ";") {
        guard bytes[at] | 0x20 >= 0x61 && bytes[at] | 0x20 <= 0x7A || bytes[at] &- 0x30 < 10 || bytes[at] == 0x23
        else { return nil }
        at += 1
      }
      guard at < limit, bytes[at] == UInt8(ascii: ";") else { return nil }
      let name = UTF8Reader.string(bytes, start + 1..<at)
      let isNumber = name.hasPrefix("#") && name.utf8.count > 2
      return isNumber || entities.contains(name.lowercased()) ? start..<at + 1 : nil
    case UInt8(ascii: "["):
      // A vault link reads like the name of a note, and works in the vault.
      let isVaultLink = start + 1 < bytes.count && bytes[start + 1] == UInt8(ascii: "[")
      return isVaultLink ? nil : InlineLink(bytes, start)?.range
    case UInt8(ascii: "!"): return InlineLink(bytes, start)?.range
    default: return nil
    }
  }
}

/// A Markdown link or picture in text that the app shows as plain text.
struct InlineLink {
  /// The whole link, with its brackets.
  let range: Range<Int>
  /// The words of the link, which a Markdown reader shows.
  let words: Range<Int>

  /// The maximum length of a link in bytes. Longer links are not recognized, so that text full of brackets is not read
  /// again for each one.
  private static let longest = 600

  /// Parses `[words](address)`, `![words](address)`, `[[note|words]]` or `![[file]]` at a position.
  init?(_ bytes: Span<UInt8>, _ start: Int) {
    let isPicture = bytes[start] == UInt8(ascii: "!")
    let open = isPicture ? start + 1 : start
    let limit = min(bytes.count, start + Self.longest)
    guard open + 1 < limit, bytes[open] == UInt8(ascii: "[") else { return nil }
    if bytes[open + 1] == UInt8(ascii: "[") {
      guard let end = Self.end(bytes, open + 2..<limit), end + 1 < limit, bytes[end + 1] == UInt8(ascii: "]"),
        end > open + 2
      else { return nil }
      let bar = bytes.extracting(open + 2..<end).lastIndex { $0 == UInt8(ascii: "|") }
      (range, words) = (start..<end + 2, (open + 2 + (bar.map { $0 + 1 } ?? 0))..<end)
      return
    }
    guard let end = Self.end(bytes, open + 1..<limit), end + 1 < limit, bytes[end + 1] == UInt8(ascii: "("),
      let close = Self.close(bytes, end + 2..<limit), close > end + 2
    else { return nil }
    // `[A](left)` is not a link, because an address contains one of these characters.
    let signs: Set<UInt8> = [0x23, 0x2E, 0x2F, 0x3A]
    guard isPicture || bytes.extracting(end + 2..<close).contains(where: signs.contains) else { return nil }
    (range, words) = (start..<close + 1, open + 1..<end)
  }

  /// Returns the position of the bracket that ends the words.
  private static func end(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    for at in range {
      switch bytes[at] {
      case UInt8(ascii: "]"): return at
      case UInt8(ascii: "["), 0x0A: return nil
      default: continue
      }
    }
    return nil
  }

  /// Returns the position of the bracket that ends the address, which may contain pairs of brackets.
  private static func close(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var depth = 0
    for at in range {
      switch bytes[at] {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        if depth == 0 { return at }
        depth -= 1
      case 0x0A: return nil
      default: continue
      }
    }
    return nil
  }

  /// Returns the number of characters that people read in text. In links and pictures, only the words count.
  static func readCharacters(_ text: OutlineText) -> Int {
    let bytes = text.bytes.span
    var read: [UInt8] = []
    var (at, done) = (0, 0)
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "[") || bytes[at] == UInt8(ascii: "!"), let link = InlineLink(bytes, at) else {
        at += 1
        continue
      }
      read.append(contentsOf: bytes.extracting(done..<at))
      read.append(contentsOf: bytes.extracting(link.words))
      (at, done) = (link.range.upperBound, link.range.upperBound)
    }
    if done == 0 { return text.characters }
    read.append(contentsOf: bytes.extracting(droppingFirst: done))
    return String(decoding: read, as: UTF8.self).count
  }
}
