import Content
import Interchange
import JSONText
import SQLiteLibrary

/// Takes one record through the stages Overlay, Decision and Merge.
///
/// Afterwards `candidate` holds both sides, and `composer` holds the version that the library will hold.
final class RecordResolver {
  private let policy: ImportPolicy
  private let candidates: [RecordKind: Candidate]
  private let overlay = RecordOverlay()
  /// The overlay with the base.
  private let baseOverlay = RecordOverlay()
  private let base = ScratchLine(capacity: 0)
  private let existing = ScratchLine(capacity: 0, tokens: 1024)
  private let bases: RememberedBases
  private let decision: DecisionStage
  private let merge: MergeStage
  private let findings: ImportFindings
  let composer: RecordComposer

  init(
    _ policy: ImportPolicy, _ words: ConflictLabels, _ aligned: AlignedIDs, _ bases: RememberedBases,
    _ findings: ImportFindings, now: Timestamp, isWrittenFromThis: @escaping (LastWritten) -> Bool
  ) {
    self.policy = policy
    self.bases = bases
    self.findings = findings
    candidates = Dictionary(
      uniqueKeysWithValues: [RecordKind.item, .charter, .execution].map {
        ($0, Candidate($0, aligned, mayRestorePublishing: policy.restoresPublishing))
      })
    composer = RecordComposer(now: now)
    decision = DecisionStage(policy, composer, isWrittenFromThis: isWrittenFromThis)
    merge = MergeStage(policy, words, composer)
  }

  /// Returns the candidate that holds both sides of a record of this kind; nil for kinds that are kept in the sidecar.
  func candidate(_ kind: RecordKind) -> Candidate? { candidates[kind] }

  /// Parses the library's record, which is valid until the next call.
  func parse(existing line: UnsafeBufferPointer<UInt8>) throws -> JSONNode { try existing.parse(line) }

  /// Returns a record adapted to the library that has the record; nil if the record is unchanged.
  func overlaid(_ incoming: SourceRecord, over library: JSONNode) throws -> JSONNode? {
    let record = try overlay.apply(incoming, over: library)
    findings.reportKept(overlay.kept, of: incoming)
    return record
  }

  /// Resolves a record.
  /// - Parameters:
  ///   - library: the library's record, and the hash of its line.
  ///   - memory: the ledger's data about an earlier import of the record.
  func resolve(
    _ incoming: SourceRecord, _ candidate: Candidate, over library: (record: JSONNode, hash: [UInt8])?,
    _ memory: Ledger.Memory?, in source: CurrentSource, isByHand: Bool
  ) throws -> RecordResolution {
    if let library, var resolution = try mergeThreeWay(incoming, candidate, over: library, memory, in: source) {
      resolution.isFromMerge = true
      // The records that the candidate was loaded from are no longer valid.
      candidate.load(incoming.node, existing: library.record, hasTimesOfExport: incoming.coverage != nil)
      return resolution
    }
    var resolution = try decision.resolve(
      DecisionStage.Input(
        incoming: incoming, record: try library.flatMap { try overlaid(incoming, over: $0.record) } ?? incoming.node,
        library: library?.record, before: library?.hash, memory: memory, isByHand: isByHand, isPack: source.isPack),
      candidate)
    switch resolution.decision {
    case .create, .update:
      resolution.base = try bases.next(
        incoming, line: composer.line,
        changed: library == nil ? SourceRecord.changed(incoming.node) : try composer.changed(), over: library?.record,
        memory, in: source)
    case .conflict where policy.onConflict == .merge:
      guard let library else { break }
      resolution = try merge.resolve(
        resolution,
        MergeStage.Input(
          incoming: incoming, source: try overlaid(incoming, over: library.record) ?? incoming.node, base: nil,
          memory: memory, library: library.record, before: library.hash, kind: source.kind),
        candidate)
    default: break
    }
    if resolution.isWhole { findings.countWhole(resolution.decision, incoming) }
    return resolution
  }

  private func mergeThreeWay(
    _ incoming: SourceRecord, _ candidate: Candidate, over library: (record: JSONNode, hash: [UInt8]),
    _ memory: Ledger.Memory?, in source: CurrentSource
  ) throws -> RecordResolution? {
    guard let (text, memory) = try bases.base(of: incoming, candidate, over: library.record, memory, in: source) else {
      return nil
    }
    return try text.line.withUnsafeBufferPointer { line in
      let node = try base.parse(line)
      let record = try baseOverlay.apply(incoming, over: node)
      findings.reportKept(baseOverlay.kept, of: incoming)
      return try merge.resolve(
        MergeStage.Input(
          incoming: incoming, source: record ?? incoming.node, base: node, memory: memory, library: library.record,
          before: library.hash, kind: source.kind), candidate)
    }
  }
}

