import Content
import MarkdownSyntax

/// Reads the sections and steps of a checklist from the body of a note.
///
/// What is a section, a step, a description follows formats/markdown.md, "Checklists". Every byte of the body that is
/// not white space is in a text of the checklist or of its title, in `marks`, or in `skipped`. Time is linear in
/// the body; nothing is recursive.
enum ChecklistReader {
  /// What a note's body says.
  struct Result: Sendable {
    var checklist = ChecklistDraft()
    /// The heading that is the note's title; nil when no heading is.
    var title: SourcedText?
    /// Notation: bullets, boxes, heading marks, comments, dots and the words behind them, text that a comment replaces.
    var marks: [Range<Int>] = []
    /// What no text says: rules, text beside a description in the front matter, headings that gave their title to the
    /// ones below.
    var skipped: [Range<Int>] = []
    /// Boxes without text, which are no steps.
    var empty: [Range<Int>] = []
  }

  /// Reads the steps.
  /// - Parameters:
  ///   - title: the title for steps that are below no heading.
  ///   - titleIsName: whether that is the name of the file, so that a heading which is the note's title counts more.
  ///   - hasDescription: whether the front matter has a description, so that text before the first section is none.
  static func read(
    _ text: UnsafeBufferPointer<UInt8>, body: Range<Int>, tree: MarkdownTree, title: String,
    titleIsName: Bool = false, hasDescription: Bool
  ) -> Result {
    var reading = ChecklistReading(text: text, body: body, tree: tree, title: title)
    reading.titleIsName = titleIsName
    reading.walk()
    return reading.finish(hasDescription: hasDescription)
  }
}

/// A checklist while it is read: walks the outermost blocks of a body and hands out headings, texts and steps.
private struct ChecklistReading {
  /// A heading, and what is below it up to the next one.
  struct Part {
    /// The heading; nil for what is before the first one.
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

  private let note: NoteLines
  private let body: Range<Int>
  private let tree: MarkdownTree
  private let title: String
  private var result = ChecklistReader.Result()
  /// The first part has no heading.
  private var parts: [Part]
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
        Self.comment(note, tree.blocks[next].lines, CommentAttributes.sectionKeys) != nil
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

  private func extended(_ range: Range<Int>, to lines: Range<Int>) -> Range<Int> {
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
      found.attributes.areSound
    else { return nil }
    return found
  }

