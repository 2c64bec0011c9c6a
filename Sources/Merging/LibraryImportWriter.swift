import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Imports records into an existing library. Takes each record through the stages Lookup, Overlay, Decision, Merge and
/// Stage, and commits everything in one transaction.
///
/// Records are staged until the end of their file, and executions until the end of their source, so that their order in
/// the source does not matter. If nearly all records of a file are new, they are written immediately. The stages are
/// independent of each other; this type passes the output of one stage to the next.
final class LibraryImportWriter: ContentWriter {
  private let ledger: Ledger
  private let policy: ImportPolicy
  private let context: RunContext
  private let companion: (any ImportParticipant)?
  private let aligned = AlignedIDs()
  private let sources: SourceTracker
  private let lookup: RecordLookup
  private let bases: RememberedBases
  private let resolver: RecordResolver
  private let staging: StagingArea
  private let outputs: ImportOutputs
  /// Detects files whose content the library already has from another source.
  private var twins = CopiedFileDetector()

  /// The outputs of the last stages of an import: decisions, findings, rows and files.
  private struct ImportOutputs {
    let decisions: DecisionStream
    let findings: ImportFindings
    let commit: CommitStage
    let files: SidecarFiles
  }

  /// The values that an import is made from.
  struct Parts {
    let library: WritableLibrary
    /// The path of the library, as the user gave it. A rehearsal may have opened a copy of the library.
    let path: String
    let ledger: Ledger
    let run: StateStore.Run
    let policy: ImportPolicy
    let context: RunContext
    /// The journal of changes for an undo; nil if there was no library before.
    let journal: UndoJournalWriter?
    /// Receives both sides of conflicts.
    let conflicts: ConflictPage
    /// The words for the sides of a conflict.
    let words: ConflictLabels
    /// Receives the decision for each record.
    let observer: (any ImportObserver)?
    /// The participant inside the run's transactions.
    let companion: (any ImportParticipant)?
  }

  /// Begins the import.
  /// - Parameter origin: returns the source that a file belongs to.
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
    resolver = RecordResolver(policy, parts.words, aligned, bases, findings, now: context.now) { last in
      // The content of another library is not an older version of this library's content.
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
  var scout: (any BatchPrefetcher)? { lookup.scout }

  // MARK: Reading ahead

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    try guarding {
      try decisions.counting(into: &tally, rejects) { try write(batch) }
    }
  }

  private func write(_ batch: RecordBatch) throws {
    let file = try begin(batch.locator.file)
    if batch.traits.isWrittenByHand { sources.isByHand = true }
    let coverage = batch.traits.expressible.map { sources.coverages.source(of: $0) }
    // The records of a registry are not lines of a file.
    let isRegistry = sources.current?.isRegistry ?? false
    let scratch = ScratchLine(capacity: 0, tokens: 1024)
    defer { withExtendedLifetime(scratch) {} }
    for index in batch.slots.indices {
      let slot = batch.slots[index]
      if slot.kind.name.utf8.starts(with: SidecarExtras.prefix.utf8) {
        decisions.skipped(slot.kind, .internalRecord)
        continue
      }
      let record = Record(batch: batch, index: index)
      let line = batch.line(slot)
      var incoming = SourceRecord(
        kind: slot.kind, node: try batch.node(slot) ?? scratch.parse(line), line: line, original: record.sourceBytes,
        file: file, origin: .batch(record, isRegistry: isRegistry))
      incoming.hash = batch.hash(slot)
      incoming.rows = Int(slot.rows)
      if slot.kind == .item {
        incoming.coverage = coverage
        if slot.isPartial {
          incoming.extent = policy.isRetry ? .some(record.stepAnchors) : .mostly
        }
      }
      try decisions.observer?.reads(record)
      try process(incoming, ahead: lookup.found(slot, in: batch))
    }
  }

  /// Begins a file unless it is the current one. Finishes the previous source if the file belongs to another one.
  /// - Returns: the file's number in the ledger.
  private func begin(_ name: String) throws -> Int64 {
    if let file = sources.file, file.name == name { return file.id }
    // The content of this file is compared with the content of the previous file.
    try writeChanges()
    lookup.endFile()
    let (origin, isOther) = sources.source(ofFile: name)
    if isOther {
      try finishSource()
      try sources.begin(origin)
    }
    let (id, isKnown) = try sources.open(name, origin)
    // If the source has lost files, this record may be from one of them. This is known at the end of the source.
    let hasLostFiles = sources.current?.hasLostFiles ?? false
    twins.begin(
      name, isNew: !isKnown && !library.isNew && !policy.isRetry && !hasLostFiles && !origin.isRegistry)
    return id
  }

