/// The elements of HTML that people write into Markdown.
enum HTMLName {
  private static let names: Set<String> = [
    "a", "abbr", "audio", "b", "big", "blockquote", "br", "button", "center", "code", "del", "details", "div", "em",
    "font", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "iframe", "img", "input", "ins", "kbd", "li", "link",
    "mark", "meta", "ol", "p", "pre", "q", "s", "script", "section", "small", "span", "strike", "strong", "style",
    "sub",
    "summary", "sup", "svg", "table", "tbody", "td", "th", "thead", "tr", "tt", "u", "ul", "video",
  ]

  /// Whether what stands between `<` and `>` is a tag; `<boat's name>` is not.
  static func isTag(_ bytes: UnsafeBufferPointer<UInt8>, _ inner: Range<Int>) -> Bool {
    var start = inner.lowerBound
    if start < inner.upperBound, bytes[start] == UInt8(ascii: "/") { start += 1 }
    var end = start
    while end < inner.upperBound, end - start < 12, isNamePart(bytes[end]) { end += 1 }
    guard end > start, end == inner.upperBound || bytes[end] <= 0x20 || bytes[end] == UInt8(ascii: "/") else {
      return false
    }
    guard names.contains(UTF8Reader.string(bytes, start..<end).lowercased()) else { return false }
    // Text goes on in words, attributes have a sign of equality.
    let rest = bytes[end..<inner.upperBound]
    return rest.allSatisfy { $0 <= 0x20 || $0 == UInt8(ascii: "/") } || rest.contains(UInt8(ascii: "="))
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte &- 0x30 < 10
  }
}
