import JSONText

/// Guesses which word a misspelled one was meant to be.
package enum Spelling {
  /// Longest word that is compared, in scalars.
  private static let longest = 39

  /// The word that is at most two letters away, or another form of the same words; nil when none is near.
  package static func nearest(to text: String, among words: [String]) -> String? { Words(words).nearest(to: text) }

  /// Words that others are compared with, prepared once for many questions.
  package struct Words: Sendable {
    private let all: Set<String>
    /// Those that are long enough to be recognised when they are misspelled, with the letters that are compared.
    private let long: [(word: String, plain: [Unicode.Scalar], most: Int)]

    package init(_ words: [String]) {
      all = Set(words)
      long = words.compactMap { word in
        guard word.count > 3, let plain = EditDistance.plain(word, longest: longest) else { return nil }
        return (word, plain, min(2, word.count / 3))
      }
    }

    /// As `Spelling.nearest`.
    package func nearest(to text: String) -> String? {
      guard let plain = EditDistance.plain(text, longest: longest), !plain.isEmpty else { return nil }
      var best: (word: String, distance: Int)?
      for (word, other, most) in long where abs(other.count - plain.count) <= 2 {
        let distance = EditDistance.between(plain, other)
        if distance <= most, distance < best?.distance ?? 3 { best = (word, distance) }
      }
      guard best == nil, !all.contains(text) else { return best?.word }
      return familiar[String(String.UnicodeScalarView(plain))]?.first { all.contains($0) }
    }
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
