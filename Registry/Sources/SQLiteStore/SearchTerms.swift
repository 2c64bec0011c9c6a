import RegistryStore

/// Makes the search expressions for a user's words.
enum SearchTerms {
  /// Returns the FTS5 expression for a user's words: all must occur, and the last one may be the beginning of a word.
  /// Returns nil if there are no words. Each word is quoted, so that a user's text is never syntax.
  static func expression(for text: String) -> String? {
    let words = SearchText.query(text)
    guard !words.isEmpty else { return nil }
    return words.map { "\"\($0)\"" }.joined(separator: " AND ") + "*"
  }
}
