import JSONText

/// Finds what a misspelt word may have meant.
enum Spelling {
  /// Longest word that is compared, in characters.
  private static let longest = 64

  /// The candidate that differs least from `word`; nil when even that one differs too much.
  ///
  /// Capitals, `_` and `-` count for nothing: `contentType` is near `content_type`.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    let wanted = EditDistance.plain(word)
    guard !wanted.isEmpty, wanted.count <= longest else { return nil }
    let allowed = max(1, wanted.count / 3)
    var best: (distance: Int, candidate: String)?
    for candidate in candidates.prefix(500) {
      let other = EditDistance.plain(candidate)
      guard other.count <= longest, abs(other.count - wanted.count) <= allowed else { continue }
      let distance = EditDistance.between(wanted, other)
      if distance <= allowed, distance < best?.distance ?? Int.max { best = (distance, candidate) }
    }
    return best?.candidate
  }
}
