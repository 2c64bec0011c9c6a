import MarkdownSyntax

/// Brings what was changed in a checklist into the note that says it, line by line and in the note's own notation.
///
/// Sections and steps that stay keep their bytes; a changed step changes its own lines; a new one is written like its
/// neighbour. Whoever asks reads the result again: what the note cannot say is not noticed here.
/// - Source: formats/markdown.md, "What is written"
struct ChecklistEdits {
  /// The note as it is, and where its sections and steps stand.
  let note: ParsedNote
  let text: UnsafeBufferPointer<UInt8>
  let there: ChecklistDraft
  /// The same sections and steps with the ids that the note's reading gives them.
  let before: ChecklistDraft
  /// What the note shall say.
  let wanted: ChecklistDraft
  /// The heading that is the title of the item, and what it shall say.
  let title: (range: Range<Int>, text: [UInt8])?
  /// The description that the item shall have, where it stands in the body.
  let description: [UInt8]?
  let words: StepWords

  var lines: NoteLines { NoteLines(text: text, lines: note.tree.lines) }
  var lineEnd: [UInt8] { LineEnd.first(in: text) ?? LineEnd.standard }

  /// A step by the numbers of its section and its own.
  struct StepIndex: Hashable {
    let section: Int
    let step: Int
  }

  /// The note as it shall be; nil where its lines cannot be told apart, or it says something that has no line of its own.
  func edited() -> [UInt8]? {
    guard there.sections.map(\.steps.count) == before.sections.map(\.steps.count), !there.sections.isEmpty,
      let regions = regions(), let blocks = blocks(in: regions)
    else { return nil }
    let matching = ChecklistMatching(before, wanted)
    var edits = TextEdits(text: text)
    guard change(matching, blocks, into: &edits) else { return nil }
    return ChecklistLayout(edits: edits, source: self, matching: matching, regions: regions, blocks: blocks).written()
  }

  // MARK: Lines

  /// The bytes from the first line of each section to the first one of the next.
  private func regions() -> [Range<Int>]? {
    var starts: [Int] = []
    for (index, section) in there.sections.enumerated() {
      let begin = section.title.range.isEmpty ? section.steps.first?.range.lowerBound : section.range.lowerBound
      guard let begin else { return nil }
      let line = note.tree.lines[note.tree.lines.line(at: begin)].lowerBound
      if index > 0, line <= starts[index - 1] { return nil }
      starts.append(line)
    }
    return starts.indices.map { starts[$0]..<($0 + 1 < starts.count ? starts[$0 + 1] : note.body.upperBound) }
  }

  /// The bytes of the lines of each step, line ends included.
  private func blocks(in regions: [Range<Int>]) -> [[Range<Int>]]? {
    var blocks: [[Range<Int>]] = []
    for (index, section) in there.sections.enumerated() {
      var end = regions[index].lowerBound
      var own: [Range<Int>] = []
      for step in section.steps {
        let first = note.tree.lines.line(at: step.range.lowerBound)
        let last = note.tree.lines.line(at: max(step.range.lowerBound, step.range.upperBound - 1))
        let block = note.tree.lines[first].lowerBound..<endOfLine(last)
        guard block.lowerBound >= end, block.upperBound <= regions[index].upperBound else { return nil }
        end = block.upperBound
        own.append(block)
      }
      blocks.append(own)
    }
    return blocks
  }

  /// The byte behind the end of a line.
  func endOfLine(_ line: Int) -> Int {
    line + 1 < note.tree.lines.count ? note.tree.lines[line + 1].lowerBound : note.body.upperBound
  }

  // MARK: Changes inside of what stays

  private func change(_ matching: ChecklistMatching, _ blocks: [[Range<Int>]], into edits: inout TextEdits) -> Bool {
    for (index, section) in wanted.sections.enumerated() {
      if let other = matching.sections[index], !change(section: other, to: section, into: &edits) { return false }
      for (number, step) in section.steps.enumerated() {
        guard let other = matching.steps[StepIndex(section: index, step: number)] else { continue }
        let block = blocks[other.section][other.step]
        if !change(step: other, in: block, to: step, into: &edits) { return false }
      }
    }
    if let title, !title.text.elementsEqual(text[title.range]) {
      edits.replace(title.range, with: ShownText.line(title.text))
    }
    if let intro = there.description, let description, intro.bytes != description {
      guard ShownText.isProse(description) else { return false }
      edits.replace(intro.range, with: withLineEnds(description, indentedBy: []))
    }
    return true
  }

