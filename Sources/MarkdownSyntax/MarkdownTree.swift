/// The blocks of a Markdown text as CommonMark and GitHub define them, in the order of the text, with their bytes.
///
/// Text inside of blocks is not parsed: callers take it from the text by the lines of its block. Blank lines belong to
/// no block. Time is linear in the text, whatever it contains; memory is 24 bytes for each block and 8 for each line,
/// and is kept for the next text.
///
/// Containers nest up to `deepest`; the marks of deeper ones are text.
/// - Source: CommonMark 0.30; tables: GitHub Flavored Markdown 0.29; docs/adr/0016
public struct MarkdownTree: Sendable {
  /// All blocks in the order of the text, each before those inside it; the first one is the document.
  public internal(set) var blocks: [MarkdownBlock] = []
  /// The bytes of each line, without its end.
  public internal(set) var lines = MarkdownLines()

  /// The containers and bytes that were looked at, the latter once for each time.
  package internal(set) var steps = 0

  /// The longest text that is read, in bytes.
  public static let longest = 8 << 20
  /// The most lines of a text that is read.
  public static let mostLines = 250_000
  /// The most quotes and list items around a block.
  public static let deepest = 100

  /// Makes a tree without blocks.
  public init() {}

  /// Reads the bytes of `text` in `range`.
  /// - Returns: nil for texts beyond `longest` or `mostLines`.
  public init?(_ text: UnsafeBufferPointer<UInt8>, in range: Range<Int>) {
    guard read(text.span, in: range) else { return nil }
  }

  /// Reads the bytes of `text` in `range`; all offsets count from the start of `text`. What was read before is
  /// forgotten.
  /// - Returns: false for texts beyond `longest` or `mostLines`; the tree then has no blocks and no lines.
  @discardableResult
  public mutating func read(_ text: Span<UInt8>, in range: Range<Int>) -> Bool {
    blocks.removeAll(keepingCapacity: true)
    lines.removeAll()
    steps = 0
    guard range.upperBound <= text.count, range.count <= Self.longest, range.upperBound <= Int(Int32.max) else {
      return false
    }
    // Exchanged and not copied, so that the memory is used again.
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

  /// The lines of fenced code, the fences included, in order.
  public var fencedLines: [Range<Int>] {
    blocks.compactMap { $0.kind == .code(isFenced: true) ? $0.lines : nil }
  }
}
