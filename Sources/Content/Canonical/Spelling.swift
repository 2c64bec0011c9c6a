/// Guesses which word a misspelled one was meant to be.
package enum Spelling {
  /// The word that is at most two letters away, or another form of the same words; nil when none is near.
  package static func nearest(to text: String, among words: [String]) -> String? {
    let plain = normalized(text)
    var best: (word: String, distance: Int)?
    for word in words where word.count > 3 {
      let distance = plain == normalized(word) ? 0 : self.distance(Array(plain), Array(normalized(word)))
      if distance <= min(2, word.count / 3), distance < best?.distance ?? 3 { best = (word, distance) }
    }
    guard best == nil, !words.contains(text) else { return best?.word }
    return familiar[plain]?.first { words.contains($0) }
  }

  /// Names that people use for ours; the first that there is where they stand is meant.
  private static let familiar: [String: [String]] = {
    var words = [
      "text": ["markdown", "itemDescription"], "body": ["markdown", "itemDescription"], "content": ["content_data"],
      "data": ["content_data"], "type": ["content_type"], "steps": ["items"], "tasks": ["items"], "name": ["title"],
      "question": ["front"], "answer": ["back"], "mandatory": ["isRequired"], "required": ["isRequired"],
      "optional": ["isOptional"], "lang": ["language"],
    ]
    for name in ["description", "details", "detail", "note", "notes", "hint", "tips"] {
      words[name] = ["itemDescription"]
    }
    for name in ["minutes", "duration", "time"] { words[name] = ["estimatedMinutes"] }
    return words
  }()

  private static func normalized(_ text: String) -> String {
    text.lowercased().filter { $0 != "_" && $0 != "-" }
  }

  /// Letters to change, add, leave out or exchange with their neighbour (optimal string alignment).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    guard left.count < 40, right.count < 40, !left.isEmpty, !right.isEmpty else { return .max }
    var rows = [[Int](repeating: 0, count: right.count + 1), Array(0...right.count)]
    for i in 1...left.count {
      var row = [i]
      for j in 1...right.count {
        let change = rows[1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1)
        var best = min(change, row[j - 1] + 1, rows[1][j] + 1)
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
          best = min(best, rows[0][j - 2] + 1)
        }
        row.append(best)
      }
      rows = [rows[1], row]
    }
    return rows[1][right.count]
  }
}
