import Foundation
import MarkdownSyntax
import TestSupport
import Testing

/// Blocks and their lines, compared with markdown-it-py.
@Suite(.enabled(if: Judges.has(module: "markdown_it"), Judges.reason)) struct BlockJudgeTests {
  /// One block: its kind, its lines without trailing blank lines, and its nesting depth.
  private struct Row: Equatable, CustomStringConvertible {
    let kind: String
    let lines: [Int]
    let depth: Int

    var description: String { "\(kind) \(lines) \(depth)" }
  }

  /// Every note in the samples and fixtures, and the project's own pages.
  @Test func notesHaveTheSameBlocks() throws {
    var texts: [String] = []
    for folder in ["samples", "Tests/Fixtures", "docs", "formats"] {
      let root = Paths.root + "/" + folder
      for path in try FileManager.default.subpathsOfDirectory(atPath: root) where path.hasSuffix(".md") {
        if let text = try? String(contentsOfFile: root + "/" + path, encoding: .utf8) { texts.append(text) }
      }
    }
    #expect(texts.count > 100)
    try compare(texts)
  }

  /// All 652 examples in the CommonMark specification.
  @Test func theExamplesOfTheSpecificationHaveTheSameBlocks() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Judges.file("commonmark.json")))
    let examples = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    let texts = examples.compactMap { $0["markdown"] as? String }
    #expect(texts.count > 640 && texts.count == examples.count)
    try compare(texts)
  }

  /// Random combinations of marks. Texts that the judge reads differently from the reference implementation are left
  /// out: definitions and code continued without their quote marks, tabs, empty items, and HTML below tables.
  @Test func marksAtRandomHaveTheSameBlocks() throws {
    var random = SeededRandom(seed: 2026)
    let pieces = [
      "a", "b c", "> ", ">", "- a", "* b", "+ c", "1. d", "2) e", "10. f", "\n", "\n\n", "\n", "  ", " ", "# ",
      "## ", "#", "```", "~~~", "````", "===", "---", "- [ ] x", "***", "_ _ _", "<div>", "</div>", "<!-- ", "-->",
      "<b>", "<?", "?>", "\"t\"", "\\", "`", "<pre>", "</pre>", "text here", "\n- x", "\n  - y", "\n> ", "\n```\n",
      "\n   z",
    ]
    try compare((0..<4000).map { _ in (0..<2 + random.below(20)).map { _ in random.pick(pieces) }.joined() })
  }

  // MARK: Comparing

  private func compare(_ texts: [String]) throws {
    let input = String(decoding: try JSONSerialization.data(withJSONObject: texts), as: UTF8.self)
    let answer = try Judges.run("python", ["-c", Self.script], input: input)
    #expect(answer.status == 0, "\(answer.errors)")
    let parsed = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
    let judged = try #require(parsed as? [[[Any]]])
    #expect(judged.count == texts.count)
    var different = 0
    for (text, rows) in zip(texts, judged) {
      let expected = rows.compactMap { row -> Row? in
        guard row.count == 4, let kind = row[0] as? String, let first = row[1] as? Int, let end = row[2] as? Int,
          let depth = row[3] as? Int
        else { return nil }
        return Row(kind: kind, lines: [first, end], depth: depth)
      }
      let found = blocks(of: text)
      guard found != expected else { continue }
      different += 1
      if different <= 5 { Issue.record("\(text.prefix(600).debugDescription)\n\(found)\n\(expected)") }
    }
    #expect(different == 0)
  }

  private func blocks(of text: String) -> [Row] {
    let bytes = Array(text.utf8)
    var tree = MarkdownTree()
    tree.read(bytes.span, in: 0..<bytes.count)
    return tree.blocks.dropFirst().compactMap { block in
      if block.kind == .definition { return nil }
      var depth = 0
      var around = block.parent
      while around > 0 {
        depth += 1
        around = tree.blocks[around].parent
      }
      var end = block.lines.upperBound
      while end > block.lines.lowerBound, tree.lines[end - 1].allSatisfy({ [0x20, 0x09, 0x3E].contains(bytes[$0]) }) {
        end -= 1
      }
      return Row(kind: "\(block.kind)", lines: [block.lines.lowerBound, end], depth: depth)
    }
  }

  private static let script = """
    import json, sys
    from markdown_it import MarkdownIt
    parser = MarkdownIt("commonmark", {"maxNesting": 1000}).enable("table").disable("inline")
    names = {
        "blockquote_open": "quote", "bullet_list_open": "list(isOrdered: false)",
        "ordered_list_open": "list(isOrdered: true)", "list_item_open": "item", "code_block": "code(isFenced: false)",
        "fence": "code(isFenced: true)", "html_block": "html", "paragraph_open": "paragraph", "hr": "rule",
        "table_open": "table",
    }
    def rows(text):
        out, depth, tables = [], 0, 0
        lines = text.replace("\\r\\n", "\\n").replace("\\r", "\\n").split("\\n")
        for token in parser.parse(text, {}):
            if token.type == "inline":
                continue
            if token.type == "table_close":
                tables -= 1
            if tables:
                continue
            if token.nesting < 0:
                depth -= 1
                continue
            first, end = token.map
            while end > first and (end > len(lines) or lines[end - 1].strip(" \\t>") == ""):
                end -= 1
            kind = names.get(token.type) or "heading(level: %s)" % token.tag[1]
            out.append([kind, first, end, depth])
            if token.type == "table_open":
                tables += 1
            depth += token.nesting
        return out
    json.dump([rows(text) for text in json.load(sys.stdin)], sys.stdout)
    """
}
