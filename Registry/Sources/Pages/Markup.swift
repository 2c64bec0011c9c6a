import Mustache

/// Text in markup. Escaping looks at bytes, not at characters: a quote with a combining accent is one character, but it
/// still ends an attribute.
enum Markup {
  /// Appends text with `&`, `<`, `>` and quotes escaped, for content and for attributes of HTML and XML. Control
  /// characters, and other characters that XML forbids, are left out.
  static func append(_ text: Span<UInt8>, to out: inout [UInt8]) {
    var at = 0
    while at < text.count {
      let byte = text[at]
      switch byte {
      case UInt8(ascii: "&"): out += "&amp;".utf8
      case UInt8(ascii: "<"): out += "&lt;".utf8
      case UInt8(ascii: ">"): out += "&gt;".utf8
      case UInt8(ascii: "\""): out += "&quot;".utf8
      case UInt8(ascii: "'"): out += "&#39;".utf8
      case 0x09, 0x0A, 0x0D: out.append(byte)
      case 0..<0x20, 0x7F: break
      case 0xEF where at + 2 < text.count && text[at + 1] == 0xBF && text[at + 2] >= 0xBE: at += 2
      default: out.append(byte)
      }
      at += 1
    }
  }

  /// Returns escaped text.
  static func escaped(_ text: String) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8.count + 16)
    append(text.utf8.span, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// Returns the beginning of a text, with `…` if something was left out.
  static func beginning(of text: String, scalars count: Int) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: count, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }

  /// Returns a language for `lang`; nil if the text cannot be a language tag.
  static func language(_ text: String) -> String? {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let areWords = parts.allSatisfy { part in
      (1...8).contains(part.count)
        && part.allSatisfy { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0 >= 0x30 && $0 <= 0x39 }
    }
    return areWords && (2...3).contains(parts[0].count) ? text : nil
  }
}

/// Escapes the values of templates.
struct MarkupValues: MustacheContentType {
  /// The name of this type in templates.
  static let name = "MARKUP"

  func escapeText(_ text: String) -> String { Markup.escaped(text) }
}

/// Percent-encodes parts of addresses.
package enum PercentEncoding {
  /// Encodes all characters except the unreserved ones of RFC 3986.
  package static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
      default:
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 15))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a path with a query.
  package static func link(_ path: String, _ query: [(name: String, value: String)]) -> String {
    if query.isEmpty { return path }
    return path + "?" + query.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
