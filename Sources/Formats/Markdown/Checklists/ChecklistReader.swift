import Content
import MarkdownSyntax

/// Reads the sections and steps of a checklist from the body of a note.
///
/// The rules for sections, steps and descriptions are in formats/markdown.md, "Checklists". Every byte of the body that
/// is not white space belongs to the title, to other text in the checklist, to `marks`, or to `skipped`. The reader
/// takes time linear in the length of the body and does not recurse.
enum ChecklistReader {
  /// The content of a note's body.
  struct Result: Sendable {
    var checklist = ChecklistDraft()
    /// The heading that is the note's title; nil if no heading is the title.
    var title: SourcedText?
    /// The ranges of notation: bullets, boxes, heading marks, comments, dots and the words after them, and text that a
    /// comment replaces.
    var marks: [Range<Int>] = []
    /// Bytes that belong to no text: horizontal rules, text that is ignored because the front matter has a description,
    /// and headings whose titles became prefixes of the headings below them.
    var skipped: [Range<Int>] = []
    /// Boxes without text, which are not steps.
    var empty: [Range<Int>] = []
    /// Words that look like a step attribute but are not a known attribute; the title keeps these words.
    var unknown: [StepNotation.Unread] = []
    /// Boxes that are not steps because they are nested too deep; the details of the steps above contain them.
    var unread: [Range<Int>] = []
    /// Passages of the note that are not in the checklist and must be reported.
    var leftOut: [OmittedPart] = []
  }

  /// Reads the steps.
  /// - Parameters:
  ///   - title: the title for steps that are below no heading.
  ///   - titleIsName: whether `title` is the name of the file, in which case a heading that is the note's title takes
  ///     precedence.
  ///   - hasDescription: whether the front matter has a description, in which case text before the first section is not
  ///     the description.
  static func read(
    _ text: Span<UInt8>, body: Range<Int>, tree: MarkdownTree, title: String,
    titleIsName: Bool = false, hasDescription: Bool
  ) -> Result {
    text.withUnsafeBufferPointer { text in
      var reading = ChecklistParser(NoteLines(text: text, lines: tree.lines), body: body, tree: tree, title: title)
      reading.titleIsName = titleIsName
      reading.walk()
      return reading.finish(hasDescription: hasDescription)
    }
  }
}

/// A checklist that is being read. It visits the outermost blocks of a body and collects the headings, the text and the
/// steps in parts.
private struct ChecklistParser {
  /// A heading, and the content below it up to the next heading.
  struct Part {
    /// The heading; nil for the part before the first heading.
    var title: SourcedText?
    /// The heading level, 1 to 6; 7 for sections that do not begin with a Markdown heading.
    var level: Int
    /// The attributes in the heading's comment.
    var attributes: CommentAttributes?
    /// The pieces of text below the heading, as line ranges.
    var text: [Range<Int>] = []
    var steps: [PendingStep] = []
    var range: Range<Int>
  }

  /// A step whose details may still grow, because text after a step is appended to its details.
  struct PendingStep {
    var step: StepDraft
    /// The lines of the step's details.
    var pieces: [Piece] = []
    /// The smallest indentation of the step's details.
    let base: Int
    /// The number of quotations around the step.
    let quotes: Int
    /// Whether the step's comment contains the details.
    var hasOwnDetails = false
    /// The offset at which the step's own line ends.
    let end: Int
  }

  /// Lines of text, with the maximum number of quotations around them.
  struct Piece {
    var lines: Range<Int>
    let quotes: Int
  }

  /// The context of a list: the block quotes around it and the steps above it.
  struct Surroundings {
    var quotes = 0
    /// The joined titles of the steps, labels and callout above.
    var prefix: SourcedText?
    var depth = 0
    /// The index of the step directly above, in the same section.
    var parent: Int?

    /// Returns the context below a label; nil if the joined titles would be too long.
    func below(_ label: SourcedText) -> Surroundings? {
      let titles = [prefix, label].compactMap { $0 }
      guard titles.reduce(0, { $0 + $1.bytes.count }) <= longestPrefix else { return nil }
      var below = self
      below.prefix = joined(titles, StepDraft.Nesting.separator)
      below.depth += 1
      below.parent = nil
      return below
    }
  }

  /// The maximum length, in bytes, of the joined titles that a nested step's title begins with.
  private static let longestPrefix = 400

  private let note: NoteLines
  private let body: Range<Int>
  private let tree: MarkdownTree
  private let title: String
  private var result = ChecklistReader.Result()
  /// The parts of the body. The first part has no heading.
  private var parts: [Part]
  /// The index of the block that is the title of the note, or -1.
  private let titleBlock: Int
  /// The lines of Obsidian comments, from `%%` to `%%`.
  private let comments: CommentLines
  /// Whether headings begin the sections.
  private let hasHeadings: Bool
  /// A paragraph that may become the title of the next list.
  private var paragraph: Range<Int>?
  /// Whether a comment may still belong to the heading above, or to the body.
  private var acceptsComment = true

  /// Whether `title` is the name of the file.
  var titleIsName = false
  /// For each block, whether it is a task or contains tasks.
  private var hasTasks: [Bool]
  /// The task blocks that were already visited.
  private var seen: Set<Int> = []
  /// The horizontal rules after the last step. Text that follows them is appended after them.
  private var rules: Range<Int>?

