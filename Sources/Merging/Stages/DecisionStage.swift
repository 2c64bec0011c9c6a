import Content
import Interchange
import JSONText
import SQLiteLibrary

/// Why an import cannot tell which of two versions is right. `text` is the only place where it becomes a sentence.
package enum ConflictReason: Equatable, Sendable {
  /// Both sides differ, and `--on-conflict fail` allows no difference, or a merge without a base found the same part.
  case differs
  /// Both sides differ, and the source does not say when it was changed.
  case sourceHasNoTime
  /// Both sides differ, and the library does not say when it was changed.
  case libraryHasNoTime
  /// Both changed since the last import.
  case bothChanged
  /// The library's version changed after the source was taken from it.
  case changedSince
  /// Both sides changed the same parts; a sentence that names them.
  case sameParts(String)

  /// The reason in words.
  package var text: String {
    switch self {
    case .differs: "the library has another version of it"
    case .sourceHasNoTime: "the library has another version of it, and this one does not say when it was changed"
    case .libraryHasNoTime: "the library has another version of it, which does not say when it was changed"
    case .bothChanged:
      "the library's version is newer, and this one is not what it was at the last import: it is unknown which one is right"
    case .changedSince:
      "the library's version was changed after this one was taken from it: it is unknown which one is right"
    case .sameParts(let sentence): sentence
    }
  }
}

/// What an import does with one record: the third stage, and a pure function of a candidate.
enum Decision {
  case create
  case update
  /// The library's execution gets the ticks that only the source has, and nothing else changes.
  case addTicks
  case unchanged
  /// The library's version stays.
  case keep(SkipReason)
  /// The library's version stays because it is unknown which one is right; the source's goes to the rejects.
  case conflict(ConflictReason)
  /// The app could not open what would be listed.
  case withoutBody
  /// The library's version stays because it is published.
  case published

  /// Which side changed since the source was imported last.
  enum Changed {
    case unknown
    case onlySource
    case onlyLibrary
  }

  /// What is known of a record beyond its two versions.
  struct Circumstances {
    /// Whether the library has the record.
    var hasExisting = true
    var changed = Changed.unknown
    var onConflict = OnConflict.merge
    /// Whether people edit the source, who change no times.
    var isByHand = false
    /// Whether an earlier import brought the record.
    var hasBase = true
    /// Whether it is rows that were rejected before.
    var isRetry = false
  }

  /// Applies the rules of docs/DESIGN.md, section 6.
  /// - Parameter isAsBefore: whether the source still has what the library took from it. Asked only where that decides.
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
    // People who edit a note do not change its time: what only the note changed is an edit, whatever its time is.
    case .merge where known.isByHand && known.changed == .onlySource: return .update
    // Rows that were corrected a moment ago, and nothing else: all other steps are the library's already.
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
    // An older version may still know of steps that the library's does not.
    if candidate.addsTicks { return .addTicks }
    if known.isByHand, known.onConflict == .merge {
      return isAsBefore() ? .keep(.onlyLibraryChanged) : .conflict(known.hasBase ? .bothChanged : .changedSince)
    }
    return .keep(.libraryNewer)
  }
}

/// The third stage: decides about a record of which the text of the last import is unknown, or not needed.
struct DecisionStage {
  /// One record and all that is known of it.
  struct Input {
    let incoming: Incoming
    /// The record as the overlay left it.
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

