import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Writes records as a vault: one note for each item, everything else in `.fleetkit/library.jsonl`.
///
/// Files whose bytes would not change are not touched; nothing is visible before `finish`. Memory is about two
/// kilobytes for each item (its id and its path), whatever its size.
/// - Source: formats/markdown.md, "Vaults"
final class VaultWriter: ContentWriter {
  /// An item that becomes a note.
  private struct Item {
    let id: String
    let folder: String
    let slug: String
    /// Its path in the vault; empty until all titles are known.
    var path: String
    /// Whether its text is staged; false when the vault has the file as it should be.
    let isStaged: Bool
    let size: Int
    let hash: WrittenNotes.Hash
    /// Whether the vault's bundle had it before.
    let wasKeptWhole: Bool
  }

  private let context: RunContext
  private let check: (any NoteCheck)?
  private let text: NoteText
  private let staging: VaultStaging
  /// Where the vault belongs; nil for one that is not there yet.
  private let place: VaultPlace?
  private let records: VaultRecords
  private var names: VaultNames
  private var items: [Item] = []
  private var ids: Set<String> = []
  /// Notes whose item is kept in the bundle from now on.
  private var superseded: [String] = []
  /// What the vault's notes were when they were written last.
  private var written: WrittenNotes
  /// Notes that somebody edited since, which are kept before they are replaced.
  private var edited = EditedNotes()
  private var media = VaultMedia()
  /// Notes of cards, by the number of their staged files; those that the vault has already are not among them.
  private var cards: [(name: String, path: String)] = []
  private var cardCount = 0
  private var cardBytes = 0
  private var hadBundle = false
  private var bundleChanged = true
  private var isWrittenStaged = false
  private var isIgnoredStaged = false

