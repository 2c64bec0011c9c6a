/// Reads digests from HTTP headers.
enum DigestHeader {
  /// Returns the digest inside `"…"`, also from a weak tag that a proxy made; nil for a tag that is not a digest.
  static func digest(_ tag: String?) -> String? {
    guard var tag = tag?[...] else { return nil }
    if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
    guard tag.count >= 2, tag.first == "\"", tag.last == "\"" else { return nil }
    let digest = String(tag.dropFirst().dropLast())
    return isDigest(digest) ? digest : nil
  }

  /// Returns the digest in `sha-256=:…:`, in hexadecimal; nil for another algorithm.
  /// - Source: RFC 9530.
  static func digest(contentDigest field: String?) -> String? {
    guard let field, let start = field.firstRange(of: "sha-256=:") else { return nil }
    let text = field[start.upperBound...].prefix { $0 != ":" }
    guard let bytes = base64(String(text)), bytes.count == 32 else { return nil }
    return hexadecimal(bytes)
  }

  /// Whether a string is a SHA-256 digest in lower-case hexadecimal.
  static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func base64(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var held: UInt32 = 0
    var bits = 0
    for byte in text.utf8 where byte != UInt8(ascii: "=") {
      let value: UInt8
      switch byte {
      case 0x41...0x5A: value = byte - 0x41
      case 0x61...0x7A: value = byte - 0x61 + 26
      case 0x30...0x39: value = byte - 0x30 + 52
      case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
      default: return nil
      }
      held = held << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
      }
    }
    return bytes
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return text
  }
}
