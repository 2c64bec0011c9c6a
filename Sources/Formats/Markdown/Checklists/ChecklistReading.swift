import MarkdownSyntax

/// A checklist while it is read: walks the outermost blocks of a body and hands out headings, texts and steps.
struct ChecklistReading {
  /// A heading, and what stands below it up to the next one.
  struct Part {
    /// The heading; nil for what stands before the first one.
    var title: SourcedText?
    /// 1 to 6; 7 for sections that no heading of Markdown begins.
    var level: Int
    /// What its comment says.
    var attributes: CommentAttributes?
    /// Pieces of text, as lines.
    var text: [Range<Int>] = []
    var steps: [StepDraft] = []
    var range: Range<Int>
  }

  let note: NoteLines
  let body: Range<Int>
  let tree: MarkdownTree
  let title: String
  var result = ChecklistReader.Result()
  /// The first part has no heading.
  var parts: [Part]
  /// The block that is the title of the note; -1 when none is.
  private let titleBlock: Int
  /// Whether headings make the sections.
  private let hasHeadings: Bool
  /// A paragraph that the next list may take for its title.
  private var paragraph: Range<Int>?
  /// Whether a comment may still belong to the heading above, or to the body.
  private var takesComment = true

  /// Whether `title` is the name of the file.
  var titleIsName = false

  init(text: UnsafeBufferPointer<UInt8>, body: Range<Int>, tree: MarkdownTree, title: String) {
    note = NoteLines(text: text, lines: tree.lines)
    self.body = body
    self.tree = tree
    self.title = title
    parts = [Part(title: nil, level: 0, range: body.lowerBound..<body.lowerBound)]
    var headings: [(block: Int, level: Int)] = []
    for block in tree.children(of: 0) {
      if case .heading(let level) = tree.blocks[block].kind { headings.append((block, level)) }
    }
    var candidate = -1
    if let first = headings.first, !headings.dropFirst().contains(where: { $0.level <= first.level }) {
      candidate = first.block
      // A heading that has a comment of ours is a section.
      if let next = tree.children(of: 0).first(where: { $0 > candidate }), case .html = tree.blocks[next].kind,
        Self.comment(note, tree.blocks[next].lines, ChecklistReader.sectionKeys) != nil
      {
        candidate = -1
      }
    }
    titleBlock = candidate
    hasHeadings = headings.count > (candidate < 0 ? 0 : 1)
  }

  // MARK: The walk

  /// Looks at every outermost block, and at the lines between them.
  mutating func walk() {
    guard !tree.blocks.isEmpty else { return }
    let blocks = tree.children(of: 0)
    var at = 0
    for (position, block) in blocks.enumerated() {
      let lines = tree.blocks[block].lines
      let start = max(at, min(lines.lowerBound, note.lines.count))
      var end = max(start, min(lines.upperBound, note.lines.count))
      if position + 1 < blocks.count { end = max(start, min(end, tree.blocks[blocks[position + 1]].lines.lowerBound)) }
      if at < start { take(text: at..<start) }
      if start < end { take(block, start..<end) }
      at = max(at, end)
    }
    if at < note.lines.count { take(text: at..<note.lines.count) }
  }

