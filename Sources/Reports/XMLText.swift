/// Text as XML 1.0 may hold it.
enum XMLText {
  /// `text` for an element or an attribute in double quotes, on one line, everything forbidden or unsafe made visible.
  static func escape(_ text: String, limit: Int = ReportText.sentence) -> String {
    let line = ReportText.line(text, limit: limit)
    if line.utf8.allSatisfy(isPlain) { return line }
    var safe = ""
    for scalar in line.unicodeScalars {
      switch scalar {
      case "&": safe += "&amp;"
      case "<": safe += "&lt;"
      // `]]>` may not stand in an element.
      case ">": safe += "&gt;"
      case "\"": safe += "&quot;"
      case "'": safe += "&apos;"
      // The control characters, which XML forbids too, are escapes already.
      case "\u{FFFE}", "\u{FFFF}": safe += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
    // U+FFFE and U+FFFF begin with it.
    case 0xEF: false
    default: true
    }
  }
}
