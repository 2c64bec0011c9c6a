import MarkdownSyntax

/// Writes Markdown as HTML. The blocks come from the project's scanner, so time and nesting are bounded.
///
/// HTML in the Markdown is shown as text, except comments, which are left out. The highest headings of the text are one
/// level below the heading of the page.
/// - Source: CommonMark 0.30; tables: GitHub Flavored Markdown 0.29; docs/adr/0022
struct MarkdownHTML {
  private let text: [UInt8]
  private let tree: MarkdownTree
  private var definitions: InlineHTML.Definitions
  /// The number that is added to the levels of headings.
  private var headingShift = 0
  private var out: [UInt8] = []

  /// Returns the HTML of a text.
  /// - Parameters:
  ///   - heading: the level of the heading above the text; nil to keep the text's levels.
  ///   - title: the text of the heading above. If the text begins with the same heading, it is left out.
  static func html(_ markdown: String, below heading: Int?, titled title: String? = nil) -> String {
    let text = Array(markdown.utf8)
    guard let tree = MarkdownTree(text.span, in: 0..<text.count) else {
      return "<pre>\(Markup.escaped(markdown))</pre>\n"
    }
    var writer = MarkdownHTML(text: text, tree: tree)
    let first = writer.begins(with: title) ? tree.blocks[1].next : 1
    if let heading, let highest = writer.highestHeading(from: first) { writer.headingShift = heading + 1 - highest }
    writer.children(of: 0, from: first, quotes: 0, isTight: false)
    return String(decoding: writer.out, as: UTF8.self)
  }

  private init(text: [UInt8], tree: MarkdownTree) {
    self.text = text
    self.tree = tree
    var definitions = InlineHTML.Definitions(budget: max(100_000, text.count))
    for index in tree.blocks.indices where tree.blocks[index].kind == .definition {
      let end = tree.lines[tree.blocks[index].lines.upperBound - 1].upperBound
      guard let (label, target) = LinkTarget.definition(Array(text[tree.blocks[index].start..<end])) else { continue }
      if definitions.targets[label] == nil { definitions.targets[label] = target }
    }
    self.definitions = definitions
    out.reserveCapacity(text.count + text.count / 4)
  }

  // MARK: Blocks

  /// Whether the first block is a heading with the given text.
  private func begins(with title: String?) -> Bool {
    guard let title, tree.blocks.count > 1, tree.blocks[1].kind == .heading(level: 1) else { return false }
    return heading(1, quotes: 0).elementsEqual(title.utf8)
  }

  /// Returns the smallest level of the headings from a block on; nil if there are no headings.
  private func highestHeading(from first: Int) -> Int? {
    tree.blocks[first...].compactMap { if case .heading(let level) = $0.kind { level } else { nil } }.min()
  }

  private mutating func children(of index: Int, from first: Int? = nil, quotes: Int, isTight: Bool) {
    var child = first ?? index + 1
    while child < tree.blocks[index].next {
      block(child, quotes: quotes, isTight: isTight)
      child = tree.blocks[child].next
    }
  }

  private mutating func block(_ index: Int, quotes: Int, isTight: Bool) {
    switch tree.blocks[index].kind {
    case .document, .definition: break
    case .quote:
      out += "<blockquote>\n".utf8
      children(of: index, quotes: quotes + 1, isTight: false)
      out += "</blockquote>\n".utf8
    case .list(let isOrdered): list(index, isOrdered: isOrdered, quotes: quotes)
    case .item:
      out += "<li>".utf8
      children(of: index, quotes: quotes, isTight: isTight)
      out += "</li>\n".utf8
    case .code(let isFenced):
      out += "<pre><code>".utf8
      let text = text
      for line in isFenced ? fencedLines(of: index, quotes: quotes) : indentedLines(of: index, quotes: quotes) {
        Markup.append(text.span.extracting(line), to: &out)
        out.append(0x0A)
      }
      out += "</code></pre>\n".utf8
    case .html:
      let content = leaf(index, quotes: quotes)
      guard !content.starts(with: "<!--".utf8) else { return }
      out += "<pre>".utf8
      Markup.append(content.span, to: &out)
      out += "</pre>\n".utf8
    case .paragraph:
      var content = leaf(index, quotes: quotes)
      if tree.blocks[tree.blocks[index].parent].kind == .item { box(&content) }
      guard !isTight else { return InlineHTML.append(content, &definitions, to: &out) }
      element("p", content)
    case .heading(let level): element("h\(min(6, level + headingShift))", heading(index, quotes: quotes))
    case .rule: out += "<hr>\n".utf8
    case .table: table(index, quotes: quotes)
    }
  }

