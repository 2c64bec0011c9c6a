/// One block of a Markdown text: where it stands, and what stands in it.
public struct MarkdownBlock: Sendable {
  /// What a block is.
  public enum Kind: Sendable, Equatable {
    case document
    case quote
    case list(isOrdered: Bool)
    case item
    case code(isFenced: Bool)
    case html
    case paragraph
    /// `#` is 1, `######` is 6; underlined headings are 1 and 2.
    case heading(level: Int)
    case rule
  }

  /// What it is.
  public let kind: Kind
  /// The block around it, as an index into the tree's blocks; -1 for the document.
  public let parent: Int
  /// The index behind the last block inside it.
  public internal(set) var next: Int
  /// Its first line and the one behind its last line, as indices into the tree's lines.
  public let lines: Range<Int>
  /// Offset of its first byte in the text.
  public let start: Int
}
