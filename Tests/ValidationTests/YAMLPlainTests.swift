import JSONText
import TestSupport
import Testing

@testable import YAMLText

/// The fast path gives either the same result as the full reader or no result.
@Suite struct YAMLPlainTests {
  private func plain(_ text: String) -> String? {
    var out = ByteBuffer(capacity: 64)
    return PlainMapping.write(text.utf8.span, into: &out) ? String(decoding: out.bytes, as: UTF8.self) : nil
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

  /// Lines as people write them, some with a mistake. Most lines are plain, and their meaning is never ambiguous.
  @Test func bothReadersAgreeOnLinesWithMistakes() throws {
    var random = SeededRandom(seed: 20_262)
    func pick(_ list: [String]) -> String { list[Int(random.next() % UInt64(list.count))] }
    let names = ["title", "tags", "id", "created", "x-y", "A1", "_", "y", "No", "true", "nuLL", "aliases"]
    let words = [
      "Anchoring", "night watch", "Якорь", "é", "7", "-7", "+7", "007", "0x1F", "0o17", "1_000", "1e3", "4.50", ".5",
      "5.",
      "12345678901234567890", "2026-01-05", "2026-01-05T10:11:12.345Z", "1:30", "true", "False", "TRUE", "null", "~",
      "Nope",
      "yes", "off", "it's", "a \"b\" c", "a#b", "a:b", "50%", "@home", "x [y]", "{{date}}", "C:\\", "a, b", "-", "--",
      ".", "=",
      "<<", "*", "&a", "!x", "|", ">", "?", "%", "`a`", ".inf", ".NaN", "1.5.2", "3F2A-11", "a   b", "\u{A0}",
      "e\u{301}", "⚓",
    ]
    let mistakes = [
      " ", "  ", "\t", ":", ": ", "#", " #", "\"", "'", "''", "\\", "[", "]", "{", "}", ",", "-", "- ", "\n", "\r\n",
      "\r", "&", "*",
      "!", "|", ">", "%", "@", "`", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{0}", "---", "...",
    ]
    var read = 0
    for _ in 0..<40_000 {
      let end = pick(["\n", "\n", "\r\n"])
      var text = ""
      for _ in 0..<Int(random.next() % 5) + 1 {
        switch random.next() % 12 {
        case 0: text += "# " + pick(words)
        case 1: text += ""
        case 2: text += "\(pick(names)):"
        case 3, 4, 5:
          let list = (0..<Int(random.next() % 4)).map { _ in pick(words) }
          text += "\(pick(names)): [\(list.joined(separator: pick([",", ", ", " ,  "])))]"
        case 6: text += "\(pick(names)): \"\(pick(words))\""
        case 7: text += "\(pick(names)):  '\(pick(words))' "
        default: text += "\(pick(names)): \(pick(words))\(pick(["", "", " ", "  # why"]))"
        }
        text += end
      }
      if random.next() % 3 == 0 {
        var scalars = Array(text.unicodeScalars)
        let at = Int(random.next() % UInt64(scalars.count))
        if random.next() % 2 == 0 { scalars.remove(at: at) }
        scalars.insert(contentsOf: pick(mistakes).unicodeScalars, at: min(at, scalars.count))
        text = String(String.UnicodeScalarView(scalars))
      }
      guard let mine = plain(text) else { continue }
      read += 1
      let theirs = try? YAMLDocument(parsing: text)
      #expect(theirs?.json.root.text == mine, "\(text.debugDescription)")
    }
    #expect(read > 8000)
  }
}