  private mutating func take(_ block: Int, _ lines: Range<Int>) {
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
      take(paragraph: lines, after: before)
    case .code(isFenced: false) where hasMark(lines):
      take(paragraph: lines, after: before)
    case .rule:
      for line in lines { result.skipped.append(note.lines[line]) }
      paragraph = nil
      return
    case .html where takesComment:
      if take(comment: lines) { return }
      take(text: lines)
    default:
      take(text: lines)
    }
    takesComment = false
  }

  private mutating func heading(_ block: Int, _ lines: Range<Int>, _ level: Int) {
    let (text, marks) = HeadingNotation.read(note, lines, from: tree.blocks[block].start)
    result.marks += marks
    takesComment = true
    if block == titleBlock {
      result.title = text
      takesComment = false
    } else {
      begin(
        text, level: level, range: note.lines[lines.lowerBound].lowerBound..<note.lines[lines.upperBound - 1].upperBound
      )
    }
  }

  private mutating func begin(_ title: SourcedText, level: Int, range: Range<Int>) {
    parts.append(Part(title: title, level: level, range: range))
  }

  /// Text that belongs to no step.
  private mutating func take(text lines: Range<Int>) {
    let used = note.trimmedLines(lines)
    guard !used.isEmpty else { return }
    paragraph = nil
    takesComment = false
    let part = parts.count - 1
    // Texts that only blank lines part are one text.
    if let last = parts[part].text.last, note.trimmedLines(last.upperBound..<used.lowerBound).isEmpty {
      parts[part].text[parts[part].text.count - 1] = last.lowerBound..<used.upperBound
    } else {
      parts[part].text.append(used)
    }
    extend(to: used)
  }

  func extended(_ range: Range<Int>, to lines: Range<Int>) -> Range<Int> {
    guard !lines.isEmpty else { return range }
    return range.lowerBound..<max(range.upperBound, note.lines[lines.upperBound - 1].upperBound)
  }

  private mutating func extend(to lines: Range<Int>) {
    parts[parts.count - 1].range = extended(parts[parts.count - 1].range, to: lines)
  }

  // MARK: Comments

  /// The comment that one line is, or nil.
  private static func comment(
    _ note: NoteLines, _ lines: Range<Int>, _ keys: [String]
  ) -> (attributes: CommentAttributes, range: Range<Int>)? {
    let used = note.trimmedLines(lines)
    guard used.count == 1 else { return nil }
    let line = note.trimmed(note.lines[used.lowerBound])
    guard let found = CommentAttributes.read(note.text, line, keys: keys), found.range == line,
      StepAttributes.areSound(found.attributes)
    else { return nil }
    return found
  }

  private mutating func take(comment lines: Range<Int>) -> Bool {
    let isBody = parts.count == 1
    let keys = isBody ? ChecklistReader.bodyKeys : ChecklistReader.sectionKeys
    guard parts[parts.count - 1].attributes == nil, let found = Self.comment(note, lines, keys) else { return false }
    parts[parts.count - 1].attributes = found.attributes
    result.marks.append(found.range)
    extend(to: lines)
    takesComment = false
    return true
  }

  // MARK: Paragraphs

  private func hasMark(_ lines: Range<Int>) -> Bool {
    lines.contains { StepMark(note.text, note.lines[$0]) != nil }
  }

  /// A paragraph is text, or steps whose marks Markdown does not know, or text with steps below.
  private mutating func take(paragraph lines: Range<Int>, after before: Range<Int>?) {
    guard let first = lines.first(where: { StepMark(note.text, note.lines[$0]) != nil }) else {
      take(text: lines)
      paragraph = lines
      return
    }
    if first > lines.lowerBound {
      take(text: lines.lowerBound..<first)
      section(over: lines.lowerBound..<first, isRightAbove: true)
    } else {
      section(over: before)
    }
    extend(to: lines)
    markedSteps(first..<lines.upperBound)
  }

  /// Steps of marked lines: what is indented deeper is details, what is not marked goes on with the label.
  private mutating func markedSteps(_ lines: Range<Int>) {
    let base = note.indentation(lines.lowerBound)
    var start = lines.lowerBound
    while start < lines.upperBound {
      var labelEnd = start + 1
      while labelEnd < lines.upperBound, !isMarked(labelEnd), note.indentation(labelEnd) <= base { labelEnd += 1 }
      var end = labelEnd
      while end < lines.upperBound, !isMarked(end) || note.indentation(end) > base + 1 { end += 1 }
      guard let mark = StepMark(note.text, note.lines[start]) else {
        start = end
        continue
      }
      var label = [mark.label]
      for line in start + 1..<labelEnd { label.append(note.trimmed(note.lines[line])) }
      if let leading = mark.leading { result.marks.append(leading) }
      if let trailing = mark.trailing { result.marks.append(trailing) }
      let from = note.trimmed(note.lines[start]).lowerBound
      if mark.isTicked, let leading = mark.leading { result.checklist.ticked.append(leading) }
      add(step(label: label, details: labelEnd..<end, base: base + 1, from: from, mark: mark.leading), in: start..<end)
      start = end
    }
  }

  private func isMarked(_ line: Int) -> Bool { StepMark(note.text, note.lines[line]) != nil }

  mutating func add(_ step: StepDraft?, in lines: Range<Int>) {
    extend(to: note.trimmedLines(lines))
    if let step { parts[parts.count - 1].steps.append(step) }
  }

  // MARK: Titles that are no headings

  /// Makes a section of the paragraph above a list: `**Engine**`, `Engine:`, or `Engine` on the line right above.
  private mutating func section(over lines: Range<Int>?, isRightAbove: Bool = false) {
    guard !hasHeadings, let lines, lines.count == 1 else { return }
    let line = note.trimmed(note.lines[lines.lowerBound])
    guard let (title, marks) = HeadingNotation.plain(note, line, isRightAbove: isRightAbove) else { return }
    // It was taken for text when it was seen.
    let part = parts.count - 1
    guard let last = parts[part].text.last, last.upperBound == lines.upperBound else { return }
    if last.count == 1 {
      parts[part].text.removeLast()
    } else {
      parts[part].text[parts[part].text.count - 1] = note.trimmedLines(last.lowerBound..<last.upperBound - 1)
    }
    result.marks += marks
    begin(title, level: 7, range: note.lines[lines.lowerBound])
  }

  /// Begins a section that an item of a list is.
  mutating func beginSection(_ title: SourcedText, range: Range<Int>) {
    begin(title, level: 7, range: range)
  }

  mutating func take(itemText lines: Range<Int>) { take(text: lines) }
}
