import Diagnostics
import Foundation
import JSONText
import MarkdownSyntax
import MarkdownText
import YAMLText

/// What there is to say about a note, at its places.
struct NoteFindings {
  private let log: DiagnosticLog
  private let file: String

  /// - Parameter file: the note as the user would name it.
  init(_ log: DiagnosticLog, file: String) {
    self.log = log
    self.file = file
  }

  /// Says what there is to say about a note, and counts what is said of all notes at once.
  func report(_ note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>, counts: inout NoteCounts) {
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
    if note.frontMatterBlock == nil, let line = LateFrontMatter.find(text) {
      log.report(
        Diagnostic(
          .lateFrontMatter, "this front matter is read as text: it does not begin the note", at: place(line, text),
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
        case .placeholder: "a template was to replace this"
        case .cell: "this cell is beyond the columns of its table, so it is not in the checklist"
        }
      log.report(
        Diagnostic(
          part.what == .placeholder ? .templatePlaceholder : .leftOutOfChecklist, message,
          at: place(part.range, text), title: title))
    }
    for range in note.repeatedIDs.prefix(100) {
      log.report(Diagnostic(.repeatedID, "a line above has this id already", at: place(range, text), title: title))
    }
    for range in note.boxesInDetails {
      log.report(Diagnostic(.boxInDetails, "this box is text of the step above", at: place(range, text), title: title))
    }
    for unread in note.unknownAttributes {
      log.report(
        Diagnostic(
          .unknownAttribute, "“\(String(decoding: text[unread.range].prefix(60), as: UTF8.self))” stays in the title",
          at: place(unread.range, text), title: title, severity: unread.isBehindDot ? nil : .note))
    }
    if let language = note.inferredLanguage { counts.languages[language, default: 0] += 1 }
    if note.metadata.member("created_at") == nil && note.times.created == nil
      || note.metadata.member("updated_at") == nil && note.times.updated == nil
    {
      counts.timesFromFile += 1
    }
  }

  /// The front matter with its places, of a note that was read without.
  private static func yaml(_ note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>) -> YAMLDocument? {
    guard let range = note.frontMatter, note.keyRanges.isEmpty else { return nil }
    return try? YAMLDocument(parsing: UnsafeBufferPointer(rebasing: text[range]), firstLine: note.frontMatterLine)
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
          .inferredKind, "taken for \(kind), \(judgement.certainty) % sure\(reason)", at: place, title: note.title))
    } else if let other = judgement.couldBe {
      let kind = other == .checklist ? "a checklist" : "a deck of cards"
      log.report(
        Diagnostic(
          .uncertainKind, "taken for a guide, and could be \(kind)", at: place, title: note.title,
          fix: "add 'type: \(other == .checklist ? "checklist" : "deck")' or 'type: guide' to the front matter"))
    }
  }

  private func place(_ range: Range<Int>, _ text: UnsafeBufferPointer<UInt8>) -> Place {
    let start = TextPosition(offset: range.lowerBound, in: text)
    let end = TextPosition(offset: range.upperBound, in: text)
    return Place(
      file: file, line: start.line, column: start.column, endColumn: end.line == start.line ? end.column : nil)
  }

  /// A note that is not in UTF-8.
  func encoding(_ encoding: TextEncoding, _ certainty: Int) {
    let sure = certainty == 100 ? "" : ", \(certainty) % sure"
    log.report(
      Diagnostic(
        .otherEncoding, "read as \(encoding.rawValue)\(sure)", at: Place(file: file, line: 1, column: 1),
        severity: certainty < 80 ? .warning : nil))
  }

  /// A note that git could not merge.
  /// - Parameter marker: the first line of the conflict.
  func conflict(_ marker: Range<Int>, _ title: String, _ text: UnsafeBufferPointer<UInt8>) -> Diagnostic {
    let message = "the marks of a conflict that git could not merge stand in the note; it is left out"
    return Diagnostic(.conflictMarkers, message, at: place(marker, text), title: title)
  }

  /// A note that may be a card of a deck, and cannot be read as one.
  /// - Parameter title: nil for a file that is no text, and so has no lines.
  func unreadCard(_ reason: String, _ title: String?) -> Diagnostic {
    let message = "this note in a folder for cards cannot be read as a card: \(reason); the deck is left out"
    let place = title == nil ? Place(file: file) : Place(file: file, line: 1, column: 1)
    return Diagnostic(.unreadCard, message, at: place, title: title)
  }

  /// A file that is not content.
  /// - Parameter what: what it is.
  func aboutTheFolder(_ what: FolderNote) {
    switch what {
    case .readme: log.report(Diagnostic(.aboutTheFolder, "left out: it is about the folder", at: Place(file: file)))
    case .licence: log.report(Diagnostic(.foreignFile, "a licence", at: Place(file: file)))
    case .changelog: log.report(Diagnostic(.foreignFile, "a changelog of software", at: Place(file: file)))
    }
  }
}

