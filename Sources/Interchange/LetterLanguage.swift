/// Infers the language of text from its letters, if they determine the language.
///
/// Only unambiguous scripts are used. Russian, Ukrainian and Bulgarian cannot be distinguished by letters that they
/// share, so Cyrillic without letters of another language counts as Russian. Languages in Latin letters are not
/// distinguished.
package enum LetterLanguage {
  /// The number of bytes that are examined.
  private static let sample = 1024

  /// Returns the language; nil if most letters are Latin or there are no letters.
  package static func infer(_ text: Span<UInt8>, in body: Range<Int>) -> String? {
    var latin = 0
    var cyrillic = 0
    var greek = 0
    var hebrew = 0
    var arabic = 0
    var isUkrainian = false
    var at = body.lowerBound
    let end = min(body.upperBound, body.lowerBound + sample)
    while at < end {
      let byte = text[at]
      if byte < 0x80 {
        if (byte | 0x20) &- 0x61 < 26 { latin += 1 }
        at += 1
        continue
      }
      let next = at + 1 < end ? text[at + 1] : 0
      switch byte {
      case 0xCE, 0xCF: greek += 1
      case 0xD0...0xD3:
        cyrillic += 1
        // These are і, ї, є, ґ and their capitals.
        if byte == 0xD1, next == 0x96 || next == 0x97 || next == 0x94 { isUkrainian = true }
        if byte == 0xD2, next == 0x91 { isUkrainian = true }
      case 0xD6, 0xD7: hebrew += 1
      case 0xD8...0xDB: arabic += 1
      default: break
      }
      at += byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
    }
    let most = max(cyrillic, greek, hebrew, arabic)
    guard most > latin, most > 0 else { return nil }
    if most == cyrillic { return isUkrainian ? "uk" : "ru" }
    if most == greek { return "el" }
    return most == hebrew ? "he" : "ar"
  }
}
