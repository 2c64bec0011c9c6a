import CMarkdown

/// The blocks of a Markdown text as CommonMark has them, in the order of the text, with the bytes where they stand.
///
/// Inline text is not looked at: who needs it takes it from the text by the lines of its block. Not every line belongs
/// to a block: blank lines and definitions of link references belong to none. Time is that of cmark-gfm, memory one
/// node for each block.
/// - Source: CommonMark 0.29; the parser is cmark-gfm, which GitHub uses
public struct MarkdownTree: Sendable {
  /// All blocks in the order of the text, each before those inside it; the first one is the document.
  public private(set) var blocks: [MarkdownBlock] = []
  /// The bytes of each line, without its end (LF, CR or both).
  public let lines: [Range<Int>]

  /// Longer texts are not parsed: nobody keeps a checklist of that size.
  public static let longest = 16 << 20

  /// Parses the bytes of `text` in `range`; all offsets count from the start of `text`.
  /// - Returns: nil for texts that are longer than `longest`, or nest so deep that nobody could have typed them.
  public init?(_ text: UnsafeBufferPointer<UInt8>, in range: Range<Int>) {
    guard range.count <= Self.longest, let base = text.baseAddress else { return nil }
    lines = Self.lines(text, range)
    guard Self.deepest(text, lines) * lines.count <= Self.mostSteps else { return nil }
    guard let parser = cmark_parser_new(CMARK_OPT_DEFAULT) else { return nil }
    defer { cmark_parser_free(parser) }
    base.withMemoryRebound(to: CChar.self, capacity: text.count) {
      cmark_parser_feed(parser, $0 + range.lowerBound, range.count)
    }
    guard let root = cmark_parser_finish(parser) else { return nil }
    defer { cmark_node_free(root) }
    add(root)
  }

  /// cmark-gfm looks at every open container again for every line: the deepest nesting times the lines must stay below
  /// this, which no note of a person comes near.
  private static let mostSteps = 20_000_000

  /// How many containers one line may open at most, by the marks that it begins with.
  private static func deepest(_ text: UnsafeBufferPointer<UInt8>, _ lines: [Range<Int>]) -> Int {
    var most = 1
    for line in lines {
      var marks = 0
      scan: for at in line {
        switch text[at] {
        case UInt8(ascii: ">"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "."),
          UInt8(ascii: ")"):
          marks += 1
        case 0x20, 0x09, UInt8(ascii: "0")...UInt8(ascii: "9"): continue
        default: break scan
        }
      }
      most = max(most, marks)
    }
    return most
  }

  /// The blocks directly inside a block, in order.
  public func children(of index: Int) -> [Int] {
    var found: [Int] = []
    var child = index + 1
    while child < blocks[index].next {
      found.append(child)
      child = blocks[child].next
    }
    return found
  }

  private static func lines(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = range.lowerBound
    var at = start
    while at < range.upperBound {
      let byte = text[at]
      if byte == 0x0A || byte == 0x0D {
        lines.append(start..<at)
        if byte == 0x0D, at + 1 < range.upperBound, text[at + 1] == 0x0A { at += 1 }
        start = at + 1
      }
      at += 1
    }
    if start < range.upperBound { lines.append(start..<range.upperBound) }
    return lines
  }

  // MARK: Nodes

  /// Walks the nodes without recursion: texts may nest as deep as they like.
  private mutating func add(_ root: OpaquePointer) {
    var node = root
    var parent = -1
    while true {
      let index = blocks.count
      if let kind = Self.kind(node) {
        blocks.append(block(node, kind, parent))
        if let child = cmark_node_first_child(node), Self.kind(child) != nil {
          parent = index
          node = child
          continue
        }
        blocks[index].next = blocks.count
      }
      while true {
        if let next = cmark_node_next(node) {
          node = next
          break
        }
        guard parent >= 0, let above = cmark_node_parent(node) else { return }
        blocks[parent].next = blocks.count
        parent = blocks[parent].parent
        node = above
        if parent < 0 { return }
      }
    }
  }

  private func block(_ node: OpaquePointer, _ kind: MarkdownBlock.Kind, _ parent: Int) -> MarkdownBlock {
    let first = min(max(0, Int(cmark_node_get_start_line(node)) - 1), lines.count)
    var end = min(max(first, Int(cmark_node_get_end_line(node))), lines.count)
    // A list that a heading ends is said to end at column 0 of the heading's line.
    if cmark_node_get_end_column(node) == 0, end > first + 1, parent >= 0 { end -= 1 }
    if kind == .document { end = lines.count }
    let start = first < lines.count ? lines[first].lowerBound : lines.last?.upperBound ?? 0
    let column = max(0, Int(cmark_node_get_start_column(node)) - 1)
    return MarkdownBlock(
      kind: kind, parent: parent, next: blocks.count + 1, lines: first..<max(end, min(first + 1, lines.count)),
      start: first < lines.count ? min(start + column, lines[first].upperBound) : start)
  }

  private static func kind(_ node: OpaquePointer) -> MarkdownBlock.Kind? {
    switch cmark_node_get_type(node) {
    case CMARK_NODE_DOCUMENT: .document
    case CMARK_NODE_BLOCK_QUOTE: .quote
    case CMARK_NODE_LIST: .list(isOrdered: cmark_node_get_list_type(node) == CMARK_ORDERED_LIST)
    case CMARK_NODE_ITEM: .item
    case CMARK_NODE_CODE_BLOCK: .code(isFenced: isFenced(node))
    case CMARK_NODE_HTML_BLOCK: .html
    case CMARK_NODE_PARAGRAPH: .paragraph
    case CMARK_NODE_HEADING: .heading(level: Int(cmark_node_get_heading_level(node)))
    case CMARK_NODE_THEMATIC_BREAK: .rule
    default: nil
    }
  }

  private static func isFenced(_ node: OpaquePointer) -> Bool {
    var (length, offset, character) = (Int32(0), Int32(0), CChar(0))
    return cmark_node_get_fenced(node, &length, &offset, &character) != 0
  }
}
