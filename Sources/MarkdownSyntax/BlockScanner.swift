/// Reads the blocks of Markdown text line by line.
///
/// Each line first continues the open containers (quotes, lists, items), then opens new blocks, and finally adds the
/// rest of the line to a leaf (paragraph, code, HTML, table). At most `MarkdownTree.deepest` containers are examined
/// per line, and the number of times that a byte is examined is bounded by the number of containers.
/// - Source: CommonMark 0.30, appendix "A parsing strategy"
struct BlockScanner {
  var tree = MarkdownTree()
  private var containers: [Container] = []
  /// The number of quotes and items among the containers.
  private var depth = 0
  private var leaf = Leaf.none
  /// The line after the leaf's last line.
  private var leafEnd = 0
  /// The offsets at which the text of each line in the open paragraph begins. They are kept only if the paragraph may
  /// begin with definitions.
  private var paragraphStarts: [Int] = []
  /// The offset at which the text of the paragraph's last line begins.
  private var lastTextStart = 0
  /// A mark, and the index in the line at which a run of that mark and blanks ends. No rule of that mark begins before
  /// the index.
  private var noRule: (mark: UInt8, until: Int) = (0, 0)

  private struct Container {
    enum Kind {
      case document, quote
      case list(sign: UInt8)
      /// An item. Its content begins `width` columns after the content of the enclosing block.
      case item(width: Int)
    }

    let kind: Kind
    let block: Int
    /// The line after the container's last line so far.
    var end: Int
  }

  /// The block to which text is added, which is the last block in the tree.
  private enum Leaf {
    case none, paragraph, indentedCode, table
    case fence(LineSyntax.Fence)
    case html(HTMLBlockSyntax)
  }

  /// A position in a line, in bytes and in columns.
  private struct Cursor {
    var at: Int
    /// The column of `at`. It is inside a tab if only a part of the tab was consumed.
    var column: Int
    let end: Int

    /// Returns the offset of the first byte that is not a blank, and the number of columns before it.
    func peek(_ text: Span<UInt8>) -> (first: Int, indent: Int) {
      var (first, reached) = (at, column)
      while first < end {
        if text[first] == 0x20 {
          reached += 1
        } else if text[first] == 0x09 {
          reached = (reached / 4 + 1) * 4
        } else {
          break
        }
        first += 1
      }
      return (first, reached - column)
    }

    /// Consumes columns of blanks.
    mutating func skip(columns: Int, _ text: Span<UInt8>) {
      var left = columns
      while left > 0, at < end {
        let width = text[at] == 0x09 ? 4 - column % 4 : 1
        column += min(width, left)
        left -= width
        if left >= 0 { at += 1 }
      }
    }

    /// Consumes the blanks before `first`, and then a number of bytes that take one column each.
    mutating func pass(_ first: Int, _ indent: Int, bytes: Int) {
      at = first + bytes
      column += indent + bytes
    }
  }

  /// Reads text into the tree, which must not contain any blocks or lines yet.
  /// - Returns: false if the text has too many lines.
  mutating func run(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    tree.blocks.append(MarkdownBlock(.document, parent: -1, line: 0, start: range.lowerBound))
    containers.append(Container(kind: .document, block: 0, end: 0))
    var at = range.lowerBound
    while at < range.upperBound {
      let end = Self.lineEnd(text, from: at, to: range.upperBound)
      let line = tree.lines.count
      guard line < MarkdownTree.mostLines else { return false }
      tree.lines.append(at..<end)
      read(text, at..<end, line)
      at = end + 1
      if end + 1 < range.upperBound, text[end] == 0x0D, text[end + 1] == 0x0A { at += 1 }
    }
    close(to: 1, text)
    closeLeaf(text)
    tree.blocks[0].next = tree.blocks.count
    tree.blocks[0].lines = 0..<tree.lines.count
    return true
  }

