import Content
import JSONText

/// Writes a checklist as the body of a note.
///
/// The lines are read back and compared, piece by piece. Each piece that would be read back differently is also written
/// to the comment. Equal drafts produce equal bytes; lines end with LF.
enum ChecklistRenderer {
  /// Appends the body.
  /// - Parameter language: a BCP 47 tag; Russian checklists get Russian words.
  static func write(_ checklist: ChecklistDraft, language: String, into out: inout ByteBuffer) {
    let primary = language.prefix { $0 != "-" && $0 != "_" }.lowercased()
    let words = StepWords(isRussian: primary == "ru" || primary == "rus")
    if let description = checklist.description {
      if !MarkdownRoundTrip.isProse(description.bytes) {
        CommentAttributes.write([("description", CommentAttributes.json(description.bytes))], into: &out)
        out.append("\n\n")
      }
      appendText(description.bytes, into: &out)
    }
    for section in checklist.sections {
      if out.count > 0, !endsWithBlankLine(out) { out.append("\n") }
      write(section, isAlone: checklist.sections.count == 1, words, into: &out)
    }
  }

  private static func write(_ section: SectionDraft, isAlone: Bool, _ words: StepWords, into out: inout ByteBuffer) {
    out.append("## ")
    let title = MarkdownRoundTrip.line(section.title.bytes)
    append(title, into: &out)
    if title.isEmpty { out.truncate(to: out.count - 1) }
    out.append("\n")
    let pairs = self.pairs(section, isAlone: isAlone)
    if !pairs.isEmpty {
      CommentAttributes.write(pairs, into: &out)
      out.append("\n")
    }
    out.append("\n")
    if let description = section.description { appendText(description.bytes, into: &out) }
    for step in section.steps { write(step, words, into: &out) }
    // The body does not end with a blank line.
    if section.steps.isEmpty { trimBlankLine(&out) }
  }

  private static func pairs(_ section: SectionDraft, isAlone: Bool) -> [(key: String, json: [UInt8])] {
    var pairs: [(key: String, json: [UInt8])] = []
    if let id = section.id { pairs.append(("id", CommentAttributes.json(id.bytes))) }
    if let icon = section.icon { pairs.append(("icon", CommentAttributes.json(icon.bytes))) }
    if let sort = section.sortOrder { pairs.append(("sort", sort.bytes)) }
    if section.isCollapsed { pairs.append(("collapsed", Array("true".utf8))) }
    if !MarkdownRoundTrip.isHeading(section.title.bytes) {
      pairs.append(("title", CommentAttributes.json(section.title.bytes)))
    }
    if let description = section.description, !MarkdownRoundTrip.isProse(description.bytes) {
      pairs.append(("description", CommentAttributes.json(description.bytes)))
    }
    if let members = section.members { pairs.append(("members", [0x7B] + members.bytes + [0x7D])) }
    // A note's only heading would be read as the note's title.
    if isAlone, pairs.isEmpty { pairs.append(("collapsed", Array("false".utf8))) }
    return pairs
  }

  // MARK: Steps

  private static func write(_ step: StepDraft, _ words: StepWords, into out: inout ByteBuffer) {
    let line = words.line(step)
    let pairs = self.pairs(step, shownAs: line)
    out.append("- [ ] ")
    append(line, into: &out)
    if !pairs.isEmpty {
      if !line.isEmpty { out.append(" ") }
      CommentAttributes.write(pairs, into: &out)
    }
    out.append("\n")
    guard let details = step.details?.bytes else { return }
    let shown =
      MarkdownRoundTrip.isDetails(details) ? details : MarkdownRoundTrip.withoutBoxes(MarkdownRoundTrip.block(details))
    guard !shown.isEmpty else { return }
    out.append("\n")
    appendLines(shown, prefix: "  ", into: &out)
  }

  /// Returns the pairs for a step's comment: the values that the step's line does not express, or expresses
  /// differently.
  private static func pairs(_ step: StepDraft, shownAs line: [UInt8]) -> [(key: String, json: [UInt8])] {
    var pairs: [(key: String, json: [UInt8])] = []
    let shown = Array(line[..<TitleSuffix.start(line, 0..<line.count)])
    let read = StepNotation.read(shown, findsUnread: false)
    if let id = step.id { pairs.append(("id", CommentAttributes.json(id.bytes))) }
    if let sort = step.sortOrder { pairs.append(("sort", sort.bytes)) }
    if line[read.title] != step.title.bytes[...] || line.isEmpty || MarkdownRoundTrip.endsLikeComment(line)
      || !PlainTitle.isPlain(Array(line[read.title]))
    {
      pairs.append(("title", CommentAttributes.json(step.title.bytes)))
    }
    if let details = step.details, !MarkdownRoundTrip.isDetails(details.bytes) {
      pairs.append(("details", CommentAttributes.json(details.bytes)))
    }
    if !step.tags.map(\.bytes).elementsEqual(read.tags.map { Array(line[$0]) }) {
      pairs.append(("tags", json(step.tags)))
    }
    if step.minutes?.bytes != read.minutes(in: line) {
      pairs.append(("minutes", step.minutes?.bytes ?? Array("null".utf8)))
    }
    if step.isRequired != read.isRequired { pairs.append(("required", Array("\(step.isRequired)".utf8))) }
    if step.isOptional != read.isOptional { pairs.append(("optional", Array("\(step.isOptional)".utf8))) }
    if let members = step.members { pairs.append(("members", [0x7B] + members.bytes + [0x7D])) }
    return pairs
  }

  private static func json(_ texts: [SourcedText]) -> [UInt8] {
    var json = [UInt8(ascii: "[")]
    for (index, text) in texts.enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      json += CommentAttributes.json(text.bytes)
    }
    return json + [UInt8(ascii: "]")]
  }

  // MARK: Lines

  /// Appends text at the left margin: unchanged, or as a quotation if the unquoted text would be read as another kind
  /// of block.
  private static func appendText(_ text: [UInt8], into out: inout ByteBuffer) {
    if MarkdownRoundTrip.isProse(text) {
      appendLines(text, prefix: "", into: &out)
      out.append("\n")
      return
    }
    let shown = MarkdownRoundTrip.withoutBoxes(MarkdownRoundTrip.block(text))
    guard !shown.isEmpty else { return }
    appendLines(shown, prefix: "> ", into: &out)
    out.append("\n")
  }

  private static func appendLines(_ text: [UInt8], prefix: StaticString, into out: inout ByteBuffer) {
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.isEmpty {
        // A quotation continues over its empty lines.
        if prefix.utf8Start.pointee == UInt8(ascii: ">") { out.append(">") }
      } else {
        out.append(prefix)
        append(Array(line), into: &out)
      }
      out.append("\n")
    }
  }

  static func append(_ bytes: [UInt8], into out: inout ByteBuffer) {
    out.append(bytes.span)
  }

  private static func endsWithBlankLine(_ out: borrowing ByteBuffer) -> Bool {
    let bytes = out.bytes
    return bytes.count >= 2 && bytes[bytes.count - 1] == 0x0A && bytes[bytes.count - 2] == 0x0A
  }

  private static func trimBlankLine(_ out: inout ByteBuffer) {
    if endsWithBlankLine(out) { out.truncate(to: out.count - 1) }
  }
}