/// The fourth stage: merges the changes that the library and a source have made to the same record since the last
/// import.
///
/// The result depends only on the input. The composer holds what the library would hold afterwards.
/// - Source: docs/DESIGN.md, section 6; docs/adr/0010
final class MergeStage {
  /// One record and the facts about it.
  struct Input {
    let incoming: SourceRecord
    /// The source's record with the ids of the base, and with the base's values for members that the source cannot
    /// store.
    let source: JSONNode
    /// The base; nil if unknown.
    let base: JSONNode?
    /// The ledger's data about an earlier import of the record.
    let memory: Ledger.Memory?
    let library: JSONNode
    /// The hash of the library's line.
    let before: [UInt8]
    let kind: SourceKind
  }

  private let policy: ImportPolicy
  private let words: ConflictLabels
  private let composer: RecordComposer
  private var now: Timestamp { composer.now }
  private let united = ScratchLine()
  private let baseTerm = ScratchLine()
  private let sourceTerm = ScratchLine()
  private let merged = ScratchLine()
  /// The source's content, for the next import.
  private let sourceText = ScratchLine()

  init(_ policy: ImportPolicy, _ words: ConflictLabels, _ composer: RecordComposer) {
    self.policy = policy
    self.words = words
    self.composer = composer
  }

  /// Resolves a record if the version of the last import is known; returns nil if that version decides nothing.
  func resolve(_ input: Input, _ candidate: Candidate) throws -> RecordResolution? {
    guard let base = input.base, let memory = input.memory else { return nil }
    let incoming = input.incoming
    let before = input.before
    load(input.source, over: base, incoming, candidate)
    candidate.unitesTicks = true
    if candidate.hasNoBody { return nil }
    let sourceHash = try incoming.sourceHash(candidate)
    let isSame = candidate.isSame
    let stays = memory.library == before
    var resolution: RecordResolution
    if isSame, !stays, isSameInLibrary(input, candidate) {
      // Neither side changed. The library may have added a time, for example.
      if incoming.extent == .whole { return nil }
      resolution = RecordResolution(decision: .unchanged)
    } else if isSame {
      resolution = RecordResolution(decision: stays ? .unchanged : .keep(.onlyLibraryChanged), sourceHash: sourceHash)
    } else if stays, memory.base?.isLibrarys ?? false {
      return try acceptSource(input, candidate, sourceHash: sourceHash)
    } else {
      let trio = try terms(input, candidate)
      if input.kind == .registry, let base = trio.base {
        candidate.load(base, existing: input.library)
        // A published item is taken unchanged. A merge would keep the library's order of tags, for example.
        if candidate.isSame { return try acceptSource(input, candidate, sourceHash: sourceHash) }
      }
      resolution = try merge(trio, input, candidate, sourceHash: sourceHash)
    }
    if resolution.hash == nil, memory.file != incoming.file {
      // The ledger's record of a renamed file is transferred to its new name.
      resolution.hash = memory.library
      resolution.sourceHash = memory.sourceHash
      resolution.base = memory.base.map { .kept($0) }
    } else if isSame, stays {
      resolution.hash = before
    }
    return resolution
  }

  /// Resolves a record that differs on both sides and has no known base. The result is a conflict unless the user
  /// decides about the differences.
  func resolve(_ conflict: RecordResolution, _ input: Input, _ candidate: Candidate) throws -> RecordResolution {
    var resolution = conflict
    let merged = try merge(try terms(input, candidate), input, candidate, sourceHash: conflict.sourceHash)
    if case .conflict = merged.decision {
      resolution.conflicts = merged.conflicts
      return resolution
    }
    return policy.settling.decides ? merged : resolution
  }

  /// Whether the library has everything that the source contains.
  private func isSameInLibrary(_ input: Input, _ candidate: Candidate) -> Bool {
    load(input.source, over: input.library, input.incoming, candidate)
    return candidate.isSame
  }

  private func load(_ node: JSONNode, over other: JSONNode, _ incoming: SourceRecord, _ candidate: Candidate) {
    candidate.load(node, existing: other, hasTimesOfExport: incoming.coverage != nil)
  }

  // MARK: The three sides

  /// Returns the base and the source in the library's form, with the library's own publication and times.
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
      // A version with fewer steps does not remove ticks.
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

  /// Resolves a record that only the source changed, so that the library takes the source's version.
  private func acceptSource(_ input: Input, _ candidate: Candidate, sourceHash: [UInt8]?) throws -> RecordResolution {
    let hash = try composeSource(input, candidate, target: input.library.member("id")?.string)
    return RecordResolution(
      decision: .update, hash: hash, sourceHash: sourceHash,
      base: .text(line: composer.line, isLibrarys: true, changed: try composer.changed()))
  }