  init(_ note: NoteLines, body: Range<Int>, tree: MarkdownTree, title: String) {
    self.note = note
    self.body = body
    self.tree = tree
    self.title = title
    comments = CommentLines(note, tree)
    parts = [Part(title: nil, level: 0, range: body.lowerBound..<body.lowerBound)]
    var headings: [(block: Int, level: Int)] = []
    for block in tree.children(of: 0) {
      if case .heading(let level) = tree.blocks[block].kind { headings.append((block, level)) }
    }
    var candidate = -1
    if let first = headings.first, !headings.dropFirst().contains(where: { $0.level <= first.level }) {
      candidate = first.block
      // A heading with a FleetKit comment is a section.
      if let next = tree.children(of: 0).first(where: { $0 > candidate }), case .html = tree.blocks[next].kind,
        Self.comment(note, tree.blocks[next].lines, CommentAttributes.sectionKeys) != nil
      {
        candidate = -1
      }
    }
    titleBlock = candidate
    hasHeadings = headings.count > (candidate < 0 ? 0 : 1)
    hasTasks = [Bool](repeating: false, count: tree.blocks.count)
    for block in tree.blocks.indices.reversed() where block > 0 {
      switch tree.blocks[block].kind {
      case .item: hasTasks[block] = hasTasks[block] || isTask(block)
      case .paragraph: hasTasks[block] = isInside(block) && hasBox(tree.blocks[block].lines)
      default: break
      }
      if hasTasks[block] { hasTasks[tree.blocks[block].parent] = true }
    }
  }

  /// Whether a paragraph is in a quotation, or in an item without being the item's own text.
  private func isInside(_ block: Int) -> Bool {
    let parent = tree.blocks[block].parent
    switch tree.blocks[parent].kind {
    case .quote: return true
    case .item: return block != parent + 1
    default: return false
    }
  }

  /// Whether a line, after its quotation marks, begins with a box that is not Markdown syntax.
  private func hasBox(_ lines: Range<Int>) -> Bool {
    lines.contains { line in
      line < note.lines.count && StepMark(note.text.span, note.content(of: line, quotes: .max))?.isBox == true
    }
  }

  // MARK: The walk

  /// Visits every outermost block, and the lines between the blocks.
  mutating func walk() {
    guard !tree.blocks.isEmpty else { return }
    let blocks = tree.children(of: 0)
    var at = 0
    for (position, block) in blocks.enumerated() {
      let lines = tree.blocks[block].lines
      let start = max(at, min(lines.lowerBound, note.lines.count))
      var end = max(start, min(lines.upperBound, note.lines.count))
      if position + 1 < blocks.count { end = max(start, min(end, tree.blocks[blocks[position + 1]].lines.lowerBound)) }
      if at < start { addText(at..<start) }
      let shown = shown(start..<end)
      if !shown.isEmpty { visit(block, shown) }
      at = max(at, end)
    }
    if at < note.lines.count { addText(at..<note.lines.count) }
  }

  /// Returns the lines without a comment that extends to the last line. The comment is recorded as left out.
  private mutating func shown(_ lines: Range<Int>) -> Range<Int> {
    guard let comment = comments.end(of: note.trimmedLines(lines)) else { return lines }
    let start = max(lines.lowerBound, comment.lowerBound)
    for line in start..<lines.upperBound { result.skipped.append(note.lines[line]) }
    result.leaveOut(.comment, note.lines[comment.lowerBound].lowerBound..<note.lines[comment.upperBound - 1].upperBound)
    return lines.lowerBound..<start
  }

  private mutating func visit(_ block: Int, _ lines: Range<Int>) {
    let before = paragraph
    paragraph = nil
    switch tree.blocks[block].kind {
    case .heading(let level):
      heading(block, lines, level)
      return
    case .list:
      section(over: before, isRightAbove: before?.upperBound == lines.lowerBound)
      list(block, lines)
    case .paragraph:
      parseParagraph(lines, after: before)
    case .code(isFenced: false) where hasMark(lines):
      parseParagraph(lines, after: before)
    case .rule:
      for line in lines { result.skipped.append(note.lines[line]) }
      rules = (rules?.lowerBound ?? lines.lowerBound)..<lines.upperBound
      paragraph = nil
      return
    case .quote where hasTasks[block]:
      quote(block, lines, Surroundings())
    case .html where acceptsComment:
      if parseComment(lines) { return }
      addText(lines)
    case .table where parseTable(lines, after: before): break
    default:
      addText(lines)
    }
    acceptsComment = false
  }

  /// Reads the steps of a table whose header names steps.
  private mutating func parseTable(_ lines: Range<Int>, after before: Range<Int>?) -> Bool {
    guard let table = StepTable(note, lines) else { return false }
    section(over: before)
    result.marks += [table.header.bytes, table.delimiter]
    var last: [UInt8]?
    for row in table.rows {
      let read = table.read(row, note)
      result.marks += read.marks
      if let cell = row.excess.first(where: { !note.trimmed($0).isEmpty }) {
        result.skipped.append(cell)
        result.leaveOut(.cell, note.trimmed(cell))
      }
      if let section = read.section, !section.bytes.isEmpty {
        if section.bytes == last {
          result.marks.append(section.range)
        } else {
          begin(section, level: 7, range: row.bytes)
        }
        last = section.bytes
      }
      if let ticked = read.ticked { result.checklist.ticked.append(ticked) }
      var step = read.step
      if read.attributes?.text("title") == nil { step.title = result.readable(step.title) }
      if let attributes = read.attributes {
        apply(attributes, to: &step)
      } else if step.title.bytes.isEmpty {
        if step.details != nil { result.leaveOut(.row, step.range) }
        result.skipped.append(row.bytes)
        continue
      }
      add(PendingStep(step: step, base: 0, quotes: 0, hasOwnDetails: false, end: step.range.upperBound))
    }
    return true
  }

  private mutating func heading(_ block: Int, _ lines: Range<Int>, _ level: Int) {
    let (heading, marks) = HeadingNotation.read(note, lines, from: tree.blocks[block].start)
    let (text, tail) = TitleSuffix.strip(heading)
    result.marks += marks + tail
    acceptsComment = true
    if block == titleBlock {
      result.title = result.readable(text)
      acceptsComment = false
    } else {
      begin(
        text, level: level, range: note.lines[lines.lowerBound].lowerBound..<note.lines[lines.upperBound - 1].upperBound
      )
    }
  }

