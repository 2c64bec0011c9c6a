import Content
import Interchange
import JSONText
import SQLiteLibrary

/// The reason why an import cannot decide which of two versions is right. Only `text` turns a reason into a sentence.
package enum ConflictReason: Equatable, Sendable {
  /// The two sides differ. Either `--on-conflict fail` allows no difference, or a merge without a base found a
  /// difference in the same part.
  case differs
  /// The two sides differ, and the source has no modification time.
  case sourceHasNoTime
  /// The two sides differ, and the library has no modification time.
  case libraryHasNoTime
  /// Both sides changed since the last import.
  case bothChanged
  /// The library's version changed after the source was exported from it.
  case changedSince
  /// Both sides changed the same parts. The string names them.
  case sameParts(String)

  /// The reason as a sentence.
  package var text: String {
    switch self {
    case .differs: "the library has another version of it"
    case .sourceHasNoTime: "the library has another version of it, and this one has no modification time"
    case .libraryHasNoTime: "the library has another version of it, which has no modification time"
    case .bothChanged:
      "the library's version is newer, but this one has changed since the last import; it is unknown which one is right"
    case .changedSince:
      "the library's version was changed after this one was exported from it; it is unknown which one is right"
    case .sameParts(let sentence): sentence
    }
  }
}

/// The decision about one record, which depends only on the candidate and its circumstances.
enum Decision {
  case create
  case update
  /// The library's execution gets the ticks that only the source has. Nothing else changes.
  case addTicks
  case unchanged
  /// The library's version stays.
  case keep(SkipReason)
  /// The library's version is kept because it is unknown which version is right. The source's version goes to the
  /// rejects.
  case conflict(ConflictReason)
  /// The item has no body, so the app would list the item but could not open it.
  case withoutBody
  /// The library's version is kept because it is published.
  case published

  /// Which side has changed since the last import of the source.
  enum Changed {
    case unknown
    case onlySource
    case onlyLibrary
  }

  /// The facts about a record in addition to its two versions.
  struct Circumstances {
    /// Whether the library has the record.
    var hasExisting = true
    var changed = Changed.unknown
    var onConflict = OnConflict.merge
    /// Whether people edit the source by hand. Such edits do not change the source's times.
    var isByHand = false
    /// Whether an earlier import added the record.
    var hasBase = true
    /// Whether the record consists of rows that were rejected before.
    var isRetry = false
  }

  /// Applies the rules of docs/DESIGN.md, section 6.
  /// - Parameter isAsBefore: whether the source still has what the library took from it. Called only if the answer
  ///   matters.
  static func make(
    _ candidate: Candidate, _ known: Circumstances, isAsBefore: () -> Bool = { false }
  ) -> Decision {
    if candidate.hasNoBody { return .withoutBody }
    guard known.hasExisting else { return .create }
    if candidate.isSame { return .unchanged }
    switch known.onConflict {
    case .keep: return .keep(.libraryKept)
    case .fail: return .conflict(.differs)
    case .replace:
      let stays = candidate.restoresPublishing && candidate.keepsPublication
      return candidate.isPublished && !stays ? .published : .update
    // People who edit a note do not change its time. If only the note has changed, it was edited, regardless of its
    // time.
    case .merge where known.isByHand && known.changed == .onlySource: return .update
    // The source contains only rows that were just corrected. The library already has all other steps.
    case .merge where known.isRetry: return .update
    case .merge where known.isByHand && known.changed == .onlyLibrary: return .keep(.onlyLibraryChanged)
    case .newest, .merge: return newest(candidate, known, isAsBefore)
    }
  }

  private static func newest(_ candidate: Candidate, _ known: Circumstances, _ isAsBefore: () -> Bool) -> Decision {
    let (mine, theirs) = candidate.times
    guard let mine else {
      if known.onConflict == .merge, known.changed == .onlySource { return .update }
      if known.onConflict == .merge, known.changed == .onlyLibrary { return .keep(.onlyLibraryChanged) }
      return .conflict(.sourceHasNoTime)
    }
    guard let theirs else { return .conflict(.libraryHasNoTime) }
    if mine >= theirs { return .update }
    // An older version may still have steps that the library's version does not have.
    if candidate.addsTicks { return .addTicks }
    if known.isByHand, known.onConflict == .merge {
      return isAsBefore() ? .keep(.onlyLibraryChanged) : .conflict(known.hasBase ? .bothChanged : .changedSince)
    }
    return .keep(.libraryNewer)
  }
}

/// The third stage: decides about a record if the version of the last import is unknown or not needed.
struct DecisionStage {
  /// One record and the facts about it.
  struct Input {
    let incoming: SourceRecord
    /// The record as returned by the overlay.
    let record: JSONNode
    /// The library's record.
    let library: JSONNode?
    /// The hash of the library's line.
    let before: [UInt8]?
    let memory: Ledger.Memory?
    /// Whether people edit the source by hand.
    let isByHand: Bool
    let isPack: Bool
  }

  private let policy: ImportPolicy
  private let composer: RecordComposer
  /// Whether a note was written from the library of this import.
  private let isWrittenFromThis: (LastWritten) -> Bool