  /// Composes the record as if the source had won.
  private func composeSource(_ input: Input, _ candidate: Candidate, target: String?) throws -> [UInt8] {
    load(input.source, over: input.library, input.incoming, candidate)
    let terms = Candidate.Terms(now: now, changed: whenPulled(input))
    return composer.compose(candidate, input.incoming, target: target, terms, isPack: input.kind == .pack)
  }

  private func merge(
    _ trio: (base: JSONNode?, source: JSONNode), _ input: Input, _ candidate: Candidate, sourceHash: [UInt8]?
  ) throws -> RecordResolution {
    let (incoming, library) = (input.incoming, input.library)
    let times = (source: SourceRecord.changed(incoming.node), library: SourceRecord.changed(library))
    let outcome = try ThreeWayMerge(incoming.kind).merge(base: trio.base, ours: library, theirs: trio.source) {
      // As usual, the later tick wins.
      if incoming.kind == .execution, let source = times.source, let library = times.library {
        return source >= library ? .theirs : .ours
      }
      return try policy.settling.choose(words.name($0)) { MergedRecord(incoming, library) }
    }
    let conflicts = outcome.conflicts.map(words.name)
    guard outcome.undecided == 0 else {
      return RecordResolution(
        decision: .conflict(.sameParts(words.message(conflicts, hasBase: trio.base != nil))), sourceHash: sourceHash,
        conflicts: conflicts, hasBase: trio.base != nil)
    }
    let id = library.member("id")?.string ?? incoming.idText
    // The source's content is the next base, composed as if the source had won.
    _ = try composeSource(input, candidate, target: id)
    SharedSteps.rename(outcome.renamed, in: try composer.record(), into: &sourceText.bytes)
    return try outcome.line.withUnsafeBufferPointer { bytes in
      let record = try merged.parse(bytes)
      candidate.load(record, existing: library)
      candidate.unitesTicks = false
      defer { candidate.unitesTicks = true }
      var resolution = RecordResolution(decision: .update, sourceHash: sourceHash, conflicts: conflicts)
      if candidate.isSame {
        resolution.decision = .unchanged
        resolution.hash = input.before
        resolution.base = .text(line: sourceText.bytes.bytes, isLibrarys: false, changed: times.library)
        return resolution
      }
      resolution.isMerged = !CanonicalValue.equal(record, trio.source)
      let changed = whenMerged(isMerged: resolution.isMerged, times, input.kind)
      let terms = Candidate.Terms(now: now, changed: changed)
      resolution.hash = composer.compose(candidate, incoming, target: id, terms, isPack: input.kind == .pack)
      resolution.base = .text(
        line: sourceText.bytes.bytes, isLibrarys: false, changed: changed ?? times.library)
      return resolution
    }
  }

  /// Returns when a merged record was last changed. This is the source's time if the record equals the source and that
  /// time is later. Otherwise it is the current time, because the library did not have this version before. When the
  /// app synchronizes, it takes the later of two versions, so the time never goes back.
  private func whenMerged(
    isMerged: Bool, _ times: (source: Timestamp?, library: Timestamp?), _ kind: SourceKind
  ) -> Timestamp? {
    guard let library = times.library else { return times.source }
    if !isMerged, let source = times.source, source > library { return source }
    let time = max(times.source ?? library, library, now)
    return kind == .registry && time == library ? Self.after(library) : time
  }

  /// Returns when a record from a registry was changed, if the registry's version has no later time of its own. A file
  /// that is written from the record is recognized by this time. Returns nil if the registry's time is sufficient, and
  /// for other sources.
  private func whenPulled(_ input: Input) -> Timestamp? {
    guard input.kind == .registry, let time = SourceRecord.changed(input.library) else { return nil }
    if let source = SourceRecord.changed(input.incoming.node), source > time { return nil }
    return max(Self.after(time), now)
  }

  private static func after(_ time: Timestamp) -> Timestamp { Timestamp(milliseconds: time.milliseconds + 1) }
}

extension ConflictResolution {
  /// Returns the side that the user chooses.
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
  /// Describes the record of a source, and the library's record if there is one.
  init(_ incoming: SourceRecord, _ library: JSONNode?) {
    self.init(
      kind: incoming.kind.name, id: library?.member("id")?.string ?? incoming.idText,
      title: (library?.member("title") ?? library?.member("name"))?.string ?? incoming.title ?? "",
      place: incoming.place().description)
  }
}
