import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownSyntax

/// Writes records as a vault: one note per item, and everything else in `.fleetkit/library.jsonl`.
///
/// Files whose bytes would not change are not touched, and no change is visible before `finish`. Memory is about two
/// kilobytes per item (for its id and path), regardless of the item's size.
/// - Source: formats/markdown.md, "Vaults"
final class VaultWriter: ContentWriter {
  /// An item that becomes a note.
  private struct Item {
    let id: String
    let folder: String
    let slug: String
    /// The note's path in the vault; empty until all titles are known.
    var path: String
    /// The number of the staged file; nil if the file in the vault is already up to date.
    let file: Int?
    let size: Int
    let entry: ExportedNotes.Entry
    /// The values that the note does not contain.
    let supplement: NoteSupplement
    /// Whether the vault's bundle contained the item before the run.
    let wasKeptWhole: Bool
  }

  /// The text of an item's note, made before it is known whether the item becomes a note at that path.
  private struct Made: Sendable {
    let path: String
    let isNameless: Bool
    let text: NoteRenderer.Written
    let isRendered: Bool
    let entry: ExportedNotes.Entry
    /// The number of the staged file; nil if the text must first be compared with the vault's file.
    let file: Int?
  }

  /// The destination of an item.
  private enum Destination {
    case note
    /// The notes of a deck's cards. The key path leads to the count in which the deck was included.
    case cards(WritableKeyPath<KindTally, Int>)
    /// No destination, because the existing note at a path must not be changed.
    case nowhere(path: String, UnchangedNoteReason)
    case bundle
  }

  private let context: RunContext
  private let text: NoteRenderer
  private let staging: VaultStaging
  /// The existing vault's data about its notes; nil for a new vault.
  private let place: VaultPlace?
  /// Whether notes may be rewritten in FleetKit's notation if their own notation cannot express a change.
  private let rewritesNotes: Bool
  private let records: VaultRecords
  private var names: VaultNames
  private var items: [Item] = []
  /// The number of staged file names in use.
  private var fileCount = 0
  private var ids: Set<String> = []
  /// The paths of notes that are not changed although their content differs from the library.
  private var left: Set<String> = []
  /// The entries of the vault's notes as they were last written.
  private var written: ExportedNotes
  /// The ids of the folders that are decks.
  private var decks: FolderDecks
  /// The values that the notes do not contain.
  private var supplements: NoteSupplements
  private var media = VaultMedia()
  /// The staged notes of cards, with the names of their staged files. Notes that are already up to date in the vault
  /// are not included.
  private var cards: [(name: String, path: String)] = []
  private var cardCount = 0
  private var cardBytes = 0
  private var hadBundle = false
  private var bundleChanged = true
  private var isWrittenStaged = false
  private var isIgnoredStaged = false
  private var areDecksStaged = false
  private var areSupplementsStaged = false