  private func process(_ incoming: SourceRecord, ahead: RecordLookup.Found?) throws {
    switch incoming.kind {
    case .syncOperation: decisions.skipped(.syncOperation, .queueOperation)
    case .execution: try staging.add(execution: incoming)
    case .item, .charter:
      let existing = try find(incoming, ahead: ahead)
      try twins.examine(incoming, isKnown: existing != nil, in: lookup)
      // The record may be an existing one with a new id. This is known when the whole source has been read.
      if existing == nil, mayBeRenamed(incoming) { return try staging.add(unmatched: incoming) }
      try resolve(incoming, existing)
    default: try resolveSidecarRecord(incoming)
    }
  }

  private func find(_ incoming: SourceRecord, ahead: RecordLookup.Found? = nil) throws -> UnsafeBufferPointer<UInt8>? {
    try lookup.find(incoming, in: sources.current, ahead: ahead, isFirstFile: sources.isFirstFile)
  }

  private func mayBeRenamed(_ incoming: SourceRecord) -> Bool {
    guard let source = sources.current, !source.isRegistry else { return false }
    if source.hasLostFiles || sources.file?.isKnown ?? false { return true }
    // The note may have been in a folder that no longer exists.
    return !source.goneFolders.isEmpty && incoming.kind == .item && NotePath(incoming.node) != nil
  }

  /// Makes the decisions that had to wait for the end of a source, and then writes the source's changes.
  private func finishSource() throws {
    guard let source = sources.current else { return }
    try library.finishCheck()
    var lastFile: Int64?
    let renamed = RenamedRecords(source, of: sources, lookup, ledger, policy, decisions, to: context.findings)
    try renamed.match(staging.removeUnmatched()) { incoming, existing in
      if incoming.file != lastFile { try writeChanges() }
      lastFile = incoming.file
      // Another file may have added a record with this id meanwhile.
      try resolve(incoming, try existing ?? find(incoming))
    }
    try writeChanges()
    try staging.drainExecutions { try resolve($0, try find($0)) }
    try writeChanges(.execution)
    try twins.end(source, lookup, ledger, to: context.findings)
    if source.isKnown, !policy.isRetry {
      try RemovedRecords(source, of: sources, lookup, ledger, decisions).report(to: context.findings)
    }
    sources.end()
  }

  // MARK: One record