  private mutating func element(_ name: String, _ content: [UInt8]) {
    out += "<\(name)>".utf8
    InlineHTML.append(content, &definitions, to: &out)
    out += "</\(name)>\n".utf8
  }

  private mutating func list(_ index: Int, isOrdered: Bool, quotes: Int) {
    let name = isOrdered ? "ol" : "ul"
    let number = text[tree.blocks[index].start...].prefix(9).prefix { $0 >= 0x30 && $0 <= 0x39 }
    let start = isOrdered ? Int(String(decoding: number, as: UTF8.self)) ?? 1 : 1
    out += (start == 1 ? "<\(name)>\n" : "<\(name) start=\"\(start)\">\n").utf8
    children(of: index, quotes: quotes, isTight: isTight(index))
    out += "</\(name)>\n".utf8
  }

  /// Whether there is no blank line between the items of a list, or between the blocks of an item.
  private func isTight(_ list: Int) -> Bool {
    hasNoGap(list) && tree.children(of: list).allSatisfy(hasNoGap)
  }

  private func hasNoGap(_ index: Int) -> Bool {
    let children = tree.children(of: index)
    return zip(children, children.dropFirst()).allSatisfy {
      tree.blocks[$1].lines.lowerBound <= tree.blocks[$0].lines.upperBound
    }
  }

  /// Replaces `[ ]` and `[x]` at the beginning of an item by a box.
  private mutating func box(_ content: inout [UInt8]) {
    guard content.count > 3, content[0] == UInt8(ascii: "["), content[2] == UInt8(ascii: "]"), content[3] == 0x20 else {
      return
    }
    switch content[1] {
    case 0x20: out += "<span class=\"box\"></span>".utf8
    case UInt8(ascii: "x"), UInt8(ascii: "X"): out += "<span class=\"box ticked\"></span>".utf8
    default: return
    }
    content.removeFirst(4)
  }

  // MARK: Tables

  private mutating func table(_ index: Int, quotes: Int) {
    let rows = leaf(index, quotes: quotes).split(separator: 0x0A, omittingEmptySubsequences: false)
    guard let header = rows.first else { return }
    let columns = Self.cells(header)
    // A wide table scrolls alone, also with the keyboard.
    out += "<div class=\"table\" role=\"group\" tabindex=\"0\">\n<table>\n<thead>\n".utf8
    row(columns, "th scope=\"col\"", "th")
    out += "</thead>\n<tbody>\n".utf8
    for line in rows.dropFirst(2) {
      let cells = Self.cells(line).prefix(columns.count)
      row(cells + repeatElement([], count: columns.count - cells.count), "td", "td")
    }
    out += "</tbody>\n</table>\n</div>\n".utf8
  }

  private mutating func row(_ cells: some Sequence<[UInt8]>, _ opening: String, _ closing: String) {
    out += "<tr>".utf8
    for cell in cells {
      out += "<\(opening)>".utf8
      InlineHTML.append(cell, &definitions, to: &out)
      out += "</\(closing)>".utf8
    }
    out += "</tr>\n".utf8
  }

