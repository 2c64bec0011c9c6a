import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// The last stage: writes rows, and commits the library together with its sidecar.
///
/// Everything is in one transaction. The undo journal and the intention in the ledger are on disk before the commit.
final class CommitStage {
  let library: WritableLibrary
  private let ledger: Ledger
  private let lookup: RecordLookup
  private let rows: LibraryRows
  /// Makes restored public items withdrawable; nil if publication is not restored.
  private let publishedRows: PublishedRows?
  /// The journal of changes for an undo; nil if there was no library before.
  private let journal: UndoJournalWriter?
  /// The records that show, after a crash, whether the library was committed.
  private var witnesses: [Ledger.Witness] = []
  /// How many rows were written to the library.
  private var written = 0
  /// How many records were kept in the sidecar, because the app has no table for them. A record that occurred several
  /// times, or whose publication changed as well, counts once.
  var keptBeside: Int { besideRecords.count }
  /// Hashes of the kinds and ids of these records.
  private var besideRecords: Set<Int> = []
  /// How many items changed only in their publication or synchronization state.
  private var marked = 0
  /// The outcomes of the records, for the store.
  private var counts: String?

  private static let mostWitnesses = 64

  init(
    _ library: WritableLibrary, _ ledger: Ledger, _ lookup: RecordLookup, _ journal: UndoJournalWriter?,
    restoresPublishing: Bool, _ context: RunContext
  ) throws(SQLiteError) {
    self.library = library
    self.ledger = ledger
    self.lookup = lookup
    self.journal = journal
    rows = try LibraryRows(
      connection: library.connection, tables: library.schema.tables, version: library.schema.version ?? "",
      context: context)
    publishedRows =
      restoresPublishing ? try PublishedRows(library.connection, library.schema.tables, now: context.now) : nil
  }

  // MARK: Writing

  /// Writes a row.
  /// - Parameter before: the hash of the replaced record; nil for a new one.
  func write(_ node: JSONNode, _ incoming: SourceRecord, over before: String?) throws -> RowOutcome {
    lookup.stopAhead()
    let outcome = try writeRow(node, incoming.kind, isUpdate: before != nil, place: incoming.place)
    switch outcome {
    case .created, .updated:
      written += 1
      let id = node.member("id")?.string ?? ""
      if incoming.kind == .item, !library.isNew { try publishedRows?.complete(id) }
      if witnesses.count < Self.mostWitnesses {
        witnesses.append(Ledger.Witness(kind: incoming.kind, id: id, before: before, after: nil))
      }
    case .skipped, .rejected, .waiting: break
    }
    return outcome
  }

  private func writeRow(
    _ node: JSONNode, _ kind: RecordKind, isUpdate: Bool, place: () -> Place
  ) throws -> RowOutcome {
    switch kind {
    case .charter: try rows.insertCharter(node, replacing: isUpdate, place: place)
    case .execution: try rows.insertExecution(node, replacing: isUpdate, mayWait: false, place: place)
    default: isUpdate ? try rows.updateItem(node, place: place) : try rows.insertItem(node, place: place)
    }
  }

  /// Stores a record in the sidecar.
  func storeInSidecar(_ kind: RecordKind, id: String, _ line: UnsafeBufferPointer<UInt8>) throws {
    try ledger.stage(kind, id: id, line: line.span)
    countBeside(kind, id)
  }

  private func countBeside(_ kind: RecordKind, _ id: String) {
    var hasher = Hasher()
    hasher.combine(kind)
    hasher.combine(id)
    besideRecords.insert(hasher.finalize())
  }

  /// Prepares a change of an item's rows by other code, so that the change belongs to this run. This must be called
  /// before the rows are changed.
  /// - Parameter isTallied: whether the item is one of the records that the run created or updated.
  func willChange(item id: String, isDeck: Bool, isTallied: Bool) throws {
    lookup.stopAhead()
    if !isTallied { marked += 1 }
    if isDeck { return countBeside(.item, id) }
    written += 1
    guard witnesses.count < Self.mostWitnesses, !witnesses.contains(where: { $0.kind == .item && $0.id == id }) else {
      return
    }
    let before = try lookup.record(.item, id: id).map { Digest.hex(Digest.sha256($0.span)) }
    witnesses.append(Ledger.Witness(kind: .item, id: id, before: before, after: nil))
  }