  private mutating func begin(_ title: SourcedText, level: Int, range: Range<Int>) {
    parts.append(Part(title: title, level: level, range: range))
  }

  /// Adds text to the details of the step above it, or to the section's description if there is no such step.
  private mutating func addText(_ lines: Range<Int>, quotes: Int = 0) {
    let used = note.trimmedLines(lines, quotes: quotes)
    guard !used.isEmpty else { return }
    for line in used where Admonition.title(note, note.lines[line]) != nil { result.marks.append(note.lines[line]) }
    paragraph = nil
    acceptsComment = false
    let part = parts.count - 1
    let last = parts[part].steps.count - 1
    if last >= 0, !parts[part].steps[last].hasOwnDetails {
      addDetails(used, quotes: min(quotes, parts[part].steps[last].quotes), of: last)
      extend(to: used)
      return
    }
    // Texts that are separated only by blank lines count as one text.
    if let last = parts[part].text.last, note.trimmedLines(last.upperBound..<used.lowerBound).isEmpty {
      parts[part].text[parts[part].text.count - 1] = last.lowerBound..<used.upperBound
    } else {
      parts[part].text.append(used)
    }
    extend(to: used)
  }

  /// Adds lines to the details of a step of the last part, with the rules between them.
  private mutating func addDetails(_ lines: Range<Int>, quotes: Int, of step: Int) {
    let part = parts.count - 1
    var lines = lines
    if let rules, rules.upperBound <= lines.lowerBound,
      note.trimmedLines(rules.upperBound..<lines.lowerBound).isEmpty
    {
      lines = rules.lowerBound..<lines.upperBound
      for line in rules.reversed() where result.skipped.last == note.lines[line] { result.skipped.removeLast() }
    }
    rules = nil
    var pieces = parts[part].steps[step].pieces
    if let last = pieces.last, last.quotes == quotes,
      note.trimmedLines(last.lines.upperBound..<lines.lowerBound, quotes: quotes).isEmpty
    {
      pieces[pieces.count - 1].lines = last.lines.lowerBound..<lines.upperBound
    } else {
      pieces.append(Piece(lines: lines, quotes: quotes))
    }
    set(pieces, of: step)
  }

  private mutating func set(_ pieces: [Piece], of step: Int) {
    let part = parts.count - 1
    parts[part].steps[step].pieces = pieces
    let range = parts[part].steps[step].step.range
    let end = pieces.last.map { note.lines[$0.lines.upperBound - 1].upperBound } ?? parts[part].steps[step].end
    parts[part].steps[step].step.range = range.lowerBound..<max(range.lowerBound, end)
  }

  private func extended(_ range: Range<Int>, to lines: Range<Int>) -> Range<Int> {
    guard !lines.isEmpty else { return range }
    return range.lowerBound..<max(range.upperBound, note.lines[lines.upperBound - 1].upperBound)
  }

  private mutating func extend(to lines: Range<Int>) {
    parts[parts.count - 1].range = extended(parts[parts.count - 1].range, to: lines)
  }

  // MARK: Comments

  /// Returns the comment if a line contains nothing else; otherwise nil.
  private static func comment(
    _ note: NoteLines, _ lines: Range<Int>, _ keys: [String]
  ) -> (attributes: CommentAttributes, range: Range<Int>)? {
    let used = note.trimmedLines(lines)
    guard used.count == 1 else { return nil }
    let line = note.trimmed(note.lines[used.lowerBound])
    guard let found = CommentAttributes.read(note.text.span, line, keys: keys), found.range == line,
      found.attributes.areSound
    else { return nil }
    return found
  }

  private mutating func parseComment(_ lines: Range<Int>) -> Bool {
    let isBody = parts.count == 1
    let keys = isBody ? CommentAttributes.bodyKeys : CommentAttributes.sectionKeys
    guard parts[parts.count - 1].attributes == nil, let found = Self.comment(note, lines, keys) else { return false }
    parts[parts.count - 1].attributes = found.attributes
    result.marks.append(found.range)
    extend(to: lines)
    acceptsComment = false
    return true
  }

  // MARK: Paragraphs

  private func hasMark(_ lines: Range<Int>) -> Bool {
    lines.contains { StepMark(note.text.span, note.lines[$0]) != nil }
  }

  /// Reads a paragraph as text, as steps with marks that are not Markdown syntax, or as text with steps below it.
  private mutating func parseParagraph(_ lines: Range<Int>, after before: Range<Int>?) {
    guard let first = lines.first(where: { StepMark(note.text.span, note.lines[$0]) != nil }) else {
      addText(lines)
      paragraph = lines
      return
    }
    if first > lines.lowerBound {
      addText(lines.lowerBound..<first)
      section(over: lines.lowerBound..<first, isRightAbove: true)
    } else {
      section(over: before)
    }
    extend(to: lines)
    markedSteps(first..<lines.upperBound)
  }

