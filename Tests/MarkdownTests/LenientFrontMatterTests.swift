import TestSupport
import Testing

@testable import Markdown

@Suite struct LenientFrontMatterTests {
  /// Returns `key=value` for every entry and `key=[a|b]` for lists. Checks that each text is at its recorded place.
  private func read(_ text: String) -> [String] {
    let note = "---\n" + text + "---\n"
    var copy = note
    return copy.withUTF8 { bytes in
      LenientFrontMatter.entries(bytes.span, content: 4..<bytes.count - 4).map { entry in
        for part in [entry.key] + entry.values { #expect(Array(bytes[part.range]) == part.bytes) }
        for value in entry.values {
          #expect(entry.range.lowerBound <= value.range.lowerBound && value.range.upperBound <= entry.range.upperBound)
        }
        let values = entry.values.map(\.string).joined(separator: "|")
        #expect(entry.isList || entry.values.count == 1)
        return entry.key.string + "=" + (entry.isList ? "[\(values)]" : values)
      }
    }
  }

  @Test(arguments: [
    ("title: Foo: bar\n", ["title=Foo: bar"]),
    ("title: \"Foo: bar\"\r\nx: 'y'\r\n", ["title=Foo: bar", "x=y"]),
    ("created: {{date}}\n", ["created={{date}}"]),
    ("title:\tTabs\n\tindented: x\n", ["title=Tabs"]),
    ("tags: [a, 'b, c', \"d\", ]\nlink: [[Page|name]]\n", ["tags=[a|b, c|d]", "link=[[Page|name]]"]),
    ("tags:\n  - a\n- \"b: c\"\n\n  - d\nx: 1\n- e\n", ["tags=[a|b: c|d]", "x=1"]),
    ("empty:\nnext: \n", ["empty=", "next="]),
    ("# comment: no\n- list: no\nhttp://x\n: none\n\"quoted key\": v\n", ["quoted key=v"]),
    ("a: 1\ra: 2", ["a=1", "a=2"]),
    ("a: x # kept\nb: \"x\" and \"y\"\nc: [a, b] c\n", ["a=x # kept", "b=\"x\" and \"y\"", "c=[a, b] c"]),
    ("ключ: да: нет\n", ["ключ=да: нет"]),
    ("", []), ("no key\n", []),
  ])
  func readsLines(_ text: String, _ expected: [String]) {
    #expect(read(text) == expected)
  }

  @Test func anythingIsRead() {
    var random = SeededRandom(seed: 41)
    let pieces = ["a", "key", ":", ": ", "\n", "\r\n", "\r", "- ", "[", "]", ",", "'", "\"", "#", " ", "\t", "é", "[["]
    for _ in 0..<5000 { _ = read((0..<random.below(20)).map { _ in random.pick(pieces) }.joined()) }
  }
}
