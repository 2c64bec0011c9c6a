import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

extension LibraryImportWriter {
  /// What is done with a record, and what is remembered of that.
  struct Settlement {
    var decision: Decision
    /// SHA-256 of what the library says then; nil when the record does not become the library's.
    var hash: [UInt8]?
    /// SHA-256 of what the source says, where its times do not tell what changed.
    var said: [UInt8]?
    /// Where the text of this import lies; nil when that of an earlier one stays.
    var base: BaseTexts.Reference?
    /// What both sides changed, and differently.
    var conflicts: [MergeConflict] = []
    /// Whether the record has something of both sides.
    var isMerged = false
    /// Whether it is known what both sides come from.
    var hasBase = false
  }

  /// Decides about one record and stages what follows.
  func settle(
    _ incoming: Incoming, _ existing: UnsafeBufferPointer<UInt8>?, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    guard let candidate = candidates[incoming.kind], let source else { return }
    // Where it was looked up ahead and found to be the same, it is the source's line itself.
    if let existing, RawBytes.equal(existing, incoming.line) {
      // The library would give out the very same line: nothing to compare, member by member.
      let hash = Digest.sha256(existing)
      let remembered = try ledger.remember(
        source.id, file: incoming.file, incoming.kind, id: incoming.id, target: nil, hash: hash)
      guard let remembered else { return try settleRepeated(incoming, hash: hash, &tally, rejects) }
      try keepBase(existing, of: hash, incoming, target: nil, remembered)
      countUnchanged(incoming, &tally)
      return
    }
    let before = existing.map { Digest.sha256($0) }
    // Tables are copies: what one of them said is no base for another one that lies beside it.
    let memory = before == nil ? nil : try memory(of: incoming, source)
    if let said = incoming.said, let memory, memory.library == before,
      memory.said == said.hash(incoming.line, incoming.extent)
    {
      // Both sides say what they said after the last import.
      let target = try ledger.target(source.id, incoming.kind, id: incoming.id)
      if let target { for one in candidates.values { one.moved[incoming.idText] = target } }
      // What was deleted still waits, and is still said.
      if incoming.extent == .mostly, let existing { _ = try overlaid(incoming, over: parse(existing, &existingTape)) }
      try ledger.remember(
        source.id, file: incoming.file, incoming.kind, id: incoming.id, target: target, hash: memory.library,
        said: memory.said)
      countUnchanged(incoming, &tally)
      return
    }
    let other = try existing.map { try parse($0, &existingTape) }
    let target = other?.member("id")?.string
    if let target, target != incoming.idText {
      for one in candidates.values { one.moved[incoming.idText] = target }
      if context.reading.collectsIDs { context.noteIDs.rename(incoming.idText, to: target) }
    }
    let merged = try other.flatMap { try mergeThreeWay(incoming, candidate, over: $0, before: before, memory) }
    let settlement = try merged ?? decide(incoming, candidate, other, before: before, memory)
    let remembered = try ledger.remember(
      source.id, file: incoming.file, incoming.kind, id: incoming.id,
      target: target == incoming.idText ? nil : target, hash: settlement.hash, said: settlement.said,
      base: settlement.base)
    // What was merged is in `line`; the records that it was made of have gone.
    if merged != nil { candidate.load(incoming.node, existing: other, hasTimesOfExport: incoming.said != nil) }
    guard let remembered else { return try settleRepeated(incoming, hash: settlement.hash, &tally, rejects) }
    switch settlement.decision {
    case .unchanged:
      if let existing, let before, merged == nil, settlement.base == nil, incoming.extent == .whole {
        try keepBase(existing, of: before, incoming, target: target, remembered)
      }
      try keepNotes(incoming, of: target ?? incoming.idText)
      countUnchanged(incoming, &tally)
    case .keep(let reason):
      try observe(.keep, incoming, id: target, before: existing, reason: reason.text)
      tally[incoming.kind].skipped[reason, default: 0] += 1
      tally.rows.skipped += incoming.rows
    case .conflict(let reason):
      if onConflict == .fail {
        throw RunFailure(
          .refused, "\(incoming.place()): \(reason.text), and --on-conflict fail forbids it; nothing was imported")
      }
      let sides = Rejecting(incoming: incoming, before: existing.map { Array($0) }, conflicts: settlement.conflicts)
      let code = settlement.hasBase ? DiagnosticCode.mergeConflict : .importConflict
      rejectedKnown.count(incoming)
      try reject(incoming, code, reason.text, &tally, rejects, sides)
      try report(settlement.conflicts, of: incoming, other)
    case .withoutBody:
      let message = "the item has no body (content_data is null), and the library has none for it"
      rejectedKnown.count(incoming)
      try reject(incoming, .itemWithoutBody, message, &tally, rejects)
    case .published:
      rejectedKnown.count(incoming)
      let message = "the library's version is published and not replaced: unpublish it first"
      try reject(incoming, .publishedNotReplaced, message, &tally, rejects)
    case .create, .update:
      if let existing { try replaced.add(existing) }
      if candidate.isPublished { publishedChanged += 1 }
      if settlement.isMerged { merges += 1 }
      try noteLosses(candidate, incoming, isNew: existing == nil)
      try keepNotes(incoming, of: target ?? incoming.idText)
      var incoming = incoming
      incoming.delta = try other.map { try noteChanges(incoming, from: $0) } ?? RowDelta(new: incoming.rows)
      // What the row says that the record does not say is known when it is written.
      let isKnown = observer != nil && incoming.kind == .item && !candidate.lacksTimes
      hashAfter = isKnown ? settlement.hash.map(Digest.hex) : nil
      try stage(incoming, target: target ?? incoming.idText, before: before, &tally, rejects)
    }
  }