  /// Reads the steps of marked lines. Lines with deeper indentation are details; unmarked lines continue the label.
  private mutating func markedSteps(_ lines: Range<Int>, _ around: Surroundings = Surroundings()) {
    func content(_ line: Int) -> Range<Int> { note.content(of: line, quotes: around.quotes) }
    func indentation(_ line: Int) -> Int { note.indentation(line, quotes: around.quotes) }
    func isMarked(_ line: Int) -> Bool { StepMark(note.text.span, content(line)) != nil }
    let base = indentation(lines.lowerBound)
    var start = lines.lowerBound
    while start < lines.upperBound {
      var labelEnd = start + 1
      while labelEnd < lines.upperBound, !isMarked(labelEnd), indentation(labelEnd) <= base { labelEnd += 1 }
      var end = labelEnd
      while end < lines.upperBound, !isMarked(end) || indentation(end) > base + 1 { end += 1 }
      guard let mark = StepMark(note.text.span, content(start)) else {
        start = end
        continue
      }
      var label = [mark.label]
      for line in start + 1..<labelEnd { label.append(content(line)) }
      if let leading = mark.leading { result.marks.append(leading) }
      if let trailing = mark.trailing { result.marks.append(trailing) }
      if mark.isTicked, let leading = mark.leading { result.checklist.ticked.append(leading) }
      if let made = step(
        label: label, base: base + 1, from: content(start).lowerBound, mark: mark.leading, in: start..<end, around)
      {
        add(made)
        details(labelEnd..<end, of: made, around)
      } else {
        for line in note.trimmedLines(labelEnd..<end) { result.skipped.append(note.lines[line]) }
      }
      start = end
    }
  }

  private mutating func add(_ step: PendingStep) {
    rules = nil
    parts[parts.count - 1].steps.append(step)
    parts[parts.count - 1].range = extendedRange(to: step.step.range.upperBound)
  }

  private func extendedRange(to end: Int) -> Range<Int> {
    let range = parts[parts.count - 1].range
    return range.lowerBound..<max(range.upperBound, end)
  }

  /// Adds the content below a step to its details, unless its comment contains the details.
  private mutating func details(_ lines: Range<Int>, of made: PendingStep, _ around: Surroundings) {
    guard made.hasOwnDetails else { return addText(lines, quotes: around.quotes) }
    for line in note.trimmedLines(lines) { result.marks.append(note.lines[line]) }
    extend(to: note.trimmedLines(lines))
  }

  // MARK: Titles that are not headings

  /// Makes a section of the paragraph above a list: `**Engine**`, `Engine:`, or `Engine` on the line directly above the
  /// list.
  private mutating func section(over lines: Range<Int>?, isRightAbove: Bool = false) {
    guard let lines, lines.count == 1 else { return }
    let line = note.trimmed(note.lines[lines.lowerBound])
    // Below a heading with a FleetKit comment, the paragraph is the description.
    if hasHeadings, parts[parts.count - 1].attributes != nil { return }
    let admonition = Admonition.title(note, line).map { ($0, marks: [line]) }
    // If there are headings, such a line must be bold or end in a colon.
    let plain = HeadingNotation.plain(note, line, isRightAbove: isRightAbove && !hasHeadings)
    guard let (title, marks) = admonition ?? plain else {
      return
    }
    // The paragraph was added as text when it was read.
    guard dropText(lines) else { return }
    result.marks += marks
    begin(title, level: 7, range: note.lines[lines.lowerBound])
  }

  /// Removes the last text if it consists of the given lines.
  private mutating func dropText(_ lines: Range<Int>) -> Bool {
    let part = parts.count - 1
    let step = parts[part].steps.count - 1
    if step >= 0 {
      var pieces = parts[part].steps[step].pieces
      guard let last = pieces.last, last.lines.upperBound == lines.upperBound else { return false }
      let rest = note.trimmedLines(last.lines.lowerBound..<last.lines.upperBound - 1)
      if rest.isEmpty { pieces.removeLast() } else { pieces[pieces.count - 1].lines = rest }
      set(pieces, of: step)
      return true
    }
    guard let last = parts[part].text.last, last.upperBound == lines.upperBound else { return false }
    if last.count == 1 {
      parts[part].text.removeLast()
    } else {
      parts[part].text[parts[part].text.count - 1] = note.trimmedLines(last.lowerBound..<last.upperBound - 1)
    }
    return true
  }

  // MARK: Lists

  /// Reads the steps or the sections of an outermost list.
  private mutating func list(_ list: Int, _ lines: Range<Int>) {
    let items = tree.children(of: list)
    let areSections = !items.isEmpty && items.allSatisfy { !isTask($0) && taskList(below: $0) != nil }
    for (position, item) in items.enumerated() {
      let start = max(lines.lowerBound, tree.blocks[item].lines.lowerBound)
      let end = position + 1 < items.count ? tree.blocks[items[position + 1]].lines.lowerBound : lines.upperBound
      let region = start..<max(start, min(end, lines.upperBound))
      let shown = shown(region)
      guard !shown.isEmpty else { continue }
      if areSections {
        section(item, shown)
      } else {
        step(item, shown, Surroundings())
      }
    }
  }

  /// Reads the tasks of a list below a step or in a quotation as steps. Other items are text.
  private mutating func tasks(of list: Int, _ lines: Range<Int>, _ around: Surroundings) {
    let items = tree.children(of: list)
    for (position, item) in items.enumerated() {
      let start = max(lines.lowerBound, tree.blocks[item].lines.lowerBound)
      let end = position + 1 < items.count ? tree.blocks[items[position + 1]].lines.lowerBound : lines.upperBound
      let region = start..<max(start, min(end, lines.upperBound))
      guard !region.isEmpty else { continue }
      if isTask(item) {
        step(item, region, around)
      } else if hasTasks[item], let (end, parts, _, _) = label(item, region, around),
        let below = around.below(note.joined(parts))
      {
        // A label is not a step; the titles of the steps below begin with it.
        let from = tree.blocks[item].start
        result.marks.append(from..<max(from, markerEnd(of: item)))
        inside(item, min(end, region.upperBound)..<region.upperBound, below)
      } else {
        addText(region, quotes: around.quotes)
      }
    }
  }