  /// Splits a row at its bars; `\|` is a bar in a cell.
  private static func cells(_ row: ArraySlice<UInt8>) -> [[UInt8]] {
    var cells: [[UInt8]] = []
    var cell: [UInt8] = []
    func trimmed(_ cell: [UInt8]) -> [UInt8] {
      Array(cell.trimmingPrefix { $0 == 0x20 || $0 == 0x09 }.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed())
    }
    for byte in row {
      if byte == UInt8(ascii: "|") {
        if cell.last == UInt8(ascii: "\\") {
          cell[cell.count - 1] = byte
        } else {
          cells.append(trimmed(cell))
          cell = []
        }
      } else {
        cell.append(byte)
      }
    }
    cells.append(trimmed(cell))
    // Bars at both ends delimit no cell.
    if cells.count > 1, cells[0].isEmpty { cells.removeFirst() }
    if cells.count > 1, cells[cells.count - 1].isEmpty { cells.removeLast() }
    return cells
  }

  // MARK: Lines

  /// Returns the text of a leaf: its lines without the marks and blanks before them, separated by line feeds.
  private func leaf(_ index: Int, quotes: Int) -> [UInt8] {
    var content: [UInt8] = []
    for line in tree.blocks[index].lines {
      if !content.isEmpty { content.append(0x0A) }
      content += text[from(line, of: index, quotes: quotes)..<tree.lines[line].upperBound]
    }
    while let last = content.last, Self.isBlank(last) { content.removeLast() }
    return content
  }

  private func heading(_ index: Int, quotes: Int) -> [UInt8] {
    let block = tree.blocks[index]
    guard block.lines.count == 1, text[block.start] == UInt8(ascii: "#") else {
      // The last line is the underline.
      let content = leaf(index, quotes: quotes)
      return Array(content[..<(content.lastIndex(of: 0x0A) ?? content.endIndex)])
    }
    var content = leaf(index, quotes: quotes).drop { $0 == UInt8(ascii: "#") }
    let unmarked = content.reversed().drop { $0 == UInt8(ascii: "#") }
    // Closing marks follow a blank.
    if unmarked.first.map(Self.isBlank) ?? true { content = content.prefix(unmarked.count) }
    while let last = content.last, Self.isBlank(last) { content.removeLast() }
    return Array(content.drop(while: Self.isBlank))
  }

  private func fencedLines(of index: Int, quotes: Int) -> [Range<Int>] {
    let block = tree.blocks[index]
    let margin = block.start - margin(of: block.lines.lowerBound, quotes: quotes)
    return block.lines.dropFirst().dropLast(block.isUnclosed ? 0 : 1).map { line in
      let end = tree.lines[line].upperBound
      var at = self.margin(of: line, quotes: quotes)
      let limit = min(end, at + max(0, margin))
      while at < limit, Self.isBlank(text[at]) { at += 1 }
      return at..<end
    }
  }

  private func indentedLines(of index: Int, quotes: Int) -> [Range<Int>] {
    let lines = tree.blocks[index].lines.map { line in
      line == tree.blocks[index].lines.lowerBound
        ? tree.blocks[index].start..<tree.lines[line].upperBound
        : margin(of: line, quotes: quotes)..<tree.lines[line].upperBound
    }
    let first = tree.blocks[index].start - margin(of: tree.blocks[index].lines.lowerBound, quotes: quotes)
    return [lines[0]]
      + lines.dropFirst().map { line in
        let blanks = text[line].prefix(max(0, first)).prefix(while: Self.isBlank).count
        return line.lowerBound + blanks..<line.upperBound
      }
  }

  /// Returns the offset of a leaf's text in a line.
  private func from(_ line: Int, of index: Int, quotes: Int) -> Int {
    if line == tree.blocks[index].lines.lowerBound { return tree.blocks[index].start }
    let end = tree.lines[line].upperBound
    var at = margin(of: line, quotes: quotes)
    while at < end, Self.isBlank(text[at]) { at += 1 }
    return at
  }

  /// Returns the offset in a line after the marks of quotes and the blank after the last one.
  private func margin(of line: Int, quotes: Int) -> Int {
    let range = tree.lines[line]
    var at = range.lowerBound
    for _ in 0..<quotes {
      var mark = at
      while mark < range.upperBound, Self.isBlank(text[mark]) { mark += 1 }
      guard mark < range.upperBound, text[mark] == UInt8(ascii: ">") else { break }
      at = mark + 1
      if at < range.upperBound, text[at] == 0x20 { at += 1 }
    }
    return at
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