  private static func lineEnd(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int {
    ByteSearch.first(in: text, from: start, to: end) { ByteSearch.equal($0, 0x0A) | ByteSearch.equal($0, 0x0D) }
  }

  // MARK: One line

  private mutating func read(_ text: Span<UInt8>, _ range: Range<Int>, _ line: Int) {
    noRule = (0, 0)
    var cursor = Cursor(at: range.lowerBound, column: 0, end: range.upperBound)
    let matched = continueContainers(text, &cursor, line)
    tree.steps += range.count + matched
    let isContinued = matched == containers.count
    if isContinued, continueLeaf(text, cursor, line) { return }
    var isOpened = false
    var isLazy = if case .paragraph = leaf { true } else { false }
    while true {
      let (first, indent) = cursor.peek(text)
      guard first < cursor.end else {
        // A blank line ends the paragraph, and the containers that the line does not continue.
        if !isOpened { close(to: matched, text) }
        return
      }
      if indent >= 4 {
        guard !isLazy else { break }
        if !isOpened { close(to: matched, text) }
        openLeaf(.code(isFenced: false), .indentedCode, text, line, first)
        return
      }
      guard Self.mayBeginBlock(text[first]) else { break }
      let isInParagraph = isContinued && !isOpened && isLazy
      let before = isOpened ? containers.count : matched
      switch begin(text, &cursor, line, first, indent, from: before, isInParagraph: isInParagraph, isLazy: isLazy) {
      case .nothing: add(text, cursor, line, first, isContinued: isContinued, isOpened: isOpened, matched: matched)
      case .container:
        isOpened = true
        isLazy = false
        continue
      case .leaf: break
      }
      return
    }
    let first = cursor.peek(text).first
    add(text, cursor, line, first, isContinued: isContinued, isOpened: isOpened, matched: matched)
  }

  /// Whether a byte may begin a block.
  @inline(__always) private static func mayBeginBlock(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ">"), UInt8(ascii: "#"), UInt8(ascii: "`"), UInt8(ascii: "~"), UInt8(ascii: "<"),
      UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "_"),
      UInt8(ascii: "|"), UInt8(ascii: ":"), 0x30...0x39:
      true
    default: false
    }
  }

  /// Consumes the marks and blanks of the containers that the line continues.
  /// - Returns: the number of these containers.
  private mutating func continueContainers(_ text: Span<UInt8>, _ cursor: inout Cursor, _ line: Int) -> Int {
    var index = 1
    while index < containers.count {
      switch containers[index].kind {
      case .document, .list: break
      case .quote:
        let (first, indent) = cursor.peek(text)
        guard indent < 4, first < cursor.end, text[first] == UInt8(ascii: ">") else { return index }
        passQuote(text, &cursor, first, indent)
        containers[index].end = line + 1
      case .item(let width):
        let (first, indent) = cursor.peek(text)
        if first == cursor.end {
          // An item may begin with one blank line.
          guard tree.blocks.count > containers[index].block + 1 else { return index }
          cursor.pass(first, indent, bytes: 0)
        } else {
          guard indent >= width else { return index }
          cursor.skip(columns: width, text)
        }
      }
      index += 1
    }
    return index
  }

  private func passQuote(_ text: Span<UInt8>, _ cursor: inout Cursor, _ first: Int, _ indent: Int) {
    cursor.pass(first, indent, bytes: 1)
    if cursor.at < cursor.end, LineSyntax.isBlank(text[cursor.at]) { cursor.skip(columns: 1, text) }
  }

  /// Adds the line to an open code, fence or HTML block, or ends the leaf if the line is blank and ends that kind of
  /// leaf.
  /// - Returns: whether the whole line was consumed.
  private mutating func continueLeaf(_ text: Span<UInt8>, _ cursor: Cursor, _ line: Int) -> Bool {
    switch leaf {
    case .none, .table, .paragraph:
      let isBlank = cursor.peek(text).first == cursor.end
      if isBlank { closeLeaf(text) }
      return isBlank
    case .indentedCode:
      let (first, indent) = cursor.peek(text)
      if first == cursor.end { return true }
      guard indent >= 4 else {
        closeLeaf(text)
        return false
      }
      leafEnd = line + 1
      return true
    case .fence(let opening):
      leafEnd = line + 1
      let (first, indent) = cursor.peek(text)
      if indent < 4, let fence = LineSyntax.fence(text, at: first, end: cursor.end), fence.closes(opening) {
        closeLeaf(text, isUnclosed: false)
      }
      return true
    case .html(let syntax):
      if syntax.endsAtBlankLine, cursor.peek(text).first == cursor.end {
        closeLeaf(text)
        return true
      }
      leafEnd = line + 1
      if syntax.isEnded(text, by: cursor.at..<cursor.end) { closeLeaf(text) }
      return true
    }
  }

  // MARK: New blocks

  private enum Beginning { case nothing, container, leaf }

  /// Opens the block that begins at `first`, if any.
  /// - Parameters:
  ///   - count: the number of containers that stay open around the block.
  ///   - isInParagraph: whether the line continues a paragraph unless it begins a block.
  ///   - isLazy: whether the line may continue the paragraph without the marks of the paragraph's containers.
  private mutating func begin(
    _ text: Span<UInt8>, _ cursor: inout Cursor, _ line: Int, _ first: Int, _ indent: Int, from count: Int,
    isInParagraph: Bool, isLazy: Bool
  ) -> Beginning {
    let end = cursor.end
    // Recognizing the beginning of a block may examine the line up to its end, except for a quote, whose mark is
    // sufficient.
    if text[first] != UInt8(ascii: ">"), noRule.mark != text[first] { tree.steps += end - first }
    switch text[first] {
    case UInt8(ascii: ">"):
      guard depth(of: count) < MarkdownTree.deepest else { return .nothing }
      close(to: count, text)
      closeList(text)
      open(.quote, .quote, line, first)
      passQuote(text, &cursor, first, indent)
      return .container
    case UInt8(ascii: "#"):
      guard let heading = LineSyntax.heading(text, at: first, end: end) else { return .nothing }
      close(to: count, text)
      openLeaf(.heading(level: heading.level), .none, text, line, first)
      return .leaf
    case UInt8(ascii: "`"), UInt8(ascii: "~"):
      guard let fence = LineSyntax.fence(text, at: first, end: end) else { return .nothing }
      close(to: count, text)
      openLeaf(.code(isFenced: true), .fence(fence), text, line, first)
      return .leaf
    case UInt8(ascii: "<"):
      guard let syntax = HTMLBlockSyntax(text, at: first, end: end), syntax != .anyTag || !isLazy else {
        return .nothing
      }
      close(to: count, text)
      openLeaf(.html, .html(syntax), text, line, first)
      if syntax.isEnded(text, by: first..<end) { closeLeaf(text) }
      return .leaf
    default: break
    }
    if isInParagraph, let level = LineSyntax.underline(text, at: first, end: end), underline(level, text, line) {
      return .leaf
    }
    if isRule(text, first, end) {
      close(to: count, text)
      openLeaf(.rule, .none, text, line, first)
      return .leaf
    }
    if let mark = LineSyntax.listMark(text, at: first, end: end),
      item(mark, text, &cursor, line, first, indent, from: count, isInParagraph: isInParagraph)
    {
      return .container
    }
    if isInParagraph, let columns = LineSyntax.delimiterRow(text, at: first, end: end), table(columns, text, line) {
      return .leaf
    }
    return .nothing
  }

  private mutating func isRule(_ text: Span<UInt8>, _ first: Int, _ end: Int) -> Bool {
    let mark = text[first]
    if mark == noRule.mark, first < noRule.until { return false }
    if LineSyntax.isRule(text, at: first, end: end) { return true }
    var at = first
    while at < end, text[at] == mark || LineSyntax.isBlank(text[at]) { at += 1 }
    // With fewer than three marks, a nested item may examine the run again, which costs only three marks.
    noRule = at < end ? (mark, at) : (0, 0)
    return false
  }

  private mutating func item(
    _ mark: LineSyntax.ListMark, _ text: Span<UInt8>, _ cursor: inout Cursor, _ line: Int, _ first: Int, _ indent: Int,
    from count: Int, isInParagraph: Bool
  ) -> Bool {
    guard depth(of: count) < MarkdownTree.deepest else { return false }
    var inner = cursor
    inner.pass(first, indent, bytes: mark.end - first)
    let (content, blanks) = inner.peek(text)
    let isEmpty = content == cursor.end
    if isInParagraph, isEmpty || mark.number ?? 1 != 1 { return false }
    close(to: count, text)
    let sign = mark.sign
    if case .list(let open) = containers[containers.count - 1].kind, open == sign {
      // The item continues the list.
    } else {
      closeList(text)
      open(.list(isOrdered: mark.number != nil), .list(sign: sign), line, first)
    }
    let width = mark.end - first
    // Five or more blanks count as one blank followed by indented code.
    let padding = isEmpty || blanks > 4 ? 1 : blanks
    open(.item, .item(width: indent + width + padding), line, first)
    if !isEmpty { inner.skip(columns: padding, text) }
    cursor = inner
    return true
  }

  /// Turns the open paragraph into a heading.
  /// - Returns: false if the paragraph consists only of definitions.
  private mutating func underline(_ level: Int, _ text: Span<UInt8>, _ line: Int) -> Bool {
    guard resolveDefinitions(text) else { return false }
    leafEnd = line + 1
    tree.blocks[tree.blocks.count - 1].kind = .heading(level: level)
    leaf = .none
    finishLeafBlock()
    return true
  }

  /// Makes a table from the open paragraph's last line and the delimiter row below it.
  private mutating func table(_ columns: Int, _ text: Span<UInt8>, _ line: Int) -> Bool {
    let header = lastTextStart..<tree.lines[line - 1].upperBound
    guard header.lowerBound <= header.upperBound, LineSyntax.cells(text, header) == columns, resolveDefinitions(text)
    else { return false }
    let index = tree.blocks.count - 1
    if tree.blocks[index].lines.lowerBound == line - 1 {
      tree.blocks[index].kind = .table
    } else {
      leafEnd = line - 1
      finishLeafBlock()
      appendLeaf(.table, line - 1, header.lowerBound)
    }
    leaf = .table
    leafEnd = line + 1
    return true
  }

  // MARK: Text

  /// Adds the rest of a line to the leaf, or begins a paragraph.
  private mutating func add(
    _ text: Span<UInt8>, _ cursor: Cursor, _ line: Int, _ first: Int, isContinued: Bool, isOpened: Bool, matched: Int
  ) {
    if !isOpened {
      switch leaf {
      case .paragraph:
        // The line lacks the marks of some containers, so it continues the paragraph lazily.
        leafEnd = line + 1
        lastTextStart = first
        if !paragraphStarts.isEmpty { paragraphStarts.append(first) }
        return
      case .table where isContinued:
        leafEnd = line + 1
        return
      default: close(to: matched, text)
      }
    }
    closeList(text)
    openLeaf(.paragraph, .paragraph, text, line, first)
    lastTextStart = first
    if text[first] == UInt8(ascii: "[") { paragraphStarts.append(first) }
  }

  // MARK: Opening and closing

  private func depth(of count: Int) -> Int {
    if count == containers.count { return depth }
    var found = 0
    for container in containers[..<count] {
      switch container.kind {
      case .quote, .item: found += 1
      case .document, .list: break
      }
    }
    return found
  }

  private mutating func open(_ kind: MarkdownBlock.Kind, _ container: Container.Kind, _ line: Int, _ start: Int) {
    if case .list = container {} else { depth += 1 }
    let parent = containers[containers.count - 1].block
    containers.append(Container(kind: container, block: tree.blocks.count, end: line + 1))
    tree.blocks.append(MarkdownBlock(kind, parent: parent, line: line, start: start))
  }

  /// Opens a leaf in the innermost container that is not a list.
  private mutating func openLeaf(
    _ kind: MarkdownBlock.Kind, _ leaf: Leaf, _ text: Span<UInt8>, _ line: Int, _ start: Int
  ) {
    closeLeaf(text)
    closeList(text)
    appendLeaf(kind, line, start)
    self.leaf = leaf
    leafEnd = line + 1
    if case .none = leaf { finishLeafBlock() }
  }

  private mutating func appendLeaf(_ kind: MarkdownBlock.Kind, _ line: Int, _ start: Int) {
    tree.blocks.append(
      MarkdownBlock(kind, parent: containers[containers.count - 1].block, line: line, start: start))
  }

  private mutating func closeList(_ text: Span<UInt8>) {
    if case .list = containers[containers.count - 1].kind { close(to: containers.count - 1, text) }
  }

  /// Closes the leaf, and then containers until `count` containers are open.
  private mutating func close(to count: Int, _ text: Span<UInt8>) {
    closeLeaf(text)
    while containers.count > max(1, count), let last = containers.popLast() {
      switch last.kind {
      case .quote, .item: depth -= 1
      case .document, .list: break
      }
      let first = tree.blocks[last.block].lines.lowerBound
      tree.blocks[last.block].lines = first..<last.end
      tree.blocks[last.block].next = tree.blocks.count
      let outer = containers.count - 1
      containers[outer].end = max(containers[outer].end, last.end)
    }
  }

  private mutating func closeLeaf(_ text: Span<UInt8>, isUnclosed: Bool = true) {
    switch leaf {
    case .none: return
    case .paragraph:
      guard resolveDefinitions(text) else { return }
    case .fence: tree.blocks[tree.blocks.count - 1].isUnclosed = isUnclosed
    case .indentedCode, .table, .html: break
    }
    leaf = .none
    finishLeafBlock()
  }

  /// Stores the end of the last block, which is a leaf.
  private mutating func finishLeafBlock() {
    let index = tree.blocks.count - 1
    tree.blocks[index].lines = tree.blocks[index].lines.lowerBound..<leafEnd
    tree.blocks[index].next = tree.blocks.count
    let outer = containers.count - 1
    containers[outer].end = max(containers[outer].end, leafEnd)
    paragraphStarts.removeAll(keepingCapacity: true)
  }

  /// Makes blocks from the definitions at the beginning of the open paragraph.
  /// - Returns: whether any text of the paragraph is left. If so, the paragraph is the last block.
  private mutating func resolveDefinitions(_ text: Span<UInt8>) -> Bool {
    guard !paragraphStarts.isEmpty else { return true }
    let starts = paragraphStarts
    paragraphStarts.removeAll(keepingCapacity: true)
    let firstLine = tree.blocks[tree.blocks.count - 1].lines.lowerBound
    let end = leafEnd
    var done = 0
    while done < starts.count {
      var reader = DefinitionReader(starts: starts, lines: tree.lines, firstLine: firstLine, line: done)
      let behind = reader.read(text)
      tree.steps += max(0, tree.lines[firstLine + reader.line].upperBound - starts[done])
      guard let behind else { break }
      tree.blocks[tree.blocks.count - 1].kind = .definition
      leafEnd = firstLine + behind
      finishLeafBlock()
      done = behind
      if done < starts.count { appendLeaf(.paragraph, firstLine + done, starts[done]) }
    }
    leafEnd = end
    if done < starts.count { return true }
    leaf = .none
    return false
  }
}

