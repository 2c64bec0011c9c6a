import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Brings records into a library that is there already: looks each of them up, decides, stages what changes, and
/// commits everything in one transaction.
///
/// Records are staged until the end of their file, executions until the end of their source, so that the order in which
/// a source lists them does not matter.
final class LibraryImportWriter: ContentWriter {
  let library: WritableLibrary
  let ledger: Ledger
  let context: RunContext
  let lookup: LibraryLookup
  let rows: LibraryRows
  /// Makes public items withdrawable; nil where publication is not restored.
  let publishedRows: PublishedRows?
  /// What was asked for.
  let policy: ImportPolicy
  var onConflict: OnConflict { policy.onConflict }
  private let origin: (String) -> SourceFile
  /// Who is told what becomes of each record.
  var observer: (any ImportObserver)?
  /// Who goes along, inside the run's transactions.
  var companion: (any ImportCompanion)?
  /// What the sides of a conflict are called.
  var words = ConflictWords.ofImport
  /// The hash of what the library says when the record is written that is staged or written now.
  var hashAfter: String?
  /// The record that goes to the rejects now.
  var rejecting: Rejecting?
  let candidates: [RecordKind: Candidate] = [
    .item: Candidate(.item), .charter: Candidate(.charter), .execution: Candidate(.execution),
  ]
  let replaced: ReplacedRecords
  /// The originals of damaged columns of the source.
  let originals: OriginalTexts
  /// The bytes of attachments.
  let media: MediaStore
  var witnesses: [Ledger.Witness] = []
  /// What became of the records, for the store.
  var counts: String?
  /// What the run changes, so that it can be undone; nil where nothing was before.
  let journal: UndoJournalWriter?
  var besidesCount = 0
  /// What belongs to notes, on its way beside the library: written in the order of ids, because ids that are derived
  /// come in no order, and every one of them would go to another page.
  let besides = ExternalSorter<String>() { RecordLine.id(of: $0) ?? "" }
  /// How many rows were written to the library.
  var rowsWritten = 0
  /// How many published items were changed.
  var publishedChanged = 0
  var restoresPublishing: Bool { policy.restoresPublishing }
  var isRetry: Bool { policy.isRetry }
  /// How many records have something of both sides now.
  var merges = 0
  /// What both sides changed, side by side, for people.
  let conflicts: ConflictPage
  /// Records that one side was taken of as a whole.
  var wholes = WholeRecords()
  /// Records that were rejected although they could be read.
  var rejectedKnown = KnownRejects()
  /// How many records came back as published.
  var publishedRestored = 0
  /// How many records live beside the library, because the app has no table for them.
  var keptBeside = 0
  /// Where the user's library lies; a rehearsal may have opened a copy of it.
  lazy var path = library.path
  /// How many items got another state of publication or synchronisation, and nothing else.
  var marked = 0

  var source: CurrentSource?
  /// Looks up ahead what records of batches to come the library has; nil in a library that is being made.
  private let ahead: LibraryScout?
  var scout: (any BatchScout)? { ahead }
  /// Whether what was looked up ahead is what the library has: nothing was written yet.
  private var isAhead = true
  /// The deck that was found last; kept here because it is no row.
  var deck = ByteBuffer(capacity: 64)
  private var file: (name: String, id: Int64, isKnown: Bool)?
  /// Files of the current source that were read in this run.
  private(set) var filesRead = Set<Int64>()
  private(set) var pathsRead = Set<String>()
  var isFirstSource = true
  /// Whether people edit the current source by hand.
  private(set) var isByHand = false
  var changes: [RecordKind: StagedRecords] = [:]
  private var executions: StagedRecords
  var unmatched: StagedRecords
  let staging: String?

  /// What is taken from the library before a record is compared with it.
  let overlay = RecordOverlay()
  /// What changed among the steps of records that the library had.
  var stepChanges = StepChangeLog()
  /// Ticks of charters on steps that go.
  let lostTicks: LostTicks
  /// Files that say what the library has from elsewhere.
  var twins = TwinRecords()
  /// The members that sources can say, of those that do not say all; few sources differ in that.
  var saids: [SaidSource] = []

