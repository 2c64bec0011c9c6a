import JSONText

/// Tells Windows' Cyrillic code page from the Western one by the words that the bytes make.
///
/// A Cyrillic word has high bytes alone; a Western one has a few of them among ASCII letters.
enum CodePageGuess {
  /// What the words of a text say.
  private struct Evidence {
    /// Letters of words of high bytes alone.
    var cyrillic = 0
    /// Letters of words of both.
    var western = 0
    /// Words of one high byte, which both have: `à`, `и`.
    var single = 0
    var asciiLetters = 0
    /// Words of high bytes alone, and those where a capital follows a small letter.
    var words = 0
    var crooked = 0

    mutating func add(_ word: Word) {
      asciiLetters += word.ascii
      guard word.high > 0 else { return }
      if word.ascii > 0 {
        western += word.ascii + word.high
      } else if word.high > 1 {
        cyrillic += word.high
        words += 1
        if word.isCrooked { crooked += 1 }
      } else {
        single += 1
      }
    }
  }

  /// The code page, and how sure it is in percent.
  /// - Returns: nil for UTF-8 with a few broken bytes, and for Cyrillic of other code pages.
  static func page(
    of bytes: UnsafeBufferPointer<UInt8>
  ) -> (page: TextEncoding, certainty: Int)? {
    if isBrokenUTF8(bytes) { return nil }
    let evidence = read(bytes)
    // KOI8 has capitals where Windows has small letters: `рПМПЦЕОЙЕ`.
    if evidence.words >= 3, evidence.crooked * 10 >= evidence.words * 8 { return nil }
    let sum = evidence.cyrillic + evidence.western
    if sum == 0 {
      let same = bytes.allSatisfy { CodePage.scalar($0, .windows1251) == CodePage.scalar($0, .windows1252) }
      if same { return (.windows1252, 99) }
      return (evidence.single > evidence.asciiLetters ? .windows1251 : .windows1252, 60)
    }
    let isCyrillic = evidence.cyrillic > evidence.western
    let lead = abs(evidence.cyrillic - evidence.western)
    // A single short word is no proof.
    return (isCyrillic ? .windows1251 : .windows1252, min(99, 50 + lead * 50 / (sum + 3)))
  }

  /// The word that is being read.
  private struct Word {
    var ascii = 0
    var high = 0
    var isCrooked = false
    var last: UInt8 = 0
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Evidence {
    var evidence = Evidence()
    var word = Word()
    for byte in bytes {
      switch byte {
      case 0x41...0x5A, 0x61...0x7A: word.ascii += 1
      case 0xC0...0xFF, 0xA8, 0xB8, 0xA5, 0xB4, 0xAA, 0xBA, 0xAF, 0xBF, 0xB2, 0xB3, 0xA1, 0xA2:
        word.high += 1
        if word.last >= 0xE0, byte >= 0xC0, byte < 0xE0 { word.isCrooked = true }
      default:
        if word.last != 0 { evidence.add(word) }
        word = Word()
        continue
      }
      word.last = byte
    }
    evidence.add(word)
    return evidence
  }

  /// Whether letters of UTF-8 outnumber the bytes that are none by far.
  private static func isBrokenUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = bytes.baseAddress else { return false }
    var (valid, invalid, at) = (0, 0, 0)
    while at < bytes.count {
      if base[at] < 0x80 {
        at += 1
        continue
      }
      let length = UTF8Check.sequenceLength(base + at, available: bytes.count - at)
      if length == 0 { invalid += 1 } else { valid += 1 }
      at += max(1, length)
    }
    return valid >= 3 && valid > 4 * invalid
  }
}
