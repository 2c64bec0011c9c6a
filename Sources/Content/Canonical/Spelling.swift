import JSONText

/// Guesses which word a misspelled one was meant to be.
package enum Spelling {
  /// The word that is at most two letters away, or another form of the same words; nil when none is near.
  package static func nearest(to text: String, among words: [String]) -> String? {
    let plain = EditDistance.plain(text)
    guard !plain.isEmpty, plain.count < 40 else { return nil }
    var best: (word: String, distance: Int)?
    for word in words where word.count > 3 {
      let distance = EditDistance.between(plain, EditDistance.plain(word))
      if distance <= min(2, word.count / 3), distance < best?.distance ?? 3 { best = (word, distance) }
    }
    return best?.word ?? familiar[String(plain)].flatMap { words.contains($0) ? $0 : nil }
  }

  /// Names that people use for ours.
  private static let familiar = [
    "text": "markdown", "body": "markdown", "content": "content_data", "data": "content_data", "type": "content_type",
    "steps": "items", "tasks": "items", "name": "title", "minutes": "estimatedMinutes", "question": "front",
    "answer": "back", "notes": "itemDescription",
  ]
}
