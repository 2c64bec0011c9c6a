/// Finds what a misspelt word may have meant.
enum Spelling {
  /// Longest word that is compared, in characters.
  private static let longest = 64

  /// The candidate that differs least from `word`; nil when even that one differs too much.
  ///
  /// Capitals, `_` and `-` count for nothing: `contentType` is near `content_type`.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    let wanted = plain(word)
    guard !wanted.isEmpty, wanted.count <= longest else { return nil }
    let allowed = max(1, wanted.count / 3)
    var best: (distance: Int, candidate: String)?
    for candidate in candidates.prefix(500) {
      let other = plain(candidate)
      guard other.count <= longest, abs(other.count - wanted.count) <= allowed else { continue }
      let distance = distance(wanted, other)
      if distance <= allowed, distance < best?.distance ?? Int.max { best = (distance, candidate) }
    }
    return best?.candidate
  }

  private static func plain(_ word: String) -> [Character] {
    word.lowercased().filter { $0 != "_" && $0 != "-" }.map { $0 }
  }

  /// How many characters were added, left out, replaced, or exchanged with their neighbour.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var before = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        var cost = min(last[j] + (left[i] == right[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { cost = min(cost, before[j - 1] + 1) }
        row.append(cost)
      }
      before = last
      last = row
    }
    return last[right.count]
  }
}
