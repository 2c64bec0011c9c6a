import JSONText

/// Guesses which word a misspelled one was meant to be.
package enum Spelling {
  /// Longest word that is compared, in scalars.
  private static let longest = 39

  /// The word that is at most two letters away, or another form of the same words; nil when none is near.
  package static func nearest(to text: String, among words: [String]) -> String? {
    guard let plain = EditDistance.plain(text, longest: longest), !plain.isEmpty else { return nil }
    var best: (word: String, distance: Int)?
    for word in words where word.count > 3 {
      guard let other = EditDistance.plain(word, longest: longest), abs(other.count - plain.count) <= 2 else {
        continue
      }
      let distance = EditDistance.between(plain, other)
      if distance <= min(2, word.count / 3), distance < best?.distance ?? 3 { best = (word, distance) }
    }
    guard best == nil, !words.contains(text) else { return best?.word }
    return familiar[String(String.UnicodeScalarView(plain))]?.first { words.contains($0) }
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
}
