/// Text from content, made safe for a terminal: control and bidirectional characters are shown, not obeyed.
public enum TerminalText {
  /// `text` with every control, escape and bidi-override character written as `\u{…}`.
  public static func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
      if scalar == "\n" {
        safe += "\\n"
      } else if scalar == "\t" {
        safe += "\\t"
      } else if isUnsafe(scalar) {
        safe += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  private static func isUnsafe(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
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