  /// What an earlier import remembered of a record.
  private func memory(of incoming: Incoming, _ source: CurrentSource) throws -> Ledger.Memory? {
    if let former = incoming.former {
      var id = former.id
      return try id.withUTF8 { try ledger.memory(former.source, incoming.kind, id: $0) }
    }
    return source.isKnown
      ? try ledger.memory(source.id, incoming.kind, id: incoming.id, file: incoming.said == nil ? nil : incoming.file)
      : nil
  }

  /// Decides about a record that this run has met in the same file before: the same again changes nothing, and another
  /// one of the same id is a duplicate, also where it says what the library has until the first one is written.
  private func settleRepeated(
    _ incoming: Incoming, hash: [UInt8]?, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    if let hash, let source,
      try hash == ledger.hash(source.id, file: incoming.file, incoming.kind, id: incoming.id)
    {
      return countUnchanged(incoming, &tally)
    }
    let message =
      isByHand
      ? "another note has the same id; the first one by path is taken, so give one of them another id, or none"
      : "another \(incoming.kind.name) of this file has the same id; the first one is taken"
    try reject(incoming, .duplicateRecord, message, &tally, rejects)
  }

  /// Decides where nobody remembers what both sides come from.
  private func decide(
    _ incoming: Incoming, _ candidate: Candidate, _ other: JSONNode?, before: [UInt8]?, _ memory: Ledger.Memory?
  ) throws -> Settlement {
    let target = other?.member("id")?.string
    candidate.load(
      try other.flatMap { try overlaid(incoming, over: $0) } ?? incoming.node, existing: other,
      hasTimesOfExport: incoming.said != nil)
    candidate.unitesTicks = onConflict != .replace
    let said = try said(incoming, candidate)
    var changed = Self.changed(memory, before: before, said: said)
    var isByHand = isByHand && incoming.kind == .item
    if isByHand, changed == .unknown, onConflict == .merge, let other, !candidate.isSame,
      let last = incoming.lastWritten()
    {
      if last.isUntouched, isWrittenFromThis(last) {
        // Nobody has edited it: it is as old as what it was written from, and no older version by another hand.
        candidate.updatedWhenWritten = last.updated
        isByHand = false
      } else if try last.content == ContentHash.of(line: other.raw) {
        // The library still says what the note was written from, so all that differs was edited in the note.
        changed = .onlySource
      }
    }
    let decision = Decision.make(
      candidate, hasExisting: other != nil, changed: changed, onConflict,
      isByHand: isByHand, hasBase: memory != nil, isRetry: incoming.isRetried
    ) {
      // Does the source still say what the library had from it?
      memory.map { compose(candidate, incoming, target: target) == $0.library } ?? false
    }
    if other != nil, changed == .unknown, isWhole(decision, incoming, candidate) {
      if policy.settling.decides {
        return try mergeWithoutBase(
          incoming, candidate, over: other, before: before, said: said, .differs)
      }
      wholes.note(decision, incoming)
    }
    switch decision {
    case .create, .update:
      let hash = compose(candidate, incoming, target: target)
      return Settlement(
        decision: decision, hash: hash, said: said,
        base: try newBase(incoming, candidate, of: hash, over: other, memory))
    case .unchanged: return Settlement(decision: decision, hash: before, said: said)
    case .conflict(let reason):
      return try mergeWithoutBase(incoming, candidate, over: other, before: before, said: said, reason)
    case .keep, .published, .withoutBody: return Settlement(decision: decision, said: said)
    }
  }

