import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Brings records into a library that is there already: takes each of them through the stages Lookup, Overlay, Decision,
/// Merge and Stage, and commits everything in one transaction.
///
/// Records are staged until the end of their file, executions until the end of their source, so that the order in which
/// a source lists them does not matter; of a file that brings hardly anything but new records, these are written at once.
/// The stages do not know each other; this type hands the output of one to the next.
final class LibraryImportWriter: ContentWriter {
  private let ledger: Ledger
  private let policy: ImportPolicy
  private let context: RunContext
  private let companion: (any ImportCompanion)?
  private let aligned = AlignedIDs()
  private let sources: SourceTracker
  private let lookup: RecordLookup
  private let bases: RememberedBases
  private let settler: RecordSettler
  private let staging: StagingArea
  private let outputs: ImportOutputs
  /// Files that contain what the library has from elsewhere.
  private var twins = TwinRecords()

  /// What the last stages of an import write: decisions, findings, rows and files.
  struct ImportOutputs {
    let decisions: DecisionStream
    let findings: ImportFindings
    let commit: CommitStage
    let files: SidecarFiles
  }

  /// What an import is made of.
  struct Parts {
    let library: WritableLibrary
    /// The library as the user named it; a rehearsal may have opened a copy of it.
    let path: String
    let ledger: Ledger
    let run: StateStore.Run
    let policy: ImportPolicy
    let context: RunContext
    /// What the run changes, so that it can be undone; nil where nothing was before.
    let journal: UndoJournalWriter?
    /// Where both sides of conflicts go.
    let conflicts: ConflictPage
    /// What the sides of a conflict are called.
    let words: ConflictWords
    /// Who receives what becomes of each record.
    let observer: (any ImportObserver)?
    /// Who goes along, inside the run's transactions.
    let companion: (any ImportCompanion)?
  }

  /// Begins.
  /// - Parameter origin: which source a file belongs to.
  init(_ parts: Parts, origin: @escaping (String) -> SourceFile) throws {
    let (library, ledger, policy, context) = (parts.library, parts.ledger, parts.policy, parts.context)
    self.ledger = ledger
    self.policy = policy
    self.context = context
    companion = parts.companion
    sources = SourceTracker(ledger, looksForFolders: !policy.isRetry && !library.isNew, origin: origin)
    staging = StagingArea(in: try library.sidecar.part(.staging).path)
    bases = RememberedBases(ledger, policy, companion, isNew: library.isNew)
    let findings = ImportFindings(context.findings, library)
    settler = RecordSettler(policy, parts.words, aligned, bases, findings, now: context.now) { last in
      // What another library contained is not an older version of what this one has.
      last.library.map { LibraryID.isOf(parts.path, own: ledger.store.libraryID, $0) } ?? false
    }
    do {
      lookup = try RecordLookup(library, ledger, aligned)
      outputs = ImportOutputs(
        decisions: DecisionStream(context, parts.observer, parts.conflicts), findings: findings,
        commit: try CommitStage(
          library, ledger, lookup, parts.journal, restoresPublishing: policy.restoresPublishing, context),
        files: SidecarFiles(library, ledger, of: parts.run, parts.conflicts))
    } catch {
      throw WritableLibrary.failure(error, library.path)
    }
  }

  private var library: WritableLibrary { outputs.commit.library }
  private var decisions: DecisionStream { outputs.decisions }
  var scout: (any BatchScout)? { lookup.scout }

