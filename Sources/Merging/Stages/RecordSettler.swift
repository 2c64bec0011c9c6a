import Content
import Interchange
import JSONText
import SQLiteLibrary

/// Takes one record through the stages Overlay, Decision and Merge.
///
/// Afterwards `candidate` has both sides, and `composer` what the library will hold.
final class RecordSettler {
  private let policy: ImportPolicy
  private let candidates: [RecordKind: Candidate]
  private let overlay = RecordOverlay()
  /// Over the text that both come from.
  private let baseOverlay = RecordOverlay()
  private let base = ScratchLine(capacity: 0)
  private let existing = ScratchLine(capacity: 0, tokens: 1024)
  private let bases: RememberedBases
  private let decision: DecisionStage
  private let merge: MergeStage
  private let findings: ImportFindings
  let composer: RecordComposer

  init(
    _ policy: ImportPolicy, _ words: ConflictWords, _ aligned: AlignedIDs, _ bases: RememberedBases,
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

  /// Both sides of records of a kind; nil for kinds that go beside the library.
  func candidate(_ kind: RecordKind) -> Candidate? { candidates[kind] }

  /// The library's record of a line; valid until the next one.
  func parse(existing line: UnsafeBufferPointer<UInt8>) throws -> JSONNode { try existing.parse(line) }

  /// A record as it is for the library that has it; nil when that is how it is in the source.
  func overlaid(_ incoming: Incoming, over library: JSONNode) throws -> JSONNode? {
    let record = try overlay.apply(incoming, over: library)
    findings.reportKept(overlay.kept, of: incoming)
    return record
  }

  /// Settles a record.
  /// - Parameters:
  ///   - library: the library's record, and the hash of its line.
  ///   - memory: what an earlier import remembered of it.
  func settle(
    _ incoming: Incoming, _ candidate: Candidate, over library: (record: JSONNode, hash: [UInt8])?,
    _ memory: Ledger.Memory?, in source: CurrentSource, isByHand: Bool
  ) throws -> Settlement {
    if let library, var settlement = try mergeThreeWay(incoming, candidate, over: library, memory, in: source) {
      settlement.isFromMerge = true
      // The records that it was made of are gone.
      candidate.load(incoming.node, existing: library.record, hasTimesOfExport: incoming.said != nil)
      return settlement
    }
    var settlement = try decision.settle(
      DecisionStage.Input(
        incoming: incoming, record: try library.flatMap { try overlaid(incoming, over: $0.record) } ?? incoming.node,
        library: library?.record, before: library?.hash, memory: memory, isByHand: isByHand, isPack: source.isPack),
      candidate)
    switch settlement.decision {
    case .create, .update:
      settlement.base = try bases.next(
        incoming, line: composer.line,
        changed: library == nil ? Incoming.changed(incoming.node) : try composer.changed(), over: library?.record,
        memory, in: source)
    case .conflict where policy.onConflict == .merge:
      guard let library else { break }
      settlement = try merge.settle(
        settlement,
        MergeStage.Input(
          incoming: incoming, source: try overlaid(incoming, over: library.record) ?? incoming.node, base: nil,
          memory: memory, library: library.record, before: library.hash, kind: source.kind),
        candidate)
    default: break
    }
    if settlement.isWhole { findings.noteWhole(settlement.decision, incoming) }
    return settlement
  }

  private func mergeThreeWay(
    _ incoming: Incoming, _ candidate: Candidate, over library: (record: JSONNode, hash: [UInt8]),
    _ memory: Ledger.Memory?, in source: CurrentSource
  ) throws -> Settlement? {
    guard let (text, memory) = try bases.base(of: incoming, candidate, over: library.record, memory, in: source) else {
      return nil
    }
    return try text.line.withUnsafeBufferPointer { line in
      let node = try base.parse(line)
      let record = try baseOverlay.apply(incoming, over: node)
      findings.reportKept(baseOverlay.kept, of: incoming)
      return try merge.settle(
        MergeStage.Input(
          incoming: incoming, source: record ?? incoming.node, base: node, memory: memory, library: library.record,
          before: library.hash, kind: source.kind), candidate)
    }
  }
}