  /// Begins a vault.
  /// - Parameter bundle: the format of `library.jsonl`.
  /// - Throws: `RunFailure` with status 4 if FleetKit must not use the folder.
  init(_ target: Target, bundle: any Format, check: any NoteCheck, context: RunContext) throws {
    self.context = context
    rewritesNotes = target.rewritesNotes
    staging = try VaultStaging(target)
    text = NoteRenderer(check: check, hasSupplements: staging.place != .nowhere)
    do {
      let isThere = staging.place == .existingFolder
      place = isThere ? VaultPlace(folder: staging.target) : nil
      written = ExportedNotes(vault: isThere ? staging.target : nil)
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
    let made = try makeTexts(batch)
    for (index, slot) in batch.slots.enumerated() {
      let record = Record(batch: batch, index: index)
      if slot.kind == .item {
        switch try stage(record, made[index]) {
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
      if slot.kind == .attachment { try media.stage(record, staging, context) }
      switch records.outcome(batch.line(slot).span) {
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

  /// Makes the note text of each item in a batch, on several threads. The text is nil for a record that is not an item
  /// or does not become a note.
  ///
  /// Each text assumes the path that its item would normally get. The actual path depends on the preceding items.
  private func makeTexts(_ batch: RecordBatch) throws -> [Made?] {
    let starts = stride(from: 0, to: batch.slots.count, by: 32)
    let parts = starts.underestimatedCount
    guard parts > 1 else { return Array(repeating: nil, count: batch.slots.count) }
    let library = batch.traits.libraryID()
    let (text, names, isThere) = (text, names, staging.place == .existingFolder)
    let (folder, first) = (staging.path, fileCount)
    fileCount += batch.slots.count
    let map = OrderedMap<[Made?]>(starts, threads: min(2, parts), ahead: parts) { _ in
      { start, made in
        _ = made.send(
          try (start..<min(batch.slots.count, start + 32)).map { index in
            guard batch.slots[index].kind == .item, let note = NoteRecord(Record(batch: batch, index: index)) else {
              return nil
            }
            let known = names.existing(note.id) ?? note.original?.path
            let path = known ?? "\(VaultPath.folder(of: note.type))/\(Slug.of(note.title)).md"
            let isNameless = isThere && names.isThere(path) && names.isNameless(path)
            guard let written = text.written(note, at: path, isNameless: isNameless),
              MarkdownTree.canRead(written.bytes)
            else { return nil }
            if !isThere { try SmallFile.write(written.bytes, to: folder + "/" + Self.stagedName(first + index)) }
            return Made(
              path: path, isNameless: isNameless, text: written, isRendered: known == nil,
              entry: ExportedNotes.entry(
                written.bytes, of: batch.line(batch.slots[index]).span, library: library, isRendered: known == nil),
              file: isThere ? nil : first + index)
          })
      }
    }
    var all: [Made?] = []
    while let part = try map.next() { all += part }
    return all
  }

  /// Stages the note of an item.
  /// - Parameter made: the item's text, if it was already made.
  private func stage(_ record: Record, _ made: Made?) throws -> Destination {
    let line = record.batch.line(record.slot).span
    let library = record.batch.traits.libraryID()
    guard let note = NoteRecord(record) else {
      // An existing note could not express the record either.
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
    let wanted = path.isEmpty ? "\(folder)/\(slug).md" : path
    let isNameless = isThere && names.isNameless(path)
    let ready = made.flatMap { $0.path == wanted && $0.isNameless == isNameless ? $0 : nil }
    guard var written = ready?.text ?? text.written(note, at: wanted, isNameless: isNameless),
      ready != nil || MarkdownTree.canRead(written.bytes)
    else {
      return isThere ? .nowhere(path: path, isEdited(note, path) ? .edited : .cannotExpress) : .bundle
    }
    if isThere, note.original?.isEncoded ?? false,
      let there = SmallFile.bytes(staging.target + "/" + path, limit: Self.longest)
    {
      guard let encoded = NoteRenderer.encoded(written.bytes, as: there) else {
        return .nowhere(path: path, isEdited(note, path) ? .edited : .cannotExpress)
      }
      written.bytes = encoded
    }
    let isSame = isThere && SmallFile.holds(staging.target + "/" + path, written.bytes)
    if isThere, !isSame, let reason = reasonToLeave(path, note, written, id) { return .nowhere(path: path, reason) }
    if !path.isEmpty { names.give(path) }
    var file = isSame ? nil : ready?.file
    if !isSame, file == nil {
      file = fileCount
      try SmallFile.write(written.bytes, to: staging.path + "/" + Self.stagedName(fileCount))
      fileCount += 1
    }
    let isRendered = note.original == nil && (path.isEmpty || VaultPath.isGiven(path, folder, slug, id: id))
    let entry = ready.flatMap { $0.isRendered == isRendered && $0.text.bytes == written.bytes ? $0.entry : nil }
    items.append(
      Item(
        id: id, folder: folder, slug: slug, path: path, file: file, size: written.bytes.count,
        entry: entry ?? ExportedNotes.entry(written.bytes, of: line, library: library, isRendered: isRendered),
        supplement: written.supplement,
        wasKeptWhole: records.becameNote(line)))
    return .note
  }

  /// Returns the reason why a note in the vault must not be replaced; nil if it may be replaced.
  private func reasonToLeave(_ path: String, _ note: NoteRecord, _ new: NoteRenderer.Written, _ id: String)
    -> UnchangedNoteReason?
  {
    if isEdited(note, path) { return .edited }
    if new.isRewritten, !rewritesNotes { return .cannotExpress }
    if names.isRepeated(id) { return .repeatedID }
    return UnchangedNoteReason.isWritable(staging.target + "/" + path) ? nil : .readOnly
  }

  private func leave(_ path: String) {
    names.give(path)
    left.insert(path)
  }

  /// Leaves a note unchanged, and rejects the item that the note does not express.
  private func leave(
    _ path: String, _ reason: UnchangedNoteReason, _ record: Record, _ tally: inout Tally, _ rejects: RejectsWriter
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
    guard let wanted = NoteRecord(record),
      let text = SmallFile.bytes(staging.target + "/" + path, limit: Self.longest)
    else { return nil }
    return self.text.check.inexpressible(in: text, at: path, wanted: wanted)
  }

  /// Whether the existing note at a path has content that FleetKit did not write and the library has not imported.
  private func isEdited(_ record: NoteRecord, _ path: String) -> Bool {
    guard staging.place == .existingFolder, !path.isEmpty,
      VaultPath.entry(at: staging.target + "/" + path) == .file
    else { return false }
    guard let there = SmallFile.bytes(staging.target + "/" + path, limit: Self.longest) else { return true }
    switch written.answer(there, at: path) {
    case .same: return false
    case .other: return !text.isOriginal(there, of: record)
    case .unknown:
      return !text.isOriginal(there, of: record) && !text.isEquivalent(there, to: record, at: path)
    }
  }

  /// The maximum size of a note that is compared, in bytes.
  static let longest = 64 << 20

  /// Whether the note at a path, which contains no id, belongs to an item. This is the case if the item's id is derived
  /// from the path or was assigned to the note at that path.
  private func owns(_ record: NoteRecord, _ path: String) -> Bool {
    // The note belongs to the item even if its text has changed since then.
    if let place {
      let inVault = place.prefix + path
      let derived = place.derivedID(at: inVault)
      if place.notes[inVault].id ?? derived == record.id || record.original?.pathID == derived { return true }
    }
    guard let text = SmallFile.bytes(staging.target + "/" + path, limit: 16 << 20),
      let there = self.text.check.line(of: text, at: path, nil).flatMap({ NoteRecord($0.span) })
    else { return false }
    // The vault may have an unrelated note at the same path, so the note is replaced only if its content is the same.
    return there.title == record.title && there.hasSameBody(as: record)
      && record.original?.hasDerivedID ?? false
  }

  private func reportKeptWhole(_ record: Record) {
    context.findings.report(
      Diagnostic(
        .keptWhole, "the item is kept as a whole record in \(VaultPath.records)", at: record.place(),
        record: "item \(record.id)", title: record.title))
  }

  private static func stagedName(_ index: Int) -> String { "note-\(index)" }

  func abort() {
    records.abort()
    staging.discard()
  }

  var noteCount: Int? { items.count + cardCount }

  // MARK: Decks that were read from folders of cards: a note for each card

  /// Stages the notes of a deck that was read from a card folder; nil for all other items.
  private func stageCards(
    _ record: NoteRecord, _ line: Span<UInt8>, _ library: String?
  ) throws -> Destination? {
    let id = record.id
    guard staging.place != .nowhere, !ids.contains(id), names.existing(id) == nil else { return nil }
    guard let deck = CardNotes(record) else { return leaveCards(record) }
    guard mayPlace(deck, id: id) else { return nil }
    ids.insert(id)
    let changed = deck.notes.filter { note in
      staging.place != .existingFolder || !SmallFile.holds(staging.target + "/" + note.path, note.bytes)
    }
    // Either all notes of a deck are written or none of them.
    if staging.place == .existingFolder {
      for note in changed {
        if let reason = reasonToLeave(note) {
          for other in deck.notes { leave(other.path) }
          return .nowhere(path: note.path, reason)
        }
      }
    }
    decks.add(deck.folder, id: id, derived: place.map { $0.derivedDeckID(of: $0.prefix + deck.folder) })
    var supplement = NoteSupplement(timesOf: record)
    supplement.text = NoteSupplement.hash(deck.notes.flatMap { NoteRenderer.decoded($0.bytes) })
    supplements.add(deck.folder, supplement)
    for note in deck.notes {
      names.give(note.path)
      cardCount += 1
      cardBytes += note.bytes.count
      written.add(note.path, ExportedNotes.entry(note.bytes, of: line, library: library))
    }
    var outcome = \KindTally.unchanged
    for note in changed {
      let isNew = VaultPath.entry(at: staging.target + "/" + note.path) == .nothing
      outcome = isNew && outcome != \.updated ? \.created : \.updated
      let name = "card-\(cards.count)"
      try SmallFile.write(note.bytes, to: staging.path + "/" + name)
      if !isNew { SmallFile.copyMode(from: staging.target + "/" + note.path, to: staging.path + "/" + name) }
      cards.append((name, note.path))
    }
    return .cards(outcome)
  }

  /// Leaves the notes of a deck unchanged, because they can no longer express the deck; nil if the notes are not in
  /// this vault.
  private func leaveCards(_ record: NoteRecord) -> Destination? {
    guard let place, let (folder, notes) = CardNotes.kept(record), place.deckID(of: place.prefix + folder) == record.id,
      let path = notes.lazy.map(\.path).first(where: names.isThere)
    else { return nil }
    ids.insert(record.id)
    for note in notes where names.isThere(note.path) { leave(note.path) }
    return .nowhere(path: path, .cannotExpress)
  }

  /// Returns the reason why the note of a card must not be replaced; nil if it may be replaced or does not exist.
  private func reasonToLeave(_ note: CardNotes.Note) -> UnchangedNoteReason? {
    let path = staging.target + "/" + note.path
    guard VaultPath.entry(at: path) != .nothing else { return nil }
    // The record keeps the notes as they were last read, so a note with other bytes was edited.
    guard let there = SmallFile.bytes(path, limit: Self.longest),
      there == note.original || written.answer(there, at: note.path) == .same
    else { return .edited }
    return UnchangedNoteReason.isWritable(path) ? nil : .readOnly
  }

  /// Whether the notes of a deck may be written to their previous paths. No other item may have these paths, and
  /// existing files must be the same or have been read as this deck.
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
        && (isOurs || SmallFile.holds(path, note.bytes))
    }
  }

  // MARK: The end of a vault: names and counts first, then every file to its place

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    nameItems()
    media.leaveOut(staging, context) { names.blocks($0) }
    for item in items { try compare(item, tally: &tally) }
    try records.finish(rejects: rejects)
    let bundle = staging.path + "/library.jsonl"
    try stageWritten()
    bundleChanged = !hadBundle || !SmallFile.same(bundle, staging.target + "/" + VaultPath.records)
    reportLeftAlone()
    // A single call flushes all files, because one call per file would take minutes.
    if staging.place != .nowhere { sync() }
  }

  /// Stages the files that record the current state of the notes.
  private func stageWritten() throws {
    if staging.place == .nowhere { return }
    if let text = decks.changed {
      try SmallFile.write(text, to: staging.path + "/decks")
      areDecksStaged = true
    }
    for item in items {
      written.add(item.path, item.entry)
      supplements.add(item.path, item.supplement)
    }
    if let text = supplements.changed {
      try SmallFile.write(text, to: staging.path + "/notes")
      areSupplementsStaged = true
    }
    guard let text = written.changed(where: { names.isThere($0) || left.contains($0) }) else { return }
    try SmallFile.write(text, to: staging.path + "/written")
    isWrittenStaged = true
    if VaultPath.entry(at: staging.target + "/" + ExportedNotes.ignorePath) == .nothing {
      try SmallFile.write(ExportedNotes.ignored, to: staging.path + "/ignored")
      isIgnoredStaged = true
    }
  }

  private func nameItems() {
    let open = items.indices.filter { items[$0].path.isEmpty }
    let paths = names.name(open.map { (items[$0].folder, items[$0].slug, items[$0].id) })
    for (index, path) in zip(open, paths) { items[index].path = path }
  }

  /// Counts the outcome for a note, and checks that its path is free.
  private func compare(_ item: Item, tally: inout Tally) throws {
    guard let file = item.file else {
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
        .refused, "write '\(staging.target)/\(folder)/': a link or a file with that name exists; nothing was written",
        advice: "Move that link or file to another location, or name another folder.")
    }
    switch VaultPath.entry(at: path) {
    case .nothing where item.wasKeptWhole: tally[.item].updated += 1
    case .nothing: tally[.item].created += 1
    default:
      SmallFile.copyMode(from: path, to: staging.path + "/" + Self.stagedName(file))
      tally[.item].updated += 1
    }
  }

  private func reportLeftAlone() {
    let place = Place(file: staging.target)
    let notes = names.leftAlone
    if notes > 0 {
      let what =
        notes == 1 ? "1 note is not in the library; it was" : "\(notes) notes are not in the library; they were"
      context.findings.report(Diagnostic(.leftAlone, "\(what) left unchanged", at: place))
    }
    guard records.leftAlone > 0 else { return }
    let count = records.leftAlone
    context.findings.report(
      Diagnostic(
        .leftAlone,
        "\(count) record\(count == 1 ? "" : "s") of \(VaultPath.records) \(count == 1 ? "is" : "are") not in the library; "
          + "\(count == 1 ? "it is kept" : "they are kept")", at: place))
  }

  private func sync() {
    let staged =
      items.compactMap(\.file).map(Self.stagedName) + cards.map(\.name) + media.staged.map(\.name)
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
    let size = items.reduce(cardBytes) { $0 + $1.size } + SmallFile.size(staging.path + "/library.jsonl")
    if staging.place == .nowhere {
      defer { staging.discard() }
      return try VaultOutput.write(
        items.compactMap { item in item.file.map { (item.path, staging.path + "/" + Self.stagedName($0)) } },
        records: records.count > 0 ? staging.path + "/library.jsonl" : nil)
    }
    // The bundle marks the folder as a vault, so in a new vault it is moved first. In a later run, an item may move
    // from the bundle to a note or back. This order ensures that the item exists at every moment.
    if !hadBundle { try moveBundle() }
    // The deck ids are moved before the notes of cards, which would form a different deck without the ids.
    if areDecksStaged { try staging.move("decks", to: FolderDecks.path) }
    if areSupplementsStaged { try staging.move("notes", to: NoteSupplements.path) }
    var folders: Set<String> = [""]
    for item in items {
      guard let file = item.file else { continue }
      try staging.move(Self.stagedName(file), to: item.path)
      folders.formUnion(VaultPath.folders(of: item.path))
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
    if isIgnoredStaged { try staging.move("ignored", to: ExportedNotes.ignorePath) }
    // This file is moved last. If a run ends before this point, unedited notes count as edited and are kept.
    if isWrittenStaged { try staging.move("written", to: ExportedNotes.path) }
    for folder in folders { VaultStaging.sync(staging.tree + "/" + folder) }
    try staging.publish()
    return size
  }

  private func moveBundle() throws {
    if hadBundle {
      SmallFile.copyMode(
        from: staging.target + "/" + VaultPath.records, to: staging.path + "/library.jsonl")
    }
    try staging.move("library.jsonl", to: VaultPath.records)
    VaultStaging.sync(staging.tree + "/" + VaultPath.hiddenFolder)
  }
}

/// The reason why an item's note is not changed although its content differs from the library.
private enum UnchangedNoteReason {
  /// The note has been edited since FleetKit last wrote or read it.
  case edited
  /// The note's lines cannot express the change.
  case cannotExpress
  /// Another note has the same id.
  case repeatedID
  case readOnly
  /// The note's path is a link or another entry that is not a regular file.
  case notAFile

  var code: DiagnosticCode { self == .edited ? .editedNote : .noteNotWritten }

  /// Returns the message of the finding.
  /// - Parameter change: the change that cannot be expressed, if known.
  func message(_ change: String?) -> String {
    switch self {
    case .edited: "the note was edited but not imported, so it was not overwritten"
    case .cannotExpress: "the note cannot express \(change ?? "what changed in the library"); it was not changed"
    case .repeatedID: "another note has the same id; the note was not changed"
    case .readOnly: "the note is read-only; it was not changed"
    case .notAFile: "not a regular file; the item was not written"
    }
  }

  /// The advice to the user; nil to use the code's advice.
  var fix: String? {
    switch self {
    case .edited, .cannotExpress: nil
    case .repeatedID: "give one of the two notes a different id"
    case .readOnly: "make the note writable by its owner, then export again"
    case .notAFile: "move the link or file to another location, then export again"
    }
  }

  /// Whether the file at a path can be replaced, according to its owner's permissions.
  static func isWritable(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) != 0 || status.st_mode & S_IWUSR != 0
  }
}
