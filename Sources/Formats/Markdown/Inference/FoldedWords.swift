/// Words as the judge of notes compares them: small letters, `ё` as `е`, `й` as `и`, no accents.
enum FoldedWords {
  /// The words of a text; hyphens inside words are taken out (`чек-лист` is `чеклист`).
  static func words(_ text: String, most: Int = 32) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    func flush() {
      if !word.isEmpty { words.append(String(word)) }
      word = String.UnicodeScalarView()
    }
    for scalar in text.unicodeScalars {
      if words.count >= most { return words }
      if let folded = fold(scalar) {
        word.append(folded)
      } else if scalar == "-" || scalar == "\u{2010}" || isAccent(scalar) {
        continue
      } else {
        flush()
      }
    }
    flush()
    return words
  }

  /// The first word of a text, without what Markdown puts around it.
  static func first(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> String? {
    var start = range.lowerBound
    while start < range.upperBound, text[start] < 0x80, !isLetter(text[start]) { start += 1 }
    var end = start
    var isPlain = true
    while end < range.upperBound, end < start + 60 {
      let byte = text[end]
      if byte >= 0x80 || byte == UInt8(ascii: "-") { isPlain = false } else if !isLetter(byte) { break }
      end += 1
    }
    guard end > start else { return nil }
    guard isPlain else { return words(String(decoding: text[start..<end], as: UTF8.self), most: 1).first }
    return String(unsafeUninitializedCapacity: end - start) { buffer in
      for at in start..<end { buffer[at - start] = text[at] | 0x20 }
      return end - start
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func isAccent(_ scalar: Unicode.Scalar) -> Bool { (0x300...0x36F).contains(scalar.value) }

  private static func fold(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x61...0x7A, 0x430...0x438, 0x43A...0x44F: return scalar
    case 0x41...0x5A: return Unicode.Scalar(scalar.value + 0x20)
    case 0x410...0x418, 0x41A...0x42F: return Unicode.Scalar(scalar.value + 0x20)
    case 0x419, 0x439: return "\u{438}"
    case 0x401, 0x451: return "\u{435}"
    case 0x30...0x39: return scalar
    default: return nil
    }
  }
}
