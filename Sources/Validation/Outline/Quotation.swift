import JSONText

/// Quotes content in messages: short, in curly quotation marks.
package enum Quotation {
  /// The maximum length in characters. Longer text is truncated.
  static let length = 60

  /// Returns text in quotation marks, truncated and on one line.
  package static func of(_ text: String) -> String {
    let short = text.prefix(length)
    let line = String(short.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    return short.endIndex == text.endIndex ? "“\(line)”" : "“\(line)…”"
  }

  /// Returns text in quotation marks, truncated to the length that a message needs. A megabyte is not copied for sixty
  /// characters.
  static func of(_ bytes: Span<UInt8>) -> String {
    // A character rarely has more than 16 bytes. Decoding repairs a truncated character.
    of(String(decoding: bytes.extracting(first: length * 16)))
  }

  /// Quotes a range of bytes.
  static func of(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    of(bytes.extracting(range.clamped(to: bytes.indices)))
  }

  /// Quotes a string, or returns any other value as written.
  static func of(_ node: JSONNode) -> String {
    if let text = node.string { return of(text) }
    return String(String(decoding: node.raw.prefix(length * 16), as: UTF8.self).prefix(length))
  }

  /// Returns `, and 4 more`, or an empty string for 0.
  static func more(_ count: Int) -> String { count > 0 ? ", and \(count) more" : "" }
}

extension OutlineText {
  /// The text, quoted for a message.
  var quoted: String { Quotation.of(bytes.span) }

  /// Whether the text contains only white space. Usually the first byte decides this.
  var saysNothing: Bool {
    guard let first = bytes.first else { return true }
    // White space begins with one of these bytes or is a control character.
    switch first {
    case 0x21...0x7E: return false
    case 0x80...: return (first == 0xC2 || (0xE1...0xE3).contains(first)) && isBlank
    default: return isBlank
    }
  }
}

extension Optional<OutlineText> {
  /// The text, quoted for a message; “” if it is missing.
  var quoted: String { map(\.quoted) ?? "“”" }
}
