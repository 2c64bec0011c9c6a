import Content
import Foundation
import Interchange
import JSONText
import MarkdownSyntax
import MarkdownText

/// Reads notes in the same way as the vault reader, but one at a time and from memory.
struct VaultCheck: NoteCheck {
  /// The vault's folder; nil if the notes are not in a folder.
  private let folder: String?
  private let place: VaultPlace?
  private let parser: NoteParser

  /// Creates a check for a vault.
  /// - Parameter vault: the vault's folder, which need not exist; nil for notes that may be stored anywhere.
  init(vault: String?) {
    folder = vault.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    place = folder.map { VaultPlace(folder: $0) }
    parser = NoteParser(infer: .auto, folder: place?.name ?? "")
  }

  func line(of text: [UInt8], at path: String, _ supplement: NoteSupplement?) -> [UInt8]? {
    text.withUnsafeBufferPointer { all in
      DecodedText.decode(all.span)?.withText(of: all) { line($0.span, path, supplement) }
    }
  }

  private func line(
    _ text: Span<UInt8>, _ path: String, _ supplement: NoteSupplement?
  ) -> [UInt8]? {
    let inVault = (place?.prefix ?? "") + path
    let supplement = supplement ?? place?.notes[inVault] ?? NoteSupplement()
    // A note that does not contain its id is the same item only at the same path in the same vault.
    let id = supplement.id ?? place?.derivedID(at: inVault) ?? CanonicalUUID.zero
    let around = NoteJSON.Surroundings(derivedID: id, fileTime: fileTime(path), original: nil)
    var note = parser.parse(text, path: inVault)
    note.add(supplement, Array(text))
    return CanonicalLine.of(note, text, around)
  }

  func lineWithoutBody(of text: [UInt8], from start: Int, at path: String) -> [UInt8]? {
    let all = text.span
    guard start <= all.count, let decoded = DecodedText.decode(all), decoded.range == all.indices,
      let block = FrontMatterBlock(all), block.body == start..<all.count
    else { return nil }
    let head = all.extracting(..<start)
    let inVault = (place?.prefix ?? "") + path
    let note = parser.parse(head, path: inVault)
    // If the front matter lacked these values, the reader would search the body for them.
    guard note.frontMatterBlock == block.block, note.frontMatter == block.content, note.yamlError == nil,
      note.metadata.type == .practiceGuide, note.judgement.type == .practiceGuide, note.metadata.title != nil,
      note.metadata.member("id") != nil, note.metadata.member("language") != nil,
      note.metadata.member("sync_status") == nil
    else { return nil }
    let around = NoteJSON.Surroundings(derivedID: CanonicalUUID.zero, fileTime: fileTime(path), original: nil)
    return CanonicalLine.asWritten(note, head, around)
  }

  /// Parses a note with all positions.
  /// - Parameter body: a closure that receives the note, its text, and the range of the text in the file.
  /// - Returns: nil if the file's bytes are not the note's text, because the file is in another encoding.
  private func exactly<Result>(
    _ text: [UInt8], _ path: String, _ body: (ParsedNote, UnsafeBufferPointer<UInt8>, Range<Int>) -> Result?
  ) -> Result? {
    text.withUnsafeBufferPointer { all in
      guard let decoded = DecodedText.decode(all.span), let range = decoded.range else { return nil }
      var parser = parser
      parser.isExact = true
      let inside = UnsafeBufferPointer(rebasing: all[range])
      return body(parser.parse(inside.span, path: (place?.prefix ?? "") + path), inside, range)
    }
  }

  /// Parses a checklist note with all positions; nil if the note is not a checklist.
  private func exactly<Result>(
    _ text: [UInt8], _ path: String,
    _ body: (ParsedNote, ChecklistDraft, UnsafeBufferPointer<UInt8>, Range<Int>) -> Result?
  ) -> Result? {
    exactly(text, path) { note, inside, range in
      guard case .checklist(let there) = note.content else { return nil }
      return body(note, there, inside, range)
    }
  }

