import Content
import MarkdownSyntax

/// Applies checklist changes to the checklist's note, in the note's notation.
///
/// Unchanged sections and steps keep their bytes. A changed step affects only its own lines. A new step copies the
/// notation of its neighbor. The caller must read the result back and compare it with the record, because not every
/// change can be expressed.
/// - Source: formats/markdown.md, "What is written"
struct ChecklistEdits {
  /// The existing note.
  let note: ParsedNote
  let text: UnsafeBufferPointer<UInt8>
  /// The note's sections and steps, with their source ranges.
  let there: ChecklistDraft
  /// The note's sections and steps, with all ids.
  let before: ChecklistDraft
  /// The new content.
  let wanted: ChecklistDraft
  /// The heading that holds the item's title, and the new title; nil if no heading holds the title.
  let title: (range: Range<Int>, text: [UInt8])?
  /// The item's new description, which is used if the body contains the description.
  let description: [UInt8]?
  let words: StepWords
  /// The note's tables whose rows are steps.
  private(set) var tables = StepTables()

  var lines: NoteLines { NoteLines(text: text, lines: note.tree.lines) }
  var lineEnd: [UInt8] { LineEnd.first(in: text) ?? LineEnd.standard }

  /// The position of a step: the index of its section, and its index in that section.
  struct StepIndex: Hashable {
    let section: Int
    let step: Int
  }

  /// Returns the edited note.
  /// - Returns: nil if two parts share a line, or a change needs notation that the note does not have.
  func edited() -> [UInt8]? {
    var edits = self
    edits.tables = StepTables(note, lines)
    return edits.withTables()
  }

  private func withTables() -> [UInt8]? {
    guard there.sections.map(\.steps.count) == before.sections.map(\.steps.count), !there.sections.isEmpty,
      let regions = regions(), let blocks = blocks(in: regions)
    else { return nil }
    let matching = ChecklistMatching(before, wanted)
    var edits = TextEdits()
    guard change(matching, blocks, into: &edits) else { return nil }
    edits.sort()
    return ChecklistLayout(edits: edits, source: self, matching: matching, regions: regions, blocks: blocks).written()
  }

  // MARK: Lines

  /// Returns the byte range of each section, from its first line to the first line of the next section.
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

  /// Returns the byte range of each step's lines, including line ends.
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

  /// Returns the offset after the end of a line.
  func endOfLine(_ line: Int) -> Int {
    line + 1 < note.tree.lines.count ? note.tree.lines[line + 1].lowerBound : note.body.upperBound
  }

  // MARK: Changes within parts that are kept

  private func change(_ matching: ChecklistMatching, _ blocks: [[Range<Int>]], into edits: inout TextEdits) -> Bool {
    for (index, section) in wanted.sections.enumerated() {
      if let other = matching.sections[index], !change(section: other, to: section, into: &edits) { return false }
      for (number, step) in section.steps.enumerated() {
        guard let other = matching.steps[StepIndex(section: index, step: number)] else { continue }
        let block = blocks[other.section][other.step]
        if !change(step: other, in: block, to: step, into: &edits) { return false }
      }
    }
    if let title, title.text != Array(note.title.utf8) {
      edits.replace(title.range, with: MarkdownRoundTrip.line(title.text))
    }
    if let intro = there.description, let description, intro.bytes != description {
      guard MarkdownRoundTrip.isProse(description), !hasAdmonition(intro) else { return false }
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
      guard change(title: place, from: old.title.bytes, to: wanted.title.bytes, into: &edits) else { return false }
    }
    if Self.same(old.description, wanted.description) { return true }
    if let shown = place.description {
      let start = startOfLine(shown.range.lowerBound)
      guard let description = wanted.description?.bytes else {
        edits.replace(
          withBlankLineBefore(start..<endOfLine(note.tree.lines.line(at: shown.range.upperBound))), with: [])
        return true
      }
      guard MarkdownRoundTrip.isProse(description), !hasAdmonition(shown) else { return false }
      edits.replace(shown.range, with: withLineEnds(description, indentedBy: []))
      return true
    }
    guard let description = wanted.description?.bytes, MarkdownRoundTrip.isProse(description),
      !place.title.range.isEmpty
    else {
      return false
    }
    let end = note.tree.lines[headingEnd(of: place)].upperBound
    edits.insert(lineEnd + lineEnd + withLineEnds(description, indentedBy: []), at: end)
    return true
  }

