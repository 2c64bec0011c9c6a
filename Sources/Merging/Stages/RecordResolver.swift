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

  /// Returns the candidate for both sides of records of a kind; nil for kinds that are kept in the sidecar.
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
  func settle(
    _ incoming: SourceRecord, _ candidate: Candidate, over library: (record: JSONNode, hash: [UInt8])?,
    _ memory: Ledger.Memory?, in source: CurrentSource, isByHand: Bool
  ) throws -> RecordResolution {
    if let library, var settlement = try mergeThreeWay(incoming, candidate, over: library, memory, in: source) {
      settlement.isFromMerge = true
      // The records that the candidate was loaded from are no longer valid.
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
        changed: library == nil ? SourceRecord.changed(incoming.node) : try composer.changed(), over: library?.record,
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
      return try merge.settle(
        MergeStage.Input(
          incoming: incoming, source: record ?? incoming.node, base: node, memory: memory, library: library.record,
          before: library.hash, kind: source.kind), candidate)
    }
  }
}