  func edited(_ text: [UInt8], at path: String, read: NoteRecord, wanted: NoteRecord) -> [UInt8]? {
    if wanted.type == .flashcardDeck { return editedDeck(text, path, read, wanted) }
    guard let before = read.withBody(DraftsFromRecord.checklist),
      let draft = wanted.withBody(DraftsFromRecord.checklist)
    else { return nil }
    return exactly(text, path) { note, there, inside, range in
      let primary = wanted.language.prefix { $0 != "-" && $0 != "_" }.lowercased()
      let edits = ChecklistEdits(
        note: note, text: inside, there: there, before: before, wanted: draft,
        title: note.metadata.title == nil ? note.heading.map { ($0, Array(wanted.title.utf8)) } : nil,
        description: wanted.withRoot { $0.member("description")?.string.map { Array($0.utf8) } },
        words: StepWords(isRussian: primary == "ru" || primary == "rus"))
      return edits.edited().map { Array(text[..<range.lowerBound]) + $0 + Array(text[range.upperBound...]) }
    }
  }

  private func editedDeck(_ text: [UInt8], _ path: String, _ read: NoteRecord, _ wanted: NoteRecord) -> [UInt8]? {
    guard let before = read.withBody(DraftsFromRecord.deck), let draft = wanted.withBody(DraftsFromRecord.deck) else {
      return nil
    }
    return exactly(text, path) { note, inside, range in
      guard case .deck(let there) = note.content else { return nil }
      return DeckEdits(text: inside, body: note.body, there: there, before: before, wanted: draft).edited()
        .map { Array(text[..<range.lowerBound]) + $0 + Array(text[range.upperBound...]) }
    }
  }

  func inexpressible(
    in text: [UInt8], at path: String, wanted: NoteRecord
  ) -> (what: String, position: TextPosition)? {
    var supplement = place?.notes[place.map { $0.prefix + path } ?? path] ?? NoteSupplement()
    supplement.id = wanted.id
    func record(_ text: [UInt8]) -> NoteRecord? {
      line(of: text, at: path, supplement).flatMap { NoteRecord($0.span) }
    }
    guard let read = record(text),
      let after = edited(text, at: path, read: read, wanted: wanted).flatMap(record) ?? record(text)
    else { return nil }
    func drafts<Draft>(_ draft: (JSONNode) -> Draft?) -> (before: Draft, after: Draft, wanted: Draft)? {
      guard let before = read.withBody(draft), let after = after.withBody(draft), let wanted = wanted.withBody(draft)
      else {
        return nil
      }
      return (before, after, wanted)
    }
    return exactly(text, path) { note, inside, _ in
      let change: InexpressibleChange? =
        switch note.content {
        case .guide: nil
        case .checklist(let there):
          drafts(DraftsFromRecord.checklist).flatMap {
            InexpressibleChange(there: there, before: $0.before, after: $0.after, wanted: $0.wanted)
          }
        case .deck(let there):
          drafts(DraftsFromRecord.deck).flatMap {
            InexpressibleChange(there: there, before: $0.before, after: $0.after, wanted: $0.wanted)
          }
        }
      return change.map { ($0.what, TextPosition(offset: $0.offset, in: inside.span)) }
    }
  }

  func follows(
    _ edited: [UInt8], _ original: [UInt8], at path: String, before: NoteRecord, after: NoteRecord, wanted: NoteRecord
  ) -> Bool {
    guard let before = before.withBody(DraftsFromRecord.checklist),
      let after = after.withBody(DraftsFromRecord.checklist), var draft = wanted.withBody(DraftsFromRecord.checklist)
    else { return false }
    func parents(_ text: [UInt8], _ record: ChecklistDraft) -> [[UInt8]: [UInt8]?]? {
      exactly(text, path) { _, there, _, _ in NestedTitles.parents(of: there, record) }
    }
    guard let were = parents(original, before), let are = parents(edited, after) else { return false }
    return exactly(edited, path) { _, there, _, _ in
      guard NestedTitles.follow(there, &draft, as: after, were: were, are: are) else { return nil }
      // The rest of the draft must be the same.
      return InexpressibleChange(there: there, before: after, after: after, wanted: draft) == nil ? true : nil
    } ?? false
  }