  // MARK: Reading along

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    try guarding {
      try decisions.counting(into: &tally, rejects) { try write(batch) }
    }
  }

  private func write(_ batch: RecordBatch) throws {
    let file = try begin(batch.locator.file)
    if batch.traits.isWrittenByHand { sources.isByHand = true }
    let said = batch.traits.expressible.map { sources.saids.source(of: $0) }
    // What a registry has is in no line of a file.
    let isRegistry = sources.current?.isRegistry ?? false
    let scratch = ScratchLine(capacity: 0, tokens: 1024)
    defer { withExtendedLifetime(scratch) {} }
    for index in batch.slots.indices {
      let slot = batch.slots[index]
      if slot.kind.name.utf8.starts(with: BesideExtras.prefix.utf8) {
        decisions.skipped(slot.kind, .internalRecord)
        continue
      }
      let record = Record(batch: batch, index: index)
      let line = batch.line(slot)
      var incoming = Incoming(
        kind: slot.kind, node: try batch.node(slot) ?? scratch.parse(line), line: line, original: record.sourceBytes,
        file: file, origin: .batch(record, isRegistry: isRegistry))
      incoming.hash = batch.hash(slot)
      incoming.rows = Int(slot.rows)
      if slot.kind == .item {
        incoming.said = said
        if slot.isPartial {
          incoming.extent = policy.isRetry ? .some(record.stepAnchors) : .mostly
        }
      }
      try decisions.observer?.reads(record)
      try take(incoming, ahead: lookup.found(slot, in: batch))
    }
  }

  /// Begins a file unless it is the one that is read now; the source before is finished when it is another's.
  /// - Returns: the file's number in the ledger.
  private func begin(_ name: String) throws -> Int64 {
    if let file = sources.file, file.name == name { return file.id }
    // What this file contains is compared with what the one before contained.
    try writeChanges()
    lookup.endFile()
    let (origin, isOther) = sources.look(at: name)
    if isOther {
      try finishSource()
      try sources.begin(origin)
    }
    let (id, isKnown) = try sources.open(name, origin)
    // A record of a source that has lost files may be one of those; known at the source's end.
    let hasLostFiles = sources.current?.hasLostFiles ?? false
    twins.begin(
      name, isNew: !isKnown && !library.isNew && !policy.isRetry && !hasLostFiles && !origin.isRegistry)
    return id
  }

  private func take(_ incoming: Incoming, ahead: RecordLookup.Found?) throws {
    switch incoming.kind {
    case .syncOperation: decisions.skipped(.syncOperation, .queueOperation)
    case .execution: try staging.add(execution: incoming)
    case .item, .charter:
      let existing = try find(incoming, ahead: ahead)
      try twins.note(incoming, isKnown: existing != nil, in: lookup)
      // It may be a record that has got another id: known when all of the source was seen.
      if existing == nil, mayBeRenamed(incoming) { return try staging.add(unmatched: incoming) }
      try settle(incoming, existing)
    default: try takeBeside(incoming)
    }
  }

  private func find(_ incoming: Incoming, ahead: RecordLookup.Found? = nil) throws -> UnsafeBufferPointer<UInt8>? {
    try lookup.find(incoming, in: sources.current, ahead: ahead, isFirstFile: sources.isFirstFile)
  }

  private func mayBeRenamed(_ incoming: Incoming) -> Bool {
    guard let source = sources.current, !source.isRegistry else { return false }
    if source.hasLostFiles || sources.file?.isKnown ?? false { return true }
    // A note may have been in a folder that is not there any more.
    return !source.goneFolders.isEmpty && incoming.kind == .item && NotePath(incoming.node) != nil
  }

  /// Decisions that had to wait for the end of a source, then its changes.
  private func finishSource() throws {
    guard let source = sources.current else { return }
    try library.finishCheck()
    var lastFile: Int64?
    let renamed = RenamedRecords(source, of: sources, lookup, ledger, policy, decisions, to: context.findings)
    try renamed.settle(staging.takeUnmatched()) { incoming, existing in
      if incoming.file != lastFile { try writeChanges() }
      lastFile = incoming.file
      // Another file may have brought a record of this id meanwhile.
      try settle(incoming, try existing ?? find(incoming))
    }
    try writeChanges()
    try staging.drainExecutions { try settle($0, try find($0)) }
    try writeChanges(.execution)
    try twins.end(source, lookup, ledger, to: context.findings)
    if source.isKnown, !policy.isRetry {
      try GoneRecords(source, of: sources, lookup, ledger, decisions).report(to: context.findings)
    }
    sources.end()
  }

  // MARK: One record

  /// Decides about one record and stages what follows.
  private func settle(_ incoming: Incoming, _ existing: UnsafeBufferPointer<UInt8>?) throws {
    guard let candidate = settler.candidate(incoming.kind), let source = sources.current else { return }
    // Where it was looked up ahead and found to be the same, it is the source's line itself.
    if let existing, RawBytes.equal(existing, incoming.line) {
      // The library would give out the very same line: nothing to compare, member by member.
      return try settleSame(incoming, existing, source)
    }
    let before = existing.map { Digest.sha256($0) }
    let memory = before == nil ? nil : try bases.memory(of: incoming, source)
    let other = try existing.map { try settler.parse(existing: $0) }
    if let said = incoming.said, let memory, let other, memory.library == before,
      memory.said == said.hash(incoming.line, incoming.extent)
    {
      return try settleAsBefore(incoming, memory, over: other, source)
    }
    let target = other?.member("id")?.string
    let otherID = target == incoming.idText ? nil : target
    if let otherID {
      aligned.align(incoming.idText, with: otherID)
      if context.reading.collectsIDs { context.noteIDs.rename(incoming.idText, to: otherID) }
    }
    let over: (record: JSONNode, hash: [UInt8])? = other.flatMap { record in before.map { (record, $0) } }
    let settlement = try settler.settle(
      incoming, candidate, over: over, memory, in: source, isByHand: sources.isByHand)
    let remembered = try ledger.remember(
      source.id, file: incoming.file, incoming.kind, id: incoming.id, target: otherID, hash: settlement.hash,
      said: settlement.said,
      base: try bases.keep(settlement.base, of: incoming, target: target, hash: settlement.hash))
    guard let remembered else { return try settleRepeated(incoming, hash: settlement.hash, source) }
    switch settlement.decision {
    case .unchanged:
      if let existing, let before, settlement.base == nil, !settlement.isFromMerge, incoming.extent == .whole {
        try bases.keepSame(existing, hash: before, incoming, target: target, remembered, in: source)
      }
      try outputs.files.addNote(incoming, of: target ?? incoming.idText)
      decisions.unchanged(incoming, id: otherID)
    case .keep(let reason): try decisions.kept(incoming, id: target, before: existing, reason)
    case .conflict(let reason):
      if policy.onConflict == .fail {
        throw RunFailure(
          .refused, "\(incoming.place()): \(reason.text), and --on-conflict fail forbids it; nothing was imported")
      }
      try decisions.conflict(
        incoming, settlement.hasBase ? .mergeConflict : .importConflict, reason, before: existing.map { Array($0) },
        parts: settlement.conflicts, other)
    case .withoutBody:
      let message = "the item has no body (content_data is null), and the library has none for it"
      try decisions.reject(incoming, .itemWithoutBody, message, isKnown: true)
    case .published:
      let message = "the library's version is published and not replaced: unpublish it first"
      try decisions.reject(incoming, .publishedNotReplaced, message, isKnown: true)
    case .create, .update, .addTicks:
      if let existing { try outputs.files.replaced.add(existing) }
      decisions.noteChange(isMerged: settlement.isMerged, isPublished: candidate.isPublished)
      try noteLosses(candidate, incoming, isNew: existing == nil)
      try outputs.files.addNote(incoming, of: target ?? incoming.idText)
      let delta = try other.map { try noteSteps(incoming, from: $0) } ?? RowDelta(new: incoming.rows)
      // What the row has that the record does not is known when it is written.
      let isKnown = decisions.observer != nil && incoming.kind == .item && !candidate.lacksTimes
      try stage(
        incoming, target: target ?? incoming.idText, before: before.map(Digest.hex),
        after: isKnown ? settlement.hash.map(Digest.hex) : nil, delta)
    }
  }

  /// The library has the very line.
  private func settleSame(
    _ incoming: Incoming, _ existing: UnsafeBufferPointer<UInt8>, _ source: CurrentSource
  ) throws {
    let hash = incoming.hash ?? Digest.sha256(existing)
    let remembered = try ledger.remember(
      source.id, file: incoming.file, incoming.kind, id: incoming.id, target: nil, hash: hash)
    guard let remembered else { return try settleRepeated(incoming, hash: hash, source) }
    try bases.keepSame(existing, hash: hash, incoming, target: nil, remembered, in: source)
    decisions.unchanged(incoming, id: aligned[incoming.idText])
  }

  /// Both sides have what they had after the last import.
  private func settleAsBefore(
    _ incoming: Incoming, _ memory: Ledger.Memory, over library: JSONNode, _ source: CurrentSource
  ) throws {
    let target = try ledger.target(source.id, incoming.kind, id: incoming.id)
    if let target { aligned.align(incoming.idText, with: target) }
    // What was deleted still waits, and is still reported.
    if incoming.extent == .mostly { _ = try settler.overlaid(incoming, over: library) }
    try ledger.remember(
      source.id, file: incoming.file, incoming.kind, id: incoming.id, target: target, hash: memory.library,
      said: memory.said)
    decisions.unchanged(incoming, id: aligned[incoming.idText])
  }

  /// Decides about a record that this run has met in the same file before: the same again changes nothing, and another
  /// one of the same id is a duplicate, also where it is what the library has until the first one is written.
  private func settleRepeated(_ incoming: Incoming, hash: [UInt8]?, _ source: CurrentSource) throws {
    if let hash, try hash == ledger.hash(source.id, file: incoming.file, incoming.kind, id: incoming.id) {
      return decisions.unchanged(incoming, id: aligned[incoming.idText])
    }
    let message =
      sources.isByHand
      ? "another note has the same id; the first one by path is taken, so give one of them another id, or none"
      : "another \(incoming.kind.name) of this file has the same id; the first one is taken"
    try decisions.reject(incoming, .duplicateRecord, message)
  }

  /// Takes note of what changes among the steps of the record that was composed, and what becomes of its rows.
  private func noteSteps(_ incoming: Incoming, from library: JSONNode) throws -> RowDelta {
    guard incoming.kind == .item else { return RowDelta(incoming.rows, StepChanges(), isSteps: false) }
    let changes = try outputs.findings.noteSteps(incoming, from: library, to: try settler.composer.record())
    let steps = StepTree(document: incoming.node.member("content_data"))?.steps.count ?? 0
    return RowDelta(
      incoming.rows, changes,
      isSteps: !(incoming.said?.members.step.isEmpty ?? true) && (incoming.rows > 1 || steps <= 1))
  }

  private func noteLosses(_ candidate: Candidate, _ incoming: Incoming, isNew: Bool) throws {
    let restores = policy.restoresPublishing
    if candidate.restoresPublishing {
      if candidate.isPublishedElsewhere { decisions.noteRestored() }
    } else if isNew || restores, candidate.isPublishedElsewhere {
      outputs.findings.reportPublication(incoming, restores: restores, isNew: isNew)
    }
    let extras = incoming.node.member("extras")
    guard let extras, extras.kind == .object else { return }
    if !context.dryRun { try outputs.files.originals.add(incoming.node) }
    extras.forEachMember { name, _ in
      // Why a record was put aside is not part of it.
      if name.equals("quarantine") || BesideExtras.holds(name) && BesideExtras.kind(of: incoming.kind) != nil { return }
      context.losses.record(
        incoming.kind, id: incoming.idText, field: "/extras/\(name.string ?? "")",
        reason: .noColumn)
    }
  }

  // MARK: Writing

  /// Stages what was composed.
  private func stage(
    _ incoming: Incoming, target: String, before: String?, after: String?, _ delta: RowDelta
  ) throws {
    let line = settler.composer.line
    if incoming.isDeck {
      try keepBeside(incoming, id: target, line)
      return try decisions.changed(incoming, isNew: before == nil, delta) {}
    }
    if try writesAtOnce(incoming, isNew: before == nil) {
      let node = settler.composer.isSource ? incoming.node : try settler.composer.record()
      return try write(node, incoming, over: before, after: after, delta)
    }
    try staging.add(change: line, of: incoming, before: before, after: after, rows: delta)
  }

  /// Whether a record is written before the rest of its file is read.
  ///
  /// Not where a plan lists changes in the order of staging. And not where the source was imported before: what it
  /// brought then may be the library's under the id of a record that is new now, and later records look for it.
  private func writesAtOnce(_ incoming: Incoming, isNew: Bool) throws -> Bool {
    if incoming.kind == .execution { return false }
    if library.isNew { return true }
    guard decisions.observer == nil, let source = sources.current, !source.isKnown else { return false }
    return try lookup.isBulk(incoming, isNew: isNew) && isNew
  }

  /// Writes the charters and items that are staged.
  private func writeChanges() throws {
    try writeChanges(.charter)
    try writeChanges(.item)
  }

  private func writeChanges(_ kind: RecordKind) throws {
    try staging.drain(changes: kind) { incoming, entry in
      try write(incoming.node, incoming, over: entry.before, after: entry.after, entry.rows)
    }
  }

  /// Writes a row and tells what became of it.
  /// - Parameters:
  ///   - before: the hash of the record that it goes over; nil for a new one.
  ///   - after: the hash of what the library will give out, where it is known.
  private func write(
    _ node: JSONNode, _ incoming: Incoming, over before: String?, after: String?, _ delta: RowDelta
  ) throws {
    let isObserved = decisions.observer != nil
    let id = isObserved ? node.member("id")?.string ?? "" : ""
    let old = isObserved && before != nil ? try lookup.record(incoming.kind, id: id).map { Array($0) } : nil
    let outcome = try outputs.commit.write(node, incoming, over: before)
    switch outcome {
    case .skipped, .rejected:
      // What the library did not take is not a base for the next import.
      guard let source = sources.current else { break }
      try ledger.takeBack(source.id, file: incoming.file, incoming.kind, target: incoming.idText)
    case .created, .updated, .waiting: break
    }
    switch outcome {
    case .created, .updated:
      let isNew = if case .created = outcome { true } else { false }
      try decisions.changed(incoming, isNew: isNew, delta) { try note(incoming, id, from: old, after: after) }
    case .skipped(let reason): try decisions.kept(incoming, id: id, reason)
    case .waiting: decisions.skipped(incoming.kind, .unwritten)
    case .rejected(let code, let message): try decisions.reject(incoming, code, message)
    }
  }

  /// Tells of a row that was written: what the library had before, and what it has now.
  private func note(_ incoming: Incoming, _ id: String, from before: [UInt8]?, after: String?) throws {
    var decision = ImportDecision(before == nil ? .create : .update, incoming, id: id)
    if before == nil, let after {
      decision.hashAfter = after
      return try decisions.note(decision)
    }
    // Not what was composed, but what the library gives out: that is what the next import compares with.
    decision.after = try lookup.record(incoming.kind, id: id)
    try send(decision, before: before)
  }

  private func send(_ decision: ImportDecision, before: [UInt8]?) throws {
    var decision = decision
    decision.hashAfter = decision.after.map { Digest.hex(Digest.sha256($0)) }
    guard let before else { return try decisions.note(decision) }
    try before.withUnsafeBufferPointer {
      decision.before = $0
      try decisions.note(decision)
    }
  }

  // MARK: Beside the library

  /// Keeps a record beside the library.
  private func keepBeside(_ incoming: Incoming, id: String, _ line: UnsafeBufferPointer<UInt8>) throws {
    if decisions.observer != nil {
      var decision = ImportDecision(.beside, incoming, id: id)
      decision.after = line
      try send(decision, before: try ledger.record(incoming.kind, id: id))
    }
    try outputs.commit.keepBeside(incoming.kind, id: id, line)
  }

  private func takeBeside(_ incoming: Incoming) throws {
    let kind = incoming.kind
    guard !incoming.idText.isEmpty, kind.name != "member" else {
      let reason = SkipReason.noID(kind)
      context.losses.record(kind, id: incoming.idText, field: "", reason: .skipped(reason))
      return decisions.skipped(kind, reason)
    }
    let old = try ledger.record(kind, id: incoming.idText)
    if let old, old.elementsEqual(incoming.line) {
      // The record may have come without its bytes before.
      if !context.dryRun { try outputs.files.addBytes(of: incoming) }
      return decisions.unchanged(incoming, id: aligned[incoming.idText])
    }
    let conflict = MergeConflict(
      pointer: "", label: "the record", base: nil, ours: old.map { String(decoding: $0, as: UTF8.self) },
      theirs: String(decoding: incoming.line, as: UTF8.self))
    switch old == nil ? .theirs : try whoWins(incoming, conflict) {
    case .theirs:
      if let old { try old.withUnsafeBufferPointer { try outputs.files.replaced.add($0) } }
      if !context.dryRun { try outputs.files.addBytes(of: incoming) }
      try keepBeside(incoming, id: incoming.idText, incoming.line)
      try decisions.changed(incoming, isNew: old == nil, RowDelta()) {}
    case .ours: try decisions.kept(incoming, policy.onConflict == .keep ? .libraryKept : .libraryWon)
    case .undecided:
      try decisions.conflict(incoming, .importConflict, .differs, before: old, parts: [conflict], nil)
    }
  }

  /// Which version of a record beside the library stays.
  private func whoWins(_ incoming: Incoming, _ conflict: MergeConflict) throws -> MergeConflict.Choice {
    switch policy.onConflict {
    case .replace, .newest: return .theirs
    case .keep: return .ours
    case .fail:
      throw RunFailure(
        .refused,
        "\(incoming.place()): the library has another version, and --on-conflict fail forbids it; "
          + "nothing was imported")
    // What a vault has of a file follows from the file and the notes that use it: there is nothing to merge.
    case .merge where sources.isByHand && incoming.kind == .attachment: return .theirs
    case .merge: return try policy.settling.choose(conflict) { MergedRecord(incoming, nil) }
    }
  }

  // MARK: The end

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    try guarding {
      try decisions.counting(into: &tally, rejects) {
        try finishSource()
        try outputs.commit.completePublished()
        try companion?.finish(ImportWork(outputs.commit, lookup, ledger))
        outputs.findings.finish()
        // A version that is not all there is not the one that the library has: the one before may still come.
        if decisions.tally.total.rejected > 0 { try ledger.forgetPacks() }
        try outputs.commit.prepare(decisions.tally)
        try decisions.observer?.finish(decisions.tally)
      }
    }
  }

  func finish() throws -> Int { try outputs.commit.commit(outputs.files) }

  func abort() {
    outputs.commit.abort()
    outputs.files.discard()
  }

  /// Takes note of a record that goes to the rejects.
  func noteRejected(_ record: RejectedRecord) throws { try decisions.noteRejected(record) }

  /// What the import did, when it is done.
  func outcome(of run: StateStore.Run, _ summary: RunSummary) -> ImportRun.Outcome {
    ImportRun.Outcome(
      run: run.id, summary: summary, isNew: library.isNew, merged: decisions.merged,
      conflicts: decisions.conflicts.path,
      replaced: outputs.files.replaced.path, originals: outputs.files.originals.path,
      keptBeside: outputs.commit.keptBeside, publishedChanged: decisions.publishedChanged,
      publishedRestored: decisions.publishedRestored, stepChanges: outputs.findings.stepChanges,
      files: decisions.files)
  }

  private func guarding(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError {
      throw WritableLibrary.failure(error, library.path)
    }
  }
}
