import Content
import JSONText

/// Writes JSON values as YAML on one line, so that YAML 1.1 and 1.2 read them as the same values.
enum FlowYAML {
  /// Appends a JSON text without white space between its tokens; blanks go behind its colons and commas.
  ///
  /// JSON in one line is YAML, but for characters that YAML does not print; those are escaped.
  static func write(json: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer) {
    var inString = false
    var at = 0
    while at < json.count {
      let byte = json[at]
      if inString {
        if byte == UInt8(ascii: "\\"), at + 1 < json.count {
          out.append(byte)
          out.append(json[at + 1])
          at += 2
          continue
        }
        if byte == UInt8(ascii: "\"") { inString = false }
        at += appendPrintable(json, at, into: &out)
        continue
      }
      out.append(byte)
      switch byte {
      case UInt8(ascii: "\""): inString = true
      case UInt8(ascii: ":"), UInt8(ascii: ","): out.append(UInt8(ascii: " "))
      default: break
      }
      at += 1
    }
  }

  /// Appends the character at `at`, escaped where YAML needs it.
  /// - Returns: how many bytes it has.
  private static func appendPrintable(
    _ text: UnsafeBufferPointer<UInt8>, _ at: Int, into out: inout ByteBuffer
  ) -> Int {
    let byte = text[at]
    if byte == 0x7F {
      out.append("\\u007f")
      return 1
    }
    // C1 controls with NEL; LINE and PARAGRAPH SEPARATOR, which YAML 1.1 takes for line ends; the byte order mark and
    // the two noncharacters behind it.
    let second = at + 1 < text.count ? text[at + 1] : 0
    let third = at + 2 < text.count ? text[at + 2] : 0
    if byte == 0xC2, second < 0xA0 {
      out.append(utf8: "\\u00" + String(second, radix: 16))
      return 2
    }
    switch (byte, second, third) {
    case (0xE2, 0x80, 0xA8): out.append("\\u2028")
    case (0xE2, 0x80, 0xA9): out.append("\\u2029")
    case (0xEF, 0xBB, 0xBF): out.append("\\ufeff")
    case (0xEF, 0xBF, 0xBE): out.append("\\ufffe")
    case (0xEF, 0xBF, 0xBF): out.append("\\uffff")
    default:
      out.append(byte)
      return 1
    }
    return 3
  }

  /// Appends a text: as it is where no reader can take it for anything else, in quotes otherwise.
  /// - Parameter inList: whether it stands between brackets.
  static func write(text: UnsafeBufferPointer<UInt8>, inList: Bool = false, into out: inout ByteBuffer) {
    if isPlain(text, inList: inList) { return out.append(text) }
    var quoted = ByteBuffer(capacity: text.count + 2)
    quoted.appendJSONString(text)
    // Between quotes, colons and commas stay as they are.
    write(json: quoted.bytes, into: &out)
  }

  /// Whether a text may stand without quotes: words that begin with a letter, with blanks and tame punctuation
  /// between them, and none of the words that mean true, false or nothing to some reader.
  static func isPlain(_ text: UnsafeBufferPointer<UInt8>, inList: Bool) -> Bool {
    // No YAML takes 36 digits and dashes in this pattern for a number or a date.
    if UUIDText.form(of: text) != .none { return true }
    guard let first = text.first, first != UInt8(ascii: " "), text.last != UInt8(ascii: " "), text.count <= 1000 else {
      return false
    }
    var isFirst = true
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      let isLetter = scalar.properties.isAlphabetic && scalar.properties.generalCategory != .privateUse
      if isFirst {
        guard isLetter else { return false }
        isFirst = false
      } else if !isLetter, !tame.contains(scalar), inList || scalar != "," {
        return false
      }
    }
    return text.count > 5 || !words.contains(String(decoding: text, as: UTF8.self).lowercased())
  }

  private static let tame = Set(" 0123456789-_./()+!?;'&–—…’“”«»№°×".unicodeScalars)
  private static let words: Set<String> = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"]
}
