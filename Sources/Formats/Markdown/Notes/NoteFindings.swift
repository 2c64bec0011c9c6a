import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownSyntax
import MarkdownText
import YAMLText

/// Reports the findings of a note at their positions.
struct NoteFindings {
  private let log: DiagnosticLog
  private let file: String

  /// - Parameter file: the note's path as the user would write it.
  init(_ log: DiagnosticLog, file: String) {
    self.log = log
    self.file = file
  }

  /// Reports the findings of a note, and counts those that are reported once for all notes.
  func report(_ note: ParsedNote, _ text: Span<UInt8>, counts: inout NoteCounts) {
    let title = note.title
    if let error = note.yamlError {
      log.report(
        Diagnostic(
          .brokenFrontMatter, error.message, at: Place(file: file, line: error.line, column: error.column),
          title: title))
    }
    let yaml = note.metadata.problems.isEmpty ? nil : note.yaml ?? Self.yaml(note, text)
    for problem in note.metadata.problems {
      let position = yaml?.position(of: JSONPointer([.member(problem.key)]), name: problem.isAboutKey)
      let range = note.keyRanges[problem.key].map { place($0, text) }
      log.report(
        Diagnostic(
          problem.code, problem.message,
          at: range
            ?? Place(
              file: file, line: position?.line ?? 1, column: position?.column ?? 1, endColumn: position?.endColumn),
          title: title, fix: problem.fix))
    }
    if note.frontMatterBlock == nil, let line = MisplacedFrontMatter.find(text) {
      log.report(
        Diagnostic(
          .lateFrontMatter, "this front matter is read as text: it does not begin on line 1", at: place(line, text),
          title: title))
    }
    reportKind(note)
    if case .checklist(let checklist) = note.content, let first = checklist.ticked.first {
      counts.ticks += checklist.ticked.count
      counts.tickedNotes += 1
      counts.firstTick = counts.firstTick ?? place(first, text)
    }
    for part in note.leftOut.prefix(100) {
      let message =
        switch part.what {
        case .comment: "this comment is not in the checklist"
        case .row: "this row has no step, so it is not in the checklist"
        case .placeholder: "this template placeholder was not replaced"
        case .cell: "this cell is beyond the columns of its table, so it is not in the checklist"
        }
      log.report(
        Diagnostic(
          part.what == .placeholder ? .templatePlaceholder : .leftOutOfChecklist, message,
          at: place(part.range, text), title: title))
    }
    for range in note.repeatedIDs.prefix(100) {
      log.report(Diagnostic(.repeatedID, "a line above already has this id", at: place(range, text), title: title))
    }
    for range in note.boxesInDetails {
      log.report(
        Diagnostic(.boxInDetails, "this box is read as text of the step above", at: place(range, text), title: title))
    }
    for unread in note.unknownAttributes {
      log.report(
        Diagnostic(
          .unknownAttribute,
          "“\(String(decoding: text.extracting(unread.range).extracting(first: 60)))” stays in the title",
          at: place(unread.range, text), title: title, severity: unread.isBehindDot ? nil : .note))
    }
    if let language = note.inferredLanguage { counts.languages[language, default: 0] += 1 }
    if note.metadata.member("created_at") == nil && note.times.created == nil
      || note.metadata.member("updated_at") == nil && note.times.updated == nil
    {
      counts.timesFromFile += 1
    }
  }

  /// Returns the front matter with positions, for a note that was read without positions.
  private static func yaml(_ note: ParsedNote, _ text: Span<UInt8>) -> YAMLDocument? {
    guard let range = note.frontMatter, note.keyRanges.isEmpty else { return nil }
    return try? YAMLDocument(parsing: text.extracting(range), firstLine: note.frontMatterLine)
  }

