/// Text from content, made safe for a terminal: control and bidirectional characters are shown, not obeyed.
public enum TerminalText {
  /// `text` with every control, escape and bidi-override character written as `\u{…}`.
  public static func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
      if let visible = escape(scalar) { safe += visible } else { safe.unicodeScalars.append(scalar) }
    }
    return safe
  }

  /// What stands for one character that a terminal would obey; nil for a character that may stand as it is.
  public static func escape(_ scalar: UnicodeScalar) -> String? {
    guard isUnsafe(scalar) else { return nil }
    switch scalar {
    case "\n": return "\\n"
    case "\t": return "\\t"
    default: return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }

  private static func isUnsafe(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  /// A file's name as a shell takes it: in quotes when it has to be.
  public static func shellQuoted(_ name: String) -> String {
    let plain = name.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "/._-+@%,:=".unicodeScalars.contains(scalar)
    }
    return plain && !name.isEmpty ? name : "'" + escape(name).replacing("'", with: "'\\''") + "'"
  }
}
