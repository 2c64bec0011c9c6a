/// The blocks of a Markdown document as defined by CommonMark and GitHub, in the order of the text.
///
/// The text inside blocks is not parsed; callers read it through the lines of a block. Blank lines belong to no block.
/// The time is linear in the length of the text, whatever the text contains. Memory is 24 bytes per block and 8 bytes
/// per line, and is reused for the next text.
///
/// Containers nest up to `deepest` levels; the marks of deeper containers are read as text.
/// - Source: CommonMark 0.30; tables: GitHub Flavored Markdown 0.29; docs/adr/0016
public struct MarkdownTree: Sendable {
  /// All blocks in the order of the text. Each block comes before the blocks inside it, and the first block is the
  /// document.
  public internal(set) var blocks: [MarkdownBlock] = []
  /// The byte range of each line, without the line end.
  public internal(set) var lines = MarkdownLines()

  /// The number of containers and bytes that were examined. A byte counts each time that it is examined.
  package internal(set) var steps = 0

  /// The maximum length of the text, in bytes.
  public static let longest = 8 << 20
  /// The maximum number of lines in the text.
  public static let mostLines = 250_000
  /// The maximum number of quotes and list items around a block.
  public static let deepest = 100

  /// Creates a tree without blocks.
  public init() {}

  /// Reads the bytes of `text` in `range`.
  /// - Returns: nil if the text exceeds `longest` or `mostLines`.
  public init?(_ text: Span<UInt8>, in range: Range<Int>) {
    guard read(text, in: range) else { return nil }
  }

  /// Reads the bytes of `text` in `range`; all offsets count from the start of `text`. Replaces the previous content.
  /// - Returns: false if the text exceeds `longest` or `mostLines`. In this case, the tree has no blocks and no lines.
  @discardableResult
  public mutating func read(_ text: Span<UInt8>, in range: Range<Int>) -> Bool {
    blocks.removeAll(keepingCapacity: true)
    lines.removeAll()
    steps = 0
    guard range.upperBound <= text.count, range.count <= Self.longest, range.upperBound <= Int(Int32.max) else {
      return false
    }
    // The tree is swapped, not copied, so that its memory is reused.
    var scanner = BlockScanner()
    swap(&self, &scanner.tree)
    let isRead = scanner.run(text, range)
    swap(&self, &scanner.tree)
    if !isRead {
      blocks.removeAll()
      lines.removeAll()
    }
    return isRead
  }

  /// Whether text is within `longest` and `mostLines`.
  package static func canRead(_ text: [UInt8]) -> Bool {
    guard text.count <= longest else { return false }
    // Text has at most one more line than it has bytes, so the lines of short text need not be counted.
    return text.count < mostLines || text.count { $0 == 0x0A || $0 == 0x0D } < mostLines
  }

  /// Whether text has been read and was not too large.
  public var isRead: Bool { !blocks.isEmpty }

  /// Returns the blocks directly inside a block, in order.
  public func children(of index: Int) -> [Int] {
    var found: [Int] = []
    var child = index + 1
    while child < blocks[index].next {
      found.append(child)
      child = blocks[child].next
    }
    return found
  }

  /// The line ranges of fenced code, including the fences, in order.
  public var fencedLines: [Range<Int>] {
    blocks.compactMap { $0.kind == .code(isFenced: true) ? $0.lines : nil }
  }
}

/// One block of a Markdown document.
public struct MarkdownBlock: Sendable, Equatable {
  /// The kind of a block.
  public enum Kind: Sendable, Equatable {
    case document
    case quote
    case list(isOrdered: Bool)
    case item
    case code(isFenced: Bool)
    case html
    case paragraph
    /// A heading of level 1 (`#`) to 6 (`######`). Underlined headings have level 1 or 2.
    case heading(level: Int)
    case rule
    /// A GitHub table: a header row, a delimiter row, and the rows below.
    case table
    /// A link reference definition: `[label]: target`.
    case definition
  }

  // A block takes only 24 bytes, because a note may have one block for every two bytes.
  private var tag: Tag
  private var level: UInt8 = 0
  private var parentIndex: Int32
  private var nextIndex: Int32
  private var firstLine: Int32
  private var endLine: Int32
  private var startOffset: Int32

