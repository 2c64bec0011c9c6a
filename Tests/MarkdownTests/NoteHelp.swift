import Content
import Diagnostics
import MarkdownSyntax
import Testing

@testable import Markdown

/// Helpers shared by the tests of single notes.
enum NoteHelp {
  /// Parses a note as the vault reader does.
  static func parse(_ text: String, path: String = "note.md") -> ParsedNote {
    NoteParser(infer: .auto).parse(text.utf8.span, path: path)
  }

  /// Returns the findings of a note: code, line and column.
  static func findings(_ text: String, path: String = "note.md") -> [String] {
    all(text, path: path).map { "\($0.code.id) \($0.place.line ?? 0):\($0.place.column ?? 0)" }
  }

  /// Returns the findings of a note, except those about inferred kinds.
  static func all(_ text: String, path: String = "note.md") -> [Diagnostic] {
    let log = DiagnosticLog(keepPerCode: .max)
    var counts = NoteCounts()
    NoteFindings(log, file: path).report(parse(text, path: path), text.utf8.span, counts: &counts)
    return log.kept.filter { !["MKD0105", "MKD0106"].contains($0.code.id) }
  }

  /// Returns the checklist of a note, as `ChecklistHelp.said` does.
  static func said(_ text: String) -> [String] {
    guard case .checklist(let draft) = parse(text).content else { return [] }
    return ChecklistHelp.said(draft)
  }

  /// Changes the checklist of a note and returns the edited note.
  static func edited(_ text: String, _ change: (inout ChecklistDraft) -> Void) -> String? {
    var text = text
    return text.withUTF8 { bytes in
      let note = NoteParser(infer: .auto).parse(bytes.span, path: "note.md")
      guard case .checklist(var there) = note.content else { return nil }
      for section in there.sections.indices {
        there.sections[section].id = ChecklistHelp.sourced("s\(section)")
        for step in there.sections[section].steps.indices {
          there.sections[section].steps[step].id = ChecklistHelp.sourced("\(section).\(step)")
        }
      }
      var wanted = there
      change(&wanted)
      return ChecklistEdits(
        note: note, text: bytes, there: there, before: there, wanted: wanted,
        title: note.metadata.title == nil ? note.heading.map { ($0, Array(note.title.utf8)) } : nil,
        description: there.description?.bytes, words: StepWords(isRussian: false)
      ).edited().map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
