/// What an import does with one record.
enum Decision {
  case create
  case update
  case unchanged
  /// The library's stays, as the user wanted it.
  case keep(String)
  /// The library's stays because nobody can say which is right; the source's goes to the rejects.
  case conflict(String)
  /// The app could not open what would be listed.
  case withoutBody
  /// The library's stays because it is published.
  case refuse(String)

  static let kept = "the library's version is kept (--on-conflict keep)"
  static let ours = "the library's version is kept (it won the conflict)"
  static let newer = "the library's version is newer"
  static let differs = "the library has another version of it"
  static let bothChanged =
    "the library's version is newer, and this one is not what it was at the last import: nobody can say which is right"
  static let changedSince =
    "the library's version was changed after this one was taken from it: nobody can say which is right"
  static let onlyHere = "only the library's version changed since the last import"

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
    case .keep: return .keep(kept)
    case .fail: return .conflict("the library has another version of it")
    case .replace:
      let stays = candidate.restoresPublishing && candidate.keepsPublication
      return candidate.isPublished && !stays
        ? .refuse("the library's version is published and not replaced: unpublish it first") : .update
    // Nobody raises a time by hand: what only the note changed is an edit, whatever its time says.
    case .merge where isByHand && changed == .onlySource: return .update
    // Rows that were corrected a moment ago, and nothing else: all other steps are the library's already.
    case .merge where isRetry: return .update
    case .merge where isByHand && changed == .onlyLibrary: return .keep(onlyHere)
    case .newest, .merge:
      let (mine, theirs) = candidate.times
      guard let mine else {
        if onConflict == .merge, changed == .onlySource { return .update }
        if onConflict == .merge, changed == .onlyLibrary { return .keep(onlyHere) }
        return .conflict("the library has another version of it, and this one does not say when it was changed")
      }
      guard let theirs else {
        return .conflict("the library has another version of it, which does not say when it was changed")
      }
      if mine >= theirs { return .update }
      // An older version may still know of steps that the library's does not.
      guard candidate.addsTicks else {
        if isByHand, onConflict == .merge {
          return isAsBefore() ? .keep(onlyHere) : .conflict(hasBase ? bothChanged : changedSince)
        }
        return .keep(newer)
      }
      candidate.libraryWins = true
      return .update
    }
  }
}