/// Reads link reference definitions from the lines of a paragraph.
/// - Source: CommonMark 0.30, section 4.7
private struct DefinitionReader {
  /// The offset at which the text of each line begins.
  let starts: [Int]
  let lines: MarkdownLines
  /// The paragraph's first line.
  let firstLine: Int
  var line: Int
  private var at = 0

  init(starts: [Int], lines: MarkdownLines, firstLine: Int, line: Int) {
    (self.starts, self.lines, self.firstLine, self.line) = (starts, lines, firstLine, line)
    at = starts[line]
  }

  private var end: Int { lines[firstLine + line].upperBound }

  /// - Returns: the line after the definition, counted from the paragraph's first line; nil if no definition begins
  ///   here.
  mutating func read(_ text: Span<UInt8>) -> Int? {
    guard label(text), at < end, text[at] == UInt8(ascii: ":") else { return nil }
    at += 1
    guard blanks(text), target(text) else { return nil }
    let behindTarget = (line: line, at: at)
    let isAlone = LineSyntax.skipBlanks(text, from: at, end: end) == end
    if blanks(text), line > behindTarget.line || at > behindTarget.at, title(text),
      LineSyntax.skipBlanks(text, from: at, end: end) == end
    {
      return line + 1
    }
    return isAlone ? behindTarget.line + 1 : nil
  }