  /// Whether text was read from an admonition, whose notation an edit would lose.
  private func hasAdmonition(_ shown: SourcedText) -> Bool {
    let lines = note.tree.lines
    return Admonition.isIn(
      self.lines, lines.line(at: shown.range.lowerBound)..<lines.line(at: max(0, shown.range.upperBound - 1)) + 1)
  }

  /// Returns the last line of a section's heading, including its underline.
  private func headingEnd(of section: SectionDraft) -> Int {
    note.tree.lines.line(at: max(section.title.range.upperBound, section.range.lowerBound))
      + (isUnderlined(section) ? 1 : 0)
  }

  /// Whether a section's title is an underlined (setext) heading.
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
    if let row = tables.row(at: place.range.lowerBound, note.tree) {
      let text = textBehindRow(place)
      guard text.isEmpty || wanted.details?.bytes.suffix(text.count).elementsEqual(text) == true else { return false }
      return row.change(
        place, from: old.withoutDetails(text.count), to: wanted.withoutDetails(text.count), in: self, into: &edits)
    }
    let isSameTitle = old.title.bytes == wanted.title.bytes
    let isSameRest = words.rest(old) == words.rest(wanted)
    if !isSameTitle {
      guard !place.title.range.isEmpty, let title = place.ownTitle(of: wanted.title.bytes, was: old.title.bytes),
        !title.isEmpty
      else { return false }
      let inherited = place.nesting?.inherited ?? 0
      let own = old.title.bytes.dropFirst(inherited)
      if !own.elementsEqual(title) {
        let edit = TitleEdit(text.span, place.ownTitle, from: Array(own), to: title)
        edits.replace(edit.range, with: edit.bytes)
      }
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
    let indentation = indentation(start..<shown.range.lowerBound)
    guard hasSameQuotes(shown.range, as: indentation) else { return false }
    edits.replace(start..<shown.range.upperBound, with: withLineEnds(details, indentedBy: indentation))
    return true
  }

  /// Returns the end of the attribute words after a step's title, such as `· 5 min`, excluding a comment and a blank to
  /// fill in.
  func endOfWords(_ step: StepDraft) -> Int {
    let start = step.title.range.upperBound
    let line = note.tree.lines[note.tree.lines.line(at: max(start, step.range.lowerBound))]
    var end = lines.trimmed(min(start, line.upperBound)..<line.upperBound).upperBound
    if end - start >= 3, text[start..<end].suffix(3).elementsEqual("-->".utf8) {
      var at = end - 3
      while at > start, !(text[at] == UInt8(ascii: "<") && text[at + 1] == UInt8(ascii: "!")) { at -= 1 }
      end = lines.trimmed(start..<at).upperBound
    }
    end = max(start, TitleSuffix.start(text, min(start, line.lowerBound)..<end))
    while end > start, text[end - 1] == UInt8(ascii: "_") { end -= 1 }
    return lines.trimmed(start..<end).upperBound
  }

  /// For a step in a table row, returns the text after the table that belongs to the step's details.
  private func textBehindRow(_ place: StepDraft) -> ArraySlice<UInt8> {
    let end = endOfLine(note.tree.lines.line(at: place.range.lowerBound))
    guard let details = place.details else { return [] }
    if details.range.lowerBound >= end { return details.bytes[...] }
    guard let first = details.stretches.first(where: { $0.source >= end }) else { return [] }
    return details.bytes[max(0, first.value - 2)...]
  }

  /// Returns the blanks and quotation marks at the beginning of a line.
  func indentation(_ range: Range<Int>) -> [UInt8] {
    text[range].filter { NoteLines.isBlank($0) || $0 == UInt8(ascii: ">") }
  }

  /// Whether all lines in a range have the same number of quotations around them as the first line.
  private func hasSameQuotes(_ range: Range<Int>, as indentation: [UInt8]) -> Bool {
    let quotes = indentation.count { $0 == UInt8(ascii: ">") }
    let first = note.tree.lines.line(at: range.lowerBound)
    let last = note.tree.lines.line(at: max(range.lowerBound, range.upperBound - 1))
    return (first...last).allSatisfy { line in
      lines.isBlank(line) || quotes == 0
        || lines.start(of: line, quotes: quotes) > lines.start(of: line, quotes: quotes - 1)
    }
  }

