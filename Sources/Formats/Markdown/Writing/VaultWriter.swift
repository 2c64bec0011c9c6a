import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownSyntax

/// Writes records as a vault: one note for each item, everything else in `.fleetkit/library.jsonl`.
///
/// Files whose bytes would not change are not touched; nothing is visible before `finish`. Memory is about two
/// kilobytes for each item (its id and its path), whatever its size.
/// - Source: formats/markdown.md, "Vaults"
final class VaultWriter: ContentWriter {
  /// An item that becomes a note.
  struct Item {
    let id: String
    let folder: String
    let slug: String
    /// Its path in the vault; empty until all titles are known.
    var path: String
    /// Whether its text is staged; false when the vault has the file as it should be.
    let isStaged: Bool
    let size: Int
    let entry: WrittenNotes.Entry
    /// What its note does not contain.
    let supplement: NoteSupplement
    /// Whether the vault's bundle had it before.
    let wasKeptWhole: Bool
  }

  /// Where an item of the run goes.
  enum Destination {
    case note
    /// The notes of its cards, which were counted so.
    case cards(WritableKeyPath<KindTally, Int>)
    /// Nowhere: the note at a path of the vault stays as it is.
    case nowhere(path: String, LeftNote)
    case bundle
  }

  let context: RunContext
  private let check: (any NoteCheck)?
  let text: NoteText
  let staging: VaultStaging
  /// Where the vault belongs; nil for one that is not there yet.
  let place: VaultPlace?
  /// Whether notes may be rewritten in FleetKit's notation where their own cannot express a change.
  private let rewritesNotes: Bool
  let records: VaultRecords
  var names: VaultNames
  var items: [Item] = []
  var ids: Set<String> = []
  /// Paths of notes that stay as they are, although the library has something else.
  var left: Set<String> = []
  /// What the vault's notes were when they were written last.
  var written: WrittenNotes
  /// The ids of folders that are decks.
  var decks: FolderDecks
  /// What the notes do not contain.
  var supplements: NoteSupplements
  var media = VaultMedia()
  /// Notes of cards, by the number of their staged files; those that the vault has already are not among them.
  var cards: [(name: String, path: String)] = []
  var cardCount = 0
  var cardBytes = 0
  var hadBundle = false
  var bundleChanged = true
  var isWrittenStaged = false
  var isIgnoredStaged = false
  var areDecksStaged = false
  var areSupplementsStaged = false

  /// Begins a vault.
  /// - Parameter bundle: the format of `library.jsonl`.
  /// - Throws: `RunFailure` with status 4 when the folder is not for us.
  init(_ target: Target, bundle: any Format, check: (any NoteCheck)?, context: RunContext) throws {
    self.context = context
    self.check = check
    rewritesNotes = target.rewritesNotes
    staging = try VaultStaging(target)
    text = NoteText(check: check, hasSupplements: staging.place != .nowhere)
    do {
      let isThere = staging.place == .existingFolder
      place = isThere ? VaultPlace(folder: staging.target) : nil
      written = WrittenNotes(vault: isThere ? staging.target : nil)
      decks = FolderDecks(vault: isThere ? staging.target : nil)
      supplements = NoteSupplements(vault: isThere ? staging.target : nil)
      names = VaultNames(isThere ? try VaultScan(staging.target) : VaultScan())
      let old = staging.target + "/" + VaultPath.records
      hadBundle = isThere && VaultPath.entry(at: old) == .file
      records = try VaultRecords(
        bundle, old: hadBundle ? old : nil, path: staging.path + "/library.jsonl", context: context)
    } catch {
      staging.discard()
      throw error
    }
  }