  /// Reads the steps and the text inside an item or a quotation.
  private mutating func inside(_ block: Int, _ region: Range<Int>, _ around: Surroundings) {
    let children = tree.children(of: block)
    var at = region.lowerBound
    for (position, child) in children.enumerated() where hasTasks[child] {
      let start = max(at, tree.blocks[child].lines.lowerBound)
      var end = min(region.upperBound, tree.blocks[child].lines.upperBound)
      if position + 1 < children.count { end = min(end, tree.blocks[children[position + 1]].lines.lowerBound) }
      guard start < end else { continue }
      if at < start { addText(at..<start, quotes: around.quotes) }
      switch tree.blocks[child].kind {
      case .list: tasks(of: child, start..<end, around)
      case .quote: quote(child, start..<end, around)
      case .paragraph:
        let marked = (start..<end).first {
          StepMark(note.text.span, note.content(of: $0, quotes: around.quotes)) != nil
        }
        if let marked, marked > start { addText(start..<marked, quotes: around.quotes) }
        markedSteps((marked ?? start)..<end, around)
      default: addText(start..<end, quotes: around.quotes)
      }
      at = end
    }
    if at < region.upperBound { addText(at..<region.upperBound, quotes: around.quotes) }
  }

  /// Reads the tasks of a quotation as steps. Their titles begin with the callout's title, if there is one.
  private mutating func quote(_ block: Int, _ lines: Range<Int>, _ around: Surroundings) {
    var inner = around
    inner.quotes += 1
    for line in lines {
      result.marks.append(note.lines[line].lowerBound..<note.start(of: line, quotes: inner.quotes))
    }
    var at = lines.lowerBound
    let first = note.content(of: at, quotes: inner.quotes)
    if first.count > 3, note.text[first.lowerBound] == UInt8(ascii: "["),
      note.text[first.lowerBound + 1] == UInt8(ascii: "!"),
      var end = first.first(where: { note.text[$0] == UInt8(ascii: "]") })
    {
      end += 1
      if end < first.upperBound, "+-".utf8.contains(note.text[end]) { end += 1 }
      result.marks.append(first.lowerBound..<end)
      let title = note.trimmed(end..<first.upperBound)
      if !title.isEmpty {
        guard let below = inner.below(SourcedText(note.text.span, title)) else { return addText(lines) }
        inner = below
      }
      at += 1
    }
    inside(block, at..<max(at, lines.upperBound), inner)
  }

  /// Whether an item begins with a box.
  private func isTask(_ item: Int) -> Bool {
    guard let (line, content) = content(of: item) else { return false }
    return StepMark.box(note.text.span, note.trimmed(content..<note.lines[line].upperBound)) != nil
  }

  private func isItem(_ block: Int) -> Bool {
    if case .item = tree.blocks[block].kind { return true }
    return false
  }

  /// Returns the first list directly below the text of an item that contains tasks.
  private func taskList(below item: Int) -> Int? {
    guard item + 1 < tree.blocks[item].next, case .paragraph = tree.blocks[item + 1].kind else { return nil }
    return tree.children(of: item).first { child in
      guard case .list = tree.blocks[child].kind else { return false }
      return tree.children(of: child).contains { isTask($0) }
    }
  }

  /// Returns the start of an item's text: its line, and the offset after the bullet; nil if the item is empty.
  private func content(of item: Int) -> (line: Int, offset: Int)? {
    let block = tree.blocks[item]
    let line = block.lines.lowerBound
    guard line < note.lines.count else { return nil }
    if block.next > item + 1, case .paragraph = tree.blocks[item + 1].kind {
      let child = tree.blocks[item + 1]
      guard child.lines.lowerBound < note.lines.count else { return nil }
      return (child.lines.lowerBound, child.start)
    }
    let offset = markerEnd(of: item)
    if !note.trimmed(offset..<note.lines[line].upperBound).isEmpty { return (line, offset) }
    // The content is another block, on its own line.
    guard block.next > item + 1, tree.blocks[item + 1].lines.lowerBound < note.lines.count else { return nil }
    return (tree.blocks[item + 1].lines.lowerBound, tree.blocks[item + 1].start)
  }

  /// Returns the byte after an item's bullet or number.
  private func markerEnd(of item: Int) -> Int {
    let block = tree.blocks[item]
    guard block.lines.lowerBound < note.lines.count else { return block.start }
    let end = note.lines[block.lines.lowerBound].upperBound
    var at = min(block.start, end)
    while at < end, (0x30...0x39).contains(note.text[at]) { at += 1 }
    return min(at + 1, end)
  }

  // MARK: Steps

  /// Reads an item as a step, together with the steps below it.
  private mutating func step(_ item: Int, _ lines: Range<Int>, _ around: Surroundings) {
    seen.insert(item)
    let from = tree.blocks[item].start
    let marker = from..<max(from, markerEnd(of: item))
    result.marks.append(marker)
    let found = label(item, lines, around)
    let base = note.column(of: from, line: lines.lowerBound, quotes: around.quotes) + marker.count + 1
    guard let (labelEnd, label, box, textEnd) = found,
      let made = step(
        label: label, base: base, from: from, mark: box, in: lines.lowerBound..<max(labelEnd, lines.lowerBound), around)
    else {
      // A box without text is not a step, but tasks below it are steps.
      let end = min(found?.end ?? lines.lowerBound + 1, lines.upperBound)
      if found == nil { result.empty.append(marker) }
      if hasTasksBelow(item) {
        for line in lines.lowerBound..<end { result.skipped.append(note.lines[line]) }
        return inside(item, end..<lines.upperBound, around)
      }
      for line in lines { result.skipped.append(note.lines[line]) }
      extend(to: note.trimmedLines(lines))
      return
    }
    add(made)
    let number = parts[parts.count - 1].steps.count - 1
    if made.hasOwnDetails { return details(labelEnd..<lines.upperBound, of: made, around) }
    var below = around
    below.prefix = made.step.title
    below.depth += 1
    below.parent = number
    let rest = min(textEnd, lines.upperBound)
    if labelEnd < rest {
      // Text after a hard break belongs to the details. Boxes that are not Markdown syntax are steps of the same list.
      let marked = (labelEnd..<rest).first { isBoxed($0, around) } ?? rest
      addText(labelEnd..<marked, quotes: around.quotes)
      if marked < rest {
        let isBelow = note.indentation(marked, quotes: around.quotes) >= base
        markedSteps(marked..<rest, isBelow ? below : around)
      }
    }
    if hasTasksBelow(item), made.step.title.bytes.count <= Self.longestPrefix {
      inside(item, max(labelEnd, rest)..<lines.upperBound, below)
    } else {
      addText(max(labelEnd, rest)..<lines.upperBound, quotes: around.quotes)
    }
  }

