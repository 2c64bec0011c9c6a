import Content
import Interchange
import JSONText
import SQLiteLibrary

/// Merging what the library and a source made of the same record since the last import.
///
/// - Source: docs/DESIGN.md, section 6; docs/adr/0010
extension LibraryImportWriter {
  /// Settles a record of which the text of the last import is known; nil when it is not, or cannot be trusted.
  ///
  /// What the library would hold then is in `line`.
  func mergeThreeWay(
    _ incoming: Incoming, _ candidate: Candidate, over library: JSONNode, before: [UInt8]?, _ memory: Ledger.Memory?
  ) throws -> Settlement? {
    guard let before,
      let (base, memory) = try agreed(incoming, over: library)
        ?? pulled(memory, incoming, candidate, over: library) ?? trusted(memory, incoming, over: library)
        ?? trustedElsewhere(incoming, candidate, over: library) ?? agreed(incoming, over: library, isCertain: false)
    else { return nil }
    return try base.line.withUnsafeBufferPointer { line in
      let base = try parse(line, &merging.baseTape)
      let source = try inTermsOf(base, incoming)
      candidate.load(source, existing: base, hasTimesOfExport: incoming.said != nil)
      candidate.unitesTicks = true
      if candidate.hasNoBody { return nil }
      let said = try said(incoming, candidate)
      let isSame = candidate.isSame
      let stays = memory.library == before
      var settlement: Settlement
      if isSame, !stays, try hasAll(source, incoming, candidate, over: library) {
        // Nobody changed anything; the library gave it a time, for example.
        if incoming.extent == .whole { return nil }
        settlement = Settlement(decision: .unchanged)
      } else if isSame {
        settlement = Settlement(decision: stays ? .unchanged : .keep(.onlyLibraryChanged), said: said)
      } else if stays, memory.base?.isLibrarys ?? false {
        return try takeSource(source, incoming, candidate, over: library, said: said)
      } else {
        let trio = try terms(base, source, incoming, candidate, over: library)
        if isRegistry, let base = trio.base, isUnchanged(base, incoming, candidate, over: library) {
          // What is public is taken as it is: a merge would keep the library's order of tags, for example.
          return try takeSource(source, incoming, candidate, over: library, said: said)
        }
        settlement = try merge(trio, source, incoming, candidate, over: library, before: before, said: said)
      }
      if settlement.hash == nil, memory.file != incoming.file {
        // What was remembered of a file that has another name now goes with it.
        settlement.hash = memory.library
        settlement.said = memory.said
        settlement.base = memory.base
      } else if isSame, stays {
        settlement.hash = before
      }
      return settlement
    }
  }

  /// Whether the library says what the base says, in the library's terms.
  private func isUnchanged(
    _ base: JSONNode, _ incoming: Incoming, _ candidate: Candidate, over library: JSONNode
  ) -> Bool {
    candidate.load(base, existing: library)
    return candidate.isSame
  }

  /// Whether the library has everything that the source says.
  private func hasAll(
    _ source: JSONNode, _ incoming: Incoming, _ candidate: Candidate, over library: JSONNode
  ) throws -> Bool {
    candidate.load(source, existing: library, hasTimesOfExport: incoming.said != nil)
    return candidate.isSame
  }

  /// Settles a record that both sides have differently, and of which nobody remembers what they come from. It is a
  /// conflict unless the user decides where they differ.
  func mergeWithoutBase(
    _ incoming: Incoming, _ candidate: Candidate, over library: JSONNode?, before: [UInt8]?, said: [UInt8]?,
    _ reason: ConflictReason
  ) throws -> Settlement {
    var settlement = Settlement(decision: .conflict(reason), said: said)
    guard onConflict == .merge, let library, let before else { return settlement }
    let source = try overlaid(incoming, over: library) ?? incoming.node
    let trio = try terms(nil, source, incoming, candidate, over: library)
    let merged = try merge(trio, source, incoming, candidate, over: library, before: before, said: said)
    if case .conflict = merged.decision {
      settlement.conflicts = merged.conflicts
      return settlement
    }
    return policy.settling.decides ? merged : settlement
  }

