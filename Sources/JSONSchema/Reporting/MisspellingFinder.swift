import JSONText

/// Finds the intended words for the first twenty unknown words of a value. A value with more unknown words does not
/// have mere misspellings, and comparing each word with every known word takes time.
struct MisspellingFinder {
  /// The largest number of candidates with which a word is compared.
  static let mostCandidates = 500
  /// The length in scalars of the longest word that is compared.
  private static let longest = 64
  /// The largest number of words that are looked up, with or without finding a suggestion.
  private static let mostWords = 20

  private var words = 0
  /// The number of pairs of scalars that were compared.
  private(set) var steps = 0

  /// Returns the candidate that differs least from `word`, or nil if all differ too much.
  ///
  /// Capitals, `_` and `-` are ignored, so `contentType` is near `content_type`.
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
