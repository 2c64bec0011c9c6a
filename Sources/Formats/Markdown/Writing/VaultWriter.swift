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
    /// The ids of its parts that it does not say.
    let ids: PartIDs
    /// Whether the vault's bundle had it before.
    let wasKeptWhole: Bool
  }

  let context: RunContext
  private let check: (any NoteCheck)?
  let text: NoteText
  let staging: VaultStaging
  /// Where the vault belongs; nil for one that is not there yet.
  let place: VaultPlace?
  let records: VaultRecords
  var names: VaultNames
  var items: [Item] = []
  var ids: Set<String> = []
  /// Notes whose item is kept in the bundle from now on.
  var superseded: [String] = []
  /// What the vault's notes were when they were written last.
  var written: WrittenNotes
  /// The ids of folders that are decks.
  var decks: FolderDecks
  /// The ids of parts that their notes do not say.
  var noteIDs: NoteIDs
  /// Notes that somebody edited since, which are kept before they are replaced.
  var edited = EditedNotes()
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
  var areIDsStaged = false

  /// Begins a vault.
  /// - Parameter bundle: the format of `library.jsonl`.
  /// - Throws: `RunFailure` with status 4 when the folder is not for us.
  init(_ target: Target, bundle: any Format, check: (any NoteCheck)?, context: RunContext) throws {
    self.context = context
    self.check = check
    staging = try VaultStaging(target)
    text = NoteText(check: check, keepsIDs: staging.place != .nowhere)
    do {
      let isThere = staging.place == .existingFolder
      place = isThere ? VaultPlace(folder: staging.target) : nil
      written = WrittenNotes(vault: isThere ? staging.target : nil)
      decks = FolderDecks(vault: isThere ? staging.target : nil)
      noteIDs = NoteIDs(vault: isThere ? staging.target : nil)
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
      let line = batch.line(slot)
      let removed = superseded.count
      if slot.kind == .item {
        let record = NoteRecord(Record(batch: batch, index: index))
        if let record, let outcome = try stageCards(record, line, batch.locator.libraryID) {
          tally[.item][keyPath: outcome] += 1
          continue
        }
        if try stage(record, line, batch.locator.libraryID) { continue }
      }
      others.append(slot)
      if slot.kind == .attachment { try media.take(Record(batch: batch, index: index), staging, context) }
      switch records.outcome(line) {
      // The vault had it as a note.
      case .created where hadNote(line): tally[slot.kind].updated += 1
      case .created: tally[slot.kind].created += 1
      case .updated: tally[slot.kind].updated += 1
      case .unchanged: tally[slot.kind].unchanged += 1
      }
      if slot.kind == .item {
        reportKeptWhole(Record(batch: batch, index: index), removed: superseded.dropFirst(removed).first)
      }
    }
    guard !others.isEmpty else { return }
    batch.slots = others
    try records.write(batch, rejects: rejects)
  }

  private func hadNote(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    RecordLine.kind(of: line) == .item && RecordLine.id(of: line).map { names.existing($0) != nil } ?? false
  }

  /// Makes the note of an item; false when no note can say it, or one says its id already.
  private func stage(_ record: NoteRecord?, _ line: UnsafeBufferPointer<UInt8>, _ library: String?) throws -> Bool {
    guard let id = RecordLine.id(of: line), ids.insert(id).inserted else { return false }
    guard let record else { return superseded(id) }
    let folder = VaultPath.folder(of: record.type)
    let slug = Slug.of(record.title)
    var path = names.existing(id) ?? ""
    if path.isEmpty, let wished = names.wished(record.original?.path, owns: { owns(record, $0) }) { path = wished }
    guard let note = text.written(record, at: path.isEmpty ? "\(folder)/\(slug).md" : path),
      MarkdownTree.canRead(note.bytes)
    else {
      return superseded(id)
    }
    let bytes = note.bytes
    if !path.isEmpty { names.give(path) }
    let isThere =
      staging.place == .existingFolder && !path.isEmpty && FileBytes.holds(staging.target + "/" + path, bytes)
    if !isThere {
      if isEdited(record, path) { edited.keep(path, item: id, title: record.title, staging, context) }
      try FileBytes.write(bytes, to: staging.path + "/" + Self.stagedName(items.count))
    }
    items.append(
      Item(
        id: id, folder: folder, slug: slug, path: path, isStaged: !isThere, size: bytes.count,
        entry: WrittenNotes.entry(bytes, of: line, library: library), ids: note.ids,
        wasKeptWhole: records.becameNote(line)))
    return true
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

  /// Remembers that the note that an item had must go, because the bundle has the item now.
  func superseded(_ id: String) -> Bool {
    if let path = names.existing(id) {
      superseded.append(path)
      names.give(path)
    }
    return false
  }

  /// Whether the note at a path, which says no id, is that of an item: one whose path is its id, or that has its id
  /// from there.
  private func owns(_ record: NoteRecord, _ path: String) -> Bool {
    guard let check, let text = FileBytes.bytes(staging.target + "/" + path, limit: 16 << 20),
      let there = check.line(of: text, at: path, id: nil, ids: nil)?.withUnsafeBufferPointer({ NoteRecord($0) })
    else { return false }
    // Another vault may have another note at the same path: only one that says the same is replaced.
    let isSame = there.title == record.title && there.saysTheSameBody(as: record)
    return there.id == record.id || isSame && record.original?.hasDerivedID ?? false
  }

  /// - Parameter removed: the note that said the item before, which goes, because the item would be there twice.
  private func reportKeptWhole(_ record: Record, removed: String?) {
    let message = "the item is kept whole in \(VaultPath.records)"
    context.findings.report(
      Diagnostic(
        .keptWhole, removed.map { "\(message), and its note '\($0)' is removed" } ?? message, at: record.place(),
        record: "item \(record.id)",
        title: record.title))
  }

  static func stagedName(_ index: Int) -> String { "note-\(index)" }

  func abort() {
    records.abort()
    staging.discard()
  }

  var noteCount: Int? { items.count + cardCount }
}
