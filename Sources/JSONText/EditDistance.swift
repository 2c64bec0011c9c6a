/// Measures how far a misspelled word is from the intended one.
package enum EditDistance {
  /// Returns a word in the form in which people compare it: capitals, `_` and `-` are ignored. Nil for words of more
  /// than `longest` scalars.
  package static func plain(_ word: String, longest: Int) -> [Unicode.Scalar]? {
    // A scalar has at most four bytes, so longer texts are not iterated over.
    guard word.utf8.count <= 4 * longest else { return nil }
    let plain = word.lowercased().unicodeScalars.filter { $0 != "_" && $0 != "-" }
    return plain.count <= longest ? Array(plain) : nil
  }

  /// The number of letters that were added, left out, replaced, or exchanged with their neighbour (optimal string
  /// alignment).
  ///
  /// Takes as many steps as the product of the lengths; callers limit the lengths.
  package static func between<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int {
    var before = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    var row = before
    for i in left.indices {
      row[0] = i + 1
      for j in right.indices {
        var cost = min(last[j] + (left[i] == right[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { cost = min(cost, before[j - 1] + 1) }
        row[j + 1] = cost
      }
      // The memory of the oldest row is reused in the next round.
      swap(&before, &last)
      swap(&last, &row)
    }
    return last[right.count]
  }
}