  func stepTitles(of text: [UInt8], at path: String) -> [[Range<Int>]]? {
    exactly(text, path) { _, there, _, range in
      there.sections.map { section in
        section.steps.map {
          $0.title.range.lowerBound + range.lowerBound..<$0.title.range.upperBound + range.lowerBound
        }
      }
    }
  }

  /// Returns the time of the existing file, which a note keeps if it does not change.
  private func fileTime(_ path: String) -> Timestamp {
    var status = stat()
    guard let folder, lstat(folder + "/" + path, &status) == 0 else { return Timestamp(milliseconds: 0) }
    return VaultFile(path: path, status).modified
  }
}

/// Reads a note in the same way as the vault's reader, so that a writer can check the written note.
protocol NoteCheck: Sendable {
  /// Returns the canonical line of the item in a note; nil if the note is not an item.
  /// - Parameters:
  ///   - text: the bytes of the file, including a byte order mark.
  ///   - path: the note's path in its vault. Ids that the note does not contain are derived from the path.
  ///   - supplement: the values that the note does not contain; nil to use the values stored in the vault. If the
  ///     supplement has no id, the id is derived from the path.
  func line(of text: [UInt8], at path: String, _ supplement: NoteSupplement?) -> [UInt8]?

  /// Returns the canonical line of the guide in a note, with an empty body.
  /// - Parameters:
  ///   - text: the bytes of the file.
  ///   - start: the offset at which the body begins.
  ///   - path: the note's path in its vault.
  /// - Returns: nil unless the body is exactly the bytes from `start` to the end, and does not affect how the rest is
  ///   read.
  func lineWithoutBody(of text: [UInt8], from start: Int, at path: String) -> [UInt8]?

  /// Returns the byte ranges of the step titles in a checklist note, section by section; nil if the note is not a
  /// checklist, or if the file's bytes are not the note's text.
  func stepTitles(of text: [UInt8], at path: String) -> [[Range<Int>]]?

  /// Returns a checklist or deck note with the content of another record, in the note's own notation.
  /// - Parameters:
  ///   - text: the bytes of the file.
  ///   - path: the note's path in its vault.
  ///   - read: the current content of the note.
  ///   - wanted: the new content of the note.
  /// - Returns: nil if the note's lines cannot express the new content. The returned note may still have different
  ///   content, so the caller must check it.
  func edited(_ text: [UInt8], at path: String, read: NoteRecord, wanted: NoteRecord) -> [UInt8]?

  /// Whether an edited note expresses a checklist except that nested steps begin with new titles. This happens if a
  /// step was renamed, because in the note the titles of the steps below change with it.
  func follows(
    _ edited: [UInt8], _ original: [UInt8], at path: String, before: NoteRecord, after: NoteRecord, wanted: NoteRecord
  ) -> Bool

  /// Returns the first checklist or deck change that the note cannot express, and its position in the file; nil if
  /// unknown.
  func inexpressible(
    in text: [UInt8], at path: String, wanted: NoteRecord
  ) -> (what: String, position: TextPosition)?
}

extension NoteCheck {
  /// Returns false, the default for a check that reads only whole notes.
  func follows(
    _ edited: [UInt8], _ original: [UInt8], at path: String, before: NoteRecord, after: NoteRecord, wanted: NoteRecord
  ) -> Bool { false }

  func inexpressible(
    in text: [UInt8], at path: String, wanted: NoteRecord
  ) -> (what: String, position: TextPosition)? { nil }

