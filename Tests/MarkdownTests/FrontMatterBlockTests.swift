import MarkdownSyntax
import MarkdownText
import TestSupport
import Testing

@Suite struct FrontMatterBlockTests {
  /// Returns the text between the fences, and the body.
  private func split(_ text: String) -> (kind: FrontMatterBlock.Kind, content: String, body: String)? {
    var text = text
    return text.withUTF8 { bytes in
      guard let block = FrontMatterBlock(bytes.span) else { return nil }
      #expect(block.block.lowerBound == 0)
      #expect(block.block.upperBound == block.body.lowerBound)
      #expect(block.body.upperBound == bytes.count)
      return (
        block.kind, String(decoding: bytes[block.content], as: UTF8.self),
        String(decoding: bytes[block.body], as: UTF8.self)
      )
    }
  }

  @Test(arguments: [
    ("---\ntitle: A\n---\nBody\n", "title: A\n", "Body\n"),
    ("---\r\ntitle: A\r\n---\r\nBody\r\n", "title: A\r\n", "Body\r\n"),
    ("---\rtitle: A\r---\rBody", "title: A\r", "Body"),
    ("--- \t\ntitle: A\n...  \nBody", "title: A\n", "Body"),
    ("---\ntitle: A\n---", "title: A\n", ""),
    ("---\n---\nBody", "", "Body"),
    ("---\n\n---\nBody", "\n", "Body"),
    ("---\n# note\ntags:\n- a\n- b\n---\n\n---\nBody", "# note\ntags:\n- a\n- b\n", "\n---\nBody"),
    ("---\n\"a b c d e f\": 1\n---\n", "\"a b c d e f\": 1\n", ""),
    ("---\n{a: 1}\n---\n", "{a: 1}\n", ""),
    ("---\ntext: |\n  ---\n  x\n---\ny", "text: |\n  ---\n  x\n", "y"),
    ("---\nключ: да\n---\nТекст", "ключ: да\n", "Текст"),
    ("---\n{{date}}\ntitle: x\n---\n", "{{date}}\ntitle: x\n", ""),
  ])
  func isFound(_ text: String, _ content: String, _ body: String) throws {
    let found = try #require(split(text))
    #expect(found.kind == .yaml)
    #expect(found.content == content)
    #expect(found.body == body)
  }

  @Test(arguments: [
    "", "-", "---", "---\n", "---\nA rule, then text.\n---\n", "---\ntitle: not closed\n", "---\n\n# Heading\n\n---\n",
    " ---\na: 1\n---\n", "----\na: 1\n----\n", "---x\na: 1\n---\n", "\n---\na: 1\n---\n", "Text\n---\na: 1\n---\n",
    "---\nBefore you leave the harbour: check.\nAnd then go.\n---\n", "---\na: 1\none\ntwo\n---\n", "...\na: 1\n...\n",
    "---\nhttp://example.org\n---\n", "---\n- a\nText\n---\n", "+++\n+++ x\n", "+++\ntext\n+++\n",
  ])
  func isNotTakenForOne(_ text: String) {
    #expect(split(text) == nil)
  }

  @Test func tomlIsKept() throws {
    let found = try #require(split("+++\ntitle = \"A\"\n[params]\n---\n+++\nBody"))
    #expect(found.kind == .toml)
    #expect(found.content == "title = \"A\"\n[params]\n---\n")
    #expect(found.body == "Body")
  }

  @Test func lengthIsBounded() {
    let line = "key: " + String(repeating: "x", count: 1019) + "\n"
    let almost = String(repeating: line, count: FrontMatterBlock.longest / line.utf8.count)
    #expect(split("---\n" + almost + "---\n") != nil)
    #expect(split("---\n" + almost + line + "---\n") == nil)
  }

  /// Front matter and body together form the whole text, wherever the fences are.
  @Test func everyByteIsAccountedFor() {
    var random = SeededRandom(seed: 3)
    let pieces = ["---", "---", "...", "+++", "a: 1", "- x", "# c", "text", "\n", "\r\n", "\r", " ", "é", "\n"]
    for _ in 0..<4000 {
      let text = "---\n" + (0..<random.below(12)).map { _ in random.pick(pieces) + random.pick(["", "\n"]) }.joined()
      guard let found = split(text) else { continue }
      let fences = text.utf8.count - found.content.utf8.count - found.body.utf8.count
      #expect(fences >= 7 && fences < 40, "\(text)")
      #expect(
        text.utf8.elementsEqual(Array(text.utf8.prefix(text.utf8.count - found.body.utf8.count)) + found.body.utf8))
    }
  }
}