  // MARK: Committing

  /// Completes the queue of a library that is being created. Such a library has no indexes before the commit, so the
  /// queue is completed now, while it is still empty.
  func completePublished() throws { if library.isNew { try publishedRows?.completeAll() } }

  /// Prepares the commit after all records have been written.
  func prepare(_ tally: Tally) throws {
    for index in witnesses.indices {
      let witness = witnesses[index]
      witnesses[index] = Ledger.Witness(
        kind: witness.kind, id: witness.id, before: witness.before,
        after: try lookup.hash(ofRow: witness.kind, id: witness.id))
    }
    // If no record changed, one witness still shows that there is something to commit.
    let changed = witnesses.filter { $0.before != $0.after }
    witnesses = changed.isEmpty ? Array(witnesses.prefix(1)) : changed
    counts = RunCounts.json(tally, keptBeside: keptBeside, marked: marked)
  }

  /// Commits.
  /// - Returns: the size of the library's file.
  func commit(_ files: SidecarFiles) throws -> Int {
    lookup.stopAhead()
    try files.publish()
    do {
      let notes = try files.stageNotes()
      try writeJournal(files, hasNotes: notes > 0)
      try ledger.intend(written == 0 ? [] : witnesses, counts: counts)
    } catch let error as SQLiteError {
      throw StateStore.failure(error, library.sidecar.path + "/state.sqlite")
    }
    if written == 0, !library.isNew {
      library.rollback()
    } else {
      do {
        try library.commit()
      } catch {
        ledger.forget()
        journal?.discard()
        throw error
      }
      // The library is committed. If this cannot be recorded now, the next run detects it by hash.
      ledger.done()
    }
    UndoJournal.rotate(library.sidecar)
    return FileRead.size(of: library.path) ?? 0
  }

  /// Writes the journal of changes to disk before the commit.
  private func writeJournal(_ files: SidecarFiles, hasNotes: Bool) throws {
    guard let journal else { return }
    let media = files.media.brought
    guard written + keptBeside + media.count > 0 || hasNotes else { return journal.discard() }
    try ledger.recordChanges(in: journal)
    journal.recordExtras { $0.media = media }
    try journal.finish()
  }

  /// Reverts all changes.
  func abort() {
    lookup.stopAhead()
    journal?.discard()
    library.rollback()
    ledger.forget()
  }
}

/// The outcomes of a run's records, in the form that the store keeps.
enum RunCounts {
  /// Returns a JSON object: `changed` first, then the totals, the numbers for each kind, and the numbers for rows.
  /// - Parameter marked: the number of items that changed only in their publication or synchronization state.
  static func json(_ tally: Tally, keptBeside: Int, marked: Int = 0) -> String {
    var json = ByteBuffer(capacity: 512)
    let total = tally.total
    json.append(utf8: "{\"changed\":\(total.created + total.updated + marked),\(numbers(total))")
    json.append(utf8: ",\"kept_beside\":\(keptBeside)")
    if marked > 0 { json.append(utf8: ",\"marked\":\(marked)") }
    json.append(",\"kinds\":{")
    for (index, kind) in tally.order.enumerated() {
      if index > 0 { json.append(",") }
      json.appendJSONString(kind.name)
      json.append(utf8: ":{\(numbers(tally[kind]))}")
    }
    json.append("}")
    let rows = tally.rows
    if !rows.isEmpty {
      json.append(
        utf8: ",\"rows\":{\"read\":\(rows.read),\"rejected\":\(rows.rejected),\"removed\":\(rows.removed),"
          + "\"moved\":\(rows.moved)}")
    }
    json.append("}")
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private static func numbers(_ tally: KindTally) -> String {
    "\"read\":\(tally.read),\"created\":\(tally.created),\"updated\":\(tally.updated),"
      + "\"unchanged\":\(tally.unchanged),\"rejected\":\(tally.rejected),"
      + "\"skipped\":\(tally.skipped.values.reduce(0, +))"
  }
}

/// The sidecar files that an import fills: replaced records, originals of damaged columns, bytes of attachments, and
/// data of notes.
///
/// The files get their names before the library is committed.
final class SidecarFiles {
  private let library: WritableLibrary
  private let ledger: Ledger
  /// The replaced records.
  let replaced: ReplacedRecords
  /// The originals of damaged columns of the source.
  let originals: OriginalTexts
  /// The bytes of attachments.
  let media: MediaStore
  /// The conflict page.
  private let conflicts: ConflictPage
  /// Data of notes on its way into the sidecar. The data is sorted by id before it is written. Derived ids arrive in no
  /// particular order, so that without sorting nearly every write would go to a different page.
  private let notes = ExternalSorter { line, key in
    if let id = RecordLine.idRange(of: line.span) { key.append(line.span.extracting(id)) }
  }