  private func change(section index: Int, to wanted: SectionDraft, into edits: inout TextEdits) -> Bool {
    let (place, old) = (there.sections[index], before.sections[index])
    guard Self.same(old.icon, wanted.icon), old.isCollapsed == wanted.isCollapsed,
      Self.same(old.members, wanted.members)
    else { return false }
    if old.title.bytes != wanted.title.bytes {
      guard let range = Self.changed(place.title, from: old.title.bytes, to: wanted.title.bytes) else { return false }
      edits.replace(range.place, with: ShownText.line(range.text))
    }
    if Self.same(old.description, wanted.description) { return true }
    if let shown = place.description {
      let start = startOfLine(shown.range.lowerBound)
      guard let description = wanted.description?.bytes else {
        edits.replace(
          withBlankLineBefore(start..<endOfLine(note.tree.lines.line(at: shown.range.upperBound))), with: [])
        return true
      }
      guard ShownText.isProse(description) else { return false }
      edits.replace(shown.range, with: withLineEnds(description, indentedBy: []))
      return true
    }
    guard let description = wanted.description?.bytes, ShownText.isProse(description), !place.title.range.isEmpty else {
      return false
    }
    let end = note.tree.lines[headingEnd(of: place)].upperBound
    edits.insert(lineEnd + lineEnd + withLineEnds(description, indentedBy: []), at: end)
    return true
  }

  /// The last line of a section's heading, its underline included.
  func headingEnd(of section: SectionDraft) -> Int {
    note.tree.lines.line(at: max(section.title.range.upperBound, section.range.lowerBound))
      + (isUnderlined(section) ? 1 : 0)
  }

  /// Whether a line of signs below makes the title of a section a heading.
  func isUnderlined(_ section: SectionDraft) -> Bool {
    let line = note.tree.lines.line(at: section.title.range.upperBound)
    guard !section.title.range.isEmpty, line + 1 < note.tree.lines.count else { return false }
    let below = lines.trimmed(note.tree.lines[line + 1])
    let first = lines.trimmed(note.tree.lines[line])
    guard let sign = below.first.map({ text[$0] }), sign == UInt8(ascii: "=") || sign == UInt8(ascii: "-"),
      below.allSatisfy({ text[$0] == sign })
    else { return false }
    return first.first.map { text[$0] != UInt8(ascii: "#") } ?? false
  }

  private func change(
    step index: StepIndex, in block: Range<Int>, to wanted: StepDraft, into edits: inout TextEdits
  ) -> Bool {
    let place = there.sections[index.section].steps[index.step]
    let old = before.sections[index.section].steps[index.step]
    guard Self.same(old.members, wanted.members) else { return false }
    let isSameTitle = old.title.bytes == wanted.title.bytes
    let isSameRest = words.rest(old) == words.rest(wanted)
    if !isSameTitle {
      guard !place.title.range.isEmpty, !wanted.title.bytes.isEmpty else { return false }
      edits.replace(place.title.range, with: ShownText.line(wanted.title.bytes))
    }
    if !isSameRest {
      let start = place.title.range.upperBound
      edits.replace(start..<max(start, endOfWords(place)), with: words.rest(wanted))
    }
    if Self.same(old.details, wanted.details) { return true }
    let labelEnd = note.tree.lines.line(at: max(place.title.range.upperBound, endOfWords(place)))
    guard let details = wanted.details?.bytes else {
      edits.replace(note.tree.lines[labelEnd].upperBound..<contentEnd(of: block), with: [])
      return true
    }
    guard let shown = place.details else {
      edits.insert(added(details, below: place), at: contentEnd(of: block))
      return true
    }
    let start = startOfLine(shown.range.lowerBound)
    let indentation = Array(text[start..<shown.range.lowerBound]).filter { NoteLines.isBlank($0) }
    edits.replace(start..<shown.range.upperBound, with: withLineEnds(details, indentedBy: indentation))
    return true
  }