  /// Whether a note was written from this library. What another one said is no older version of what this one says.
  private func isWrittenFromThis(_ last: LastWritten) -> Bool {
    guard let id = last.library else { return false }
    return LibraryID.isOf(path, own: ledger.store.libraryID, id)
  }

  /// Whether one side is taken whole because it is newer, although the other may say what it does not. Of executions both
  /// sides' ticks stay.
  private func isWhole(_ decision: Decision, _ incoming: Incoming, _ candidate: Candidate) -> Bool {
    guard onConflict == .merge, !restoresPublishing, !isRetry, !incoming.isRetried, incoming.kind != .execution else {
      return false
    }
    switch decision {
    // Equally old: the source was taken from what the library says, and edited by somebody who raises no times.
    case .update: return candidate.times.source != candidate.times.existing
    case .keep(.libraryNewer): return true
    default: return false
    }
  }

  private func countUnchanged(_ incoming: Incoming, _ tally: inout Tally) {
    tally[incoming.kind].unchanged += 1
    tally.rows.unchanged += incoming.rows
    guard let observer else { return }
    let own = incoming.idText
    observer.stays(incoming.kind, id: candidates[incoming.kind]?.moved[own] ?? own, source: own)
  }

  /// What a record says to the library that has it; nil when that is what its line says.
  func overlaid(_ incoming: Incoming, over library: JSONNode) throws -> JSONNode? {
    guard incoming.kind == .item,
      let line = overlay.apply(incoming.node, over: library, said: incoming.said?.members, extent: incoming.extent)
    else { return nil }
    reportKept(overlay.kept, of: incoming)
    return try parse(line, &overlayTape)
  }

  /// The hash of what the source says, for records whose times do not tell what changed: those that have none, and rows
  /// of tables, whose times nobody keeps.
  func said(_ incoming: Incoming, _ candidate: Candidate) throws -> [UInt8]? {
    if let said = incoming.said { return said.hash(incoming.line, incoming.extent) }
    return candidate.times.source == nil ? try ContentHash.bytes(of: incoming.line) : nil
  }

  /// Notes what changes among the steps of a record that was composed, and what becomes of its rows.
  private func noteChanges(_ incoming: Incoming, from library: JSONNode) throws -> RowDelta {
    guard incoming.kind == .item else { return RowDelta() }
    let composed = try parse(line.bytes, &composedTape)
    var changes = StepChanges()
    if let before = StepTree(document: library.member("content_data")),
      let after = StepTree(document: composed.member("content_data")), before.hasSections == after.hasSections
    {
      changes = StepChanges(before, after)
      let title = composed.member("title")?.string ?? ""
      let id = composed.member("id")?.string ?? ""
      stepChanges.add(changes, before, after, item: id, title: title)
      if before.hasSections { try noteLostTicks(changes.removed.map { before.steps[$0] }, of: id, incoming) }
    }
    let steps = StepTree(document: incoming.node.member("content_data"))?.steps.count ?? 0
    return RowDelta(
      incoming.rows, changes,
      isSteps: !(incoming.said?.members.step.isEmpty ?? true) && (incoming.rows > 1 || steps <= 1))
  }