  /// Begins a vault.
  /// - Parameter bundle: the format of `library.jsonl`.
  /// - Throws: `RunFailure` with status 4 when the folder is not for us.
  init(_ target: Target, bundle: any Format, check: (any NoteCheck)?, context: RunContext) throws {
    self.context = context
    self.check = check
    text = NoteText(check: check)
    staging = try VaultStaging(target)
    do {
      let isThere = staging.place == .existingFolder
      place = isThere ? VaultPlace(folder: staging.target) : nil
      written = WrittenNotes(vault: isThere ? staging.target : nil)
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
        if let outcome = try stageCards(line) {
          tally[.item][keyPath: outcome] += 1
          continue
        }
        if try stage(line) { continue }
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

  /// Makes the notes of a deck that was read from a folder of cards; nil for all other items.
  private func stageCards(_ line: UnsafeBufferPointer<UInt8>) throws -> WritableKeyPath<KindTally, Int>? {
    guard let id = RecordLine.id(of: line), !ids.contains(id), names.existing(id) == nil, let deck = CardNotes(line),
      staging.place != .nowhere
    else { return nil }
    guard mayPlace(deck, id: id) else { return nil }
    ids.insert(id)
    var outcome = \KindTally.unchanged
    for note in deck.notes {
      names.give(note.path)
      cardCount += 1
      cardBytes += note.bytes.count
      written.add(note.path, WrittenNotes.hash(note.bytes))
      if staging.place == .existingFolder, FileBytes.holds(staging.target + "/" + note.path, note.bytes) { continue }
      let isNew = VaultPath.entry(at: staging.target + "/" + note.path) == .nothing
      outcome = isNew && outcome != \.updated ? \.created : \.updated
      // The deck has its notes as they were read last, so this one has changed since.
      if !isNew, let there = FileBytes.bytes(staging.target + "/" + note.path, limit: Self.longest),
        written.answer(there, at: note.path) != .same
      {
        edited.keep(note.path, item: id, title: "", staging, context)
      }
      let name = "card-\(cards.count)"
      try FileBytes.write(note.bytes, to: staging.path + "/" + name)
      if !isNew { FileBytes.takeMode(of: staging.target + "/" + note.path, for: staging.path + "/" + name) }
      cards.append((name, note.path))
    }
    return outcome
  }

  /// Makes the note of an item; false when no note can say it, or one says its id already.
  private func stage(_ line: UnsafeBufferPointer<UInt8>) throws -> Bool {
    guard let id = RecordLine.id(of: line), ids.insert(id).inserted else { return false }
    guard let record = NoteRecord(line) else { return superseded(id) }
    let folder = VaultPath.folder(of: record.type)
    let slug = Slug.of(record.title)
    var path = names.existing(id) ?? ""
    if path.isEmpty, let wished = names.wished(record.original?.path, owns: { owns(record, $0) }) { path = wished }
    guard let bytes = text.text(of: record, at: path.isEmpty ? "\(folder)/\(slug).md" : path) else {
      return superseded(id)
    }
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
        hash: WrittenNotes.hash(bytes), wasKeptWhole: records.becameNote(line)))
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
  private static let longest = 64 << 20

  /// Remembers that the note that an item had must go, because the bundle has the item now.
  private func superseded(_ id: String) -> Bool {
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
      let there = check.line(of: text, at: path, id: nil)?.withUnsafeBufferPointer({ NoteRecord($0) })
    else { return false }
    // Another vault may have another note at the same path: only one that says the same is replaced.
    let isSame = there.title == record.title && there.saysTheSameBody(as: record)
    return there.id == record.id || isSame && record.original?.hasDerivedID ?? false
  }

  /// Whether the notes of a deck may stand where they stood: nobody else has their paths, and what is there already is
  /// the same or was read as this deck.
  private func mayPlace(_ deck: CardNotes, id: String) -> Bool {
    guard Set(deck.notes.map { VaultPath.folded($0.path) }).count == deck.notes.count else { return false }
    let isOurs = place.map { $0.deckID(of: $0.prefix + deck.folder) == id } ?? false
    return deck.notes.allSatisfy { note in
      let folders = VaultPath.folders(of: note.path).map { VaultPath.entry(at: staging.target + "/" + $0) }
      guard names.hasFreeFolders(note.path), folders.allSatisfy({ $0 == .nothing || $0 == .folder }) else {
        return false
      }
      if names.isFree(note.path) { return true }
      let path = staging.target + "/" + note.path
      return names.isThere(note.path) && VaultPath.entry(at: path) == .file
        && (isOurs || FileBytes.holds(path, note.bytes))
    }
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

  private static func stagedName(_ index: Int) -> String { "note-\(index)" }

  // MARK: Completing

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    nameItems()
    media.leaveOut(staging, context) { names.blocks($0) }
    for index in items.indices { try compare(items[index], index, tally: &tally) }
    try records.finish(rejects: rejects)
    let bundle = staging.path + "/library.jsonl"
    try stageWritten()
    bundleChanged = !hadBundle || !FileBytes.same(bundle, staging.target + "/" + VaultPath.records)
    reportLeftAlone()
    // One call for all of them: as many calls as there are files would take minutes.
    if staging.place != .nowhere { sync() }
  }

  /// Makes the files that say what the notes are now.
  private func stageWritten() throws {
    if staging.place == .nowhere { return }
    for item in items { written.add(item.path, item.hash) }
    let gone = Set(superseded)
    guard let text = written.changed(where: { names.isThere($0) && !gone.contains($0) }) else { return }
    try FileBytes.write(text, to: staging.path + "/written")
    isWrittenStaged = true
    if VaultPath.entry(at: staging.target + "/" + WrittenNotes.ignorePath) == .nothing {
      try FileBytes.write(WrittenNotes.ignored, to: staging.path + "/ignored")
      isIgnoredStaged = true
    }
  }

  private func nameItems() {
    let open = items.indices.filter { items[$0].path.isEmpty }
    let paths = names.name(open.map { (items[$0].folder, items[$0].slug, items[$0].id) })
    for (index, path) in zip(open, paths) { items[index].path = path }
  }

  /// Counts what becomes of a note, and looks whether its way is free.
  private func compare(_ item: Item, _ index: Int, tally: inout Tally) throws {
    guard item.isStaged else {
      tally[.item].unchanged += 1
      return
    }
    let path = staging.target + "/" + item.path
    guard staging.place == .existingFolder else {
      tally[.item].created += 1
      return
    }
    for folder in VaultPath.folders(of: item.path)
    where ![.nothing, .folder].contains(VaultPath.entry(at: staging.target + "/" + folder)) {
      throw RunFailure(
        .refused, "write '\(staging.target)/\(folder)/': a link or a file of that name is there; nothing was written",
        advice: "Move it away, or name another folder.")
    }
    switch VaultPath.entry(at: path) {
    case .nothing where item.wasKeptWhole: tally[.item].updated += 1
    case .nothing: tally[.item].created += 1
    default:
      FileBytes.takeMode(of: path, for: staging.path + "/" + Self.stagedName(index))
      tally[.item].updated += 1
    }
  }

  private func reportLeftAlone() {
    let place = Place(file: staging.target)
    let notes = names.leftAlone
    if notes > 0 {
      let what =
        notes == 1 ? "1 note is not in the library; it was" : "\(notes) notes are not in the library; they were"
      context.findings.report(Diagnostic(.leftAlone, "\(what) left as \(notes == 1 ? "it is" : "they are")", at: place))
    }
    guard records.leftAlone > 0 else { return }
    let count = records.leftAlone
    context.findings.report(
      Diagnostic(
        .leftAlone,
        "\(count) record\(count == 1 ? "" : "s") of \(VaultPath.records) \(count == 1 ? "is" : "are") not in the library; "
          + "\(count == 1 ? "it stays" : "they stay")", at: place))
  }

  private func sync() {
    let staged =
      items.indices.filter { items[$0].isStaged }.map(Self.stagedName) + cards.map(\.name) + media.staged.map(\.name)
    guard staged.count <= 100 else {
      #if canImport(Glibc)
        Glibc.sync()
      #else
        Darwin.sync()
      #endif
      return
    }
    for name in staged { VaultStaging.syncFile(staging.path + "/" + name) }
  }

  func finish() throws -> Int {
    let size = items.reduce(cardBytes) { $0 + $1.size } + FileBytes.size(staging.path + "/library.jsonl")
    if staging.place == .nowhere {
      defer { staging.discard() }
      return try VaultOutput.write(
        items.indices.map { (items[$0].path, staging.path + "/" + Self.stagedName($0)) },
        records: records.count > 0 ? staging.path + "/library.jsonl" : nil)
    }
    // The bundle says that the folder is a vault, so it comes first in a new one. Later an item may move from the
    // bundle to a note or back: whatever is written first, no moment is without it.
    if !hadBundle { try moveBundle() }
    try edited.move(staging)
    var folders: Set<String> = [""]
    for index in items.indices where items[index].isStaged {
      try staging.move(Self.stagedName(index), to: items[index].path)
      folders.formUnion(VaultPath.folders(of: items[index].path))
    }
    for card in cards {
      try staging.move(card.name, to: card.path)
      folders.formUnion(VaultPath.folders(of: card.path))
    }
    for file in media.staged {
      try staging.move(file.name, to: file.path)
      folders.formUnion(VaultPath.folders(of: file.path))
    }
    if hadBundle, bundleChanged { try moveBundle() }
    for path in superseded { SetAside.move(path, in: staging.target) }
    if isIgnoredStaged { try staging.move("ignored", to: WrittenNotes.ignorePath) }
    // Last: a run that ends before takes notes for edited that are not, and keeps them.
    if isWrittenStaged { try staging.move("written", to: WrittenNotes.path) }
    for folder in folders { VaultStaging.sync(staging.tree + "/" + folder) }
    try staging.publish()
    return size
  }

  private func moveBundle() throws {
    if hadBundle {
      FileBytes.takeMode(
        of: staging.target + "/" + VaultPath.records, for: staging.path + "/library.jsonl")
    }
    try staging.move("library.jsonl", to: VaultPath.records)
    VaultStaging.sync(staging.tree + "/" + VaultPath.hiddenFolder)
  }

  func abort() {
    records.abort()
    staging.discard()
  }

  var noteCount: Int? { items.count + cardCount }
}
