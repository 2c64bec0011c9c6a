import MarkdownText
import Testing

@Suite struct TreeTests {
  /// The kinds and lines of all blocks, one line each.
  private func outline(_ text: String) throws -> [String] {
    var text = text
    return try text.withUTF8 { bytes in
      let tree = try #require(MarkdownTree(bytes, in: 0..<bytes.count))
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
        "paragraph 13..<14 at 67", "code(isFenced: true) 15..<18 at 70",
      ])
  }

  @Test(arguments: ["", "\n", "\r\n\r\n", "- ", "> > > ", "\u{0}\u{0}", "\t\t", "[a]: /b", "# ", "1) "])
  func smallTextsHaveADocument(_ text: String) throws {
    var text = text
    try text.withUTF8 { bytes in
      guard bytes.baseAddress != nil else { return }
      let tree = try #require(MarkdownTree(bytes, in: 0..<bytes.count))
      #expect(tree.blocks.first?.kind == .document)
      #expect(tree.blocks.first?.next == tree.blocks.count)
    }
  }

  @Test func endlessNestingIsRefusedAndNotWaitedFor() throws {
    var text = String(repeating: "- ", count: 50_000) + "x\n" + String(repeating: "lazy\n", count: 20_000)
    text.withUTF8 { #expect(MarkdownTree($0, in: 0..<$0.count) == nil) }
    var deep = String(repeating: "> ", count: 400) + "x\n"
    deep.withUTF8 { #expect(MarkdownTree($0, in: 0..<$0.count) != nil) }
  }
}