  /// Returns nil, the default for a check that reads only whole notes.
  func edited(_ text: [UInt8], at path: String, read: NoteRecord, wanted: NoteRecord) -> [UInt8]? { nil }

  /// Returns nil, because a check that reads only whole notes does not locate titles.
  func stepTitles(of text: [UInt8], at path: String) -> [[Range<Int>]]? { nil }

  /// Returns nil, because a check that reads only whole notes does not read parts.
  func lineWithoutBody(of text: [UInt8], from start: Int, at path: String) -> [UInt8]? { nil }
}

/// The first checklist or deck change that the note cannot express, and its position in the note.
struct InexpressibleChange {
  /// A description for a message: `the icon of “Deck”`.
  let what: String
  /// The byte offset, in the note's text, of the part that the change concerns.
  let offset: Int

  /// Finds the first change that the note cannot express.
  /// - Parameters:
  ///   - there: the note's checklist, with its source positions.
  ///   - before: the note's checklist, with the library's ids.
  ///   - after: the note's checklist after all edits that the note can express.
  ///   - wanted: the library's checklist.
  /// - Returns: nil if `after` and `wanted` are equal.
  init?(there: ChecklistDraft, before: ChecklistDraft, after: ChecklistDraft, wanted: ChecklistDraft) {
    let places = Self.places(there, before)
    func place(_ id: SourcedText?) -> Int { id.flatMap { places[$0.bytes] } ?? 0 }
    for (section, other) in zip(wanted.sections, after.sections) {
      if let what = Self.difference(section, other) {
        self.init(what: "\(what) of “\(Self.shown(section.title))”", offset: place(section.id))
        return
      }
      for (step, other) in zip(section.steps, other.steps) {
        guard let what = Self.difference(step, other) else { continue }
        self.init(what: "\(what) of “\(Self.shown(step.title))”", offset: place(step.id ?? section.id))
        return
      }
      if section.steps.count != other.steps.count {
        self.init(what: "the steps of “\(Self.shown(section.title))”", offset: place(section.id))
        return
      }
    }
    guard wanted.sections.count != after.sections.count else { return nil }
    self.init(what: "the sections", offset: 0)
  }

  /// Finds the first change to a deck that the note cannot express.
  /// - Returns: nil if `after` and `wanted` are equal.
  init?(there: DeckDraft, before: DeckDraft, after: DeckDraft, wanted: DeckDraft) {
    let places = zip(there.cards, before.cards).reduce(into: [[UInt8]: Int]()) { places, card in
      if let id = card.1.id { places[id.bytes] = card.0.front.range.lowerBound }
    }
    for (card, other) in zip(wanted.cards, after.cards) {
      guard let what = Self.difference(card, other) else { continue }
      self.init(what: "\(what) of “\(Self.shown(card.front))”", offset: card.id.flatMap { places[$0.bytes] } ?? 0)
      return
    }
    guard wanted.cards.count != after.cards.count else { return nil }
    self.init(what: "the number of cards", offset: 0)
  }

  private init(what: String, offset: Int) {
    self.what = what
    self.offset = offset
  }

  /// Returns the offsets of sections and steps, by id.
  private static func places(_ there: ChecklistDraft, _ before: ChecklistDraft) -> [[UInt8]: Int] {
    var places: [[UInt8]: Int] = [:]
    for (section, known) in zip(there.sections, before.sections) {
      if let id = known.id { places[id.bytes] = section.title.range.lowerBound }
      for (step, known) in zip(section.steps, known.steps) {
        if let id = known.id { places[id.bytes] = step.title.range.lowerBound }
      }
    }
    return places
  }

  private static func shown(_ title: SourcedText) -> String {
    let text = title.string.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    return text.count > 60 ? text.prefix(60) + "…" : text
  }

