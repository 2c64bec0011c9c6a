import Content
import Interchange
import JSONText
import SQLiteLibrary

/// The fourth stage: merges what the library and a source made of the same record since the last import.
///
/// A function of its input; what the library would hold then is in the composer.
/// - Source: docs/DESIGN.md, section 6; docs/adr/0010
final class MergeStage {
  /// One record and all that is known of it.
  struct Input {
    let incoming: Incoming
    /// The source's record with the ids of what both come from, and with all that the source has no place for from there.
    let source: JSONNode
    /// What both come from; nil where that is unknown.
    let base: JSONNode?
    /// What an earlier import remembered of the record.
    let memory: Ledger.Memory?
    let library: JSONNode
    /// The hash of the library's line.
    let before: [UInt8]
    let kind: SourceKind
  }

  private let policy: ImportPolicy
  private let words: ConflictWords
  private let composer: RecordComposer
  private var now: Timestamp { composer.now }
  private let united = ScratchLine()
  private let baseTerm = ScratchLine()
  private let sourceTerm = ScratchLine()
  private let merged = ScratchLine()
  /// What the source contains, for the next import.
  private let sourceText = ScratchLine()

  init(_ policy: ImportPolicy, _ words: ConflictWords, _ composer: RecordComposer) {
    self.policy = policy
    self.words = words
    self.composer = composer
  }

  /// Settles a record of which the text of the last import is known; nil when that decides nothing.
  func settle(_ input: Input, _ candidate: Candidate) throws -> Settlement? {
    guard let base = input.base, let memory = input.memory else { return nil }
    let incoming = input.incoming
    let before = input.before
    load(input.source, over: base, incoming, candidate)
    candidate.unitesTicks = true
    if candidate.hasNoBody { return nil }
    let said = try incoming.hashOfSaid(candidate)
    let isSame = candidate.isSame
    let stays = memory.library == before
    var settlement: Settlement
    if isSame, !stays, isSameInLibrary(input, candidate) {
      // Neither side changed; the library gave the record a time, for example.
      if incoming.extent == .whole { return nil }
      settlement = Settlement(decision: .unchanged)
    } else if isSame {
      settlement = Settlement(decision: stays ? .unchanged : .keep(.onlyLibraryChanged), said: said)
    } else if stays, memory.base?.isLibrarys ?? false {
      return try takeSource(input, candidate, said: said)
    } else {
      let trio = try terms(input, candidate)
      if input.kind == .registry, let base = trio.base {
        candidate.load(base, existing: input.library)
        // What is public is taken as it is: a merge would keep the library's order of tags, for example.
        if candidate.isSame { return try takeSource(input, candidate, said: said) }
      }
      settlement = try merge(trio, input, candidate, said: said)
    }
    if settlement.hash == nil, memory.file != incoming.file {
      // What was remembered of a file that has another name now goes with it.
      settlement.hash = memory.library
      settlement.said = memory.said
      settlement.base = memory.base.map { .kept($0) }
    } else if isSame, stays {
      settlement.hash = before
    }
    return settlement
  }

  /// Settles a record that both sides have differently, and of which it is unknown what they come from. It is a
  /// conflict unless the user decides where they differ.
  func settle(_ conflict: Settlement, _ input: Input, _ candidate: Candidate) throws -> Settlement {
    var settlement = conflict
    let merged = try merge(try terms(input, candidate), input, candidate, said: conflict.said)
    if case .conflict = merged.decision {
      settlement.conflicts = merged.conflicts
      return settlement
    }
    return policy.settling.decides ? merged : settlement
  }

  /// Whether the library has everything that the source contains.
  private func isSameInLibrary(_ input: Input, _ candidate: Candidate) -> Bool {
    load(input.source, over: input.library, input.incoming, candidate)
    return candidate.isSame
  }

  private func load(_ node: JSONNode, over other: JSONNode, _ incoming: Incoming, _ candidate: Candidate) {
    candidate.load(node, existing: other, hasTimesOfExport: incoming.said != nil)
  }

  // MARK: The three sides

  /// Base and source as the library would have them, with the library's own publication and times.
  private func terms(_ input: Input, _ candidate: Candidate) throws -> (base: JSONNode?, source: JSONNode) {
    let id = Array((input.library.member("id")?.string ?? input.incoming.idText).utf8)
    func write(_ node: JSONNode, over other: JSONNode, withUnknown: Bool, _ out: ScratchLine) throws -> JSONNode {
      load(node, over: other, input.incoming, candidate)
      out.bytes.removeAll()
      id.withUnsafeBufferPointer {
        candidate.write(
          id: $0, Candidate.Terms(now: now, keepsTimes: true), withUnknown: withUnknown, into: &out.bytes)
      }
      return try out.parse()
    }
    var source = input.source
    if input.incoming.kind == .execution, let base = input.base {
      // A version that knows fewer steps takes no tick away.
      candidate.unitesTicks = true
      source = try write(source, over: base, withUnknown: false, united)
      candidate.unitesTicks = false
    }
    defer { candidate.unitesTicks = true }
    let theirs = try write(source, over: input.library, withUnknown: true, sourceTerm)
    guard let base = input.base else { return (nil, theirs) }
    return (try write(base, over: input.library, withUnknown: false, baseTerm), theirs)
  }