  /// Decides about one record and stages the result.
  private func resolve(_ incoming: SourceRecord, _ existing: UnsafeBufferPointer<UInt8>?) throws {
    guard let candidate = resolver.candidate(incoming.kind), let source = sources.current else { return }
    // If the record was looked up ahead and is unchanged, `existing` is the source's line itself.
    if let existing, existing.span.equals(incoming.line.span) {
      // The library would return the same line, so no members have to be compared.
      return try resolveSame(incoming, existing, source)
    }
    let before = existing.map { Digest.sha256($0.span) }
    let memory = before == nil ? nil : try bases.memory(of: incoming, source)
    let other = try existing.map { try resolver.parse(existing: $0) }
    if let coverage = incoming.coverage, let memory, let other, memory.library == before,
      memory.sourceHash == coverage.hash(incoming.line, incoming.extent)
    {
      return try resolveUnchanged(incoming, memory, over: other, source)
    }
    let target = other?.member("id")?.string
    let otherID = target == incoming.idText ? nil : target
    if let otherID {
      aligned.align(incoming.idText, with: otherID)
      if context.reading.collectsIDs { context.noteIDs.rename(incoming.idText, to: otherID) }
    }
    let over: (record: JSONNode, hash: [UInt8])? = other.flatMap { record in before.map { (record, $0) } }
    let resolution = try resolver.resolve(
      incoming, candidate, over: over, memory, in: source, isByHand: sources.isByHand)
    let remembered = try ledger.remember(
      source.id, file: incoming.file, incoming.kind, id: incoming.id.span, target: otherID, hash: resolution.hash,
      sourceHash: resolution.sourceHash,
      base: try bases.store(resolution.base, of: incoming, target: target, hash: resolution.hash))
    guard let remembered else { return try resolveRepeated(incoming, hash: resolution.hash, source) }
    switch resolution.decision {
    case .unchanged:
      if let existing, let before, resolution.base == nil, !resolution.isFromMerge, incoming.extent == .whole {
        try bases.storeSame(existing, hash: before, incoming, target: target, remembered, in: source)
      }
      try outputs.files.addNote(incoming, of: target ?? incoming.idText)
      decisions.unchanged(incoming, id: otherID)
    case .keep(let reason): try decisions.kept(incoming, id: target, before: existing, reason)
    case .conflict(let reason):
      if policy.onConflict == .fail {
        throw RunFailure(
          .refused, "\(incoming.place()): \(reason.text), which --on-conflict fail forbids; nothing was imported")
      }
      try decisions.conflict(
        incoming, resolution.hasBase ? .mergeConflict : .importConflict, reason, before: existing.map { Array($0) },
        parts: resolution.conflicts, other)
    case .withoutBody:
      let message = "the item has no body (content_data is null), and the library has none for it"
      try decisions.reject(incoming, .itemWithoutBody, message, isKnown: true)
    case .published:
      let message = "the library's version is published and is not replaced; unpublish it first"
      try decisions.reject(incoming, .publishedNotReplaced, message, isKnown: true)
    case .create, .update, .addTicks:
      if let existing { try outputs.files.replaced.add(existing) }
      decisions.countChange(isMerged: resolution.isMerged, isPublished: candidate.isPublished)
      try recordLosses(candidate, incoming, isNew: existing == nil)
      try outputs.files.addNote(incoming, of: target ?? incoming.idText)
      let delta = try other.map { try recordSteps(incoming, from: $0) } ?? RowDelta(new: incoming.rows)
      // Columns that the record does not have are known only after writing.
      let isKnown = decisions.observer != nil && incoming.kind == .item && !candidate.lacksTimes
      try stage(
        incoming, target: target ?? incoming.idText, before: before.map(Digest.hex),
        after: isKnown ? resolution.hash.map(Digest.hex) : nil, delta)
    }
  }

  /// Resolves a record whose line equals the library's.
  private func resolveSame(
    _ incoming: SourceRecord, _ existing: UnsafeBufferPointer<UInt8>, _ source: CurrentSource
  ) throws {
    let hash = incoming.hash ?? Digest.sha256(existing.span)
    let remembered = try ledger.remember(
      source.id, file: incoming.file, incoming.kind, id: incoming.id.span, target: nil, hash: hash)
    guard let remembered else { return try resolveRepeated(incoming, hash: hash, source) }
    try bases.storeSame(existing, hash: hash, incoming, target: nil, remembered, in: source)
    decisions.unchanged(incoming, id: aligned[incoming.idText])
  }

  /// Resolves a record that neither side has changed since the last import.
  private func resolveUnchanged(
    _ incoming: SourceRecord, _ memory: Ledger.Memory, over library: JSONNode, _ source: CurrentSource
  ) throws {
    let target = try ledger.target(source.id, incoming.kind, id: incoming.id.span)
    if let target { aligned.align(incoming.idText, with: target) }
    // Deletions that still wait are reported again.
    if incoming.extent == .mostly { _ = try resolver.overlaid(incoming, over: library) }
    try ledger.remember(
      source.id, file: incoming.file, incoming.kind, id: incoming.id.span, target: target, hash: memory.library,
      sourceHash: memory.sourceHash)
    decisions.unchanged(incoming, id: aligned[incoming.idText])
  }

  /// Resolves a record that occurred before in the same file. If the two records are equal, nothing changes. A
  /// different record with the same id is a duplicate, even if it equals the library's record before the first one is
  /// written.
  private func resolveRepeated(_ incoming: SourceRecord, hash: [UInt8]?, _ source: CurrentSource) throws {
    if let hash, try hash == ledger.hash(source.id, file: incoming.file, incoming.kind, id: incoming.id.span) {
      return decisions.unchanged(incoming, id: aligned[incoming.idText])
    }
    let message =
      sources.isByHand
      ? "another note has the same id, and the one whose path sorts first was used; give one a different id, or none"
      : "another \(incoming.kind.name) of this file has the same id; the first one was used"
    try decisions.reject(incoming, .duplicateRecord, message)
  }