  /// Which side changed since the last import: the library still says what it said then, or the source does.
  private static func changed(
    _ base: Ledger.Memory?, before: [UInt8]?, said: [UInt8]?
  ) -> Decision.Changed {
    guard let base, let before else { return .unknown }
    if base.library == before { return .onlySource }
    return said != nil && base.said == said ? .onlyLibrary : .unknown
  }

  /// Keeps beside the library what belongs to the note that a record comes from: its path, its front matter as it was
  /// typed, where its times are from. The app's tables have no place for that.
  private func keepNotes(_ incoming: Incoming, of id: String) throws {
    guard let extras = incoming.node.member("extras"), extras.kind == .object,
      let kept = BesideExtras.line(of: extras, id: id, inSource: incoming.idText)
    else { return }
    // A library that is being made has nothing beside it yet, and most records come once.
    if !library.isNew, try ledger.record(BesideExtras.kind, id: id) == kept { return }
    try kept.withUnsafeBufferPointer { try besides.add($0) }
  }

  /// Writes what the library would hold into `line`; its hash without what no column takes.
  func compose(_ candidate: Candidate, _ incoming: Incoming, target: String?) -> [UInt8] {
    // Versions of a pack follow one another. Of two files of a folder that say no time nobody can say which is right.
    let isTable = incoming.said != nil
    guard target == nil, isTable || source?.isPack ?? false, candidate.lacksTimes else {
      return composeLine(candidate, incoming, target: target)
    }
    // The row gets times, and the next import compares with what the library says then; the line that is written
    // stays without, so that the lack is reported.
    line.removeAll()
    candidate.writeWithTimes(id: incoming.id, now: context.now, into: &line)
    let hash = Digest.sha256(line.bytes)
    // Tables have no times by nature: there is nothing to report.
    if isTable, !candidate.hasUnknown { return hash }
    _ = composeLine(candidate, incoming, target: target)
    return hash
  }

  private func composeLine(_ candidate: Candidate, _ incoming: Incoming, target: String?) -> [UInt8] {
    line.removeAll()
    if target == nil, candidate.isPlain {
      line.append(incoming.line)
      return Digest.sha256(line.bytes)
    }
    let id = Array((target ?? incoming.idText).utf8)
    return id.withUnsafeBufferPointer { id in
      candidate.write(id: id, now: context.now, withUnknown: false, into: &line)
      let hash = Digest.sha256(line.bytes)
      guard candidate.hasUnknown else { return hash }
      line.removeAll()
      candidate.write(id: id, now: context.now, withUnknown: true, into: &line)
      return hash
    }
  }

  func noteLosses(_ candidate: Candidate, _ incoming: Incoming, isNew: Bool) throws {
    if candidate.restoresPublishing {
      if candidate.isPublishedElsewhere { publishedRestored += 1 }
    } else if isNew || restoresPublishing, candidate.isPublishedElsewhere {
      let why =
        restoresPublishing ? "it is marked as public and has no public id" : "it is published where it comes from"
      let here = isNew ? "here it is private" : "here it stays as it is"
      context.findings.report(
        Diagnostic(
          restoresPublishing ? .publicWithoutID : .publicationLeftOut, "\(why); \(here)", at: incoming.place(),
          record: "\(incoming.kind.name) \(incoming.idText)",
          title: (incoming.node.member("title") ?? incoming.node.member("name"))?.string,
          severity: restoresPublishing ? .warning : nil,
          fix: restoresPublishing ? "publish it again if it is meant to be public" : nil))
    }
    let extras = incoming.node.member("extras")
    guard let extras, extras.kind == .object else { return }
    if !context.dryRun { try originals.add(incoming.node) }
    extras.forEachMember { name, _ in
      // Why a record was put aside is no part of it.
      if name.equals("quarantine") || BesideExtras.holds(name) { return }
      context.losses.record(
        incoming.kind, id: incoming.idText, field: "/extras/\(name.string ?? "")",
        reason: "the app's tables have no column for it")
    }
  }
}
