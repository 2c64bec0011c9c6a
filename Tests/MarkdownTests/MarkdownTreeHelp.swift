import MarkdownSyntax

/// Returns the blocks of a whole text, or no blocks if the text is too long.
func tree(_ text: Span<UInt8>) -> MarkdownTree {
  var tree = MarkdownTree()
  tree.read(text, in: 0..<text.count)
  return tree
}
