import JSONText

/// Finds the intended words of misspellings, for the first twenty of a value. More are not misspellings, and each is
/// compared with every known word.
struct MisspellingFinder {
  /// The number of candidates that a word is compared with.
  static let mostCandidates = 500
  /// The length of the longest word that is compared, in scalars.
  private static let longest = 64
  /// The number of words that get a suggestion, or are looked up without one being found.
  private static let mostWords = 20

  private var words = 0
  /// The number of pairs of scalars that were compared.
  private(set) var steps = 0

  /// Returns the candidate that differs least from `word`; nil if it differs too much.
  ///
  /// Capitals, `_` and `-` are ignored: `contentType` is near `content_type`.
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