  // MARK: Texts

  /// Formats details to append to a step that has none.
  func added(_ details: [UInt8], below step: StepDraft) -> [UInt8] {
    let start = startOfLine(step.range.lowerBound)
    let quotes = indentation(start..<step.range.lowerBound)
    let marks = quotes.lastIndex(of: UInt8(ascii: ">")).map { quotes[...$0] + [0x20] } ?? []
    let from = min(start + marks.count, step.range.lowerBound)
    let isItem = bullet(start) != nil
    let width = isItem ? bullet(start).map { $0.end - from } ?? 2 : step.range.lowerBound - from + 2
    return (isItem ? lineEnd + (marks.isEmpty ? [] : marks.dropLast()) + lineEnd : lineEnd)
      + withLineEnds(details, indentedBy: marks + Array(repeating: 0x20, count: max(0, width)))
  }

  /// Returns the number with which a line begins, if any, and the end of its bullet or number, including the blanks and
  /// quotation marks around it.
  func bullet(_ start: Int) -> (number: Range<Int>?, end: Int)? {
    var at = start
    let end = note.tree.lines[note.tree.lines.line(at: start)].upperBound
    while at < end, NoteLines.isBlank(text[at]) || text[at] == UInt8(ascii: ">") { at += 1 }
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

  /// Returns the text with the note's line ends and with indentation before each line that is not blank.
  func withLineEnds(_ lines: [UInt8], indentedBy indentation: [UInt8]) -> [UInt8] {
    // A quotation continues over its empty lines.
    let empty = indentation.lastIndex(of: UInt8(ascii: ">")).map { Array(indentation[...$0]) } ?? []
    return Array(
      lines.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0.isEmpty ? empty : indentation + $0 }
        .joined(separator: lineEnd))
  }

  func startOfLine(_ offset: Int) -> Int { note.tree.lines[note.tree.lines.line(at: offset)].lowerBound }

  /// Returns the end of a block's last line, excluding the line end.
  private func contentEnd(of block: Range<Int>) -> Int {
    note.tree.lines[note.tree.lines.line(at: max(block.lowerBound, block.upperBound - 1))].upperBound
  }

  /// Returns a range of lines extended by the blank line before it.
  private func withBlankLineBefore(_ range: Range<Int>) -> Range<Int> {
    let line = note.tree.lines.line(at: range.lowerBound)
    guard line > 0, lines.isBlank(line - 1) else { return range }
    return note.tree.lines[line - 1].lowerBound..<range.upperBound
  }

  static func same(_ left: SourcedText?, _ right: SourcedText?) -> Bool { left?.bytes == right?.bytes }

  /// Changes a section's title. If the title is joined from two headings, only the lower heading changes.
  private func change(
    title section: SectionDraft, from old: [UInt8], to new: [UInt8], into edits: inout TextEdits
  ) -> Bool {
    let place = section.title
    guard !place.range.isEmpty else { return false }
    if let row = tables.row(at: section.range.lowerBound, note.tree) {
      return row.change(section: section, to: new, in: self, into: &edits)
    }
    // The upper heading is shared by several sections, so it must not change.
    let upper = place.stretches.first { $0.source >= place.range.lowerBound }?.value ?? 0
    guard new.starts(with: old.prefix(upper)) else { return false }
    var lower = place.part(upper..<place.bytes.count)
    lower.range = place.range
    if lower.stretches.isEmpty, place.stretches.count > 0 {
      lower.stretches = [.init(value: 0, source: place.place(upper))]
    }
    let edit = TitleEdit(text.span, lower, from: Array(old.dropFirst(upper)), to: Array(new.dropFirst(upper)))
    edits.replace(edit.range, with: edit.bytes)
    return true
  }
}

extension StepDraft {
  /// Returns the step with a number of bytes removed from the end of its details.
  fileprivate func withoutDetails(_ count: Int) -> StepDraft {
    guard count > 0, let bytes = details?.bytes else { return self }
    var step = self
    step.details = bytes.count > count ? SourcedText(bytes: Array(bytes.dropLast(count)), range: 0..<0) : nil
    return step
  }

