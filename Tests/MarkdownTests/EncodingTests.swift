import Foundation
import MarkdownText
import TestSupport
import Testing

@Suite struct EncodingTests {
  private static let samples: [(language: String, text: String, page: String.Encoding)] = [
    ("Russian", "Выход из порта: проверить масло, открыть кингстон, отдать швартовы.", .windowsCP1251),
    ("Russian, short", "Шлюпка", .windowsCP1251),
    ("Russian with English", "# Check list\n\nVHF включить на 16 канал, GPS и AIS.", .windowsCP1251),
    ("Russian, ё", "Ёлка — всё ещё «зелёная», №5", .windowsCP1251),
    ("Ukrainian", "Перевірити двигун і вітрила; її їжа — ґанок, Єва.", .windowsCP1251),
    ("Ukrainian, short", "Її їжа", .windowsCP1251),
    ("Belarusian", "Праверыць рухавік у порце, ўсе лісты.", .windowsCP1251),
    ("Bulgarian", "Проверка на двигателя преди тръгване", .windowsCP1251),
    ("German", "Vor dem Auslaufen: Öl prüfen, Seeventil öffnen, große Fender außen.", .windowsCP1252),
    ("German, short", "Öl prüfen", .windowsCP1252),
    ("French", "Vérifier le moteur à l’arrêt, « gréement » et safran; être prêt où ça mène.", .windowsCP1252),
    ("French, short", "à côté", .windowsCP1252),
    ("Spanish", "¿Qué hacer mañana? ¡Comprobar el ancla y el timón! Año nuevo.", .windowsCP1252),
    ("Spanish, short", "Señal", .windowsCP1252),
    ("Portuguese", "Não há vento; verificação das velas amanhã.", .windowsCP1252),
    ("Swedish", "Kolla oljan före avgång. Å, ö, båt.", .windowsCP1252),
    ("signs alone", "20° — “steady”", .windowsCP1252),
  ]

  private func decode(_ bytes: [UInt8]) -> (text: String, DecodedText)? {
    bytes.withUnsafeBufferPointer { bytes in
      DecodedText.decode(bytes.span).map { decoded in
        (decoded.withText(of: bytes) { String(decoding: $0, as: UTF8.self) }, decoded)
      }
    }
  }

