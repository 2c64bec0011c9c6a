/// A URI or a relative reference, split into its five parts. References are resolved according to RFC 3986, section 5.
///
/// Any scheme is supported, including `urn:`. Parsing never fails, because any text is accepted as a reference.
struct URIReference: Hashable, CustomStringConvertible {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  /// Splits a reference into its parts. The scheme and the authority are converted to lower case, because their case is
  /// ignored.
  init(_ text: String) {
    var rest = Substring(text)
    if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
      fragment = String(rest[rest.utf8.index(after: hash)...])
      rest = rest[..<hash]
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = String(rest[rest.utf8.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
      scheme = rest[..<colon].lowercased()
      rest = rest[rest.utf8.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = rest[..<end].lowercased()
      rest = rest[end...]
    }
    path = String(rest)
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20 else { return false }
    return text.utf8.allSatisfy {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
        || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
    }
  }

  /// Resolves this reference against the URI of the document that contains it.
  func resolved(against base: URIReference) -> URIReference {
    var target = self
    if scheme != nil {
      target.path = Self.removingDots(path)
      return target
    }
    target.scheme = base.scheme
    if authority != nil {
      target.path = Self.removingDots(path)
      return target
    }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      target.query = query ?? base.query
    } else if path.utf8.first == UInt8(ascii: "/") {
      target.path = Self.removingDots(path)
    } else {
      target.path = Self.removingDots(merged(into: base))
    }
    return target
  }

  private func merged(into base: URIReference) -> String {
    if base.authority != nil, base.path.isEmpty { return "/" + path }
    guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return base.path[...slash] + path
  }

  /// Removes dot segments (RFC 3986, 5.2.4). A path without a leading slash (`urn:a:b`) has no segments to remove.
  private static func removingDots(_ path: String) -> String {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.contains(UInt8(ascii: ".")) else { return path }
    var kept: [Substring] = []
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }

  /// The URI without its fragment.
  var withoutFragment: String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path + (query.map { "?" + $0 } ?? "")
  }

  /// The URI as a string.
  var description: String { withoutFragment + (fragment.map { "#" + $0 } ?? "") }

  /// Decodes the percent escapes in `text`, such as `%41` to `A`. Returns nil if an escape is invalid or the bytes are
  /// not UTF-8.
  static func percentDecoded(_ text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Encodes `text` for a fragment. Characters that RFC 3986 does not allow in fragments become `%XX`.
  static func fragmentEncoded(_ text: String) -> String {
    let allowed = "!$&'()*+,;=:@/?-._~"
    if text.utf8.allSatisfy({ isPlain($0) || allowed.utf8.contains($0) }) { return text }
    var encoded = ""
    for byte in text.utf8 {
      if isPlain(byte) || allowed.utf8.contains(byte) {
        encoded.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 && byte >= 0x41
      || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x61 + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x41 + 10
    default: nil
    }
  }
}