  // MARK: The three sides

  /// What the source says with the ids of the text that both come from, and with all that it has no place for from there.
  private func inTermsOf(_ base: JSONNode, _ incoming: Incoming) throws -> JSONNode {
    guard incoming.kind == .item,
      let line = merging.overlay.apply(
        incoming.node, over: base, said: incoming.said?.members, extent: incoming.extent)
    else { return incoming.node }
    reportKept(merging.overlay.kept, of: incoming)
    return try parse(line, &merging.sourceTape)
  }

  /// Base and source as the library would have them, with the library's own publication and times.
  private func terms(
    _ base: JSONNode?, _ source: JSONNode, _ incoming: Incoming, _ candidate: Candidate, over library: JSONNode
  ) throws -> (base: JSONNode?, source: JSONNode) {
    let id = Array((library.member("id")?.string ?? incoming.idText).utf8)
    func write(_ node: JSONNode, over other: JSONNode, withUnknown: Bool, _ out: inout ByteBuffer) {
      candidate.load(node, existing: other, hasTimesOfExport: incoming.said != nil)
      candidate.keepsTimes = true
      out.removeAll()
      id.withUnsafeBufferPointer {
        candidate.write(id: $0, now: context.now, withUnknown: withUnknown, into: &out)
      }
    }
    var source = source
    if incoming.kind == .execution, let base {
      // A version that knows fewer steps takes no tick away.
      candidate.unitesTicks = true
      write(source, over: base, withUnknown: false, &merging.united)
      source = try parse(merging.united.bytes, &merging.unitedTape)
      candidate.unitesTicks = false
    }
    defer { candidate.unitesTicks = true }
    write(source, over: library, withUnknown: true, &merging.sourceTerm)
    let sourceTerm = try parse(merging.sourceTerm.bytes, &merging.sourceTermTape)
    guard let base else { return (nil, sourceTerm) }
    write(base, over: library, withUnknown: false, &merging.baseTerm)
    return (try parse(merging.baseTerm.bytes, &merging.baseTermTape), sourceTerm)
  }

  // MARK: The result

  /// Only the source changed: the library takes it.
  private func takeSource(
    _ source: JSONNode, _ incoming: Incoming, _ candidate: Candidate, over library: JSONNode, said: [UInt8]?
  ) throws -> Settlement {
    candidate.load(source, existing: library, hasTimesOfExport: incoming.said != nil)
    candidate.changed = whenPulled(incoming, library)
    let hash = compose(candidate, incoming, target: library.member("id")?.string)
    let base = try add(
      line.bytes, id: library.member("id")?.string, incoming, of: hash, isLibrarys: true, changed: changedOfLine())
    return Settlement(decision: .update, hash: hash, said: said, base: base)
  }

