/// Measures the distance between a misspelled word and the intended one.
package enum EditDistance {
  /// Returns a word in lower case and without `_` and `-`, because people ignore these differences; nil if the word has
  /// more than `longest` scalars.
  package static func plain(_ word: String, longest: Int) -> [Unicode.Scalar]? {
    // A scalar has at most four bytes, so there is no need to iterate over longer words.
    guard word.utf8.count <= 4 * longest else { return nil }
    let plain = word.lowercased().unicodeScalars.filter { $0 != "_" && $0 != "-" }
    return plain.count <= longest ? Array(plain) : nil
  }

  /// Returns the number of letters that were added, left out, replaced, or swapped with their neighbour (optimal string
  /// alignment).
  ///
  /// The time is proportional to the product of the two lengths. Callers limit the lengths.
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
      // The next round reuses the memory of the oldest row.
      swap(&before, &last)
      swap(&last, &row)
    }
    return last[right.count]
  }
}
