import MarkdownSyntax

/// Finds headings, links and constructs in a guide's Markdown, with their bytes.
///
/// Takes blocks from `MarkdownTree` and looks for links inside of their lines, so that code is not taken for text. Time
/// is linear in the text, whatever it contains; memory is kept for the next text.
package struct MarkdownScan {
  /// The headings that are not inside of quotes and lists.
  package private(set) var headings: [MarkdownHeading] = []
  package private(set) var constructs: [MarkdownConstruct] = []
  /// The opening line of a fence that is never closed.
  package private(set) var openFence: Range<Int>?
  /// Links and images, in order.
  package var links: [MarkdownLink] { inline.links }

  private var inline = MarkdownInline()
  private var tree = MarkdownTree()

  /// Makes a scan that has seen nothing.
  package init() {}

  /// Looks at a text; forgets the one before.
  package mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) {
    begin()
    var body = 0..<bytes.count
    if let block = FrontMatterBlock(bytes) {
      body = block.body
      construct(.frontMatter, LineSyntax.firstLine(bytes.span))
    }
    tree.read(bytes.span, in: body)
    walk(bytes, tree)
  }

  /// Looks at a text whose blocks are known; forgets the one before.
  package mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, tree: MarkdownTree) {
    begin()
    walk(bytes, tree)
  }

  private mutating func begin() {
    headings.removeAll(keepingCapacity: true)
    constructs.removeAll(keepingCapacity: true)
    inline.begin()
    openFence = nil
  }

  // MARK: Blocks

  private mutating func walk(_ bytes: UnsafeBufferPointer<UInt8>, _ tree: MarkdownTree) {
    for index in tree.blocks.indices.dropFirst() {
      let block = tree.blocks[index]
      if case .heading(let level) = block.kind {
        heading(bytes, tree, block, level)
      } else {
        if block.parent == 0, !headings.isEmpty { headings[headings.count - 1].hasContent = true }
        look(bytes, tree, index)
      }
      inline.paragraphEnds()
    }
  }

  private mutating func look(_ bytes: UnsafeBufferPointer<UInt8>, _ tree: MarkdownTree, _ index: Int) {
    let block = tree.blocks[index]
    let firstLine = tree.lines[block.lines.lowerBound]
    switch block.kind {
    case .document, .quote, .list, .rule, .heading: break
    case .item:
      if bytes[block.start] == UInt8(ascii: "+") { construct(.plusBullet, block.start..<block.start + 1) }
    case .code(let isFenced):
      construct(
        isFenced ? .fence : .indentedCode, block.parent == 0 ? firstLine : block.start..<firstLine.upperBound)
      if block.isUnclosed, block.next == tree.blocks.count { openFence = firstLine }
    case .table:
      construct(.table, firstLine)
      lines(bytes, tree, block)
    case .html, .definition: lines(bytes, tree, block)
    case .paragraph:
      var start = block.start
      // The first paragraph of an item may begin with a box.
      if index == block.parent + 1, tree.blocks[block.parent].kind == .item,
        let box = LineSyntax.box(bytes.span, at: start, end: firstLine.upperBound)
      {
        construct(.task, box)
        start = box.upperBound
      }
      tightHeading(bytes, start, firstLine.upperBound)
      scan(bytes, start..<firstLine.upperBound)
      for number in block.lines.dropFirst() {
        let line = tree.lines[number]
        let first = LineSyntax.skipBlanks(bytes.span, from: line.lowerBound, end: line.upperBound)
        tightHeading(bytes, first, line.upperBound)
        scan(bytes, first..<line.upperBound)
      }
    }
  }

  private mutating func lines(_ bytes: UnsafeBufferPointer<UInt8>, _ tree: MarkdownTree, _ block: MarkdownBlock) {
    for number in block.lines {
      let line = tree.lines[number]
      scan(bytes, LineSyntax.skipBlanks(bytes.span, from: line.lowerBound, end: line.upperBound)..<line.upperBound)
    }
  }

  private mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) {
    inline.scan(bytes, part) { constructs.append(MarkdownConstruct(kind: $0, range: $1)) }
  }

  private mutating func construct(_ kind: MarkdownConstruct.Kind, _ range: Range<Int>) {
    constructs.append(MarkdownConstruct(kind: kind, range: range))
  }

  // MARK: Headings

  private mutating func heading(
    _ bytes: UnsafeBufferPointer<UInt8>, _ tree: MarkdownTree, _ block: MarkdownBlock, _ level: Int
  ) {
    let first = tree.lines[block.lines.lowerBound]
    let isUnderlined = block.lines.count > 1
    var text = LineSyntax.trimmed(bytes.span, block.start..<first.upperBound)
    if !isUnderlined, let heading = LineSyntax.heading(bytes.span, at: block.start, end: first.upperBound) {
      text = heading.text
    }
    let whole = first.lowerBound..<tree.lines[block.lines.upperBound - 1].upperBound
    // A paragraph of several lines above a line of dashes is hardly ever meant as a heading.
    if block.parent == 0, block.lines.count <= 2 {
      if isUnderlined { construct(.underlinedHeading, whole) }
      headings.append(MarkdownHeading(level: level, range: whole, text: text, isUnderlined: isUnderlined))
    } else if block.parent == 0, !headings.isEmpty {
      headings[headings.count - 1].hasContent = true
    }
    scan(bytes, text)
    if block.lines.count > 2 {
      for number in block.lines.dropFirst().dropLast() { scan(bytes, tree.lines[number]) }
    }
  }

  /// One `#` may begin a tag of other programs; two or more mean a heading.
  private mutating func tightHeading(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) {
    guard start < end, bytes[start] == UInt8(ascii: "#") else { return }
    let behind = LineSyntax.endOfRun(bytes.span, at: start, end: end)
    guard (2...6).contains(behind - start), behind < end, !LineSyntax.isBlank(bytes[behind]) else { return }
    construct(.tightHeading, start..<behind)
  }
}