  // MARK: The result

  /// Only the source changed: the library takes it.
  private func takeSource(_ input: Input, _ candidate: Candidate, said: [UInt8]?) throws -> Settlement {
    let hash = try composeSource(input, candidate, target: input.library.member("id")?.string)
    return Settlement(
      decision: .update, hash: hash, said: said,
      base: .text(line: composer.line, isLibrarys: true, changed: try composer.changed()))
  }

  /// Composes the record as if the source had won.
  private func composeSource(_ input: Input, _ candidate: Candidate, target: String?) throws -> [UInt8] {
    load(input.source, over: input.library, input.incoming, candidate)
    let terms = Candidate.Terms(now: now, changed: whenPulled(input))
    return composer.compose(candidate, input.incoming, target: target, terms, isPack: input.kind == .pack)
  }

  private func merge(
    _ trio: (base: JSONNode?, source: JSONNode), _ input: Input, _ candidate: Candidate, said: [UInt8]?
  ) throws -> Settlement {
    let (incoming, library) = (input.incoming, input.library)
    let times = (source: Incoming.changed(incoming.node), library: Incoming.changed(library))
    let outcome = try ThreeWayMerge(incoming.kind).merge(base: trio.base, ours: library, theirs: trio.source) {
      // Of ticks the later one counts, as ever.
      if incoming.kind == .execution, let source = times.source, let library = times.library {
        return source >= library ? .theirs : .ours
      }
      return try policy.settling.choose(words.name($0)) { MergedRecord(incoming, library) }
    }
    let conflicts = outcome.conflicts.map(words.name)
    guard outcome.undecided == 0 else {
      return Settlement(
        decision: .conflict(.sameParts(words.message(conflicts, hasBase: trio.base != nil))), said: said,
        conflicts: conflicts, hasBase: trio.base != nil)
    }
    let id = library.member("id")?.string ?? incoming.idText
    // What the source contains is the next base: composed as if it had won.
    _ = try composeSource(input, candidate, target: id)
    SharedSteps.rename(outcome.renamed, in: try composer.record(), into: &sourceText.bytes)
    return try outcome.line.withUnsafeBufferPointer { bytes in
      let record = try merged.parse(bytes)
      candidate.load(record, existing: library)
      candidate.unitesTicks = false
      defer { candidate.unitesTicks = true }
      var settlement = Settlement(decision: .update, said: said, conflicts: conflicts)
      if candidate.isSame {
        settlement.decision = .unchanged
        settlement.hash = input.before
        settlement.base = .text(line: sourceText.bytes.bytes, isLibrarys: false, changed: times.library)
        return settlement
      }
      settlement.isMerged = !RawJSON.equal(record, trio.source)
      let changed = whenMerged(isMerged: settlement.isMerged, times, input.kind)
      let terms = Candidate.Terms(now: now, changed: changed)
      settlement.hash = composer.compose(candidate, incoming, target: id, terms, isPack: input.kind == .pack)
      settlement.base = .text(
        line: sourceText.bytes.bytes, isLibrarys: false, changed: changed ?? times.library)
      return settlement
    }
  }

  /// When a merged record was changed last: the source's time where it has no more than the source, and that is later,
  /// else now, because it is a version that the library did not have before. The app takes the later one of two versions
  /// when it synchronises, so the time never goes back.
  private func whenMerged(
    isMerged: Bool, _ times: (source: Timestamp?, library: Timestamp?), _ kind: SourceKind
  ) -> Timestamp? {
    guard let library = times.library else { return times.source }
    if !isMerged, let source = times.source, source > library { return source }
    let time = max(times.source ?? library, library, now)
    return kind == .registry && time == library ? Self.after(library) : time
  }

  /// When a record was changed that a registry has in another version, where that does not have a later time itself: a
  /// file that was written from it is known by its time. Nil where the registry's time will do, and for other sources.
  private func whenPulled(_ input: Input) -> Timestamp? {
    guard input.kind == .registry, let time = Incoming.changed(input.library) else { return nil }
    if let source = Incoming.changed(input.incoming.node), source > time { return nil }
    return max(Self.after(time), now)
  }

  private static func after(_ time: Timestamp) -> Timestamp { Timestamp(milliseconds: time.milliseconds + 1) }
}

extension ConflictSettling {
  /// The side that the user takes.
  func choose(_ conflict: MergeConflict, of record: () -> MergedRecord) throws -> MergeConflict.Choice {
    switch self {
    case .reject: .undecided
    case .ours: .ours
    case .theirs: .theirs
    case .ask(let ask): try ask(record(), conflict)
    }
  }
}

extension MergedRecord {
  /// The record of a source, and the library's where it has one.
  init(_ incoming: Incoming, _ library: JSONNode?) {
    self.init(
      kind: incoming.kind.name, id: library?.member("id")?.string ?? incoming.idText,
      title: (library?.member("title") ?? library?.member("name"))?.string ?? incoming.title ?? "",
      place: incoming.place().description)
  }
}
