import MarkdownSyntax

/// The blocks of a whole text; without blocks if it is too long.
func tree(_ text: UnsafeBufferPointer<UInt8>) -> MarkdownTree {
  var tree = MarkdownTree()
  tree.read(text.span, in: 0..<text.count)
  return tree
}
