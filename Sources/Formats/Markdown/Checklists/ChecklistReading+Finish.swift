extension ChecklistReading {
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

  /// What stands before the first heading: the description, and a section called like the note when there are steps.
  private func first(_ part: Part, _ hasDescription: Bool, into result: inout ChecklistReader.Result) {
    let firstStep = part.steps.first?.range.lowerBound ?? Int.max
    let isBefore = { (lines: Range<Int>) in note.lines[lines.lowerBound].lowerBound < firstStep }
    let intro = part.text.filter(isBefore)
    if let said = part.attributes?.text("description") {
      for lines in intro { for line in lines { result.skipped.append(note.lines[line]) } }
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
      result.skipped.append(section.title.range)
      section.title = title
    }
    if let description = attributes.text("description") {
      if let shown = section.description { result.skipped.append(shown.range) }
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
    // Whether steps stand in the parts of each level since the last part above that level.
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
