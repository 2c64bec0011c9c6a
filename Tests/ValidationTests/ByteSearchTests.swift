import MarkdownSyntax
import TestSupport
import Testing

@testable import Validation

@Suite struct ByteSearchTests {
  /// Tests every byte in every position of eight, with neighbours that could carry into it.
  @Test func looksAtEachByteAlone() {
    for neighbour: UInt8 in [0x00, 0x2F, 0x30, 0x39, 0x3A, 0x7F, 0x80, 0xB0, 0xFF] {
      for byte in UInt8.min...UInt8.max {
        for place in 0..<8 {
          let shift = UInt64(8 * place)
          let word = ByteSearch.all(neighbour) & ~(0xFF << shift) | UInt64(byte) << shift
          let isDigit = ByteSearch.within(word, 0x30...0x39) >> shift & 0xFF
          #expect(isDigit == (byte &- 0x30 < 10 ? 0x80 : 0), "\(byte) next to \(neighbour)")
          let isColon = ByteSearch.equal(word, 0x3A) >> shift & 0xFF
          #expect(isColon == (byte == 0x3A ? 0x80 : 0), "\(byte) next to \(neighbour)")
        }
      }
    }
  }

  @Test func findsWhatASlowSearchFinds() {
    var random = SeededRandom(seed: 77)
    for _ in 0..<3000 {
      let text = (0..<random.below(40)).map { _ in random.pick(Array("ab1 \u{0}ж:".utf8)) }
      let start = random.below(text.count + 1)
      let end = start + random.below(text.count - start + 1)
      let sought = random.pick(["ab", "ж", "b1 ", "aab"]).utf8.map { $0 }
      text.withUnsafeBufferPointer { bytes in
        let colon = ByteSearch.first(in: bytes.span, from: start, to: end) { ByteSearch.equal($0, 0x3A) }
        #expect(colon == text[start..<end].firstIndex(of: 0x3A) ?? end)
        let digit = text[start...].firstIndex { $0 &- 0x30 < 10 } ?? text.count
        #expect(ByteSearch.digit(in: bytes.span, from: start) == digit)
        let slow = (start..<max(start, end - sought.count + 1)).first {
          $0 + sought.count <= end && Array(text[$0..<$0 + sought.count]) == sought
        }
        #expect(ByteSearch.position(of: sought, in: bytes.span, from: start, to: end) == slow)
      }
    }
  }

  @Test func tellsLettersDigitsAndBlanksOfABlock() {
    var random = SeededRandom(seed: 78)
    for _ in 0..<500 {
      var text = (0..<80).map { _ in UInt8(random.below(128)) }
      let start = random.below(16)
      text.withUnsafeBufferPointer { bytes in
        guard let block = ASCIIBlock(bytes.span, at: start) else {
          Issue.record("64 bytes of ASCII are a block")
          return
        }
        for offset in 0..<64 {
          let byte = bytes[start + offset]
          let isLetter = (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
          #expect(block.letters >> UInt64(offset) & 1 == (isLetter ? 1 : 0), "\(byte)")
          #expect(block.digits >> UInt64(offset) & 1 == (byte &- 0x30 < 10 ? 1 : 0), "\(byte)")
          #expect(block.blanks >> UInt64(offset) & 1 == (byte == 0x20 ? 1 : 0), "\(byte)")
        }
      }
      text[start + random.below(64)] |= 0x80
      let isBlock = ASCIIBlock(text.span, at: start) != nil
      #expect(!isBlock)
      let isPast = ASCIIBlock(text.span, at: 17) != nil
      #expect(!isPast, "the text ends before")
    }
  }

  /// A character in a block, across its edge or after it is recognized in every position.
  @Test func signsDoNotDependOnThePlace() {
    let reader = TextHintScanner()
    func signs(_ text: String) -> TextHints { reader.signs(of: text.utf8.span) }
    let signals: [(String, TextHints)] = [
      ("http", .web), ("todo", .placeholderWord), ("password", .secretWord), ("/Users", .pathWord), ("???", .questions),
      ("@", .at), ("<b", .markup), ("aж", .scriptMeetsScript), ("жa", .scriptMeetsScript), ("1234567", .manyDigits),
      ("\u{202E}", .bidi), ("пароль", .secretWord), ("\u{7}", .invisible), ("[fill", .placeholderWord),
    ]
    for (text, sign) in signals {
      for before in 0..<130 {
        for filler in [".", "a"] {
          let long = String(repeating: filler, count: before) + " " + text + String(repeating: " .", count: 70)
          #expect(!signs(long).isDisjoint(with: sign), "\(text) behind \(before) \(filler)")
          #expect(
            signs(long) == signs(" " + text + " ." + String(repeating: filler, count: before)), "\(text) \(before)")
        }
      }
    }
    #expect(signs(String(repeating: "plain words ", count: 40)).isDisjoint(with: [.web, .manyDigits, .secretWord]))
  }
}
