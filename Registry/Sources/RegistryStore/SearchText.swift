import Foundation
import JSONText

/// The words of documents and of queries, for the search of a store.
package enum SearchText {
  /// The members of the app's documents that contain text for readers.
  private static let members: [StaticString] = [
    "title", "description", "itemDescription", "markdown", "front", "back", "hint", "source", "tags",
  ]
  private static let deepest = 64
  private static let mostWords = 16
  private static let longestWord = 64

  /// Returns the words of a document: titles, descriptions, Markdown, both sides of cards, and tags, with one string
  /// per line.
  ///
  /// The result is empty for a document that is not JSON. Values nested deeper than 64 levels are ignored.
  package static func words(of document: [UInt8]) -> String {
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
      // For a store the string ends at U+0000; a space separates words as well.
      if text.holdsNUL { text = String(decoding: text.utf8.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self) }
      buffer.append(utf8: text)
      buffer.append("\n")
    default: break
    }
  }

  /// Returns the words of a query, at most the first 16.
  ///
  /// A word is a run of letters, digits and marks, of which the first 64 characters count; all other characters are
  /// separators. A query without words returns an empty array.
  package static func query(_ text: String) -> [String] { split(text, most: mostWords) }

  /// Returns the different words of a text, each in the form of `folded`.
  /// - Parameter mostBytes: the maximum size of all words together; further words are left out.
  package static func foldedWords(of text: String, mostBytes: Int) -> [String] {
    var words: [String] = []
    var seen: Set<String> = []
    var bytes = 0
    for word in split(text, most: .max) {
      let folded = folded(word)
      guard seen.insert(folded).inserted else { continue }
      bytes += folded.utf8.count
      if bytes > mostBytes { break }
      words.append(folded)
    }
    return words
  }

  /// Returns a word in the form in which words are compared: in lower case, without accents on Latin and Greek letters,
  /// and with `е` for `ё`.
  package static func folded(_ word: String) -> String {
    let lower = word.lowercased()
    if lower.utf8.allSatisfy({ $0 < 0x80 }) { return lower }
    var folded = String.UnicodeScalarView()
    var base: Unicode.Scalar?
    for scalar in lower.decomposedStringWithCanonicalMapping.unicodeScalars {
      guard scalar.properties.generalCategory == .nonspacingMark else {
        base = scalar
        folded.append(scalar)
        continue
      }
      let isDropped = base.map { $0.value < 0x400 || ($0 == "е" && scalar == "\u{308}") } ?? true
      if !isDropped { folded.append(scalar) }
    }
    return String(folded).precomposedStringWithCanonicalMapping
  }

  private static func split(_ text: String, most: Int) -> [String] {
    var words: [String] = []
    let scalars = text.unicodeScalars
    var start = scalars.startIndex
    // The end of the characters of a word that count.
    var end = start
    var length = 0
    var hasLetter = false
    var at = start
    func finish() {
      if hasLetter, words.count < most { words.append(String(scalars[start..<end])) }
      length = 0
      hasLetter = false
    }
    while at < scalars.endIndex {
      let kind = kind(of: scalars[at])
      if kind == .other {
        if length > 0 { finish() }
      } else if length < longestWord {
        if length == 0 { start = at }
        length += 1
        end = scalars.index(after: at)
        hasLetter = hasLetter || kind == .letter
      }
      scalars.formIndex(after: &at)
    }
    finish()
    return words
  }

  private enum Kind { case letter, mark, other }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    if scalar.value < 0x80 {
      let lower = scalar.value | 0x20
      return (0x30...0x39).contains(scalar.value) || (0x61...0x7A).contains(lower) ? .letter : .other
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber:
      return .letter
    case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
    default: return .other
    }
  }
}
