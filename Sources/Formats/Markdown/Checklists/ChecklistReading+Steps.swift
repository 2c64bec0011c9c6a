import MarkdownSyntax

extension ChecklistReading {
  /// The steps of an outermost list, or its sections.
  mutating func list(_ list: Int, _ lines: Range<Int>) {
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
  ///   - mark: its box; reported when nothing stands behind it.
  mutating func step(label: [Range<Int>], details: Range<Int>, base: Int, from: Int, mark: Range<Int>?) -> StepDraft? {
    var label = label
    let attributes = comment(in: &label, ChecklistReader.stepKeys)
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
        StepAttributes.areSound(found.attributes)
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
      result.skipped += stretches(of: step.title, 0..<step.title.bytes.count)
      step.title = title
    }
    if let details = attributes.text("details") {
      if let shown = step.details { result.skipped.append(shown.range) }
      step.details = details
    }
    if let tags = attributes.texts("tags") { step.tags = tags }
    if let minutes = attributes["minutes"] { step.minutes = minutes.string == "null" ? nil : minutes }
    if let flag = attributes.flag("required") { step.isRequired = flag }
    if let flag = attributes.flag("optional") { step.isOptional = flag }
  }

  // MARK: Sections that are items

  /// A section of an item whose tasks stand below it.
  private mutating func section(_ item: Int, _ lines: Range<Int>) {
    let from = tree.blocks[item].start
    result.marks.append(from..<max(from, markerEnd(of: item)))
    var at = lines.lowerBound
    var attributes: CommentAttributes?
    if let (end, parts, _) = label(item, lines) {
      var parts = parts
      attributes = comment(in: &parts, ChecklistReader.sectionKeys)?.0
      beginSection(note.joined(parts), range: from..<note.lines[end - 1].upperBound)
      at = end
    } else {
      beginSection(SourcedText(bytes: [], range: from..<from), range: from..<from)
    }
    self.parts[self.parts.count - 1].attributes = attributes
    let children = tree.children(of: item)
    for (position, child) in children.enumerated() {
      guard case .list = tree.blocks[child].kind else { continue }
      let start = max(at, tree.blocks[child].lines.lowerBound)
      if at < start { take(itemText: at..<min(start, lines.upperBound)) }
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
    if at < lines.upperBound { take(itemText: at..<lines.upperBound) }
  }
}
