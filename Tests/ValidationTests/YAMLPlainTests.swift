import JSONText
import TestSupport
import Testing

@testable import YAMLText

/// The fast path says what the whole reader says, or nothing.
@Suite struct YAMLPlainTests {
  private func plain(_ text: String) -> String? {
    var text = text
    return text.withUTF8 { bytes in
      var out = ByteBuffer(capacity: 64)
      return PlainMapping.write(bytes, into: &out) ? String(decoding: out.bytes, as: UTF8.self) : nil
    }
  }

  @Test func frontMatterAsPeopleWriteItIsRead() {
    let text = """
      # a comment
      title: Anchoring, the Baltic way
      tags: [anchor, night watch, 7, true]
      created: 2026-01-05
      rating: 4.50

      pinned: true
      empty:
      note: "it's fine: # really"
      язык: no
      """
    #expect(
      plain(text.replacing("язык: no\n", with: "").replacing("\nязык: no", with: ""))
        == #"{"title":"Anchoring, the Baltic way","tags":["anchor","night watch",7,true],"created":"2026-01-05","#
        + #""rating":4.50,"pinned":true,"empty":null,"note":"it's fine: # really"}"#)
    #expect(plain("title: Якорь\r\nlanguage: ru\r\n") == #"{"title":"Якорь","language":"ru"}"#)
    #expect(plain(text) == nil, "names in other letters are for the whole reader")
  }

  @Test(arguments: [
    "", "\n", "a", "a:b", " a: 1", "a: 1\n b", "a: - 1", "a: [", "a: [1, [2]]", "a: {b: 1}", "a: b: c", "a: b #c",
    "a: &x 1",
    "a: 1\na: 2", "a: |\n  x", "- a", "a: \"\\n\"", "a: 'it''s'", "null: 1", "a: .inf", "a:\t1", "a: 1\n---\nb: 2",
    "<<: 1",
    "1: a", "a: [1,,2]", "a: [1,]", "a: \u{85}", "a: \u{FEFF}", "a: x\u{2028}y", "a: \"x\" y", "a: 'x", "? a",
    "a: !x y",
    "a: [b: c]", "a: [\"b\"]", "a: b:", "...",
  ])
  func everythingElseIsLeftToTheWholeReader(_ text: String) {
    #expect(plain(text) == nil)
  }

  @Test func bothReadersAgreeWhateverTheText() throws {
    var random = SeededRandom(seed: 20_261)
    let pieces = [
      "a", "b", "title", "tags", "x-y", "_", "null", "true", "~", "1", "0x1F", "1e3", ".5", "-1", "+7", "007", "1:30",
      "yes",
      ":", ": ", " ", "  ", "#", " #", "[", "]", ", ", ",", "\"", "'", "\\", "{", "}", "-", "- ", "?", "!", "&", "*",
      "|", ">", "%",
      "@", "`", "\n", "\r\n", "\t", "é", "Я", "\u{85}", "\u{A0}", "🙂", "\u{200B}", "2026-01-05", "a: ", "b: c\n",
      "\nc: ", "key: [",
      "...", "---", "<<", "=", ".nan", "NULL",
    ]
    var read = 0
    for _ in 0..<40_000 {
      var text = ""
      for _ in 0..<Int(random.next() % 10) + 1 { text += pieces[Int(random.next() % UInt64(pieces.count))] }
      guard let mine = plain(text) else { continue }
      read += 1
      let theirs = try? YAMLDocument(parsing: text)
      #expect(theirs?.json.root.text == mine, "\(text.debugDescription)")
    }
    #expect(read > 400)
  }
}
