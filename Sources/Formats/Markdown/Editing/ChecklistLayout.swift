import Content
import JSONText

/// Writes the sections and steps of an edited note in their new order.
///
/// Parts that keep their order keep their lines and the text between them. When a part moves, its lines move with it.
struct ChecklistLayout {
  typealias StepIndex = ChecklistEdits.StepIndex

  let edits: TextEdits
  let source: ChecklistEdits
  let matching: ChecklistMatching
  let regions: [Range<Int>]
  let blocks: [[Range<Int>]]

  private var body: Range<Int> { source.note.body }

  /// Returns the whole note.
  func written() -> [UInt8]? {
    let order = source.wanted.sections.indices.map { matching.sections[$0] ?? -1 }
    let kept = LongestIncreasingSubsequence.longest(order)
    let stays = Set(kept.map { order[$0] })
    // Sections to insert after each kept section; -1 for the beginning.
    var behind: [Int: [[UInt8]]] = [:]
    var anchor = -1
    for (index, other) in order.enumerated() {
      if kept.contains(index) {
        anchor = other
      } else {
        guard let added = other >= 0 ? section(other, for: index) : newSection(index) else { return nil }
        behind[anchor, default: []].append(added)
      }
    }
    var out = LineBuilder(lineEnd: source.lineEnd)
    out.append(edits.applied(to: 0..<regions[0].lowerBound, of: source.text.span, isLast: false))
    for added in behind[-1] ?? [] { out.append(apart: added, isFollowed: true) }
    let targets = Dictionary(uniqueKeysWithValues: order.enumerated().filter { $1 >= 0 }.map { ($1, $0) })
    let last = stays.max() ?? -1
    for index in regions.indices {
      if stays.contains(index), let target = targets[index] {
        guard let bytes = section(index, for: target) else { return nil }
        out.append(bytes)
      }
      for added in behind[index] ?? [] { out.append(apart: added, isFollowed: index < last) }
    }
    return out.bytes
  }

  // MARK: Sections that the note has

  /// Returns a section with its steps in their new form.
  /// - Parameter target: the section of the record.
  private func section(_ index: Int, for target: Int) -> [UInt8]? {
    let wanted = source.wanted.sections[target].steps
    let order = wanted.indices.map { number -> Int in
      guard let other = matching.steps[StepIndex(section: target, step: number)], other.section == index else {
        return -1
      }
      return other.step
    }
    let kept = LongestIncreasingSubsequence.longest(order)
    let stays = Set(kept.map { order[$0] })
    var behind: [Int: [[UInt8]]] = [:]
    var anchor = -1
    // The distance of a new step from its model, which determines its number. A step before the first step takes the
    // first step's number.
    var distance = -1
    for (number, step) in wanted.enumerated() {
      if kept.contains(number) {
        anchor = order[number]
        distance = 0
        continue
      }
      let added: [UInt8]
      if let other = matching.steps[StepIndex(section: target, step: number)] {
        added = moved(other)
      } else if let model = model(near: index, anchor, for: step) {
        distance += 1
        added = StepLines(source: source, blocks: blocks).new(step, like: model, distance: distance)
      } else {
        return nil
      }
      behind[anchor, default: []].append(added)
    }
    return write(index, stays: stays, behind: behind)
  }

  private func write(_ index: Int, stays: Set<Int>, behind: [Int: [[UInt8]]]) -> [UInt8] {
    var out = LineBuilder(lineEnd: source.lineEnd)
    let region = regions[index]
    let isEnd = region.upperBound == body.upperBound
    let own = blocks[index]
    let isLoose = isLoose(index)
    var at = region.lowerBound
    func copy(to end: Int) {
      if at < end || (end == region.upperBound && isEnd) {
        out.append(
          edits.applied(to: at..<max(at, end), of: source.text.span, isLast: isEnd && end == region.upperBound))
      }
      at = max(at, end)
    }
    func add(_ lines: [[UInt8]], isFirst: Bool) {
      for text in lines { out.append(step: text, isLoose: isLoose, isFirst: isFirst) }
    }
    if own.isEmpty {
      // These steps follow the heading and its text.
      guard let lines = behind[-1] else {
        copy(to: region.upperBound)
        return out.bytes
      }
      copy(to: region.upperBound)
      out.dropBlankEnd()
      out.append(apart: Array(lines.joined()), isFollowed: !isEnd)
      return out.bytes
    }
    for (number, block) in own.enumerated() {
      copy(to: block.lowerBound)
      if number == 0 { add(behind[-1] ?? [], isFirst: true) }
      if stays.contains(number) {
        copy(to: block.upperBound)
      } else {
        at = block.upperBound
        // A loose list has a blank line after each step.
        if isLoose { at = max(at, endOfBlankLine(at, before: region.upperBound)) }
      }
      add(behind[number] ?? [], isFirst: false)
    }
    copy(to: region.upperBound)
    return out.bytes
  }