  init(
    _ policy: ImportPolicy, _ composer: RecordComposer, isWrittenFromThis: @escaping (LastWritten) -> Bool
  ) {
    self.policy = policy
    self.composer = composer
    self.isWrittenFromThis = isWrittenFromThis
  }

  /// Decides about a record. If something changes, the composer holds what the library will hold.
  func resolve(_ input: Input, _ candidate: Candidate) throws -> RecordResolution {
    let incoming = input.incoming
    candidate.load(input.record, existing: input.library, hasTimesOfExport: incoming.coverage != nil)
    candidate.unitesTicks = policy.onConflict != .replace
    let sourceHash = try incoming.sourceHash(candidate)
    var known = Decision.Circumstances(
      hasExisting: input.library != nil,
      changed: Self.changed(input.memory, before: input.before, sourceHash: sourceHash),
      onConflict: policy.onConflict, isByHand: input.isByHand && incoming.kind == .item,
      hasBase: input.memory != nil, isRetry: incoming.isRetried)
    if known.isByHand, known.changed == .unknown, policy.onConflict == .merge, let library = input.library,
      !candidate.isSame, let last = incoming.lastWritten()
    {
      if last.isUntouched, isWrittenFromThis(last) {
        // The note was not edited, so it is as old as the version that it was written from, and is not another person's
        // older version.
        candidate.updatedWhenWritten = last.updated
        known.isByHand = false
      } else if try last.content == ContentHash.of(line: library.raw.span) {
        // The library still has the version that the note was written from, so all differences are edits of the note.
        known.changed = .onlySource
      }
    }
    let target = input.library?.member("id")?.string
    let decision = Decision.make(candidate, known) {
      // Whether the source still contains what the library took from it.
      input.memory.map { composer.compose(candidate, incoming, target: target, isPack: input.isPack) == $0.library }
        ?? false
    }
    var resolution = RecordResolution(decision: decision, sourceHash: sourceHash)
    if known.hasExisting, known.changed == .unknown, resolvesWholeRecord(decision, incoming, candidate) {
      if policy.settling.decides {
        resolution.decision = .conflict(.differs)
        return resolution
      }
      resolution.isWhole = true
    }
    switch decision {
    case .create, .update, .addTicks:
      var terms = Candidate.Terms(now: composer.now)
      if case .addTicks = decision { terms.libraryWins = true }
      resolution.hash = composer.compose(candidate, incoming, target: target, terms, isPack: input.isPack)
    case .unchanged: resolution.hash = input.before
    case .conflict, .keep, .published, .withoutBody: break
    }
    return resolution
  }

  /// Whether one side is taken as a whole because it is newer, although the other side may contain more. For
  /// executions, the ticks from both sides are kept.
  private func resolvesWholeRecord(_ decision: Decision, _ incoming: SourceRecord, _ candidate: Candidate) -> Bool {
    guard policy.onConflict == .merge, !policy.restoresPublishing, !policy.isRetry, !incoming.isRetried,
      incoming.kind != .execution
    else { return false }
    switch decision {
    // If both are equally old, the source was exported from the library's version and then edited without a change to
    // its time.
    case .update: return candidate.times.source != candidate.times.existing
    case .keep(.libraryNewer): return true
    default: return false
    }
  }

  /// Returns which side has changed since the last import, by comparing each side with its state at that time.
  private static func changed(_ base: Ledger.Memory?, before: [UInt8]?, sourceHash: [UInt8]?) -> Decision.Changed {
    guard let base, let before else { return .unknown }
    if base.library == before { return .onlySource }
    return sourceHash != nil && base.sourceHash == sourceHash ? .onlyLibrary : .unknown
  }
}

extension SourceRecord {
  /// Returns the hash of the source's content for records whose times do not show changes. These are records without
  /// times, and rows of tables, whose times are not maintained.
  func sourceHash(_ candidate: Candidate) throws -> [UInt8]? {
    if let coverage { return coverage.hash(line, extent) }
    return candidate.times.source == nil ? try ContentHash.bytes(of: line.span) : nil
  }
}

/// The outcome for a record, with the data for the next import. Its strings are valid until the next record.
struct RecordResolution {
  /// A text that the next import uses as the base of its merge.
  enum NextBase {
    /// A text that is already kept.
    case kept(BaseTexts.Reference)
    /// A new text.
    /// - Parameters:
    ///   - line: the line.
    ///   - isLibrarys: whether the library has exactly this text.
    ///   - changed: when the library's record was last changed.
    case text(line: UnsafeBufferPointer<UInt8>, isLibrarys: Bool, changed: Timestamp?)
  }

  var decision: Decision
  /// The SHA-256 of the library's record afterwards; nil if the record is not imported.
  var hash: [UInt8]?
  /// The SHA-256 of the source's content, if its times do not show changes.
  var sourceHash: [UInt8]?
  /// The text of this import; nil if the text of an earlier import is kept.
  var base: NextBase?
  /// The conflicts between the two sides.
  var conflicts: [MergeConflict] = []
  /// Whether the record contains values from both sides.
  var isMerged = false
  /// Whether the common base of the two sides is known.
  var hasBase = false
  /// Whether the record was merged against the text of the last import.
  var isFromMerge = false
  /// Whether one side is taken as a whole because it is newer, although the other side may contain more.
  var isWhole = false
}
