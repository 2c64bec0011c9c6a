/// Classifies the target of a link.
package enum WebAddress {
  /// Whether the bytes begin with a scheme, such as `https:`, `mailto:` or `app:`.
  package static func begins(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var at = range.lowerBound
    while at < range.upperBound, at - range.lowerBound < 20, isSchemePart(bytes[at]) { at += 1 }
    // A single letter is a drive, not a scheme.
    return at < range.upperBound && bytes[at] == UInt8(ascii: ":") && at - range.lowerBound > 1
      && bytes[range.lowerBound] > 0x40
  }

  /// Whether the bytes begin with `prefix`, ignoring case.
  static func begins(_ bytes: Span<UInt8>, _ range: Range<Int>, with prefix: StaticString) -> Bool {
    let count = prefix.utf8CodeUnitCount
    guard range.count >= count else { return false }
    return prefix.withUTF8Buffer { expected in
      for index in 0..<count {
        var byte = bytes[range.lowerBound + index]
        if byte >= 0x41, byte <= 0x5A { byte |= 0x20 }
        if byte != expected[index] { return false }
      }
      return true
    }
  }

  /// Whether the target is a web address.
  package static func isWeb(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    begins(bytes, range, with: "http://") || begins(bytes, range, with: "https://") || begins(bytes, range, with: "//")
  }

  private static func isSchemePart(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte &- 0x30 < 10
      || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}

/// The file name at the end of a link's path.
package struct FileName {
  /// The name with its extension.
  package let full: String
  /// The name without its extension.
  package let stem: String
  /// The extension in lower case, such as `md`, or nil.
  package let ending: String?

  /// Extensions of pictures, sounds and documents that an embedded link may show.
  package static let media: Set<String> = [
    "png", "jpg", "jpeg", "gif", "webp", "heic", "svg", "bmp", "tif", "tiff", "avif", "pdf", "mp3", "m4a", "wav", "ogg",
    "mp4", "mov", "webm",
  ]

  /// Splits the file name at the end of a path into name and extension.
  package static func last(_ path: String) -> FileName {
    let decoded = decoded(path)
    let parts = decoded.utf8.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
    let full = parts.last.map { String(Substring($0)) } ?? ""
    guard let dot = full.utf8.lastIndex(of: UInt8(ascii: ".")), dot > full.startIndex else {
      return FileName(full: full, stem: full, ending: nil)
    }
    let ending = full[full.utf8.index(after: dot)...]
    // “Check 2.1” has no extension.
    guard (2...8).contains(ending.utf8.count), ending.utf8.allSatisfy({ $0 | 0x20 >= 0x30 && $0 | 0x20 <= 0x7A }),
      ending.utf8.contains(where: { $0 > 0x39 })
    else { return FileName(full: full, stem: full, ending: nil) }
    return FileName(full: full, stem: String(full[..<dot]), ending: ending.lowercased())
  }

  /// Returns the text with percent escapes such as `%20` resolved. Returns it unchanged if the result is not valid
  /// text.
  package static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self) ?? text
  }
}