  /// Whether blank lines separate most steps of a section.
  private func isLoose(_ index: Int) -> Bool {
    let own = blocks[index]
    guard own.count > 1 else { return false }
    let gaps = (1..<own.count).filter {
      endOfBlankLine(own[$0 - 1].upperBound, before: own[$0].lowerBound + 1) > own[$0 - 1].upperBound
    }
    return gaps.count * 2 > own.count - 1
  }

  /// Returns the end of the blank line that begins at an offset, or the offset if no blank line begins there.
  private func endOfBlankLine(_ offset: Int, before limit: Int) -> Int {
    let lines = source.note.tree.lines
    guard offset < limit else { return offset }
    let line = lines.line(at: offset)
    guard lines[line].lowerBound == offset, source.lines.isBlank(line) else { return offset }
    return min(source.endOfLine(line), limit)
  }

  /// Returns the lines of a step that has a new position.
  private func moved(_ step: StepIndex) -> [UInt8] {
    let block = blocks[step.section][step.step]
    return edits.applied(to: block, of: source.text.span, isLast: block.upperBound == body.upperBound)
  }

  /// Returns the step whose notation a new step copies: the previous step, or else the nearest one. For a nested step,
  /// it is the previous step that has the same parent steps.
  private func model(near section: Int, _ anchor: Int, for step: StepDraft) -> StepIndex? {
    let own = source.there.sections[section].steps
    if let found = own.indices.prefix(anchor + 1).last(where: { fits(step, below: own[$0]) }) {
      return StepIndex(section: section, step: found)
    }
    if let found = own.indices.first(where: { own[$0].nesting == nil }) {
      return StepIndex(section: section, step: found)
    }
    if !own.isEmpty { return StepIndex(section: section, step: max(0, anchor)) }
    let nearest = blocks.indices.filter { !blocks[$0].isEmpty }.min { abs($0 - section) < abs($1 - section) }
    return nearest.map { StepIndex(section: $0, step: 0) }
  }

  /// Whether a step that copies the notation of another step is read back with the intended title.
  private func fits(_ step: StepDraft, below other: StepDraft) -> Bool {
    guard let nesting = other.nesting else { return true }
    return step.title.bytes.starts(with: other.title.bytes.prefix(nesting.inherited))
  }

  // MARK: New sections

  private func newSection(_ target: Int) -> [UInt8]? {
    let wanted = source.wanted.sections[target]
    guard wanted.icon == nil, !wanted.isCollapsed, wanted.members == nil,
      MarkdownRoundTrip.isHeading(wanted.title.bytes),
      !wanted.title.bytes.isEmpty
    else { return nil }
    let near = (0..<target).reversed().compactMap { matching.sections[$0] }.first ?? 0
    guard let heading = heading(wanted.title.bytes, like: near) else { return nil }
    var out = heading + source.lineEnd + source.lineEnd
    if let description = wanted.description?.bytes {
      guard MarkdownRoundTrip.isProse(description) else { return nil }
      out += source.withLineEnds(description, indentedBy: []) + source.lineEnd + source.lineEnd
    }
    var count = 0
    for (number, step) in wanted.steps.enumerated() {
      if let other = matching.steps[StepIndex(section: target, step: number)] {
        out += moved(other)
      } else if let model = model(near: near, -1, for: step) {
        count += 1
        let place = source.there.sections[model.section].steps[model.step].range.lowerBound
        if count == 1, let row = source.tables.row(at: place, source.note.tree) { out += row.header(in: source) }
        out += StepLines(source: source, blocks: blocks).new(step, like: model, number: count)
      } else {
        return nil
      }
    }
    return out
  }

  /// Returns a heading in another section's notation.
  private func heading(_ title: [UInt8], like index: Int) -> [UInt8]? {
    let section = source.there.sections[index]
    let range = section.title.range
    guard !range.isEmpty, !source.isUnderlined(section) else { return Array("## ".utf8) + title }
    let line = source.note.tree.lines[source.note.tree.lines.line(at: range.lowerBound)]
    let prefix = source.text[line.lowerBound..<range.lowerBound]
    let suffix = range.upperBound <= line.upperBound ? Array(source.text[range.upperBound..<line.upperBound]) : []
    // A comment or an anchor belongs to the other section.
    let marks = suffix.contains { "<{^".utf8.contains($0) } ? [] : suffix
    return Array(prefix) + title + marks
  }
}

/// Writes the lines of a new step.
struct StepLines {
  let source: ChecklistEdits
  let blocks: [[Range<Int>]]