  private func hasTasksBelow(_ item: Int) -> Bool {
    var child = item + 1
    while child < tree.blocks[item].next {
      if hasTasks[child] { return true }
      child = tree.blocks[child].next
    }
    return false
  }

  /// Whether a line begins with a box that is not Markdown syntax.
  private func isBoxed(_ line: Int, _ around: Surroundings) -> Bool {
    StepMark(note.text.span, note.content(of: line, quotes: around.quotes))?.isBox == true
  }

  /// Returns the parts of an item's label without its box or other mark, the line after the label, and the line after
  /// the label's paragraph.
  private mutating func label(
    _ item: Int, _ lines: Range<Int>, _ around: Surroundings
  ) -> (end: Int, parts: [Range<Int>], box: Range<Int>?, textEnd: Int)? {
    guard let (line, offset) = content(of: item), lines.contains(line) else { return nil }
    var end = line + 1
    if item + 1 < tree.blocks[item].next, case .paragraph = tree.blocks[item + 1].kind {
      end = max(end, min(tree.blocks[item + 1].lines.upperBound, lines.upperBound))
    }
    let first = note.trimmed(min(offset, note.lines[line].upperBound)..<note.lines[line].upperBound)
    var parts = [first]
    var mark: Range<Int>?
    if let width = StepMark.box(note.text.span, first) {
      let box = first.lowerBound..<first.lowerBound + width
      mark = box
      result.marks.append(box)
      if StepMark.isTicked(note.text.span, box) { result.checklist.ticked.append(box) }
      parts = [note.trimmed(box.upperBound..<first.upperBound)]
    } else if let found = StepMark(note.text.span, first) {
      mark = found.leading
      if let leading = found.leading {
        result.marks.append(leading)
        if found.isTicked { result.checklist.ticked.append(leading) }
      }
      if let trailing = found.trailing { result.marks.append(trailing) }
      parts = [found.label]
    }
    for next in line + 1..<max(line + 1, end) {
      let start = next - 1 == line ? first.lowerBound : note.start(of: next - 1, quotes: around.quotes)
      if isBoxed(next, around) || endsHard(next - 1, from: start, parts: &parts) { return (next, parts, mark, end) }
      parts.append(note.content(of: next, quotes: around.quotes))
    }
    return (end, parts, mark, end)
  }

  /// Returns whether a line ends with a hard break, and removes the backslash of the break.
  private mutating func endsHard(_ line: Int, from: Int, parts: inout [Range<Int>]) -> Bool {
    let end = note.lines[line].upperBound
    guard end - from >= 2 else { return false }
    if note.text[end - 1] == 0x20, note.text[end - 2] == 0x20 { return true }
    guard note.text[end - 1] == UInt8(ascii: "\\"), let last = parts.last, last.upperBound == end, !last.isEmpty else {
      return false
    }
    var slashes = 0
    while slashes < last.count, note.text[end - 1 - slashes] == UInt8(ascii: "\\") { slashes += 1 }
    guard slashes % 2 == 1 else { return false }
    result.marks.append(end - 1..<end)
    parts[parts.count - 1] = note.trimmed(last.lowerBound..<end - 1)
    return true
  }

  /// Makes a step from its label.
  /// - Parameters:
  ///   - base: the smallest indentation of the details.
  ///   - from: the offset at which the step begins.
  ///   - mark: the step's box; reported if no text follows it.
  ///   - lines: the lines of the label.
  private mutating func step(
    label: [Range<Int>], base: Int, from: Int, mark: Range<Int>?, in lines: Range<Int>, _ around: Surroundings
  ) -> PendingStep? {
    var label = label
    let attributes = comment(in: &label, CommentAttributes.stepKeys)
    dropTail(of: &label)
    var end = max(from, label.last?.upperBound ?? from)
    let joined = note.joined(label)
    let words = StepNotation.read(joined.bytes)
    let own = joined.part(words.title)
    var step = StepDraft(
      title: attributes?.0.text("title") == nil ? result.readable(own) : own, range: from..<end)
    step.isRequired = words.isRequired
    step.isOptional = words.isOptional
    step.minutes = words.minutes.map { joined.part($0) }
    if let minutes = words.minutes(in: joined.bytes), let place = step.minutes, minutes != place.bytes {
      step.minutes = SourcedText(bytes: minutes, range: place.range)
    }
    if attributes == nil, let unknown = words.unknown {
      result.unknown.append(.init(range: joined.part(unknown.range).range, isBehindDot: unknown.isBehindDot))
    }
    step.tags = words.tags.map { joined.part($0) }
    if words.title.upperBound < joined.bytes.count {
      result.marks += stretches(of: joined, words.title.upperBound..<joined.bytes.count)
    }
    if let prefix = around.prefix, attributes?.0.text("title") == nil, !step.title.bytes.isEmpty {
      step.title = Self.joined([prefix, step.title], StepDraft.Nesting.separator)
      step.nesting = StepDraft.Nesting(
        inherited: prefix.bytes.count + StepDraft.Nesting.separator.count, depth: around.depth, parent: around.parent)
    }
    var hasOwnDetails = false
    if let (attributes, range) = attributes {
      end = max(end, range.upperBound)
      step.range = from..<end
      apply(attributes, to: &step)
      hasOwnDetails = step.details != nil
    } else if step.title.bytes.isEmpty {
      result.empty.append(mark ?? from..<from)
      return nil
    }
    return PendingStep(step: step, base: base, quotes: around.quotes, hasOwnDetails: hasOwnDetails, end: end)
  }

