import Interchange

/// Why an import cannot tell which of two versions is right. `text` is the only place where it becomes a sentence.
enum ConflictReason {
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
  var text: String {
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

/// What an import does with one record.
enum Decision {
  case create
  case update
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
    /// Nobody remembers.
    case unknown
    case onlySource
    case onlyLibrary
  }

  /// Applies the rules of docs/DESIGN.md, section 6.
  static func make(
    _ candidate: Candidate, hasExisting: Bool, changed: Changed = .unknown, _ onConflict: OnConflict,
    isByHand: Bool = false, hasBase: Bool = true, isRetry: Bool = false, isAsBefore: () -> Bool = { false }
  ) -> Decision {
    if candidate.hasNoBody { return .withoutBody }
    guard hasExisting else { return .create }
    if candidate.isSame { return .unchanged }
    switch onConflict {
    case .keep: return .keep(.libraryKept)
    case .fail: return .conflict(.differs)
    case .replace:
      let stays = candidate.restoresPublishing && candidate.keepsPublication
      return candidate.isPublished && !stays ? .published : .update
    // Nobody raises a time by hand: what only the note changed is an edit, whatever its time says.
    case .merge where isByHand && changed == .onlySource: return .update
    // Rows that were corrected a moment ago, and nothing else: all other steps are the library's already.
    case .merge where isRetry: return .update
    case .merge where isByHand && changed == .onlyLibrary: return .keep(.onlyLibraryChanged)
    case .newest, .merge:
      let (mine, theirs) = candidate.times
      guard let mine else {
        if onConflict == .merge, changed == .onlySource { return .update }
        if onConflict == .merge, changed == .onlyLibrary { return .keep(.onlyLibraryChanged) }
        return .conflict(.sourceHasNoTime)
      }
      guard let theirs else {
        return .conflict(.libraryHasNoTime)
      }
      if mine >= theirs { return .update }
      // An older version may still know of steps that the library's does not.
      guard candidate.addsTicks else {
        if isByHand, onConflict == .merge {
          return isAsBefore() ? .keep(.onlyLibraryChanged) : .conflict(hasBase ? .bothChanged : .changedSince)
        }
        return .keep(.libraryNewer)
      }
      candidate.libraryWins = true
      return .update
    }
  }
}