  private static func difference(_ left: SectionDraft, _ right: SectionDraft) -> String? {
    if left.title.bytes != right.title.bytes { return "the title" }
    if left.icon?.bytes != right.icon?.bytes { return "the icon" }
    if left.description?.bytes != right.description?.bytes { return "the description" }
    if left.isCollapsed != right.isCollapsed { return "the collapsed state" }
    if left.sortOrder?.bytes != right.sortOrder?.bytes { return "the sort order" }
    return left.members?.bytes != right.members?.bytes ? "another member" : nil
  }

  private static func difference(_ left: CardDraft, _ right: CardDraft) -> String? {
    if left.front.bytes != right.front.bytes { return "the front" }
    if left.back.bytes != right.back.bytes { return "the back" }
    if left.tags.map(\.bytes) != right.tags.map(\.bytes) { return "the tags" }
    if left.hint?.bytes != right.hint?.bytes { return "the hint" }
    if left.source?.bytes != right.source?.bytes { return "the source" }
    if left.review?.bytes != right.review?.bytes { return "the schedule" }
    if left.sortOrder?.bytes != right.sortOrder?.bytes { return "the sort order" }
    return left.members?.bytes != right.members?.bytes ? "another member" : nil
  }

  private static func difference(_ left: StepDraft, _ right: StepDraft) -> String? {
    if left.title.bytes != right.title.bytes { return "the title" }
    if left.details?.bytes != right.details?.bytes { return "the description" }
    if left.isRequired != right.isRequired || left.isOptional != right.isOptional {
      return "“required” or “optional”"
    }
    if left.minutes?.bytes != right.minutes?.bytes { return "the minutes" }
    if left.tags.map(\.bytes) != right.tags.map(\.bytes) { return "the tags" }
    if left.sortOrder?.bytes != right.sortOrder?.bytes { return "the sort order" }
    return left.members?.bytes != right.members?.bytes ? "another member" : nil
  }
}

/// Handles the titles of nested steps, which begin with the titles of the steps above.
enum NestedTitles {
  /// Returns the id of the step directly above each nested step, by the nested step's id; nil if a label is above it.
  /// - Parameters:
  ///   - there: the checklist with its source positions.
  ///   - record: the same checklist with ids.
  static func parents(of there: ChecklistDraft, _ record: ChecklistDraft) -> [[UInt8]: [UInt8]?] {
    var parents: [[UInt8]: [UInt8]?] = [:]
    for (section, known) in zip(there.sections, record.sections) {
      for (step, own) in zip(section.steps, known.steps) {
        guard let nesting = step.nesting, let id = own.id?.bytes else { continue }
        let above = nesting.parent.flatMap { known.steps.indices.contains($0) ? known.steps[$0].id?.bytes : nil }
        parents.updateValue(above, forKey: id)
      }
    }
    return parents
  }

  /// Updates the titles of nested steps in a wanted checklist to begin with the step titles of an edited note.
  /// - Returns: false if a step has moved below a different step.
  static func follow(
    _ there: ChecklistDraft, _ wanted: inout ChecklistDraft, as after: ChecklistDraft, were: [[UInt8]: [UInt8]?],
    are: [[UInt8]: [UInt8]?]
  ) -> Bool {
    guard there.sections.map(\.steps.count) == wanted.sections.map(\.steps.count) else { return false }
    for (number, section) in there.sections.enumerated() {
      for (index, step) in section.steps.enumerated() {
        let known = after.sections[number].steps[index]
        let title = wanted.sections[number].steps[index].title.bytes
        guard step.nesting != nil, known.title.bytes != title else { continue }
        guard let id = known.id?.bytes, let was = were[id], let now = are[id], was == now,
          let own = step.ownTitle(of: title, was: known.title.bytes)
        else { return false }
        wanted.sections[number].steps[index].title.bytes = known.title.bytes.prefix(step.nesting?.inherited ?? 0) + own
      }
    }
    return true
  }
}
