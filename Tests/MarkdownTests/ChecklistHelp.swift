import Content
import JSONText
import MarkdownSyntax
import MarkdownText
import Testing

@testable import Markdown

/// Helpers shared by the checklist tests.
enum ChecklistHelp {
  static func read(_ text: [UInt8], title: String = "Note", hasDescription: Bool = false) throws
    -> ChecklistReader.Result
  {
    var text = text
    // An empty array has no base address.
    if text.isEmpty { text = [0x0A] }
    let parsed = MarkdownTree(text.span, in: 0..<text.count)
    let tree = try #require(parsed)
    return ChecklistReader.read(
      text.span, body: 0..<text.count, tree: tree, title: title, hasDescription: hasDescription)
  }

  static func read(_ text: String, title: String = "Note", hasDescription: Bool = false) throws
    -> ChecklistReader.Result
  {
    try read(Array(text.utf8), title: title, hasDescription: hasDescription)
  }

  static func written(_ draft: ChecklistDraft, language: String = "en") -> [UInt8] {
    var out = ByteBuffer()
    ChecklistRenderer.write(draft, language: language, into: &out)
    return out.copy(0..<out.count)
  }

  static func sourced(_ text: String) -> SourcedText { SourcedText(bytes: Array(text.utf8), range: 0..<0) }

  static func step(_ title: String) -> StepDraft { StepDraft(title: sourced(title), range: 0..<0) }

  static func section(_ title: String, _ steps: [StepDraft] = []) -> SectionDraft {
    var section = SectionDraft(title: sourced(title), range: 0..<0)
    section.steps = steps
    return section
  }

  /// Returns the whole content of a draft for comparison. Escapes reveal differences between characters that look
  /// alike.
  static func said(_ draft: ChecklistDraft) -> [String] {
    var lines: [String] = []
    if let description = draft.description { lines.append("description " + shown(description)) }
    for section in draft.sections {
      lines.append("section " + shown(section.title) + (section.isCollapsed ? " collapsed" : ""))
      lines += [
        ("id", section.id), ("icon", section.icon), ("sort", section.sortOrder), ("members", section.members),
        ("description", section.description),
      ].compactMap { name, value in value.map { " \(name) " + shown($0) } }
      for step in section.steps {
        lines.append(
          "  step " + shown(step.title) + (step.isRequired ? " required" : "") + (step.isOptional ? " optional" : ""))
        lines += [
          ("id", step.id), ("sort", step.sortOrder), ("members", step.members), ("minutes", step.minutes),
          ("details", step.details),
        ].compactMap { name, value in value.map { "    \(name) " + shown($0) } }
        if !step.tags.isEmpty { lines.append("    tags " + step.tags.map(shown).joined(separator: ", ")) }
      }
    }
    return lines
  }

  static func shown(_ text: SourcedText) -> String {
    text.bytes.count > 400
      ? "\(text.bytes.count) bytes, \(text.bytes.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) })"
      : "'" + String(decoding: text.bytes, as: UTF8.self).unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
        + "'"
  }
}