/// What there is to say about a vault as a whole.
struct VaultFindings {
  private let log: DiagnosticLog

  init(_ log: DiagnosticLog) { self.log = log }

  /// A name that cannot be said in UTF-8.
  func unreadableName(in folder: String) {
    log.report(
      Diagnostic(
        .notText, "a name in this folder is not UTF-8; the file was left out", at: Place(file: folder),
        fix: "rename the file"))
  }

  /// A folder whose notes are filled in to become notes.
  func templates(in folder: String) {
    log.report(
      Diagnostic(
        .aboutTheFolder, "left out: Obsidian's settings say that this folder holds templates", at: Place(file: folder),
        severity: .note, fix: "name the folder itself to have its notes read"))
  }

  /// Says what concerns the vault as a whole.
  /// - Parameter shown: where a place of a note is in what the note was made of.
  func report(_ counts: NoteCounts, source: String, shown: (Place) -> Place = { $0 }) {
    // Once for all notes: people who tick have ticks in most of their notes.
    if counts.ticks > counts.madeTicks, let first = counts.firstTick {
      let ticks = counts.ticks == 1 ? "1 box is ticked" : "\(counts.ticks) boxes are ticked"
      let notes = counts.tickedNotes == 1 ? "" : " in \(counts.tickedNotes) notes"
      log.report(Diagnostic(.ticksInChecklist, ticks + notes, at: shown(first)))
    }
    let timesFromFile = counts.timesFromFile
    if timesFromFile > 0 {
      let what = timesFromFile == 1 ? "1 note has" : "\(timesFromFile) notes have"
      log.report(Diagnostic(.timeFromFile, "\(what) times of their files", at: Place(file: source)))
    }
    for (language, count) in counts.languages.sorted(by: { $0.key < $1.key }) {
      let what = count == 1 ? "1 note was" : "\(count) notes were"
      log.report(
        Diagnostic(.languageFromText, "\(what) taken for '\(language)' by the letters", at: Place(file: source)))
    }
  }
}

/// Looks for what git writes around lines that it could not merge, and what nobody wants as content.
enum ConflictLines {
  /// Finds the first line of the first conflict.
  ///
  /// There is one where `<<<<<<< `, `=======` and `>>>>>>> ` begin lines in this order, the first of them outside of
  /// blocks of code. A line of `=` alone is a heading's underline, so each mark counts only with the other two.
  /// - Parameter text: a whole note.
  /// - Returns: the line without its end; nil when there is none.
  static func first(in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    // Nearly no note has one, so most are looked at for a single byte.
    guard mayHave(text) else { return nil }
    var tree = MarkdownTree()
    tree.read(text.span, in: 0..<text.count)
    let fences = tree.fencedLines
    var nextFence = 0
    var start: Range<Int>?
    var isDivided = false
    for (number, line) in tree.lines.enumerated() {
      if let start {
        // Sides of a conflict may open and close blocks as they like.
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

  private static func mayHave(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = text.baseAddress else { return false }
    var at = 0
    while at < text.count, let found = memchr(base + at, Int32(UInt8(ascii: "<")), text.count - at) {
      at = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - base
      if at == 0 || text[at - 1] == 0x0A, begins(at..<text.count, with: "<<<<<<< ", text) { return true }
      at += 1
    }
    return false
  }

  private static func begins(_ line: Range<Int>, with mark: StaticString, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = mark.utf8CodeUnitCount
    return line.count >= count
      && UnsafeBufferPointer(rebasing: text[line.lowerBound..<line.lowerBound + count])
        .elementsEqual(UnsafeBufferPointer(start: mark.utf8Start, count: count))
  }
}
