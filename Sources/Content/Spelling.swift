import JSONText

/// Guesses the intended word from a misspelled one.
package enum Spelling {
  /// The maximum length of words that are compared, in scalars.
  private static let longest = 39

  /// Returns the word that differs from `text` by at most two letters, or else the one that people mean by the familiar
  /// name `text`. Returns nil if there is no such word.
  package static func nearest(to text: String, among words: [String]) -> String? { Words(words).nearest(to: text) }

  /// Words for comparison, prepared once for many lookups.
  package struct Words: Sendable {
    private let all: Set<String>
    /// The words that are long enough to be recognised when misspelled, each with the letters that are compared.
    private let long: [(word: String, plain: [Unicode.Scalar], most: Int)]

    package init(_ words: [String]) {
      all = Set(words)
      long = words.compactMap { word in
        guard word.count > 3, let plain = EditDistance.plain(word, longest: longest) else { return nil }
        return (word, plain, min(2, word.count / 3))
      }
    }

    /// Returns the nearest word, as `Spelling.nearest` does.
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

  /// Names that people use instead of the format's names. The first suggestion that the object can have is used.
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