  init(_ library: WritableLibrary, _ ledger: Ledger, of run: StateStore.Run, _ conflicts: ConflictPage) {
    self.library = library
    self.ledger = ledger
    self.conflicts = conflicts
    replaced = ReplacedRecords(library.sidecar, of: run)
    originals = OriginalTexts(Sidecar.name(of: run, "import-originals.txt")) { [sidecar = library.sidecar] in
      try sidecar.part(.quarantine)
    }
    media = MediaStore(library.sidecar)
  }

  /// Keeps the data of the note that a record comes from: its path, its typed front matter and the origin of its times.
  /// Also keeps another app's data about the record. The app's tables have no columns for this data.
  /// - Parameter id: the record's id in the library.
  func addNote(_ incoming: SourceRecord, of id: String) throws {
    guard let extras = incoming.node.member("extras"), extras.kind == .object,
      let kind = SidecarExtras.kind(of: incoming.kind)
    else { return }
    // A library that is being created has nothing in its sidecar yet, and most records occur once.
    let before = library.isNew ? nil : try ledger.record(kind, id: id)
    let line = SidecarExtras.line(of: extras, incoming.kind, id: id, inSource: incoming.idText, over: before)
    guard let kept = line, kept != before else { return }
    try notes.add(kept.span)
  }

  /// Keeps an attachment's bytes before anything in the sidecar refers to them.
  func addBytes(of incoming: SourceRecord) throws {
    guard let path = incoming.mediaPath(), let hash = incoming.node.member("sha256")?.string else { return }
    try media.store(path, sha256: hash)
  }

  /// Gives the files their names.
  func publish() throws {
    try conflicts.publish()
    try replaced.publish()
    try originals.publish()
    try media.publish()
  }

  /// Passes the data of notes to the ledger.
  /// - Returns: the number of notes.
  fileprivate func stageNotes() throws -> Int {
    var count = 0
    try notes.sort()
    while let line = try notes.next() {
      count += 1
      let kind = RecordLine.kindRange(of: line.span).map { String(decoding: line[$0], as: UTF8.self) }
      try ledger.stage(
        kind.map { RecordKind($0) } ?? SidecarExtras.kind, id: RecordLine.id(of: line.span) ?? "", line: line.span)
    }
    return count
  }

  /// Removes the files.
  func discard() {
    conflicts.discard()
    replaced.discard()
    originals.discard()
    media.discard()
  }
}

/// Keeps replaced records as a bundle in the folder of the library's backups.
final class ReplacedRecords {
  private let sidecar: Sidecar
  private let run: StateStore.Run
  private var file: AtomicFile?
  private var sink: ByteSink?
  /// The number of replaced records.
  private(set) var count = 0
  /// The path of the bundle once it has its name.
  private(set) var path: String?

  init(_ sidecar: Sidecar, of run: StateStore.Run) {
    self.sidecar = sidecar
    self.run = run
  }

  /// Adds the library's version of a record.
  func add(_ line: UnsafeBufferPointer<UInt8>) throws {
    if file == nil {
      let file = try AtomicFile(
        Sidecar.name(of: run, "import-replaced.jsonl"), in: sidecar.part(.backups), overwrites: true)
      sink = ByteSink(descriptor: file.descriptor, name: file.target)
      try sink?.write("{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n")
      self.file = file
    }
    count += 1
    try sink?.write(line.span)
    try sink?.write("\n")
  }

  /// Gives the bundle its name.
  func publish() throws {
    guard let file else { return }
    try sink?.flush()
    try file.publish()
    path = file.target
  }

  /// Discards the bundle.
  func discard() { file?.discard() }
}
