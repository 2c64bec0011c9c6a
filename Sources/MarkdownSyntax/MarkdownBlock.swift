/// One block of a Markdown text.
public struct MarkdownBlock: Sendable, Equatable {
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
    /// A table of GitHub's: a header row, a delimiter row, and the rows below.
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

  /// What it is.
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

  /// The index behind the last block inside it.
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

  /// Offset of its first byte that is not a blank: the mark of an item, a quote or a heading, the first letter of a
  /// paragraph.
  public internal(set) var start: Int {
    get { Int(startOffset) }
    set { startOffset = Int32(truncatingIfNeeded: newValue) }
  }
}
