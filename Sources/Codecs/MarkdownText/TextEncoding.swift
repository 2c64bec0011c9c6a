/// How the letters of a text file are written as bytes.
public enum TextEncoding: String, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case utf16LittleEndian = "utf-16le"
  case utf16BigEndian = "utf-16be"
  /// Cyrillic, as Windows wrote it.
  case windows1251 = "windows-1251"
  /// Western Europe, as Windows wrote it; holds ISO 8859-1.
  case windows1252 = "windows-1252"

  /// The bytes of a text in this encoding.
  /// - Parameters:
  ///   - text: UTF-8.
  ///   - hasMark: whether they begin with a byte order mark, in Unicode's encodings.
  /// - Returns: nil for a text with a character that the encoding does not have.
  package func encode(_ text: [UInt8], hasMark: Bool) -> [UInt8]? {
    switch self {
    case .utf8: return (hasMark ? [0xEF, 0xBB, 0xBF] : []) + text
    case .utf16LittleEndian, .utf16BigEndian:
      let units = (hasMark ? [0xFEFF] : []) + Array(String(decoding: text, as: UTF8.self).utf16)
      let isLittle = self == .utf16LittleEndian
      return units.flatMap { unit in
        let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
        return isLittle ? [low, high] : [high, low]
      }
    case .windows1251, .windows1252:
      var bytes: [UInt32: UInt8] = [:]
      for byte in UInt8.min...UInt8.max { bytes[UInt32(CodePage.scalar(byte, self))] = byte }
      var out: [UInt8] = []
      out.reserveCapacity(text.count)
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
        guard let byte = bytes[scalar.value] else { return nil }
        out.append(byte)
      }
      return out
    }
  }
}
