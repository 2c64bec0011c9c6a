import JSONText
import TestTools
import Testing

/// A place is the same whether it is requested alone or with a thousand others, and in any order.
@Suite struct PlaceFindingTests {
  /// Returns a document with large and small containers, and with names that are escaped or duplicated.
  private static func document(_ random: inout SeededRandom) throws -> JSONDocument {
    var members: [String] = []
    for index in 0..<(20 + random.below(60)) {
      members.append(random.pick(["\"ж\(index)\"", "\"k\"", "\"\\u0416\(index)\""]) + ":" + random.json(depth: 2))
    }
    let elements = (0..<(20 + random.below(200))).map { _ in random.json(depth: 2) }
    return try JSONDocument(
      parsing: "{\"list\":[\(elements.joined(separator: ", \n"))],\"object\":{\(members.joined(separator: ",\n"))}}")
  }

  @Test func pointersAndSpansOfEveryValue() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<20 {
      let document = try Self.document(&random)
      var finder = ChildIndex()
      var seeker = ChildIndex()
      document.withNode(document.root.tokenIndex) { root in
        let count = Int(root.token.next)
        var tokens = Array(1..<count)
        // In document order, then in random order.
        for index in tokens.indices where random.below(2) == 0 { tokens.swapAt(index, random.below(tokens.count)) }
        for token in tokens {
          let node = root.at(token)
          let pointer = finder.pointer(from: root, to: token)
          #expect(pointer == root.pointer(to: token))
          let isName = node.token.flags.contains(.name)
          let span = document.span(of: pointer, part: isName ? .name : .value, using: &seeker)
          // A pointer refers to the last of several equally named members.
          if pointer.steps.contains(.member("k")) {
            if pointer.steps.count == 2 { #expect(isName || span == document.root.at(pointer)?.span) }
          } else {
            #expect(span == node.span)
          }
        }
      }
    }
  }

  @Test func twoSpellingsOfAnAccentAreTwoNames() throws {
    let names = (0..<30).map { "\"n\($0)\":0" }.joined(separator: ",")
    for more in ["", "," + names] {
      let document = try JSONDocument(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2\(more)}")
      #expect(document.root["\u{E9}"]?.text == "1" && document.root["e\u{301}"]?.text == "2")
      #expect(document.root.duplicateName == nil)
      for (name, value) in [("\u{E9}", "1"), ("e\u{301}", "2")] {
        let span = document.span(of: JSONPointer([.member(name)]))
        #expect(document.withText { String(decoding: $0.extracting(span)) } == value)
      }
      let other = try JSONDocument(parsing: "{\"e\u{301}\":1,\"\u{E9}\":2\(more)}")
      #expect(!document.root.means(other.root))
    }
  }

  @Test func linesAndColumnsInAnyOrder() {
    var random = SeededRandom(seed: 6)
    for round in 0..<12 {
      var text: [UInt8] = []
      while text.count < 9000 {
        text += Array(random.pick(["a", "ж", "⛵", "e\u{301}", "\t", "\r\n", round % 3 == 0 ? "" : "\n"]).utf8)
      }
      var counter = PlaceCounter()
      for offset in (0..<60).map({ _ in random.below(text.count + 40) }) + [0, 2048, 2047, 4096, text.count, 1] {
        let counted = counter.position(of: offset, in: text.span)
        let position = TextPosition(offset: offset, in: text.span)
        #expect(counted == position)
      }
    }
  }

  /// Every byte of a string can be located after escapes of every kind.
  @Test func bytesOfTextsWithEscapes() throws {
    var random = SeededRandom(seed: 7)
    let pieces = [
      ("a", "a"), ("ж", "ж"), ("\\u0436", "ж"), ("\\ud83d\\ude00", "😀"), ("😀", "😀"), ("\\n", "\n"), ("\\\\", "\\"),
      ("\\u0041", "A"), ("\\u2693", "⚓"), ("\\/", "/"),
    ]
    for _ in 0..<4 {
      var written = ""
      var starts: [(text: Int, written: Int)] = []
      var text = 0
      for _ in 0..<1500 {
        let piece = random.pick(pieces)
        // An unescaped character is written byte by byte.
        for byte in 0..<piece.1.utf8.count {
          starts.append((text + byte, written.utf8.count + (piece.0 == piece.1 ? byte : 0)))
        }
        written += piece.0
        text += piece.1.utf8.count
      }
      let document = try JSONDocument(parsing: "[\"\(written)\"]")
      var index = ChildIndex()
      let pointer = JSONPointer([.element(0)])
      for _ in 0..<800 {
        let from = random.pick(starts)
        let span = document.span(of: pointer, part: .text(from.text..<text), using: &index)
        #expect(span == from.written + 2..<written.utf8.count + 2)
      }
    }
  }
}
