import JSONText

/// Finds what misspelt words may have meant, for the first twenty of a value: more are no spelling mistakes, and each
/// is compared with every word that is known.
struct Spelling {
  /// How many candidates a word is compared with.
  static let mostCandidates = 500
  /// Longest word that is compared, in scalars.
  private static let longest = 64
  /// How many words get a suggestion, or are looked up without one being found.
  private static let mostWords = 20

  private var words = 0
  /// How many pairs of scalars were compared.
  private(set) var steps = 0

  /// The candidate that differs least from `word`; nil when even that one differs too much.
  ///
  /// Capitals, `_` and `-` count for nothing: `contentType` is near `content_type`.
  mutating func nearest(to word: String, among candidates: [String]) -> String? {
    guard words < Self.mostWords, !candidates.isEmpty, let wanted = EditDistance.plain(word, longest: Self.longest),
      !wanted.isEmpty
    else { return nil }
    words += 1
    let allowed = max(1, wanted.count / 3)
    var best: (distance: Int, candidate: String)?
    for candidate in candidates.prefix(Self.mostCandidates) {
      guard let other = EditDistance.plain(candidate, longest: Self.longest),
        abs(other.count - wanted.count) <= allowed
      else { continue }
      steps += wanted.count * other.count
      let distance = EditDistance.between(wanted, other)
      if distance <= allowed, distance < best?.distance ?? Int.max { best = (distance, candidate) }
    }
    return best?.candidate
  }
}