  private func merge(
    _ trio: (base: JSONNode?, source: JSONNode), _ source: JSONNode, _ incoming: Incoming, _ candidate: Candidate,
    over library: JSONNode, before: [UInt8], said: [UInt8]?
  ) throws -> Settlement {
    let times = (Self.changed(incoming.node), Self.changed(library))
    let outcome = try ThreeWayMerge(incoming.kind).merge(base: trio.base, ours: library, theirs: trio.source) {
      try choose(words.name($0), incoming, library, times)
    }
    let conflicts = outcome.conflicts.map(words.name)
    guard outcome.undecided == 0 else {
      return Settlement(
        decision: .conflict(.sameParts(words.message(conflicts, hasBase: trio.base != nil))), said: said,
        conflicts: conflicts,
        hasBase: trio.base != nil)
    }
    let id = library.member("id")?.string ?? incoming.idText
    // What the source says is the next base: composed as if it had won.
    candidate.load(source, existing: library, hasTimesOfExport: incoming.said != nil)
    candidate.changed = whenPulled(incoming, library)
    _ = compose(candidate, incoming, target: id)
    SharedSteps.rename(
      outcome.renamed, in: try parse(line.bytes, &merging.mergedTape), into: &merging.sourceText)
    return try outcome.line.withUnsafeBufferPointer { bytes in
      let merged = try parse(bytes, &merging.mergedTape)
      candidate.load(merged, existing: library)
      candidate.unitesTicks = false
      defer { candidate.unitesTicks = true }
      var settlement = Settlement(decision: .update, said: said, conflicts: conflicts)
      if candidate.isSame {
        settlement.decision = .unchanged
        settlement.hash = before
        settlement.base = try add(
          merging.sourceText.bytes, id: id, incoming, of: before, isLibrarys: false, changed: Self.changed(library))
        return settlement
      }
      settlement.isMerged = !RawJSON.equal(merged, trio.source)
      candidate.changed = whenMerged(isMerged: settlement.isMerged, times)
      let hash = compose(candidate, incoming, target: id)
      settlement.hash = hash
      settlement.base = try add(
        merging.sourceText.bytes, id: id, incoming, of: hash, isLibrarys: false,
        changed: candidate.changed ?? Self.changed(library))
      return settlement
    }
  }

  /// When a merged record was changed last: the source's time where it says no more than the source, and that is later,
  /// else now, because it is a version that the library did not have before. The app takes the later one of two versions
  /// when it synchronises, so the time never goes back.
  private func whenMerged(isMerged: Bool, _ times: (source: Timestamp?, library: Timestamp?)) -> Timestamp? {
    guard let library = times.library else { return times.source }
    if !isMerged, let source = times.source, source > library { return source }
    let time = max(times.source ?? library, library, context.now)
    return isRegistry && time == library ? Self.after(library) : time
  }

  /// When a record was changed that a registry has in another version, where that does not say a later time itself: a
  /// file that was written from it is known by its time. Nil where the registry's time will do, and for other sources.
  private func whenPulled(_ incoming: Incoming, _ library: JSONNode) -> Timestamp? {
    guard isRegistry, let time = Self.changed(library) else { return nil }
    if let source = Self.changed(incoming.node), source > time { return nil }
    return max(Self.after(time), context.now)
  }

  private var isRegistry: Bool { source?.isRegistry ?? false }

  private static func after(_ time: Timestamp) -> Timestamp { Timestamp(milliseconds: time.milliseconds + 1) }

  private func choose(
    _ conflict: MergeConflict, _ incoming: Incoming, _ library: JSONNode,
    _ times: (source: Timestamp?, library: Timestamp?)
  ) throws -> MergeConflict.Choice {
    // Of ticks the later one counts, as ever.
    if incoming.kind == .execution, let source = times.source, let library = times.library {
      return source >= library ? .theirs : .ours
    }
    return try settle(conflict, incoming, library)
  }

  /// What the user says to a conflict.
  func settle(_ conflict: MergeConflict, _ incoming: Incoming, _ library: JSONNode?) throws -> MergeConflict.Choice {
    switch policy.settling {
    case .reject: return .undecided
    case .ours: return .ours
    case .theirs: return .theirs
    case .ask(let ask): return try ask(merged(incoming, library), conflict)
    }
  }
}

extension LibraryImportWriter {
  /// Puts both sides of what could not be merged side by side.
  func report(_ conflicts: [MergeConflict], of incoming: Incoming, _ library: JSONNode?) throws {
    guard !conflicts.isEmpty, !context.dryRun else { return }
    try self.conflicts.add(merged(incoming, library), conflicts)
  }

  private func merged(_ incoming: Incoming, _ library: JSONNode?) -> MergedRecord {
    MergedRecord(
      kind: incoming.kind.name, id: library?.member("id")?.string ?? incoming.idText,
      title: (library?.member("title") ?? library?.member("name"))?.string ?? incoming.title ?? "",
      place: incoming.place().description)
  }
}