  @Test func codePagesAreToldApart() throws {
    for sample in Self.samples {
      let bytes = [UInt8](try #require(sample.text.data(using: sample.page), "\(sample.language)"))
      let (text, decoded) = try #require(decode(bytes), "\(sample.language)")
      #expect(text == sample.text, "\(sample.language)")
      #expect(decoded.encoding == (sample.page == .windowsCP1251 ? .windows1251 : .windows1252), "\(sample.language)")
      #expect(decoded.certainty > 50 && decoded.certainty < 100, "\(sample.language)")
      #expect(!decoded.hadBOM)
    }
  }

  @Test func longTextsAreSurerThanShortOnes() throws {
    let sure = Self.samples.filter { $0.text.count > 40 && !$0.language.contains("English") }
    for sample in sure {
      let bytes = [UInt8](try #require(sample.text.data(using: sample.page)))
      #expect(try #require(decode(bytes)).1.certainty >= 85, "\(sample.language)")
    }
    let short = try #require("Мы".data(using: .windowsCP1251))
    #expect(try #require(decode([UInt8](short))).1.certainty < 75)
  }

  /// Every byte has the meaning that another implementation gives it. Bytes without a meaning become the control
  /// character with the same number.
  @Test func everyByteOfTheCodePages() throws {
    for (page, word) in [(String.Encoding.windowsCP1251, "Проверка "), (.windowsCP1252, "prüfen ")] {
      let start = [UInt8](try #require(word.data(using: page)))
      for byte in UInt8(0x80)...0xFF {
        let theirs = String(bytes: [byte], encoding: page)?.unicodeScalars.first?.value
        let ours = try #require(decode(start + [byte])).text.unicodeScalars.last?.value
        let isUnused = page == .windowsCP1251 ? byte == 0x98 : [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains(byte)
        #expect(ours == (isUnused ? UInt32(byte) : theirs), "\(page) \(byte)")
      }
    }
  }

  @Test func utf8IsNotCopied() throws {
    for text in Self.samples.map(\.text) + ["", "\n", "plain", "日本語", "⛵️"] {
      let (plain, decoded) = try #require(decode(Array(text.utf8)))
      #expect(plain == text)
      #expect(decoded.encoding == .utf8 && !decoded.hadBOM && decoded.certainty == 100)
      #expect(decoded.range == 0..<text.utf8.count && decoded.converted.isEmpty)
      let (marked, withBOM) = try #require(decode([0xEF, 0xBB, 0xBF] + Array(text.utf8)))
      #expect(marked == text)
      #expect(withBOM.encoding == .utf8 && withBOM.hadBOM && withBOM.range == 3..<3 + text.utf8.count)
    }
  }

  @Test func utf16WithAndWithoutMark() throws {
    for (language, text, _) in Self.samples where text.count > 1 {
      for (encoding, isLittle) in [(String.Encoding.utf16LittleEndian, true), (.utf16BigEndian, false)] {
        let bytes = [UInt8](try #require((text + " ⛵\n").data(using: encoding)))
        let (marked, first) = try #require(decode((isLittle ? [0xFF, 0xFE] : [0xFE, 0xFF]) + bytes), "\(language)")
        #expect(marked == text + " ⛵\n", "\(language)")
        #expect(first.hadBOM && first.certainty == 100)
        #expect(first.encoding == (isLittle ? .utf16LittleEndian : .utf16BigEndian))
        let (plain, second) = try #require(decode(bytes), "\(language)")
        #expect(plain == text + " ⛵\n", "\(language)")
        #expect(second.encoding == first.encoding && !second.hadBOM && second.certainty < 100, "\(language)")
      }
    }
    let pair = [UInt8](try #require("⛵️ 😀 sail".data(using: .utf16LittleEndian)))
    #expect(decode([0xFF, 0xFE] + pair)?.text == "⛵️ 😀 sail")
  }

  @Test(
    arguments: [
      [0], [0, 0, 0, 0], Array(repeating: 1, count: 40), [0xFF, 0xFE, 0x41], [0xFF, 0xFE, 0x00, 0xD8],
      [0xFE, 0xFF, 0xDC, 0x00, 0x00, 0x41], [0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0], [0xEF, 0xBB, 0xBF, 0xFF],
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52],
      Array("SQLite format 3\u{0}\u{10}\u{0}\u{1}\u{1}\u{0}\u{40}\u{20}\u{20}\u{0}\u{0}".utf8),
    ] as [[UInt8]])
  func whatIsNoText(_ bytes: [UInt8]) {
    #expect(decode(bytes) == nil)
  }

  @Test func brokenUTF8IsNotGuessedAt() {
    var bytes = Array("Проверить масло и воду перед выходом".utf8)
    bytes[21] = 0xFF
    #expect(decode(bytes) == nil)
    // KOI8-R text, which Windows-1251 would decode as text with swapped case.
    let koi: [UInt8] = [
      0xF0, 0xD2, 0xCF, 0xD7, 0xC5, 0xD2, 0xC9, 0xD4, 0xD8, 0x20, 0xED, 0xC1, 0xD3, 0xCC, 0xCF, 0x20, 0xF7, 0xCF, 0xC4,
      0xD9, 0x20, 0xFE, 0xC1, 0xD3,
    ]
    // In Windows-1251, the capital at the beginning of each word would be a small letter.
    #expect(decode(koi) == nil)
  }

  @Test func strayControlCharactersStay() throws {
    let text = "A bell\u{7} and a zero\u{0} in a longer text."
    #expect(try #require(decode(Array(text.utf8))).text == text)
  }

  @Test func anyBytesComeThrough() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<3000 {
      let bytes = (0..<random.below(60)).map { _ in UInt8(random.below(256)) }
      guard let (text, decoded) = decode(bytes) else { continue }
      #expect(decoded.certainty >= 50 && decoded.certainty <= 100)
      if decoded.range == nil { #expect(Array(text.utf8) == decoded.converted) }
    }
  }
}