  private mutating func take(comment lines: Range<Int>) -> Bool {
    let isBody = parts.count == 1
    let keys = isBody ? CommentAttributes.bodyKeys : CommentAttributes.sectionKeys
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

  private mutating func add(_ step: StepDraft?, in lines: Range<Int>) {
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

  // MARK: Lists

  /// The steps of an outermost list, or its sections.
  private mutating func list(_ list: Int, _ lines: Range<Int>) {
    let items = tree.children(of: list)
    let areSections = !items.isEmpty && items.allSatisfy { !isTask($0) && taskList(below: $0) != nil }
    for (position, item) in items.enumerated() {
      let start = max(lines.lowerBound, tree.blocks[item].lines.lowerBound)
      let end = position + 1 < items.count ? tree.blocks[items[position + 1]].lines.lowerBound : lines.upperBound
      let region = start..<max(start, min(end, lines.upperBound))
      guard !region.isEmpty else { continue }
      if areSections {
        section(item, region)
      } else {
        add(step(item, region), in: region)
      }
    }
  }

  /// Whether an item begins with a box.
  private func isTask(_ item: Int) -> Bool {
    guard let (line, content) = content(of: item) else { return false }
    return StepMark.box(note.text, note.trimmed(content..<note.lines[line].upperBound)) != nil
  }

  /// The first list directly below the text of an item that holds tasks.
  private func taskList(below item: Int) -> Int? {
    guard item + 1 < tree.blocks[item].next, case .paragraph = tree.blocks[item + 1].kind else { return nil }
    return tree.children(of: item).first { child in
      guard case .list = tree.blocks[child].kind else { return false }
      return tree.children(of: child).contains { isTask($0) }
    }
  }

  /// Where the text of an item begins: its line, and the byte behind its bullet; nil when the item is empty.
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
    // Another block, on a line of its own.
    guard block.next > item + 1, tree.blocks[item + 1].lines.lowerBound < note.lines.count else { return nil }
    return (tree.blocks[item + 1].lines.lowerBound, tree.blocks[item + 1].start)
  }

  /// The byte behind an item's bullet or number.
  private func markerEnd(of item: Int) -> Int {
    let block = tree.blocks[item]
    guard block.lines.lowerBound < note.lines.count else { return block.start }
    let end = note.lines[block.lines.lowerBound].upperBound
    var at = min(block.start, end)
    while at < end, (0x30...0x39).contains(note.text[at]) { at += 1 }
    return min(at + 1, end)
  }

  // MARK: Steps

  /// The step that an item is; nil for a box without text.
  private mutating func step(_ item: Int, _ lines: Range<Int>) -> StepDraft? {
    let from = tree.blocks[item].start
    let marker = from..<max(from, markerEnd(of: item))
    result.marks.append(marker)
    guard let (labelEnd, label, box) = label(item, lines) else {
      result.empty.append(marker)
      for line in lines { result.skipped.append(note.lines[line]) }
      return nil
    }
    let base = note.column(of: from, line: lines.lowerBound) + marker.count + 1
    return step(label: label, details: labelEnd..<lines.upperBound, base: base, from: from, mark: box)
  }

  /// The parts of an item's label, and the line behind it; takes off the box or another mark.
  private mutating func label(
    _ item: Int, _ lines: Range<Int>
  ) -> (end: Int, parts: [Range<Int>], box: Range<Int>?)? {
    guard let (line, offset) = content(of: item), lines.contains(line) else { return nil }
    var end = line + 1
    if item + 1 < tree.blocks[item].next, case .paragraph = tree.blocks[item + 1].kind {
      end = max(end, min(tree.blocks[item + 1].lines.upperBound, lines.upperBound))
    }
    let first = note.trimmed(min(offset, note.lines[line].upperBound)..<note.lines[line].upperBound)
    var parts = [first]
    var mark: Range<Int>?
    if let width = StepMark.box(note.text, first) {
      let box = first.lowerBound..<first.lowerBound + width
      mark = box
      result.marks.append(box)
      if note.text[box.lowerBound + 1] | 0x20 == UInt8(ascii: "x") { result.checklist.ticked.append(box) }
      parts = [note.trimmed(box.upperBound..<first.upperBound)]
    } else if let found = StepMark(note.text, first) {
      mark = found.leading
      if let leading = found.leading {
        result.marks.append(leading)
        if found.isTicked { result.checklist.ticked.append(leading) }
      }
      if let trailing = found.trailing { result.marks.append(trailing) }
      parts = [found.label]
    }
    for next in line + 1..<max(line + 1, end) {
      if endsHard(next - 1, from: next - 1 == line ? first.lowerBound : note.lines[next - 1].lowerBound, parts: &parts)
      {
        return (next, parts, mark)
      }
      parts.append(note.trimmed(note.lines[next]))
    }
    return (end, parts, mark)
  }

  /// Whether a line ends with a hard break; takes off the backslash.
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

  /// Makes a step of its label and the lines below.
  /// - Parameters:
  ///   - base: the least indentation of its details.
  ///   - from: where it begins.
  ///   - mark: its box; reported when nothing is behind it.
  private mutating func step(
    label: [Range<Int>], details: Range<Int>, base: Int, from: Int, mark: Range<Int>?
  ) -> StepDraft? {
    var label = label
    let attributes = comment(in: &label, CommentAttributes.stepKeys)
    let below = note.trimmedLines(details)
    let end = below.isEmpty ? label.last?.upperBound ?? from : note.lines[below.upperBound - 1].upperBound
    let joined = note.joined(label)
    let words = StepNotation.read(joined.bytes)
    var step = StepDraft(title: joined.part(words.title), range: from..<max(from, end))
    step.isRequired = words.isRequired
    step.isOptional = words.isOptional
    step.minutes = words.minutes.map { joined.part($0) }
    step.tags = words.tags.map { joined.part($0) }
    step.details = note.joined(details, indentedBy: base)
    if words.title.upperBound < joined.bytes.count {
      result.marks += stretches(of: joined, words.title.upperBound..<joined.bytes.count)
    }
    if let (attributes, range) = attributes {
      step.range = from..<max(step.range.upperBound, range.upperBound)
      take(attributes, into: &step)
    } else if step.title.bytes.isEmpty {
      result.empty.append(mark ?? from..<from)
      for line in below { result.skipped.append(note.lines[line]) }
      return nil
    }
    return step
  }

  /// The places in the note that a part of a text came from.
  private func stretches(of text: SourcedText, _ part: Range<Int>) -> [Range<Int>] {
    let piece = text.part(part)
    guard !piece.stretches.isEmpty else { return [piece.range] }
    return piece.stretches.enumerated().map { index, stretch in
      let end = index + 1 < piece.stretches.count ? piece.stretches[index + 1].value : piece.bytes.count
      return stretch.source..<stretch.source + end - stretch.value
    }
  }

  /// The comment at the end of a label; takes it off.
  private mutating func comment(
    in label: inout [Range<Int>], _ keys: [String]
  ) -> (CommentAttributes, Range<Int>)? {
    for index in label.indices {
      guard let found = CommentAttributes.read(note.text, label[index], keys: keys),
        found.attributes.areSound
      else { continue }
      result.marks.append(found.range)
      label[index] = note.trimmed(label[index].lowerBound..<found.range.lowerBound)
      return found
    }
    return nil
  }

  private mutating func take(_ attributes: CommentAttributes, into step: inout StepDraft) {
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

  /// A section of an item whose tasks are below it.
  private mutating func section(_ item: Int, _ lines: Range<Int>) {
    let from = tree.blocks[item].start
    result.marks.append(from..<max(from, markerEnd(of: item)))
    var at = lines.lowerBound
    var attributes: CommentAttributes?
    if let (end, parts, _) = label(item, lines) {
      var parts = parts
      attributes = comment(in: &parts, CommentAttributes.sectionKeys)?.0
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
      if at < start { take(text: at..<min(start, lines.upperBound)) }
      var end = min(lines.upperBound, tree.blocks[child].lines.upperBound)
      if position + 1 < children.count { end = min(end, tree.blocks[children[position + 1]].lines.lowerBound) }
      guard start < end else { continue }
      let inner = tree.children(of: child)
      for (index, step) in inner.enumerated() {
        let first = max(start, tree.blocks[step].lines.lowerBound)
        let last = index + 1 < inner.count ? tree.blocks[inner[index + 1]].lines.lowerBound : end
        guard first < min(last, end) else { continue }
        add(self.step(step, first..<min(last, end)), in: first..<min(last, end))
      }
      at = end
    }
    if at < lines.upperBound { take(text: at..<lines.upperBound) }
  }

  // MARK: Sections

  /// Makes sections of the parts: empty headings give their titles away, text becomes descriptions.
  func finish(hasDescription: Bool) -> ChecklistReader.Result {
    var result = result
    let gives = givingParts()
    var above: [(level: Int, title: SourcedText)] = []
    for (index, part) in parts.enumerated() {
      guard let heading = part.title else {
        first(part, hasDescription, into: &result)
        continue
      }
      while let last = above.last, last.level >= part.level { above.removeLast() }
      let title = above.last.map { Self.joined($0.title, heading) } ?? heading
      if gives[index] {
        above.append((part.level, title))
        result.skipped += heading.stretches.isEmpty ? [heading.range] : [heading.range]
        continue
      }
      var section = SectionDraft(title: title, range: part.range)
      section.steps = part.steps
      section.description = description(part.text)
      if let attributes = part.attributes { take(attributes, into: &section, &result) }
      result.checklist.sections.append(section)
    }
    return result
  }

  /// What is before the first heading: the description, and a section called like the note when there are steps.
  private func first(_ part: Part, _ hasDescription: Bool, into result: inout ChecklistReader.Result) {
    let firstStep = part.steps.first?.range.lowerBound ?? Int.max
    let isBefore = { (lines: Range<Int>) in note.lines[lines.lowerBound].lowerBound < firstStep }
    let intro = part.text.filter(isBefore)
    if let said = part.attributes?.text("description") {
      for lines in intro { for line in lines { result.marks.append(note.lines[line]) } }
      result.checklist.description = said
    } else if !hasDescription {
      result.checklist.description = description(intro)
    } else if part.steps.isEmpty {
      for lines in intro { for line in lines { result.skipped.append(note.lines[line]) } }
    }
    guard !part.steps.isEmpty else { return }
    let start = part.steps[0].range.lowerBound
    var section = SectionDraft(
      title: SourcedText(
        bytes: titleIsName ? result.title?.bytes ?? Array(title.utf8) : Array(title.utf8), range: start..<start),
      range: start..<max(start, part.range.upperBound))
    section.steps = part.steps
    let isSaid = !hasDescription || part.attributes != nil
    section.description = description(isSaid ? part.text.filter { !isBefore($0) } : part.text)
    result.checklist.sections.append(section)
  }

  private func take(
    _ attributes: CommentAttributes, into section: inout SectionDraft, _ result: inout ChecklistReader.Result
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

  /// Pieces of text with a blank line between them.
  private func description(_ pieces: [Range<Int>]) -> SourcedText? {
    guard let first = pieces.first, let last = pieces.last else { return nil }
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
        joined.add(note.text, note.lines[line])
      }
    }
    var text = joined.sourced
    text.range = note.lines[first.lowerBound].lowerBound..<note.lines[last.upperBound - 1].upperBound
    return text
  }

  /// Which headings have nothing of their own, but steps below the headings below them.
  private func givingParts() -> [Bool] {
    var gives = [Bool](repeating: false, count: parts.count)
    // Whether steps are in the parts of each level since the last part above that level.
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

  private static func joined(_ above: SourcedText, _ below: SourcedText) -> SourcedText {
    let dash = Array(" — ".utf8)
    let shift = above.bytes.count + dash.count
    let upper = above.stretches.isEmpty ? [.init(value: 0, source: above.range.lowerBound)] : above.stretches
    let lower = below.stretches.isEmpty ? [.init(value: 0, source: below.range.lowerBound)] : below.stretches
    return SourcedText(
      bytes: above.bytes + dash + below.bytes, range: below.range,
      stretches: upper + lower.map { .init(value: $0.value + shift, source: $0.source) })
  }
}
