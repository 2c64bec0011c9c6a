import Testing
import Validation

/// The results of scanning a guide's body, with their places.
@Suite struct MarkdownScanTests {
  private func scan<Result>(_ text: String, _ body: (MarkdownScan, (Range<Int>) -> String) -> Result) -> Result {
    let bytes = Array(text.utf8)
    var scan = MarkdownScan()
    scan.scan(bytes.span)
    return body(scan) { String(decoding: bytes[$0], as: UTF8.self) }
  }

  private func headings(_ text: String) -> [String] {
    scan(text) { scan, slice in scan.headings.map { "\($0.level) \(slice($0.text))" } }
  }

  private func links(_ text: String) -> [String] {
    scan(text) { scan, slice in
      scan.links.map { "\($0.form) \(slice($0.page))" + ($0.section.map { "#" + slice($0) } ?? "") }
    }
  }

  private func constructs(_ text: String) -> [String] {
    scan(text) { scan, slice in scan.constructs.map { "\($0.kind) \(slice($0.range))" } }
  }

  @Test func headingsOfBothForms() {
    #expect(headings("# One\n\n##  Two ##\n###\n####### seven\n#tag\n") == ["1 One", "2 Two", "3 "])
    #expect(headings("Заголовок\n=====\r\n\r\nДругой\r\n---\r\nтекст") == ["1 Заголовок", "2 Другой"])
    #expect(headings("two lines\nof text\n---\n\n- item\n---\n") == [])
    #expect(headings("## C#\n## #\n") == ["2 C#", "2 "])
  }

  @Test func headingsKnowWhetherSomethingStandsUnderThem() {
    func contents(_ text: String) -> [Bool] { scan(text) { scan, _ in scan.headings.map(\.hasContent) } }
    #expect(contents("# A\n## B\ntext\n## C\n") == [false, true, false])
    #expect(contents("# A\n```\ncode\n```\n# B\n![](x.png)\n# C\n| a |\n|---|\n") == [true, true, true])
    #expect(contents("# A\n\nB\n===\n\ntext\n") == [false, true])
  }

  @Test func fencesHideWhatIsInThem() {
    #expect(headings("```\n# no\n~~~\n```\n# yes\n") == ["1 yes"])
    #expect(headings("~~~~\n# no\n~~~\n# no\n~~~~\n# yes\n") == ["1 yes"])
    #expect(links("```\n[[no]]\n```\n    [[no]]\n\n`[[no]]` ``a`[[no]]`` [[yes]]\n") == ["wiki yes"])
    #expect(scan("a\n```swift\nb\n") { scan, slice in scan.openFence.map(slice) } == "```swift")
    #expect(scan("```\na\n```\n") { scan, _ in scan.openFence } == nil)
  }

  @Test func linksOfAllForms() {
    #expect(
      links("[[Page]] [[Page#Part|label]] ![[pic.png|300]] [[#Part]]") == [
        "wiki Page", "wiki Page#Part", "embed pic.png", "wiki #Part",
      ])
    #expect(
      links("[a](b.md#c) ![x](<p q.png> \"t\") [y](z 'title') <https://e.org/a>") == [
        "link b.md#c", "image p q.png", "link z", "address https://e.org/a",
      ])
    #expect(links("[ref]: page.md\n[текст\nдальше](якорь.md)") == ["link page.md", "link якорь.md"])
    #expect(links("\\[[no\\]] [no] (no) [no](a b) [[]] [[ ]") == [])
    #expect(links("[[a [[b]] [x](a(b)c)") == ["wiki b", "link a(b)c"])
    #expect(links("a [b [c](d) e](f)") == ["link d", "link f"])
  }

  @Test func constructsThatTheAppShowsAsTyped() {
    #expect(constructs("---\ntitle: x\n---\n# A\n") == ["frontMatter ---"])
    #expect(constructs("text\n\n---\n\ntext\n") == [])
    #expect(constructs("| a | b |\n|:--|--:|\n| 1 | 2 |\n\na | b\n") == ["table | a | b |"])
    #expect(constructs("- [ ] one\n- [x] two\n- [z] no\n+ three\n") == ["task [ ]", "task [x]", "plusBullet +"])
    #expect(constructs("text\n\n    code\n    code\n\n- item\n\n    of the item\n") == ["indentedCode     code"])
    #expect(
      constructs("a <b>b</b> <br/> <boat name> 3 <b and c> d <!-- e -->") == [
        "html <b>", "html </b>", "html <br/>", "html <!--",
      ])
    #expect(constructs("a[^1]\n\n[^1]: note\n") == ["footnote [^1]", "footnote [^1]"])
    #expect(constructs("##Heading\n#tag\n###### ok\n") == ["tightHeading ##"])
    #expect(constructs("Title\n=====\n") == ["underlinedHeading Title\n====="])
    #expect(constructs("1. one\n2) two\n* three\n> four\n***\n") == [])
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      "[[", "![](", "[", "](", "[[a", "[a](b ", "`", "``` ", "<a", "<b>", "![[", "[^", "](a\"", "((", "# ", "+ ",
      "a\n===\n", "|-\n",
      "[](\\", "`a``b```c", "<!--", "[x]: ", "- [ ] ", "\r", "\t", "    x\n\n", "[[#|", "]]", "[a](()", "\\", "~~~\n",
    ])
  func hostileTextsTakeLinearTime(_ piece: String) {
    let text = String(repeating: piece, count: (1 << 20) / piece.utf8.count) + ")]]>`"
    #expect(scan(text) { scan, _ in scan.links.count + scan.headings.count + scan.constructs.count } >= 0)
  }
}