  /// Skips blanks and at most one line end.
  /// - Returns: false at the end of the paragraph.
  private mutating func blanks(_ text: Span<UInt8>) -> Bool {
    at = LineSyntax.skipBlanks(text, from: at, end: end)
    if at < end { return true }
    return nextLine()
  }

  private mutating func nextLine() -> Bool {
    guard line + 1 < starts.count else { return false }
    line += 1
    at = starts[line]
    return true
  }

  private mutating func label(_ text: Span<UInt8>) -> Bool {
    guard at < end, text[at] == UInt8(ascii: "[") else { return false }
    at += 1
    var length = 0
    var hasText = false
    while true {
      guard at < end else {
        guard nextLine() else { return false }
        length += 1
        continue
      }
      switch text[at] {
      case UInt8(ascii: "]"):
        at += 1
        return hasText
      case UInt8(ascii: "["): return false
      case UInt8(ascii: "\\") where at + 1 < end:
        at += 2
        length += 2
        hasText = true
      default:
        if !LineSyntax.isBlank(text[at]) { hasText = true }
        at += 1
        length += 1
      }
      guard length < 1000 else { return false }
    }
  }

  private mutating func target(_ text: Span<UInt8>) -> Bool {
    guard at < end else { return false }
    if text[at] == UInt8(ascii: "<") {
      at += 1
      while at < end, text[at] != UInt8(ascii: ">") {
        if text[at] == UInt8(ascii: "<") { return false }
        at += text[at] == UInt8(ascii: "\\") && at + 1 < end ? 2 : 1
      }
      guard at < end else { return false }
      at += 1
      return true
    }
    let start = at
    var depth = 0
    while at < end, text[at] > 0x20, text[at] != 0x7F {
      switch text[at] {
      case UInt8(ascii: "\\") where at + 1 < end && text[at + 1] > 0x20: at += 1
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        guard depth > 0 else { return false }
        depth -= 1
      default: break
      }
      guard depth <= 32 else { return false }
      at += 1
    }
    return at > start && depth == 0 && (at == end || LineSyntax.isBlank(text[at]))
  }

  private mutating func title(_ text: Span<UInt8>) -> Bool {
    guard at < end else { return false }
    let opening = text[at]
    let closing: UInt8
    switch opening {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): closing = opening
    case UInt8(ascii: "("): closing = UInt8(ascii: ")")
    default: return false
    }
    at += 1
    while true {
      guard at < end else {
        guard nextLine() else { return false }
        continue
      }
      if text[at] == closing {
        at += 1
        return true
      }
      if text[at] == UInt8(ascii: "("), opening == UInt8(ascii: "(") { return false }
      at += text[at] == UInt8(ascii: "\\") && at + 1 < end ? 2 : 1
    }
  }
}
