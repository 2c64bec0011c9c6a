/// The blocks of a Markdown text as defined by CommonMark and GitHub, in the order of the text, with their bytes.
///
/// Text inside of blocks is not parsed: callers take it from the text by the lines of its block. Blank lines belong to
/// no block. Time is linear in the text, whatever it contains; memory is 24 bytes for each block and 8 for each line,
/// and is reused for the next text.
///
/// Containers nest up to `deepest`; the marks of deeper ones are text.
/// - Source: CommonMark 0.30; tables: GitHub Flavored Markdown 0.29; docs/adr/0016
public struct MarkdownTree: Sendable {
  /// All blocks in the order of the text, each before those inside it; the first one is the document.
  public internal(set) var blocks: [MarkdownBlock] = []
  /// The bytes of each line, without its end.
  public internal(set) var lines = MarkdownLines()

  /// The number of containers and bytes that were examined; a byte counts each time.
  package internal(set) var steps = 0

  /// The longest text that is read, in bytes.
  public static let longest = 8 << 20
  /// The maximum number of lines of a text that is read.
  public static let mostLines = 250_000
  /// The maximum number of quotes and list items around a block.
  public static let deepest = 100

  /// Makes a tree without blocks.
  public init() {}

  /// Reads the bytes of `text` in `range`.
  /// - Returns: nil for texts beyond `longest` or `mostLines`.
  public init?(_ text: UnsafeBufferPointer<UInt8>, in range: Range<Int>) {
    guard read(text.span, in: range) else { return nil }
  }

  /// Reads the bytes of `text` in `range`; all offsets count from the start of `text`. Replaces the previous content.
  /// - Returns: false for texts beyond `longest` or `mostLines`; the tree then has no blocks and no lines.
  @discardableResult
  public mutating func read(_ text: Span<UInt8>, in range: Range<Int>) -> Bool {
    blocks.removeAll(keepingCapacity: true)
    lines.removeAll()
    steps = 0
    guard range.upperBound <= text.count, range.count <= Self.longest, range.upperBound <= Int(Int32.max) else {
      return false
    }
    // Exchanged and not copied, so that the memory is reused.
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

  /// Whether a text is within `longest` and `mostLines`.
  package static func canRead(_ text: [UInt8]) -> Bool {
    guard text.count <= longest else { return false }
    // A text has no more lines than bytes.
    return text.count < mostLines || text.count { $0 == 0x0A || $0 == 0x0D } < mostLines
  }

  /// Whether a text was read, and was not too large.
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

  /// The lines of fenced code, the fences included, in order.
  public var fencedLines: [Range<Int>] {
    blocks.compactMap { $0.kind == .code(isFenced: true) ? $0.lines : nil }
  }
}

/// One block of a Markdown text.
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
    /// `#` is 1, `######` is 6; underlined headings are 1 and 2.
    case heading(level: Int)
    case rule
    /// A GitHub table: a header row, a delimiter row, and the rows below.
    case table
    /// A definition of a link reference: `[label]: target`.
    case definition
  }

  // 24 bytes: a note may have one block for every two bytes.
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

  /// Whether it is a fenced block of code without a closing line.
  public internal(set) var isUnclosed: Bool {
    get { tag == .fencedCode && level == 1 }
    set { if tag == .fencedCode { level = newValue ? 1 : 0 } }
  }

  /// The block around it, as an index into the tree's blocks; -1 for the document.
  public var parent: Int { Int(parentIndex) }

  /// The index after the last block inside it.
  public internal(set) var next: Int {
    get { Int(nextIndex) }
    set { nextIndex = Int32(truncatingIfNeeded: newValue) }
  }

  /// Its lines, as indices into the tree's lines. Blank lines at its end do not belong to it, except inside a fence
  /// that is never closed.
  public internal(set) var lines: Range<Int> {
    get { Int(firstLine)..<Int(endLine) }
    set {
      firstLine = Int32(truncatingIfNeeded: newValue.lowerBound)
      endLine = Int32(truncatingIfNeeded: newValue.upperBound)
    }
  }

  /// The offset of its first byte that is not a blank: the mark of an item, a quote or a heading, the first letter of a
  /// paragraph.
  /// paragraph.
  public internal(set) var start: Int {
    get { Int(startOffset) }
    set { startOffset = Int32(truncatingIfNeeded: newValue) }
  }
}

/// The bytes of each line of a text, without its end (LF, CR or both). 8 bytes for each line.
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

  /// Returns the line that contains an offset, or the last one that begins before it, or 0.
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