  /// Returns the note ranges from which a part of the text was read.
  private func stretches(of text: SourcedText, _ part: Range<Int>) -> [Range<Int>] {
    let piece = text.part(part)
    guard !piece.stretches.isEmpty else { return [piece.range] }
    return piece.stretches.enumerated().map { index, stretch in
      let end = index + 1 < piece.stretches.count ? piece.stretches[index + 1].value : piece.bytes.count
      return stretch.source..<stretch.source + end - stretch.value
    }
  }

  /// Removes a block id or attributes from the end of a label.
  private mutating func dropTail(of label: inout [Range<Int>]) {
    guard let last = label.last else { return }
    let start = TitleSuffix.start(note.text, last)
    guard start < last.upperBound else { return }
    result.marks.append(start..<last.upperBound)
    label[label.count - 1] = note.trimmed(last.lowerBound..<start)
  }

  /// Removes the comment at the end of a label and returns it.
  private mutating func comment(
    in label: inout [Range<Int>], _ keys: [String]
  ) -> (CommentAttributes, Range<Int>)? {
    for index in label.indices {
      guard let found = CommentAttributes.read(note.text.span, label[index], keys: keys),
        found.attributes.areSound
      else { continue }
      result.marks.append(found.range)
      label[index] = note.trimmed(label[index].lowerBound..<found.range.lowerBound)
      return found
    }
    return nil
  }

  private mutating func apply(_ attributes: CommentAttributes, to step: inout StepDraft) {
    step.id = attributes.text("id")
    step.sortOrder = attributes["sort"]
    step.members = attributes.inside("members")
    if let title = attributes.text("title") {
      result.marks += stretches(of: step.title, 0..<step.title.bytes.count)
      step.title = title
    }
    if let details = attributes.text("details") {
      if let shown = step.details { result.marks.append(shown.range) }
      step.details = details
    }
    if let tags = attributes.texts("tags") { step.tags = tags }
    if let minutes = attributes["minutes"] { step.minutes = minutes.string == "null" ? nil : minutes }
    if let flag = attributes.flag("required") { step.isRequired = flag }
    if let flag = attributes.flag("optional") { step.isOptional = flag }
  }

  // MARK: Sections that are items

  /// Makes a section from an item that has tasks below it.
  private mutating func section(_ item: Int, _ lines: Range<Int>) {
    let from = tree.blocks[item].start
    result.marks.append(from..<max(from, markerEnd(of: item)))
    var at = lines.lowerBound
    var attributes: CommentAttributes?
    if let (end, parts, _, _) = label(item, lines, Surroundings()) {
      var parts = parts
      attributes = comment(in: &parts, CommentAttributes.sectionKeys)?.0
      dropTail(of: &parts)
      begin(note.joined(parts), level: 7, range: from..<note.lines[end - 1].upperBound)
      at = end
    } else {
      begin(SourcedText(bytes: [], range: from..<from), level: 7, range: from..<from)
    }
    self.parts[self.parts.count - 1].attributes = attributes
    let children = tree.children(of: item)
    for (position, child) in children.enumerated() {
      guard case .list = tree.blocks[child].kind else { continue }
      let start = max(at, tree.blocks[child].lines.lowerBound)
      if at < start { addText(at..<min(start, lines.upperBound)) }
      var end = min(lines.upperBound, tree.blocks[child].lines.upperBound)
      if position + 1 < children.count { end = min(end, tree.blocks[children[position + 1]].lines.lowerBound) }
      guard start < end else { continue }
      let inner = tree.children(of: child)
      for (index, step) in inner.enumerated() {
        let first = max(start, tree.blocks[step].lines.lowerBound)
        let last = index + 1 < inner.count ? tree.blocks[inner[index + 1]].lines.lowerBound : end
        guard first < min(last, end) else { continue }
        self.step(step, first..<min(last, end), Surroundings())
      }
      at = end
    }
    if at < lines.upperBound { addText(at..<lines.upperBound) }
  }

  // MARK: Sections

  /// Makes sections from the parts. The title of an empty heading becomes a prefix of the titles below; text becomes
  /// descriptions.
  func finish(hasDescription: Bool) -> ChecklistReader.Result {
    var result = result
    let comments = result.leftOut.filter { $0.what == .comment }
    result.unread = tree.blocks.indices.filter { $0 > 0 && isItem($0) && !seen.contains($0) && isTask($0) }.map {
      tree.blocks[$0].start..<markerEnd(of: $0)
    }.filter { box in !comments.contains { $0.range.contains(box.lowerBound) } }
    let gives = givingParts()
    var above: [(level: Int, title: SourcedText)] = []
    for (index, part) in parts.enumerated() {
      guard let shown = part.title else {
        first(part, hasDescription, into: &result)
        continue
      }
      let heading = part.attributes?.text("title") == nil ? result.readable(shown) : shown
      while let last = above.last, last.level >= part.level { above.removeLast() }
      let upper = above.last.map(\.title).flatMap { $0.bytes.count <= Self.longestPrefix ? $0 : nil }
      let title = upper.map { Self.joined([$0, heading], Array(" — ".utf8)) } ?? heading
      if gives[index] {
        above.append((part.level, title))
        result.skipped += heading.stretches.isEmpty ? [heading.range] : [heading.range]
        continue
      }
      var section = SectionDraft(title: title, range: part.range)
      section.steps = steps(of: part)
      section.description = description(part.text)
      if let attributes = part.attributes { apply(attributes, to: &section, &result) }
      result.checklist.sections.append(section)
    }
    result.leftOut.sort { $0.range.lowerBound < $1.range.lowerBound }
    return result
  }