  private func reportKind(_ note: ParsedNote) {
    let judgement = note.judgement
    if judgement.isDeclared { return }
    let place = Place(file: file, line: 1, column: 1)
    if judgement.type != .practiceGuide {
      let kind = judgement.type == .checklist ? "a checklist" : "a deck of cards"
      let reason = judgement.reasons.first.map { ": \($0.text)" } ?? ""
      log.report(
        Diagnostic(
          .inferredKind, "recognized as \(kind), \(judgement.certainty) % sure\(reason)", at: place, title: note.title))
    } else if let other = judgement.couldBe {
      let kind = other == .checklist ? "a checklist" : "a deck of cards"
      log.report(
        Diagnostic(
          .uncertainKind, "read as a guide, but could be \(kind)", at: place, title: note.title,
          fix: "add 'type: \(other == .checklist ? "checklist" : "deck")' or 'type: guide' to the front matter"))
    }
  }

  private func place(_ range: Range<Int>, _ text: Span<UInt8>) -> Place {
    let start = TextPosition(offset: range.lowerBound, in: text)
    let end = TextPosition(offset: range.upperBound, in: text)
    return Place(
      file: file, line: start.line, column: start.column, endColumn: end.line == start.line ? end.column : nil)
  }

  /// Reports a note that is not in UTF-8.
  func encoding(_ encoding: TextEncoding, _ certainty: Int) {
    let sure = certainty == 100 ? "" : ", \(certainty) % sure"
    log.report(
      Diagnostic(
        .otherEncoding, "read as \(encoding.rawValue)\(sure)", at: Place(file: file, line: 1, column: 1),
        severity: certainty < 80 ? .warning : nil))
  }

  /// Returns the finding for a note that git could not merge.
  /// - Parameter marker: the first line of the conflict.
  func conflict(_ marker: Range<Int>, _ title: String, _ text: Span<UInt8>) -> Diagnostic {
    let message = "the note has unresolved git conflict markers; it is left out"
    return Diagnostic(.conflictMarkers, message, at: place(marker, text), title: title)
  }

  /// Returns the finding for a note that may be a card of a deck but cannot be read as a card.
  /// - Parameter title: the note's title; nil for a file that is not text and therefore has no lines.
  func unreadCard(_ reason: String, _ title: String?) -> Diagnostic {
    let message = "this note in a card folder cannot be read as a card: \(reason); the deck is left out"
    let place = title == nil ? Place(file: file) : Place(file: file, line: 1, column: 1)
    return Diagnostic(.unreadCard, message, at: place, title: title)
  }

  /// Reports a file that is not content.
  /// - Parameter what: the kind of folder note.
  func aboutTheFolder(_ what: FolderNote) {
    switch what {
    case .readme: log.report(Diagnostic(.aboutTheFolder, "left out: it describes the folder", at: Place(file: file)))
    case .licence: log.report(Diagnostic(.foreignFile, "a licence", at: Place(file: file)))
    case .changelog: log.report(Diagnostic(.foreignFile, "a software changelog", at: Place(file: file)))
    }
  }
}

/// Reports the findings that concern a vault as a whole.
struct VaultFindings {
  private let log: DiagnosticLog

  init(_ log: DiagnosticLog) { self.log = log }

  /// Reports a file name that is not UTF-8.
  func unreadableName(in folder: String) {
    log.report(
      Diagnostic(
        .notText, "a name in this folder is not UTF-8; the file was left out", at: Place(file: folder),
        fix: "rename the file"))
  }

  /// Reports a folder of note templates.
  func templates(in folder: String) {
    log.report(
      Diagnostic(
        .aboutTheFolder, "left out, because Obsidian's settings name it as a template folder", at: Place(file: folder),
        severity: .note, fix: "to read its notes, name the folder as the source"))
  }

