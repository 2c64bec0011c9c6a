import JSONText

/// The text of documents for the full-text search, and the search expressions for a user's words.
enum SearchTerms {
  /// Members of the app's documents that contain text for readers.
  private static let members: [StaticString] = [
    "title", "description", "itemDescription", "markdown", "front", "back", "hint", "source", "tags",
  ]
  private static let deepest = 64
  private static let mostWords = 16
  private static let longestWord = 64

  /// The words of a document: titles, descriptions, Markdown, both sides of cards, tags; one text a line.
  ///
  /// Empty for text that is not JSON. Values deeper than 64 levels are ignored.
  static func words(of document: [UInt8]) -> String {
    guard let parsed = try? JSONDocument(parsing: document) else { return "" }
    var buffer = ByteBuffer(capacity: document.count / 2 + 64)
    parsed.withRoot { collect($0, named: false, depth: 0, into: &buffer) }
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  private static func collect(_ value: JSONNode, named: Bool, depth: Int, into buffer: inout ByteBuffer) {
    guard depth < deepest else { return }
    switch value.kind {
    case .object:
      value.forEachMember { name, member in
        guard member.kind == .object || member.kind == .array || member.kind == .string else { return }
        let named = members.contains { name.equals($0) }
        collect(member, named: named, depth: depth + 1, into: &buffer)
      }
    case .array:
      value.forEachElement { collect($0, named: named, depth: depth + 1, into: &buffer) }
    case .string:
      guard named, var text = value.string, !text.isEmpty else { return }
      // For SQLite the text ends at U+0000; a blank separates words as well.
      if text.holdsNUL { text = String(decoding: text.utf8.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self) }
      buffer.append(utf8: text)
      buffer.append("\n")
    default: break
    }
  }

  /// The FTS5 expression for a user's words: all must occur, the last one may be the beginning of a word. Nil when the
  /// text has no words.
  ///
  /// A word is a run of letters, digits and marks; everything else only separates. Each word is quoted, so that no text
  /// of a user is syntax. Only the first 16 words are used.
  static func expression(for text: String) -> String? {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    var length = 0
    var hasLetter = false
    func end() {
      if hasLetter, words.count < mostWords { words.append(String(word)) }
      word = String.UnicodeScalarView()
      length = 0
      hasLetter = false
    }
    for scalar in text.unicodeScalars {
      switch kind(of: scalar) {
      case .letter, .mark:
        guard length < longestWord else { continue }
        word.append(scalar)
        length += 1
        hasLetter = hasLetter || kind(of: scalar) == .letter
      case .other: end()
      }
    }
    end()
    guard !words.isEmpty else { return nil }
    return words.map { "\"\($0)\"" }.joined(separator: " AND ") + "*"
  }

  private enum Kind { case letter, mark, other }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber:
      return .letter
    case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
    default: return .other
    }
  }
}