  /// Decides. The composer then has what the library will hold, where something changes.
  func settle(_ input: Input, _ candidate: Candidate) throws -> Settlement {
    let incoming = input.incoming
    candidate.load(input.record, existing: input.library, hasTimesOfExport: incoming.said != nil)
    candidate.unitesTicks = policy.onConflict != .replace
    let said = try incoming.hashOfSaid(candidate)
    var known = Decision.Circumstances(
      hasExisting: input.library != nil, changed: Self.changed(input.memory, before: input.before, said: said),
      onConflict: policy.onConflict, isByHand: input.isByHand && incoming.kind == .item,
      hasBase: input.memory != nil, isRetry: incoming.isRetried)
    if known.isByHand, known.changed == .unknown, policy.onConflict == .merge, let library = input.library,
      !candidate.isSame, let last = incoming.lastWritten()
    {
      if last.isUntouched, isWrittenFromThis(last) {
        // It was not edited: it is as old as what it was written from, and not an older version by another hand.
        candidate.updatedWhenWritten = last.updated
        known.isByHand = false
      } else if try last.content == ContentHash.of(line: library.raw) {
        // The library still has what the note was written from, so all that differs was edited in the note.
        known.changed = .onlySource
      }
    }
    let target = input.library?.member("id")?.string
    let decision = Decision.make(candidate, known) {
      // Does the source still contain what the library had from it?
      input.memory.map { composer.compose(candidate, incoming, target: target, isPack: input.isPack) == $0.library }
        ?? false
    }
    var settlement = Settlement(decision: decision, said: said)
    if known.hasExisting, known.changed == .unknown, takesWhole(decision, incoming, candidate) {
      if policy.settling.decides {
        settlement.decision = .conflict(.differs)
        return settlement
      }
      settlement.isWhole = true
    }
    switch decision {
    case .create, .update, .addTicks:
      var terms = Candidate.Terms(now: composer.now)
      if case .addTicks = decision { terms.libraryWins = true }
      settlement.hash = composer.compose(candidate, incoming, target: target, terms, isPack: input.isPack)
    case .unchanged: settlement.hash = input.before
    case .conflict, .keep, .published, .withoutBody: break
    }
    return settlement
  }

  /// Whether one side is taken whole because it is newer, although the other may have what it does not. Of executions both
  /// sides' ticks stay.
  private func takesWhole(_ decision: Decision, _ incoming: Incoming, _ candidate: Candidate) -> Bool {
    guard policy.onConflict == .merge, !policy.restoresPublishing, !policy.isRetry, !incoming.isRetried,
      incoming.kind != .execution
    else { return false }
    switch decision {
    // Equally old: the source was taken from what the library has, and edited without changing the time.
    case .update: return candidate.times.source != candidate.times.existing
    case .keep(.libraryNewer): return true
    default: return false
    }
  }

  /// Which side changed since the last import: the library still has what it had then, or the source does.
  private static func changed(_ base: Ledger.Memory?, before: [UInt8]?, said: [UInt8]?) -> Decision.Changed {
    guard let base, let before else { return .unknown }
    if base.library == before { return .onlySource }
    return said != nil && base.said == said ? .onlyLibrary : .unknown
  }
}

extension Incoming {
  /// The hash of what the source contains, for records whose times do not tell what changed: those that have none, and rows
  /// of tables, whose times are not maintained.
  func hashOfSaid(_ candidate: Candidate) throws -> [UInt8]? {
    if let said { return said.hash(line, extent) }
    return candidate.times.source == nil ? try ContentHash.bytes(of: line) : nil
  }
}

/// What is done with a record, and what is remembered of that. Its texts are valid until the next record.
struct Settlement {
  /// A text that the next import merges against.
  enum NextBase {
    /// One that is kept already.
    case kept(BaseTexts.Reference)
    /// A new one.
    /// - Parameters:
    ///   - line: the line.
    ///   - isLibrarys: whether the library has this very text.
    ///   - changed: when the library's record was changed last.
    case text(line: UnsafeBufferPointer<UInt8>, isLibrarys: Bool, changed: Timestamp?)
  }

  var decision: Decision
  /// SHA-256 of what the library has then; nil when the record does not become the library's.
  var hash: [UInt8]?
  /// SHA-256 of what the source contains, where its times do not tell what changed.
  var said: [UInt8]?
  /// The text of this import; nil when that of an earlier one stays.
  var base: NextBase?
  /// What both sides changed, and differently.
  var conflicts: [MergeConflict] = []
  /// Whether the record has something of both sides.
  var isMerged = false
  /// Whether it is known what both sides come from.
  var hasBase = false
  /// Whether it was merged with the text of the last import.
  var isFromMerge = false
  /// Whether one side is taken whole because it is newer, although the other may have what it does not.
  var isWhole = false
}
