import JSONText

/// Converts Windows code pages.
/// - Source: https://encoding.spec.whatwg.org/#legacy-single-byte-encodings, which maps unused bytes to the control
///   characters with the same number
package enum CodePage {
  /// Converts all bytes. Every byte is mapped to a character.
  package static func decode(_ bytes: Span<UInt8>, _ page: TextEncoding) -> [UInt8] {
    let table = page == .windows1251 ? cyrillic : western
    let high = table.span
    // All characters are below U+10000, so they have at most three bytes in UTF-8.
    return [UInt8](unsafeUninitializedCapacity: bytes.count * 3) { out, count in
      func append(_ byte: UInt16) {
        out.initializeElement(at: count, to: UInt8(truncatingIfNeeded: byte))
        count += 1
      }
      for index in bytes.indices {
        let byte = bytes[index]
        let scalar = byte < 0x80 ? UInt16(byte) : high[Int(byte) - 0x80]
        if scalar < 0x80 {
          append(scalar)
        } else if scalar < 0x800 {
          append(0xC0 | scalar >> 6)
          append(0x80 | scalar & 0x3F)
        } else {
          append(0xE0 | scalar >> 12)
          append(0x80 | scalar >> 6 & 0x3F)
          append(0x80 | scalar & 0x3F)
        }
      }
    }
  }

  /// Returns the character that a byte of 0x80 or above encodes.
  package static func scalar(_ byte: UInt8, _ page: TextEncoding) -> UInt16 {
    byte < 0x80 ? UInt16(byte) : (page == .windows1251 ? cyrillic : western)[Int(byte) - 0x80]
  }

  private static let cyrillic: [UInt16] =
    [
      0x0402, 0x0403, 0x201A, 0x0453, 0x201E, 0x2026, 0x2020, 0x2021, 0x20AC, 0x2030, 0x0409, 0x2039, 0x040A, 0x040C,
      0x040B, 0x040F, 0x0452, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x0098, 0x2122, 0x0459, 0x203A,
      0x045A, 0x045C, 0x045B, 0x045F, 0x00A0, 0x040E, 0x045E, 0x0408, 0x00A4, 0x0490, 0x00A6, 0x00A7, 0x0401, 0x00A9,
      0x0404, 0x00AB, 0x00AC, 0x00AD, 0x00AE, 0x0407, 0x00B0, 0x00B1, 0x0406, 0x0456, 0x0491, 0x00B5, 0x00B6, 0x00B7,
      0x0451, 0x2116, 0x0454, 0x00BB, 0x0458, 0x0405, 0x0455, 0x0457,
    ] + Array(0x0410...0x044F)

  private static let western: [UInt16] =
    [
      0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
      0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
      0x0153, 0x009D, 0x017E, 0x0178,
    ] + Array(0x00A0...0x00FF)
}

/// Distinguishes the Cyrillic Windows code page from the Western one by looking at words.
///
/// A Cyrillic word consists of high bytes only. A Western word has a few high bytes among ASCII letters.
enum CodePageGuess {
  /// Counts of letters and words that suggest a code page.
  private struct Evidence {
    /// The number of letters in words of high bytes only.
    var cyrillic = 0
    /// The number of letters in words that mix high bytes and ASCII letters.
    var western = 0
    /// The number of words of one high byte, which both code pages have: `à`, `и`.
    var single = 0
    var asciiLetters = 0
    /// The number of words of high bytes only, and how many of these words have a capital after a small letter.
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

  /// Returns the code page and its certainty in percent.
  /// - Returns: nil for UTF-8 with a few broken bytes, and for Cyrillic in other code pages.
  static func page(of bytes: Span<UInt8>) -> (page: TextEncoding, certainty: Int)? {
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
    // One short word is not enough evidence.
    return (isCyrillic ? .windows1251 : .windows1252, min(99, 50 + lead * 50 / (sum + 3)))
  }

  /// The word that is being read.
  private struct Word {
    var ascii = 0
    var high = 0
    var isCrooked = false
    var last: UInt8 = 0
  }

  private static func read(_ bytes: Span<UInt8>) -> Evidence {
    var evidence = Evidence()
    var word = Word()
    for index in bytes.indices {
      let byte = bytes[index]
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

  /// Returns whether UTF-8 letters greatly outnumber invalid bytes.
  private static func isBrokenUTF8(_ bytes: Span<UInt8>) -> Bool {
    var (valid, invalid, at) = (0, 0, 0)
    while at < bytes.count {
      if bytes[at] < 0x80 {
        at += 1
        continue
      }
      let length = UTF8Check.sequenceLength(in: bytes, at: at)
      if length == 0 { invalid += 1 } else { valid += 1 }
      at += max(1, length)
    }
    return valid >= 3 && valid > 4 * invalid
  }
}