  /// Where what a step's line says behind its title ends: before a comment, before underscores to fill in.
  func endOfWords(_ step: StepDraft) -> Int {
    let start = step.title.range.upperBound
    let line = note.tree.lines[note.tree.lines.line(at: max(start, step.range.lowerBound))]
    var end = lines.trimmed(min(start, line.upperBound)..<line.upperBound).upperBound
    if end - start >= 3, text[start..<end].suffix(3).elementsEqual("-->".utf8) {
      var at = end - 3
      while at > start, !(text[at] == UInt8(ascii: "<") && text[at + 1] == UInt8(ascii: "!")) { at -= 1 }
      end = lines.trimmed(start..<at).upperBound
    }
    while end > start, text[end - 1] == UInt8(ascii: "_") { end -= 1 }
    return lines.trimmed(start..<end).upperBound
  }

  // MARK: Texts

  /// The details of a step that has none, as they follow its last line.
  func added(_ details: [UInt8], below step: StepDraft) -> [UInt8] {
    let start = startOfLine(step.range.lowerBound)
    let isItem = bullet(start) != nil
    let width = isItem ? bullet(start).map { $0.end - start } ?? 2 : step.range.lowerBound - start + 2
    return (isItem ? lineEnd + lineEnd : lineEnd)
      + withLineEnds(details, indentedBy: Array(repeating: 0x20, count: width))
  }

  /// The bullet or number that a line begins with, blanks before and behind it included.
  func bullet(_ start: Int) -> (number: Range<Int>?, end: Int)? {
    var at = start
    let end = note.tree.lines[note.tree.lines.line(at: start)].upperBound
    while at < end, NoteLines.isBlank(text[at]) { at += 1 }
    let first = at
    while at < end, (0x30...0x39).contains(text[at]) { at += 1 }
    guard at < end else { return nil }
    let number = at > first ? first..<at : nil
    let sign = text[at]
    guard number == nil ? "-*+".utf8.contains(sign) : sign == UInt8(ascii: ".") || sign == UInt8(ascii: ")"),
      at + 1 < end, NoteLines.isBlank(text[at + 1])
    else { return nil }
    at += 1
    while at < end, NoteLines.isBlank(text[at]) { at += 1 }
    return (number, at)
  }

  /// A text with the line ends of the note, and white space before each line that is not blank.
  func withLineEnds(_ lines: [UInt8], indentedBy indentation: [UInt8]) -> [UInt8] {
    Array(
      lines.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0.isEmpty ? [] : indentation + $0 }.joined(
        separator: lineEnd))
  }

  func startOfLine(_ offset: Int) -> Int { note.tree.lines[note.tree.lines.line(at: offset)].lowerBound }

  /// Where the last line of a block ends, without its line end.
  private func contentEnd(of block: Range<Int>) -> Int {
    note.tree.lines[note.tree.lines.line(at: max(block.lowerBound, block.upperBound - 1))].upperBound
  }

  /// A range of lines and the blank line before it.
  private func withBlankLineBefore(_ range: Range<Int>) -> Range<Int> {
    let line = note.tree.lines.line(at: range.lowerBound)
    guard line > 0, lines.isBlank(line - 1) else { return range }
    return note.tree.lines[line - 1].lowerBound..<range.upperBound
  }

  static func same(_ left: SourcedText?, _ right: SourcedText?) -> Bool { left?.bytes == right?.bytes }

  /// Where a title that was put together differs from another one: only its last piece, or all of it where it lies in
  /// one piece.
  private static func changed(
    _ place: SourcedText, from old: [UInt8], to new: [UInt8]
  ) -> (place: Range<Int>, text: [UInt8])? {
    guard !place.range.isEmpty else { return nil }
    guard let last = place.stretches.last, place.stretches.count > 1 else { return (place.range, new) }
    // A heading that gives its title to the ones below it stays as it is.
    guard new.starts(with: old.prefix(last.value)) else { return nil }
    return (last.source..<place.range.upperBound, Array(new.dropFirst(last.value)))
  }
}
