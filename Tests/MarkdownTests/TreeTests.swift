import MarkdownSyntax
import MarkdownText
import Testing

@Suite struct TreeTests {
  /// Returns the kinds and lines of all blocks, one block per line.
  private func outline(_ text: String) throws -> [String] {
    var text = text
    return try text.withUTF8 { bytes in
      let parsed = MarkdownTree(bytes.span, in: 0..<bytes.count)
      let tree = try #require(parsed)
      return tree.blocks.dropFirst().map { block in
        "\(block.kind) \(block.lines.lowerBound)..<\(block.lines.upperBound) at \(block.start)"
      }
    }
  }

  @Test func blocksStandWhereTheyStand() throws {
    let text =
      "Intro\n===\n\n- [ ] A\n  more\n\n  - nested\n- B\n\n## Two\n1. x\n\n   para\n2. y\n\n```\ncode\n```\n[a]: /b\n"
    #expect(
      try outline(text) == [
        "heading(level: 1) 0..<2 at 0", "list(isOrdered: false) 3..<8 at 11", "item 3..<7 at 11",

        "paragraph 3..<5 at 13",
        "list(isOrdered: false) 6..<7 at 29", "item 6..<7 at 29", "paragraph 6..<7 at 31", "item 7..<8 at 38",
        "paragraph 7..<8 at 40", "heading(level: 2) 9..<10 at 43", "list(isOrdered: true) 10..<14 at 50",
        "item 10..<13 at 50", "paragraph 10..<11 at 53", "paragraph 12..<13 at 59", "item 13..<14 at 64",
        "paragraph 13..<14 at 67", "code(isFenced: true) 15..<18 at 70", "definition 18..<19 at 83",
      ])
  }

  @Test(arguments: ["", "\n", "\r\n\r\n", "- ", "> > > ", "\u{0}\u{0}", "\t\t", "[a]: /b", "# ", "1) "])
  func smallTextsHaveADocument(_ text: String) throws {
    var text = text
    try text.withUTF8 { bytes in
      guard bytes.baseAddress != nil else { return }
      let parsed = MarkdownTree(bytes.span, in: 0..<bytes.count)
      let tree = try #require(parsed)
      #expect(tree.blocks.first?.kind == .document)
      #expect(tree.blocks.first?.next == tree.blocks.count)
    }
  }

  /// Marks beyond the deepest container are text, and parsing them takes no longer than parsing any other text.
  @Test(arguments: ["- ", "> ", "1. ", "* - "])
  func endlessNestingIsText(_ mark: String) throws {
    var text = String(repeating: mark, count: 50_000) + "x\n" + String(repeating: "lazy\n", count: 20_000)
    try text.withUTF8 { bytes in
      let parsed = MarkdownTree(bytes.span, in: 0..<bytes.count)
      let tree = try #require(parsed)
      let containers = tree.blocks.count { $0.kind == .item || $0.kind == .quote }
      #expect(containers == MarkdownTree.deepest)
      #expect(tree.blocks.last?.kind == .paragraph && tree.blocks.last?.lines == 0..<20_001)
    }
  }

  /// Twice the text takes at most twice the steps and twice the memory, whatever the text contains.
  @Test(arguments: [
    "> ", "* ", "- ", "-\n", "- a\n", "1. ", "[a]: b 'c\n", "[a\n", "[a]: b\n", "[a](", "|a|\n|-|\n", "|-\n", "![[]()",
    "<?", "<!A",
    "<![CDATA[", "<a b='c' ", "</pre>", "`", "```\n", "~~~\n> ", "\t", " ", "    a\n", "===\n", "a\n===\n", "#", "# ",
    "\r", "_ ", "- > ",
    "- a\n\n", "\n> - a",
  ])
  func stepsAndMemoryGrowWithTheText(_ piece: String) {
    func cost(_ size: Int) -> (steps: Int, blocks: Int, lines: Int) {
      let bytes = Array(String(repeating: piece, count: size / piece.utf8.count).utf8) + Array("a".utf8)
      var tree = MarkdownTree()
      let isRead = tree.read(bytes.span, in: 0..<bytes.count)
      #expect(isRead)
      return (tree.steps, tree.blocks.count, tree.lines.count)
    }
    let costs = [20_000, 40_000, 80_000].map { cost($0) }
    for (small, large) in zip(costs, costs.dropFirst()) {
      #expect(large.steps * 10 <= small.steps * 22, "\(small) \(large)")
      #expect(large.blocks <= small.blocks * 22 / 10 + 1 && large.lines <= small.lines * 22 / 10 + 1)
    }
    // The limit allows for the deepest nesting and for the work that each line may cause.
    #expect(costs[2].steps <= 80_001 * (MarkdownTree.deepest * 2 + 4))
  }

  @Test func textsBeyondTheLimitsAreNotRead() {
    for (text, isRead) in [
      (String(repeating: "\n", count: MarkdownTree.mostLines), true),
      (String(repeating: "\n", count: MarkdownTree.mostLines) + "x", false),
      (String(repeating: "a", count: MarkdownTree.longest), true),
      (String(repeating: "a", count: MarkdownTree.longest + 1), false),
    ] {
      var tree = MarkdownTree()
      let bytes = Array(text.utf8)
      let wasRead = tree.read(bytes.span, in: 0..<bytes.count)
      #expect(wasRead == isRead && tree.isRead == isRead)
      #expect(tree.blocks.isEmpty != isRead && tree.lines.isEmpty != isRead)
    }
  }

  @Test func tablesAndDefinitionsAreBlocks() throws {
    let text = "Above\n| a | b |\n|---|:-:|\n| 1 | 2 |\nrow\n\n[a]: /b\n  'title'\n[c]: d\ntext\n\na | b\nc | d\n"
    #expect(
      try outline(text) == [
        "paragraph 0..<1 at 0", "table 1..<5 at 6", "definition 6..<8 at 41", "definition 8..<9 at 59",
        "paragraph 9..<10 at 66", "paragraph 11..<13 at 72",
      ])
  }

  @Test func fencesWithoutAnEndAreKnown() throws {
    let text = "- ```\n  a\n\n~~~\nb\n~~~\n\n````\n```\n"
    var copy = text
    try copy.withUTF8 { bytes in
      let parsed = MarkdownTree(bytes.span, in: 0..<bytes.count)
      let tree = try #require(parsed)
      let fences = tree.blocks.filter { $0.kind == .code(isFenced: true) }
      #expect(fences.map(\.isUnclosed) == [true, false, true])
      #expect(fences.map(\.lines) == [0..<3, 3..<6, 7..<9])
    }
  }
}