  /// Formats a new step with another step's bullet, box and blank to fill in.
  /// - Parameters:
  ///   - distance: the number of steps by which the new step follows the other step, for numbered steps.
  ///   - number: the new step's number in a numbered list, if known.
  func new(
    _ step: StepDraft, like model: ChecklistEdits.StepIndex, distance: Int = 0, number: Int? = nil
  ) -> [UInt8] {
    let there = source.there.sections[model.section].steps[model.step]
    if let row = source.tables.row(at: there.range.lowerBound, source.note.tree) {
      // If no row can be made, the changed note differs from the record, so the caller does not write it.
      return row.new(step, in: source, distance: distance).map { $0 + source.lineEnd } ?? []
    }
    let start = source.startOfLine(there.range.lowerBound)
    let line = source.note.tree.lines[source.note.tree.lines.line(at: start)]
    var out = unticked(start..<min(max(start, there.title.range.lowerBound), line.upperBound))
    if let digits = source.bullet(start)?.number {
      let value = number ?? self.number(after: model, distance)
      out.replaceSubrange(
        digits.lowerBound - start..<digits.upperBound - start, with: Array(String(value).utf8))
    }
    let inherited = there.nesting?.inherited ?? 0
    out += MarkdownRoundTrip.line(Array(step.title.bytes.dropFirst(inherited))) + source.words.rest(step)
    let end = source.endOfWords(there)
    let tail = line.upperBound > end ? Array(source.text[end..<line.upperBound]) : []
    if tail.contains(UInt8(ascii: "_")), tail.allSatisfy({ $0 == UInt8(ascii: "_") || NoteLines.isBlank($0) }) {
      out += tail
    }
    var pairs: [(key: String, json: [UInt8])] = []
    if there.id != nil, let id = step.id { pairs.append(("id", CommentAttributes.json(id.bytes))) }
    // A title with marks would be read back without the marks.
    if !PlainTitle.isPlain(step.title.bytes) { pairs.append(("title", CommentAttributes.json(step.title.bytes))) }
    if !pairs.isEmpty {
      var comment = ByteBuffer(capacity: 256)
      CommentAttributes.write(pairs, into: &comment)
      out += [0x20] + comment.copy(0..<comment.count)
    }
    if let details = step.details?.bytes { out += source.added(details, below: there) }
    return out + source.lineEnd
  }

  /// Returns the number of a step that follows a numbered step. A list that repeats one number continues to repeat it.
  private func number(after model: ChecklistEdits.StepIndex, _ distance: Int) -> Int {
    func value(_ step: Int) -> Int? {
      guard blocks[model.section].indices.contains(step),
        let digits = source.bullet(blocks[model.section][step].lowerBound)?.number
      else { return nil }
      return Int(String(decoding: source.text[digits], as: UTF8.self))
    }
    guard let own = value(model.step) else { return max(1, distance) }
    if let other = value(model.step - 1) ?? value(model.step + 1), other == own { return own }
    return own &+ distance
  }

  /// Returns the given bytes before a title, with the box unticked.
  private func unticked(_ range: Range<Int>) -> [UInt8] {
    var bytes = Array(source.text[range])
    for at in bytes.indices.dropLast(2)
    where bytes[at] == UInt8(ascii: "[") && bytes[at + 2] == UInt8(ascii: "]") {
      bytes[at + 1] = 0x20
    }
    return bytes
  }
}

/// Builds text from lines.
struct LineBuilder {
  let lineEnd: [UInt8]
  private(set) var bytes: [UInt8] = []

  init(lineEnd: [UInt8]) { self.lineEnd = lineEnd }

  mutating func append(_ more: [UInt8]) { bytes += more }

  /// Appends a part with blank lines around it.
  mutating func append(apart part: [UInt8], isFollowed: Bool) {
    if !bytes.isEmpty {
      endLine()
      if !endsWithBlankLine { bytes += lineEnd }
    }
    bytes += part
    if isFollowed {
      endLine()
      if !endsWithBlankLine { bytes += lineEnd }
    }
  }

  /// Appends the lines of a step.
  /// - Parameters:
  ///   - isLoose: whether a blank line separates the steps.
  ///   - isFirst: whether the step comes before all other steps.
  mutating func append(step: [UInt8], isLoose: Bool, isFirst: Bool) {
    if !bytes.isEmpty { endLine() }
    if isLoose, !isFirst, !endsWithBlankLine { bytes += lineEnd }
    bytes += step
    if isLoose, isFirst {
      endLine()
      bytes += lineEnd
    }
  }

  /// Removes the blank lines at the end.
  fileprivate mutating func dropBlankEnd() {
    while endsWithBlankLine { bytes.removeLast(lineEnd.count) }
  }

  private mutating func endLine() {
    if let last = bytes.last, last != 0x0A, last != 0x0D { bytes += lineEnd }
  }

  private var endsWithBlankLine: Bool { bytes.suffix(lineEnd.count * 2).elementsEqual(lineEnd + lineEnd) }
}
