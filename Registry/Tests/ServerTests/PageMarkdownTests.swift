import Foundation
import JSONText
import Testing

@testable import Pages

/// Tests the HTML of Markdown.
@Suite struct PageMarkdownTests {
  private static let examples =
    (ProcessInfo.processInfo.environment["FLEETKIT_JUDGES"]
      ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../../.build/judges")
    + "/commonmark.json"

  /// The sections of the specification whose examples have the same HTML. Links, pictures and HTML differ on purpose.
  private static let sections: Set<String> = [
    "ATX headings", "Backslash escapes", "Blank lines", "Block quotes", "Code spans", "Emphasis and strong emphasis",
    "Fenced code blocks", "Hard line breaks", "Indented code blocks", "List items", "Lists", "Paragraphs",
    "Setext headings", "Soft line breaks", "Textual content", "Thematic breaks",
  ]

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["FLEETKIT_REQUIRE_JUDGES"] == "1"
        || FileManager.default.fileExists(atPath: examples), "the judge is not installed (make judges)"))
  func `the examples of CommonMark have the same HTML`() throws {
    let document = try JSONDocument(parsing: Array(Data(contentsOf: URL(fileURLWithPath: Self.examples))))
    var (count, differing) = (0, [Int64]())
    for example in document.root.elements {
      guard let section = example["section"]?.string, Self.sections.contains(section),
        let markdown = example["markdown"]?.string, let expected = example["html"]?.string,
        !expected.contains("<a "), !expected.contains("<img"), !markdown.contains("<"), !markdown.contains("\t")
      else { continue }
      count += 1
      if Self.normalized(MarkdownHTML.html(markdown, below: nil)) != Self.normalized(expected) {
        differing.append(example["example"]?.integer ?? 0)
      }
    }
    #expect(count > 300)
    // In these, indented code keeps or loses blanks that depend on the container around it.
    #expect(differing == [116, 257, 274])
  }

  /// Returns HTML without differences that browsers do not show.
  private static func normalized(_ html: String) -> String {
    html.replacing(#/ class="language-[^"]*"/#, with: "").replacing(" />", with: ">").replacing("&#39;", with: "'")
      .replacing(#/\s*(<\/?(li|ul|ol|p|blockquote|pre|h\d|hr)[^>]*>)\s*/#) { String($0.1) }
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `links, pictures, tables and boxes`() {
    for (markdown, html) in [
      ("[a](https://x.example/?a=1&b=2)", #"<p><a rel="nofollow ugc" href="https://x.example/?a=1&amp;b=2">a</a></p>"#),
      ("[a][b]\n\n[B]: <mailto:x@y.example> 'title'", #"<p><a rel="nofollow ugc" href="mailto:x@y.example">a</a></p>"#),
      ("<x@y.example>", #"<p><a rel="nofollow ugc" href="mailto:x@y.example">x@y.example</a></p>"#),
      ("[a](relative.md) [b]", "<p>a [b]</p>"),
      ("![a *b*](https://x.example/p.png)", #"<p><img loading="lazy" src="https://x.example/p.png" alt="a b"></p>"#),
      ("![boat](boat.png)", "<p>boat</p>"), ("a<br>b", "<p>a<br>b</p>"),
      (
        "| a | b |\n|--|--|\n| `x\\|y` |",
        """
        <div class="table" role="group" tabindex="0">
        <table>
        <thead>
        <tr><th scope="col">a</th><th scope="col">b</th></tr>
        </thead>
        <tbody>
        <tr><td><code>x|y</code></td><td></td></tr>
        </tbody>
        </table>
        </div>
        """
      ),
      (
        "- [ ] a\n- [X] b",
        #"<ul>\#n<li><span class="box"></span>a</li>\#n<li><span class="box ticked"></span>b</li>\#n</ul>"#
      ),
      ("# a", "<h2>a</h2>"), ("## a\n\n#### b", "<h2>a</h2>\n<h4>b</h4>"),
      ("# a\n\n###### b", "<h2>a</h2>\n<h6>b</h6>"), ("<!-- a -->", ""),
      ("&copy; &nosuch; &#65;", "<p>&copy; &nosuch; &#65;</p>"),
    ] {
      #expect(MarkdownHTML.html(markdown, below: 1).trimmingCharacters(in: .newlines) == html)
    }
  }

  @Test func `a heading that repeats the title is left out`() throws {
    for (markdown, count) in [
      ("# A title\n\n# B\n", 1), ("A title\n===\n\nb\n", 0), ("# A *title*\n", 1), ("## A title\n", 1), ("# A\n", 1),
    ] {
      let page = try PageTags(MarkdownHTML.html(markdown, below: 1, titled: "A title"))
      #expect(page.tags.count { $0.name.hasPrefix("h") } == count, "\(markdown)")
    }
  }

  /// Text that makes careless parsers quadratic. The sizes differ by a factor of four; quadratic work would differ by 16.
  @Test(
    arguments: [
      "*a ", "a* ", "**a*", "_a __a ", "[", "![", "[a](", "![[]()", "[a][b", "`a``", "<a ", "<!A", "*a_ ",
      "**x [a*b**c*](d)",
      "[a](<b", "(a", "[a](\"b ", "]", "&amp", "\\", "[a](b 'c ", "*_", "![a](https://x.example) ", "[a]: b\n", "> ",
      "- ",
      "| a ", "`a ", "[a] ", "<br ",
    ])
  func `the time is linear`(unit: String) {
    func seconds(_ count: Int) -> Double {
      let text = String(repeating: unit, count: count / unit.utf8.count) + "\n\n[b]: https://x.example\n"
      return (0..<3).map { _ in
        let start = ContinuousClock.now
        _ = MarkdownHTML.html(text, below: 1)
        return Double((ContinuousClock.now - start).components.attoseconds) * 1e-18
          + Double((ContinuousClock.now - start).components.seconds)
      }.min() ?? 0
    }
    let (small, large) = (seconds(50_000), seconds(200_000))
    #expect(large < max(8 * small, 0.05), "\(unit): \(small) s, \(large) s")
  }

  @Test func `many references to one long target stay small`() {
    let text =
      "[a]: https://x.example/" + String(repeating: "y", count: 100_000) + "\n\n"
      + String(repeating: "[a] ", count: 50_000)
    #expect(MarkdownHTML.html(text, below: 1).utf8.count < 2_000_000)
  }

  @Test func `delimiters at both ends of a long text`() {
    let stars = String(repeating: "*", count: 100_000)
    #expect(MarkdownHTML.html(stars + "a" + stars, below: 1).utf8.count > 500_000)
  }
}