  /// The part of the title that belongs to this step, with its source positions.
  var ownTitle: SourcedText {
    guard let nesting else { return title }
    var own = title.part(nesting.inherited..<title.bytes.count)
    own.range = title.range
    if own.stretches.isEmpty { own.stretches = [.init(value: 0, source: title.place(nesting.inherited))] }
    return own
  }

  /// Returns the part of a wanted title that belongs to this step and not to the steps above; nil if the wanted title
  /// does not begin with the titles of the steps above.
  /// - Parameter old: the title in the current note.
  func ownTitle(of wanted: [UInt8], was old: [UInt8]) -> [UInt8]? {
    guard let nesting else { return wanted }
    if wanted.starts(with: old.prefix(nesting.inherited)) { return Array(wanted.dropFirst(nesting.inherited)) }
    // The titles of the steps above may have changed.
    var rest = wanted[...]
    for _ in 0..<nesting.depth {
      guard let end = rest.firstEnd(of: Nesting.separator) else { return nil }
      rest = rest[end...]
    }
    return Array(rest)
  }
}

extension ArraySlice<UInt8> {
  /// Returns the end of the first occurrence of the given bytes.
  fileprivate func firstEnd(of bytes: [UInt8]) -> Int? {
    var at = startIndex
    while at + bytes.count <= endIndex {
      if self[at..<at + bytes.count].elementsEqual(bytes) { return at + bytes.count }
      at += 1
    }
    return nil
  }
}

/// Pairs the sections and steps of a record with the sections and steps of its note, by id and then by title.
struct ChecklistMatching {
  typealias StepIndex = ChecklistEdits.StepIndex

  /// The index of the note's section for each section of the record.
  private(set) var sections: [Int: Int] = [:]
  /// The index of the note's step for each step of the record.
  private(set) var steps: [StepIndex: StepIndex] = [:]

  init(_ before: ChecklistDraft, _ wanted: ChecklistDraft) {
    sections = Self.pairs(
      before.sections.enumerated().map { ($0, $1.id?.bytes, $1.title.bytes) },
      wanted.sections.enumerated().map { ($0, $1.id?.bytes, $1.title.bytes) })
    steps = Self.pairs(Self.steps(before), Self.steps(wanted))
  }

  private static func steps(_ checklist: ChecklistDraft) -> [(StepIndex, [UInt8]?, [UInt8])] {
    checklist.sections.enumerated().flatMap { index, section in
      section.steps.enumerated().map { (StepIndex(section: index, step: $0), $1.id?.bytes, $1.title.bytes) }
    }
  }

  static func pairs<Index: Hashable>(
    _ mine: [(index: Index, id: [UInt8]?, title: [UInt8])], _ wanted: [(index: Index, id: [UInt8]?, title: [UInt8])]
  ) -> [Index: Index] {
    var byID: [[UInt8]: Index] = [:]
    for one in mine { if let id = one.id { byID[id] = one.index } }
    var pairs: [Index: Index] = [:]
    var taken: Set<Index> = []
    for one in wanted {
      guard let id = one.id, let other = byID[id], taken.insert(other).inserted else { continue }
      pairs[one.index] = other
    }
    // The ids may be unrelated if the record did not come from this note. Equal titles are paired in order.
    var byTitle: [[UInt8]: [Index]] = [:]
    for one in mine.reversed() where !taken.contains(one.index) { byTitle[one.title, default: []].append(one.index) }
    for one in wanted where pairs[one.index] == nil {
      if let other = byTitle[one.title]?.popLast() { pairs[one.index] = other }
    }
    return pairs
  }
}

/// Finds the longest increasing subsequence.
enum LongestIncreasingSubsequence {
  /// Returns the positions of the numbers in the subsequence. Negative numbers are ignored.
  static func longest(_ numbers: [Int]) -> Set<Int> {
    // For each length, the position of the smallest number with which a subsequence of that length ends.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for (position, number) in numbers.enumerated() where number >= 0 {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[position] = ends[low - 1] }
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var kept: Set<Int> = []
    var at = ends.last ?? -1
    while at >= 0 {
      kept.insert(at)
      at = previous[at]
    }
    return kept
  }
}