  var tape = JSONTape(capacity: 1024)
  var existingTape = JSONTape(capacity: 1024)
  var overlayTape = JSONTape(capacity: 1024)
  var composedTape = JSONTape(capacity: 1024)
  let merging = MergeMemory()
  var line = ByteBuffer(capacity: 1 << 14)

  /// Begins.
  /// - Parameter origin: which source a file belongs to.
  init(
    _ library: WritableLibrary, ledger: Ledger, run: StateStore.Run, policy: ImportPolicy, conflicts: ConflictPage,
    context: RunContext, journal: UndoJournalWriter?, origin: @escaping (String) -> SourceFile
  ) throws {
    self.journal = journal
    self.library = library
    self.ledger = ledger
    self.policy = policy
    self.conflicts = conflicts
    for candidate in candidates.values { candidate.mayRestorePublishing = policy.restoresPublishing }
    self.context = context
    self.origin = origin
    staging = try library.sidecar.part(.staging).path
    executions = StagedRecords(in: staging)
    unmatched = StagedRecords(in: staging)
    replaced = ReplacedRecords(library.sidecar, of: run)
    originals = OriginalTexts(Sidecar.name(of: run, "import-originals.txt")) { [sidecar = library.sidecar] in
      try sidecar.part(.quarantine)
    }
    lostTicks = LostTicks(library.connection)
    media = MediaStore(library.sidecar)
    ahead = library.isNew ? nil : LibraryScout(library)
    do {
      lookup = try LibraryLookup(library)
      rows = try LibraryRows(
        connection: library.connection, tables: library.schema.tables, version: library.schema.version ?? "",
        context: context)
      publishedRows =
        policy.restoresPublishing
        ? try PublishedRows(library.connection, library.schema.tables, now: context.now) : nil
    } catch {
      throw WritableLibrary.failure(error, library.path)
    }
  }