  // MARK: Records

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    var others: [RecordSlot] = []
    for (index, slot) in batch.slots.enumerated() {
      let record = Record(batch: batch, index: index)
      if slot.kind == .item {
        switch try stage(record) {
        case .note: continue
        case .cards(let outcome):
          tally[.item][keyPath: outcome] += 1
          continue
        case .nowhere(let path, let reason):
          try leave(path, reason, record, &tally, rejects)
          continue
        case .bundle: break
        }
      }
      others.append(slot)
      if slot.kind == .attachment { try media.take(record, staging, context) }
      switch records.outcome(batch.line(slot)) {
      case .created: tally[slot.kind].created += 1
      case .updated: tally[slot.kind].updated += 1
      case .unchanged: tally[slot.kind].unchanged += 1
      }
      if slot.kind == .item { reportKeptWhole(record) }
    }
    guard !others.isEmpty else { return }
    batch.slots = others
    try records.write(batch, rejects: rejects)
  }

  /// Stages the note of an item.
  private func stage(_ record: Record) throws -> Destination {
    let line = record.batch.line(record.slot)
    let library = record.batch.locator.libraryID
    guard let note = NoteRecord(record) else {
      // Not even a note that is there could say it.
      guard let id = RecordLine.id(of: line), ids.insert(id).inserted, let path = names.existing(id) else {
        return .bundle
      }
      return .nowhere(path: path, .cannotExpress)
    }
    if let destination = try stageCards(note, line, library) { return destination }
    guard let id = RecordLine.id(of: line), ids.insert(id).inserted else { return .bundle }
    let folder = VaultPath.folder(of: note.type)
    let slug = Slug.of(note.title)
    var path = names.existing(id) ?? ""
    if path.isEmpty, let typed = note.original?.path {
      if let other = names.other(typed), staging.place == .existingFolder { return .nowhere(path: other, .notAFile) }
      if let wished = names.wished(typed, owns: { owns(note, $0) }) { path = wished }
    }
    let isThere = staging.place == .existingFolder && !path.isEmpty && names.isThere(path)
    guard
      var written = text.written(
        note, at: path.isEmpty ? "\(folder)/\(slug).md" : path, isNameless: isThere && names.isNameless(path)),
      MarkdownTree.canRead(written.bytes)
    else {
      return isThere ? .nowhere(path: path, isEdited(note, path) ? .edited : .cannotExpress) : .bundle
    }
    if isThere, note.original?.isEncoded ?? false,
      let there = FileBytes.bytes(staging.target + "/" + path, limit: Self.longest)
    {
      guard let encoded = NoteText.encoded(written.bytes, as: there) else {
        return .nowhere(path: path, isEdited(note, path) ? .edited : .cannotExpress)
      }
      written.bytes = encoded
    }
    let isSame = isThere && FileBytes.holds(staging.target + "/" + path, written.bytes)
    if isThere, !isSame, let reason = reasonToLeave(path, note, written, id) { return .nowhere(path: path, reason) }
    if !path.isEmpty { names.give(path) }
    if !isSame { try FileBytes.write(written.bytes, to: staging.path + "/" + Self.stagedName(items.count)) }
    items.append(
      Item(
        id: id, folder: folder, slug: slug, path: path, isStaged: !isSame, size: written.bytes.count,
        entry: WrittenNotes.entry(written.bytes, of: line, library: library),
        supplement: written.supplement,
        wasKeptWhole: records.becameNote(line)))
    return .note
  }

  /// Why a note of the vault must not be replaced; nil when it may.
  private func reasonToLeave(_ path: String, _ note: NoteRecord, _ new: NoteText.Written, _ id: String) -> LeftNote? {
    if isEdited(note, path) { return .edited }
    if new.isRewritten, !rewritesNotes { return .cannotExpress }
    if names.isRepeated(id) { return .repeatedID }
    return LeftNote.isWritable(staging.target + "/" + path) ? nil : .readOnly
  }

  func leave(_ path: String) {
    names.give(path)
    left.insert(path)
  }

  /// Leaves a note as it is, and rejects the item that it does not say.
  private func leave(
    _ path: String, _ reason: LeftNote, _ record: Record, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    leave(path)
    let change = reason == .cannotExpress ? inexpressible(record, path) : nil
    let message = reason.message(change?.what)
    let file = staging.target + "/" + path
    let place =
      change.map { Place(file: file, line: $0.position.line, column: $0.position.column) } ?? Place(file: file)
    context.findings.report(
      Diagnostic(reason.code, message, at: place, record: "item \(record.id)", title: record.title, fix: reason.fix))
    if context.onInvalid == .stop { throw RunFailure(.failed, "\(place): \(message); nothing was written") }
    tally[.item].rejected += 1
    tally.rows.rejected += Int(record.slot.rows)
    try rejects.add(
      RejectedRecord(
        record, place: place.description,
        reasons: [RejectReason(code: reason.code.id, message: message, place: place.description)]))
  }

  private func inexpressible(_ record: Record, _ path: String) -> (what: String, position: TextPosition)? {
    guard let check, let wanted = NoteRecord(record),
      let text = FileBytes.bytes(staging.target + "/" + path, limit: Self.longest)
    else { return nil }
    return check.inexpressible(in: text, at: path, wanted: wanted)
  }

  /// Whether the note at a path, which the run replaces, says what neither FleetKit wrote nor the library has read.
  private func isEdited(_ record: NoteRecord, _ path: String) -> Bool {
    guard staging.place == .existingFolder, !path.isEmpty,
      VaultPath.entry(at: staging.target + "/" + path) == .file
    else { return false }
    guard let there = FileBytes.bytes(staging.target + "/" + path, limit: Self.longest) else { return true }
    switch written.answer(there, at: path) {
    case .same: return false
    case .other: return !text.isOriginal(there, of: record)
    case .unknown:
      return !text.isOriginal(there, of: record) && !(check.map { text.says(there, record, path, $0) } ?? false)
    }
  }

  /// Longer notes are not compared.
  static let longest = 64 << 20

  /// Whether the note at a path, which says no id, is that of an item: one whose path is its id, or that has its id
  /// from there.
  private func owns(_ record: NoteRecord, _ path: String) -> Bool {
    // Even if its text is another one now.
    if let place {
      let inVault = place.prefix + path
      let derived = place.derivedID(at: inVault)
      if place.notes[inVault].id ?? derived == record.id || record.original?.pathID == derived { return true }
    }
    guard let check, let text = FileBytes.bytes(staging.target + "/" + path, limit: 16 << 20),
      let there = check.line(of: text, at: path, nil)?.withUnsafeBufferPointer({ NoteRecord($0) })
    else { return false }
    // Another vault may have another note at the same path: only one that says the same is replaced.
    return there.title == record.title && there.saysTheSameBody(as: record)
      && record.original?.hasDerivedID ?? false
  }

  private func reportKeptWhole(_ record: Record) {
    context.findings.report(
      Diagnostic(
        .keptWhole, "the item is kept whole in \(VaultPath.records)", at: record.place(),
        record: "item \(record.id)", title: record.title))
  }

  static func stagedName(_ index: Int) -> String { "note-\(index)" }

  func abort() {
    records.abort()
    staging.discard()
  }

  var noteCount: Int? { items.count + cardCount }
}