  private enum Tag: UInt8 {
    case document, quote, bulletList, orderedList, item, fencedCode, indentedCode, html, paragraph, heading, rule, table
    case definition
  }

  init(_ kind: Kind, parent: Int, line: Int, start: Int) {
    (tag, level) = Self.tag(kind)
    parentIndex = Int32(truncatingIfNeeded: parent)
    nextIndex = 0
    firstLine = Int32(truncatingIfNeeded: line)
    endLine = Int32(truncatingIfNeeded: line + 1)
    startOffset = Int32(truncatingIfNeeded: start)
  }

  /// The kind of the block.
  public internal(set) var kind: Kind {
    get {
      switch tag {
      case .document: .document
      case .quote: .quote
      case .bulletList: .list(isOrdered: false)
      case .orderedList: .list(isOrdered: true)
      case .item: .item
      case .fencedCode: .code(isFenced: true)
      case .indentedCode: .code(isFenced: false)
      case .html: .html
      case .paragraph: .paragraph
      case .heading: .heading(level: Int(level))
      case .rule: .rule
      case .table: .table
      case .definition: .definition
      }
    }
    set { (tag, level) = Self.tag(newValue) }
  }

  private static func tag(_ kind: Kind) -> (Tag, UInt8) {
    switch kind {
    case .document: (.document, 0)
    case .quote: (.quote, 0)
    case .list(let isOrdered): (isOrdered ? .orderedList : .bulletList, 0)
    case .item: (.item, 0)
    case .code(let isFenced): (isFenced ? .fencedCode : .indentedCode, 0)
    case .html: (.html, 0)
    case .paragraph: (.paragraph, 0)
    case .heading(let level): (.heading, UInt8(truncatingIfNeeded: level))
    case .rule: (.rule, 0)
    case .table: (.table, 0)
    case .definition: (.definition, 0)
    }
  }

  /// Whether the block is fenced code without a closing fence.
  public internal(set) var isUnclosed: Bool {
    get { tag == .fencedCode && level == 1 }
    set { if tag == .fencedCode { level = newValue ? 1 : 0 } }
  }

  /// The index of the enclosing block in the tree's blocks; -1 for the document.
  public var parent: Int { Int(parentIndex) }

  /// The index after the last block inside this block.
  public internal(set) var next: Int {
    get { Int(nextIndex) }
    set { nextIndex = Int32(truncatingIfNeeded: newValue) }
  }

  /// The block's lines, as indices into the tree's lines. Trailing blank lines do not belong to the block, except in an
  /// unclosed fence.
  public internal(set) var lines: Range<Int> {
    get { Int(firstLine)..<Int(endLine) }
    set {
      firstLine = Int32(truncatingIfNeeded: newValue.lowerBound)
      endLine = Int32(truncatingIfNeeded: newValue.upperBound)
    }
  }

  /// The offset of the block's first byte that is not a blank, such as the mark of an item, a quote or a heading, or
  /// the first letter of a paragraph.
  public internal(set) var start: Int {
    get { Int(startOffset) }
    set { startOffset = Int32(truncatingIfNeeded: newValue) }
  }
}

/// The byte range of each line of text, without the line end (LF, CR or CRLF). Each line takes 8 bytes of memory.
public struct MarkdownLines: RandomAccessCollection, Sendable {
  private var starts: [Int32] = []
  private var ends: [Int32] = []

  init() {}

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of lines.
  public var endIndex: Int { starts.count }
  /// The bytes of a line.
  public subscript(line: Int) -> Range<Int> { Int(starts[line])..<Int(ends[line]) }

  /// Returns the line that contains an offset; if no line does, the last line that begins before the offset, or 0.
  public func line(at offset: Int) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if Int(starts[middle]) <= offset { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : 0
  }

  mutating func removeAll() {
    starts.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  mutating func append(_ line: Range<Int>) {
    starts.append(Int32(truncatingIfNeeded: line.lowerBound))
    ends.append(Int32(truncatingIfNeeded: line.upperBound))
  }
}