  /// Reads the part before the first heading: the description, and, if there are steps, a section with the note's
  /// title.
  private func first(_ part: Part, _ hasDescription: Bool, into result: inout ChecklistReader.Result) {
    let firstStep = part.steps.first?.step.range.lowerBound ?? Int.max
    let isBefore = { (lines: Range<Int>) in note.lines[lines.lowerBound].lowerBound < firstStep }
    let intro = part.text.filter(isBefore)
    if let fromComment = part.attributes?.text("description") {
      for lines in intro { for line in lines { result.marks.append(note.lines[line]) } }
      result.checklist.description = fromComment
    } else if !hasDescription {
      result.checklist.description = description(intro)
    } else if part.steps.isEmpty {
      for lines in intro { for line in lines { result.skipped.append(note.lines[line]) } }
    }
    guard !part.steps.isEmpty else { return }
    let start = part.steps[0].step.range.lowerBound
    var section = SectionDraft(
      title: SourcedText(
        bytes: titleIsName ? result.title?.bytes ?? Array(title.utf8) : Array(title.utf8), range: start..<start),
      range: start..<max(start, part.range.upperBound))
    section.steps = steps(of: part)
    let isSaid = !hasDescription || part.attributes != nil
    section.description = description(isSaid ? part.text.filter { !isBefore($0) } : part.text)
    result.checklist.sections.append(section)
  }

  private func apply(
    _ attributes: CommentAttributes, to section: inout SectionDraft, _ result: inout ChecklistReader.Result
  ) {
    section.id = attributes.text("id")
    section.icon = attributes.text("icon")
    section.sortOrder = attributes["sort"]
    section.isCollapsed = attributes.flag("collapsed") ?? false
    section.members = attributes.inside("members")
    if let title = attributes.text("title") {
      result.marks.append(section.title.range)
      section.title = title
    }
    if let description = attributes.text("description") {
      if let shown = section.description { result.marks.append(shown.range) }
      section.description = description
    }
  }

  /// Returns the steps of a part with their details.
  private func steps(of part: Part) -> [StepDraft] {
    part.steps.map { pending in
      var step = pending.step
      guard !pending.hasOwnDetails else { return step }
      let pieces = pending.pieces.compactMap { piece in
        if piece.quotes == 0, note.indentation(piece.lines.lowerBound) < 4,
          let text = Admonition.text(note, [piece.lines])
        {
          return text
        }
        return note.joined(
          piece.lines, indentedBy: piece.quotes == pending.quotes ? pending.base : 0, quotes: piece.quotes)
      }
      // A step from a table row already has details.
      let all = [step.details].compactMap { $0 } + pieces
      step.details = all.isEmpty ? nil : Self.joined(all, Array("\n\n".utf8))
      return step
    }
  }

  /// Joins pieces of text with a blank line between them.
  private func description(_ pieces: [Range<Int>]) -> SourcedText? {
    guard let first = pieces.first, let last = pieces.last else { return nil }
    if let text = Admonition.text(note, pieces) { return text }
    if pieces.count == 1 { return note.joined(first, indentedBy: 0) }
    var joined = NoteLines.Joined()
    for piece in pieces {
      if piece != first {
        let end = note.lines[piece.lowerBound].lowerBound
        joined.add(UInt8(ascii: "\n"), at: end)
        joined.add(UInt8(ascii: "\n"), at: end)
      }
      for line in piece {
        if line > piece.lowerBound { joined.add(UInt8(ascii: "\n"), at: note.lines[line - 1].upperBound) }
        joined.add(note.text.span, note.lines[line])
      }
    }
    var text = joined.sourced
    text.range = note.lines[first.lowerBound].lowerBound..<note.lines[last.upperBound - 1].upperBound
    return text
  }

  /// Returns, for each part, whether its heading has no content of its own while lower-level headings below it have
  /// steps.
  private func givingParts() -> [Bool] {
    var gives = [Bool](repeating: false, count: parts.count)
    // For each level, whether there are steps in the parts since the last part of a higher level.
    var below = [Bool](repeating: false, count: 9)
    for index in parts.indices.reversed() {
      let part = parts[index]
      let hasSteps = !part.steps.isEmpty
      let stepsBelow = below[(part.level + 1)...].contains(true)
      gives[index] = part.title != nil && !hasSteps && part.text.isEmpty && part.attributes == nil && stepsBelow
      below[part.level] = below[part.level] || hasSteps || stepsBelow
      for level in part.level + 1..<below.count { below[level] = false }
    }
    return gives
  }

  /// Joins pieces of text with a separator between them. The range of a joined title is the range of the last piece,
  /// because the upper pieces belong to other titles; otherwise the range covers all pieces.
  private static func joined(_ texts: [SourcedText], _ separator: [UInt8]) -> SourcedText {
    guard var whole = texts.first, let last = texts.last, texts.count > 1 else {
      return texts.first ?? SourcedText(bytes: [], range: 0..<0)
    }
    var stretches = Self.stretches(whole)
    for text in texts.dropFirst() {
      let shift = whole.bytes.count + separator.count
      whole.bytes += separator + text.bytes
      stretches += Self.stretches(text).map { .init(value: $0.value + shift, source: $0.source) }
    }
    let isText = separator.contains(0x0A)
    return SourcedText(
      bytes: whole.bytes,
      range: isText ? whole.range.lowerBound..<max(last.range.upperBound, whole.range.lowerBound) : last.range,
      stretches: stretches)
  }

  private static func stretches(_ text: SourcedText) -> [SourcedText.Stretch] {
    text.stretches.isEmpty ? [.init(value: 0, source: text.range.lowerBound)] : text.stretches
  }
}