  /// Records the changes to the steps of the composed record, and the outcomes of its rows.
  private func recordSteps(_ incoming: SourceRecord, from library: JSONNode) throws -> RowDelta {
    guard incoming.kind == .item else { return RowDelta(incoming.rows, StepChanges(), isSteps: false) }
    let changes = try outputs.findings.recordSteps(incoming, from: library, to: try resolver.composer.record())
    let steps = StepTree(document: incoming.node.member("content_data"))?.steps.count ?? 0
    return RowDelta(
      incoming.rows, changes,
      isSteps: !(incoming.coverage?.members.step.isEmpty ?? true) && (incoming.rows > 1 || steps <= 1))
  }

  private func recordLosses(_ candidate: Candidate, _ incoming: SourceRecord, isNew: Bool) throws {
    let restores = policy.restoresPublishing
    if candidate.restoresPublishing {
      if candidate.isPublishedElsewhere { decisions.countRestored() }
    } else if isNew || restores, candidate.isPublishedElsewhere {
      outputs.findings.reportPublication(incoming, restores: restores, isNew: isNew)
    }
    let extras = incoming.node.member("extras")
    guard let extras, extras.kind == .object else { return }
    if !context.dryRun { try outputs.files.originals.add(incoming.node) }
    extras.forEachMember { name, _ in
      // The reason why a record was rejected does not belong to the record.
      if name.equals("quarantine") || SidecarExtras.holds(name) && SidecarExtras.kind(of: incoming.kind) != nil {
        return
      }
      context.losses.record(
        incoming.kind, id: incoming.idText, field: "/extras/\(name.string ?? "")",
        reason: .noColumn)
    }
  }

  // MARK: Writing

  /// Stages the composed record.
  private func stage(
    _ incoming: SourceRecord, target: String, before: String?, after: String?, _ delta: RowDelta
  ) throws {
    let line = resolver.composer.line
    if incoming.isDeck {
      try storeInSidecar(incoming, id: target, line)
      return try decisions.changed(incoming, isNew: before == nil, delta) {}
    }
    if try writesImmediately(incoming, isNew: before == nil) {
      let node = resolver.composer.isSource ? incoming.node : try resolver.composer.record()
      return try write(node, incoming, over: before, after: after, delta)
    }
    try staging.add(change: line, of: incoming, before: before, after: after, rows: delta)
  }

  /// Whether a record is written before the rest of its file is read.
  ///
  /// A record is not written early if a plan lists changes in the order of staging. The same applies if the source was
  /// imported before: its earlier records may be in the library under the id of a record that is new now, and later
  /// records look for them.
  private func writesImmediately(_ incoming: SourceRecord, isNew: Bool) throws -> Bool {
    if incoming.kind == .execution { return false }
    if library.isNew { return true }
    guard decisions.observer == nil, let source = sources.current, !source.isKnown else { return false }
    return try lookup.isBulk(incoming, isNew: isNew) && isNew
  }

  /// Writes the staged charters and items.
  private func writeChanges() throws {
    try writeChanges(.charter)
    try writeChanges(.item)
  }

  private func writeChanges(_ kind: RecordKind) throws {
    try staging.drain(changes: kind) { incoming, entry in
      try write(incoming.node, incoming, over: entry.before, after: entry.after, entry.rows)
    }
  }

  /// Writes a row and reports the result.
  /// - Parameters:
  ///   - before: the hash of the replaced record; nil for a new one.
  ///   - after: the hash of what the library will return, if known.
  private func write(
    _ node: JSONNode, _ incoming: SourceRecord, over before: String?, after: String?, _ delta: RowDelta
  ) throws {
    let isObserved = decisions.observer != nil
    let id = isObserved ? node.member("id")?.string ?? "" : ""
    let old = isObserved && before != nil ? try lookup.record(incoming.kind, id: id).map { Array($0) } : nil
    let outcome = try outputs.commit.write(node, incoming, over: before)
    switch outcome {
    case .skipped, .rejected:
      // A record that the library refused is not a base for the next import.
      guard let source = sources.current else { break }
      try ledger.revertEntry(source.id, file: incoming.file, incoming.kind, target: incoming.idText)
    case .created, .updated, .waiting: break
    }
    switch outcome {
    case .created, .updated:
      let isNew = if case .created = outcome { true } else { false }
      try decisions.changed(incoming, isNew: isNew, delta) { try sendWritten(incoming, id, from: old, after: after) }
    case .skipped(let reason): try decisions.kept(incoming, id: id, reason)
    case .waiting: decisions.skipped(incoming.kind, .unwritten)
    case .rejected(let code, let message): try decisions.reject(incoming, code, message)
    }
  }