  /// Reports the findings that were counted over all notes.
  /// - Parameter shown: converts a position in a note to the position in the source from which the note was made.
  func report(_ counts: NoteCounts, source: String, shown: (Place) -> Place = { $0 }) {
    // Ticks are reported once for all notes, because people who tick boxes do so in most of their notes.
    if counts.ticks > counts.madeTicks, let first = counts.firstTick {
      let ticks = counts.ticks == 1 ? "1 box is ticked" : "\(counts.ticks) boxes are ticked"
      let notes = counts.tickedNotes == 1 ? "" : " in \(counts.tickedNotes) notes"
      log.report(Diagnostic(.ticksInChecklist, ticks + notes, at: shown(first)))
    }
    let timesFromFile = counts.timesFromFile
    if timesFromFile > 0 {
      let what = timesFromFile == 1 ? "1 note has" : "\(timesFromFile) notes have"
      log.report(
        Diagnostic(
          .timeFromFile, "\(what) no date; the modification time of the file was used",
          at: Place(file: source)))
    }
    for (language, count) in counts.languages.sorted(by: { $0.key < $1.key }) {
      let what = count == 1 ? "1 note was" : "\(count) notes were"
      log.report(
        Diagnostic(
          .languageFromText, "\(what) recognized as '\(language)' by the letters in the text", at: Place(file: source)))
    }
  }
}

/// Finds git's conflict markers. The markers are never content.
enum ConflictLines {
  /// Finds the first line of the first conflict.
  ///
  /// A conflict has lines that begin with `<<<<<<< `, `=======` and `>>>>>>> ` in this order, with the first one
  /// outside code blocks. A line of `=` alone is a heading's underline, so a marker counts only together with the other
  /// two.
  /// - Parameter text: a whole note.
  /// - Returns: the line without its line end; nil if there is no conflict.
  static func first(in text: Span<UInt8>) -> Range<Int>? {
    // Almost no note has a conflict, so in most notes only a single byte is searched for.
    guard mayHave(text) else { return nil }
    var tree = MarkdownTree()
    tree.read(text, in: 0..<text.count)
    let fences = tree.fencedLines
    var nextFence = 0
    var start: Range<Int>?
    var isDivided = false
    for (number, line) in tree.lines.enumerated() {
      if let start {
        // The sides of a conflict may open and close blocks in any way.
        if isDivided, begins(line, with: ">>>>>>> ", text) { return start }
        if line.count == 7, begins(line, with: "=======", text) { isDivided = true }
        continue
      }
      while nextFence < fences.count, fences[nextFence].upperBound <= number { nextFence += 1 }
      if nextFence < fences.count, fences[nextFence].contains(number) { continue }
      if begins(line, with: "<<<<<<< ", text) { start = line }
    }
    return nil
  }

  private static func mayHave(_ text: Span<UInt8>) -> Bool {
    var from = 0
    while let at = text.firstIndex(of: UInt8(ascii: "<"), from: from) {
      if at == 0 || text[at - 1] == 0x0A, text.starts(with: "<<<<<<< ", at: at) { return true }
      from = at + 1
    }
    return false
  }

  private static func begins(_ line: Range<Int>, with mark: StaticString, _ text: Span<UInt8>) -> Bool {
    text.extracting(line).starts(with: mark)
  }
}

/// A note that is not content but describes the folder or software. Such a note is recognized by its text. A README is
/// also recognized by its name, because it may contain any text.
enum FolderNote {
  case readme, licence, changelog

  /// Returns the kind of folder note; nil for content.
  /// - Parameter note: a note that declares no type and no id.
  static func of(_ file: VaultFile, _ note: ParsedNote, _ text: Span<UInt8>) -> FolderNote? {
    if LicenceClassifier.begins(text) { return .licence }
    if isChangelog(note, text) { return .changelog }
    return note.judgement.type == .practiceGuide && names.contains(file.stem.lowercased()) ? .readme : nil
  }

  private static let names: Set<String> = [
    "readme", "contributing", "code_of_conduct", "security", "authors", "credits",
  ]

  /// Whether a note has the name of a changelog and version headings.
  private static func isChangelog(_ note: ParsedNote, _ text: Span<UInt8>) -> Bool {
    guard ["changelog", "change log", "changes", "release notes", "releases"].contains(note.title.lowercased()) else {
      return false
    }
    return note.tree.blocks.contains { block in
      guard case .heading = block.kind, block.lines.lowerBound < note.tree.lines.count else { return false }
      let line = String(decoding: text.extracting(note.tree.lines[block.lines.lowerBound]))
      return line.firstMatch(of: /^#+ *\[?v?\d+\.\d+|Unreleased/) != nil
    }
  }
}