  // MARK: Reading along

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    try guarding {
      let file = try begin(batch.locator.file, &tally, rejects)
      isByHand = isByHand || batch.locator.isWrittenByHand
      let said = batch.locator.saidMembers.map(number)
      // What a registry has stands in no line of a file.
      let isRegistry = source?.isRegistry ?? false
      for index in batch.slots.indices {
        let slot = batch.slots[index]
        if slot.kind == BesideExtras.kind {
          tally[slot.kind].skipped[.internalRecord, default: 0] += 1
          continue
        }
        let record = Record(batch: batch, index: index)
        let node: JSONNode
        if slot.root >= 0 {
          node = JSONNode(text: batch.base(slot), tokens: batch.tape.tokens, index: slot.root)
        } else {
          node = try parse(batch.line(slot), &tape)
        }
        var incoming = Incoming(
          kind: slot.kind, node: node, line: batch.line(slot), original: record.sourceBytes, file: file
        ) { isRegistry ? Place(file: record.place().file) : record.place() }
        incoming.found = found(slot, in: batch)
        if slot.kind == .attachment { incoming.media = batch.locator.mediaPath(of: record) }
        if slot.kind == .item {
          addRows(to: &incoming, record, said)
          incoming.lastWritten = { batch.locator.lastWritten(of: record) }
        }
        try observer?.reads(record)
        try take(incoming, &tally, rejects)
      }
    }
  }

  /// Takes note of the file that is read now; the source before is finished when it is another's.
  private func begin(_ name: String, _ tally: inout Tally, _ rejects: RejectsWriter) throws -> Int64 {
    if let file, file.name == name { return file.id }
    // What this file says is held against what the one before said.
    try apply(.charter, &tally, rejects)
    try apply(.item, &tally, rejects)
    let origin = origin(name)
    if source?.name != origin.source {
      try finishSource(&tally, rejects)
      let (id, isKnown) = try ledger.source(origin.source)
      // What a registry has is no file that could have another name.
      let lost =
        origin.isRegistry
        ? [] : try ledger.files(of: id).filter { access(origin.folder + "/" + $0.path, F_OK) != 0 }.map(\.id)
      source = CurrentSource(
        name: origin.source, folder: origin.folder, id: id, isKnown: isKnown, lostFiles: Set(lost),
        goneFolders: origin.isRegistry || isRetry || library.isNew ? [] : try ledger.goneFolders(except: origin.source),
        kind: origin.kind)
    }
    let (id, isKnown) = try ledger.file(origin.path, of: source?.id ?? 0)
    filesRead.insert(id)
    pathsRead.insert(origin.path)
    file = (name, id, isKnown)
    // A record of a source that has lost files may be one of those; known at the source's end.
    twins.begin(
      name,
      isNew: !isKnown && !library.isNew && !isRetry && !(source?.hasLostFiles ?? false) && !origin.isRegistry)
    return id
  }

  /// What the library has under a record's id, where that is known already.
  private func found(_ slot: RecordSlot, in batch: RecordBatch) -> Incoming.Found? {
    guard isAhead, slot.found >= 0, let found = batch.found as? LibraryScout.Found else { return nil }
    return found.line(slot.found, own: batch.line(slot)).map { .line($0) } ?? .nothing
  }

  /// Ends looking ahead: the library is about to change, or the run is over. Must be called before it is written to.
  func endLookingAhead() {
    guard isAhead else { return }
    isAhead = false
    ahead?.stop()
  }

  private func take(_ incoming: Incoming, _ tally: inout Tally, _ rejects: RejectsWriter) throws {
    switch incoming.kind {
    case .syncOperation:
      tally[.syncOperation].skipped[.queueOperation, default: 0] += 1
    case .execution:
      // Decided when all charters and checklists of the source are in.
      try executions.add(
        .execution, place: incoming.place().description, file: incoming.file, before: nil,
        original: incoming.original,
        line: incoming.line)
    case .item, .charter:
      let existing = try find(incoming)
      try twins.note(incoming, isKnown: existing != nil, in: self)
      if existing == nil, !(source?.isRegistry ?? false),
        source?.hasLostFiles ?? false || file?.isKnown ?? false || mayHaveMoved(incoming)
      {
        // It may be a record that has got another id: known when all of the source was seen.
        return try wait(incoming)
      }
      try settle(incoming, existing, &tally, rejects)
    default: try takeBeside(incoming, &tally, rejects)
    }
  }

  /// Whether a note may have been in a folder that is not there any more.
  private func mayHaveMoved(_ incoming: Incoming) -> Bool {
    guard let source, !source.goneFolders.isEmpty, incoming.kind == .item else { return false }
    return NotePath(incoming.node) != nil
  }

  /// Decisions that had to wait for the end of a source, then its changes.
  func finishSource(_ tally: inout Tally, _ rejects: RejectsWriter) throws {
    guard let source else { return }
    try library.finishCheck()
    var lastFile: Int64?
    try RenamedRecords(self, source).settle { incoming, existing in
      if incoming.file != lastFile {
        try apply(.charter, &tally, rejects)
        try apply(.item, &tally, rejects)
      }
      lastFile = incoming.file
      // Another file may have brought a record of this id meanwhile.
      try settle(incoming, try existing ?? find(incoming), &tally, rejects)
    }
    try apply(.charter, &tally, rejects)
    try apply(.item, &tally, rejects)
    let waiting = executions
    executions = StagedRecords(in: staging)
    try waiting.drain { entry in
      var own = JSONTape(capacity: 256)
      let node = try parse(entry.line, &own)
      try entry.original.withUnsafeBufferPointer { original in
        let incoming = Incoming(kind: .execution, node: node, line: entry.line, original: original, file: entry.file) {
          Place(file: entry.place)
        }
        try settle(incoming, try find(incoming), &tally, rejects)
      }
    }
    try apply(.execution, &tally, rejects)
    try reportTwins(source.folder)
    if source.isKnown { try reportGone(source.id, source.folder, tally) }
    self.source = nil
    isByHand = false
    isFirstSource = false
    file = nil
    filesRead.removeAll()
    pathsRead.removeAll()
  }

  func parse(_ line: UnsafeBufferPointer<UInt8>, _ tape: inout JSONTape) throws -> JSONNode {
    tape.removeAll()
    do throws(JSONError) {
      let parse = try tape.parse(line)
      guard let start = line.baseAddress else { throw JSONError(.empty, at: 0) }
      return JSONNode(text: start, tokens: tape.tokens, index: parse.root)
    } catch {
      throw RunFailure(.internalError, "a record is not JSON: \(error.message)", advice: "Please report this.")
    }
  }

  func guarding(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError {
      throw WritableLibrary.failure(error, library.path)
    }
  }
}
