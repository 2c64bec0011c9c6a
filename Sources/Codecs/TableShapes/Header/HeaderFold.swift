/// Headers as they are compared: small letters and digits alone, `ё` as `е`, no accents.
enum HeaderFold {
  /// No header is longer, and cells of megabytes may stand where a header is looked for.
  private static let most = 4096

  /// The letters and digits of a header; what is longer than any header folds to its beginning and `…`.
  static func fold(_ header: String) -> String {
    var folded = String.UnicodeScalarView()
    for (number, scalar) in header.unicodeScalars.enumerated() {
      if number == most { return String(folded) + "…" }
      switch scalar.value {
      case 0x61...0x7A, 0x30...0x39: folded.append(scalar)
      case 0x41...0x5A: folded.append(Unicode.Scalar(scalar.value + 0x20) ?? scalar)
      case 0..<0x80, 0x300...0x36F: continue
      // A text that was taken apart has й and ё as two characters each; the marks are left out above.
      case 0x419, 0x439: folded.append("\u{438}")
      case 0x401, 0x451: folded.append("\u{435}")
      default:
        guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else { continue }
        folded.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return String(folded)
  }
}