  /// Reports a written row with the library's record before and after.
  private func sendWritten(_ incoming: SourceRecord, _ id: String, from before: [UInt8]?, after: String?) throws {
    var decision = ImportDecision(before == nil ? .create : .update, incoming, id: id)
    if before == nil, let after {
      decision.hashAfter = after
      return try decisions.send(decision)
    }
    // This is the library's own version and not the composed one, because the next import compares with the library's
    // version.
    decision.after = try lookup.record(incoming.kind, id: id)
    try send(decision, before: before)
  }

  private func send(_ decision: ImportDecision, before: [UInt8]?) throws {
    var decision = decision
    decision.hashAfter = decision.after.map { Digest.hex(Digest.sha256($0.span)) }
    guard let before else { return try decisions.send(decision) }
    try before.withUnsafeBufferPointer {
      decision.before = $0
      try decisions.send(decision)
    }
  }

  // MARK: In the sidecar

  /// Stores a record in the sidecar.
  private func storeInSidecar(_ incoming: SourceRecord, id: String, _ line: UnsafeBufferPointer<UInt8>) throws {
    if decisions.observer != nil {
      var decision = ImportDecision(.beside, incoming, id: id)
      decision.after = line
      try send(decision, before: try ledger.record(incoming.kind, id: id))
    }
    try outputs.commit.storeInSidecar(incoming.kind, id: id, line)
  }

  private func resolveSidecarRecord(_ incoming: SourceRecord) throws {
    let kind = incoming.kind
    guard !incoming.idText.isEmpty, kind.name != "member" else {
      let reason = SkipReason.noID(kind)
      context.losses.record(kind, id: incoming.idText, field: "", reason: .skipped(reason))
      return decisions.skipped(kind, reason)
    }
    let old = try ledger.record(kind, id: incoming.idText)
    if let old, old.elementsEqual(incoming.line) {
      // An earlier import may have added the record without its bytes.
      if !context.dryRun { try outputs.files.addBytes(of: incoming) }
      return decisions.unchanged(incoming, id: aligned[incoming.idText])
    }
    let conflict = MergeConflict(
      pointer: "", label: "the record", base: nil, ours: old.map { String(decoding: $0, as: UTF8.self) },
      theirs: String(decoding: incoming.line, as: UTF8.self))
    switch old == nil ? .theirs : try winner(incoming, conflict) {
    case .theirs:
      if let old { try old.withUnsafeBufferPointer { try outputs.files.replaced.add($0) } }
      if !context.dryRun { try outputs.files.addBytes(of: incoming) }
      try storeInSidecar(incoming, id: incoming.idText, incoming.line)
      try decisions.changed(incoming, isNew: old == nil, RowDelta()) {}
    case .ours: try decisions.kept(incoming, policy.onConflict == .keep ? .libraryKept : .libraryWon)
    case .undecided:
      try decisions.conflict(incoming, .importConflict, .differs, before: old, parts: [conflict], nil)
    }
  }

  /// Returns which version of a record in the sidecar is kept.
  private func winner(_ incoming: SourceRecord, _ conflict: MergeConflict) throws -> MergeConflict.Choice {
    switch policy.onConflict {
    case .replace, .newest: return .theirs
    case .keep: return .ours
    case .fail:
      throw RunFailure(
        .refused,
        "\(incoming.place()): the library has another version, which --on-conflict fail forbids; "
          + "nothing was imported")
    // A vault's data about a file is derived from the file and the notes that use it, so there is nothing to merge.
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
        // If records of a pack were rejected, the pack does not count as imported, so its previous version may still be
        // imported.
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

  /// Receives a record that goes to the rejects.
  func receive(rejected record: RejectedRecord) throws { try decisions.receive(rejected: record) }

  /// Returns the result of the completed import.
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
