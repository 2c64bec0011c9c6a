import Diagnostics

/// Text from content as it may stand on a line of a report: visible, on one line, and of bounded length.
enum ReportText {
  /// How many characters of a message, a reason or an advice are shown.
  static let sentence = 2000
  /// How many characters of a title or label are shown.
  static let word = 200

  /// `text` with everything that a terminal or a CI log would obey made visible, cut after `limit` characters.
  static func line(_ text: String, limit: Int = sentence) -> String {
    // Most text is plain, and most reports are long.
    if text.utf8.count <= limit, text.utf8.allSatisfy(isPlain) { return text }
    var safe = ""
    var hashes = 0
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      if count > limit { return safe + "…" }
      if let escape = escape(scalar, hashes: hashes) { safe += escape } else { safe.unicodeScalars.append(scalar) }
      hashes = scalar == "#" ? hashes + 1 : 0
    }
    return safe
  }

  /// `text` as it is, cut after `sentence` characters: a long title would stand in each of a thousand findings.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > sentence, text.unicodeScalars.count > sentence else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(sentence))) + "…"
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "[") }

  /// What stands for a character; nil when it may stand as it is.
  /// - Parameter hashes: how many `#` stand right before it. `##[` begins a command in GitHub's logs, wherever it
  ///   stands.
  static func escape(_ scalar: UnicodeScalar, hashes: Int) -> String? {
    scalar == "[" && hashes >= 2 ? "\\u{5B}" : TerminalText.escape(scalar)
  }
}
