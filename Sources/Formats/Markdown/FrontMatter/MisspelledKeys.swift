import Content
import Diagnostics
import JSONText
import MarkdownSyntax

/// Finds front matter keys and values that look misspelled.
///
/// A guess is reported, never applied. An unknown key is reported only if it differs in one letter from a known key
/// that is missing.
/// - Source: formats/markdown.md, "Front matter"
enum MisspelledKeys {
  /// Returns the content type that a value of `type` was probably meant as; nil if no content type is similar.
  static func type(_ word: String) -> String? {
    let known = ["checklist", "guide", "practice_guide", "deck", "flashcard_deck", "flashcards"]
    return nearest(word, among: known)
  }

  /// Returns the value that a text was probably meant as, for members with a fixed list of values. Returns nil for
  /// other members, for texts in the list, and for texts that are not similar to any listed value.
  static func value(of member: String, _ text: String) -> String? {
    switch member {
    case "checklistType": nearest(text, among: checklistTypes)
    case "visibility":
      nearest(
        text, among: [LibraryItem.Visibility.private, LibraryItem.Visibility.unlisted, LibraryItem.Visibility.public])
    default: nil
    }
  }

  private static let checklistTypes = [
    "pre_charter", "check_in", "daily", "post_charter", "emergency", "general", "maintenance", "safety",
    "provisioning",
  ]

  /// Returns the key that an unknown key was probably meant as.
  /// - Parameter others: the keys of the front matter.
  static func key(_ name: String, among others: [String]) -> String? {
    guard (3...24).contains(name.utf8.count), MetadataKeys.key(spelled: name) == nil, !aliases.contains(name) else {
      return nil
    }
    let plain = Array(name.lowercased().unicodeScalars)
    for key in MetadataKeys.all where key.kind != .json && key.name.utf8.count > 3 {
      // Skip keys that are present in another spelling.
      if key.read.contains(where: { others.contains($0) }) { continue }
      for spelling in key.read where !spelling.contains(" ") && isOneLetterAway(plain, spelling) { return spelling }
    }
    return nil
  }

  private static let aliases: Set<String> = ["aliases", "alias"]

  /// Whether two words differ by one letter that was added, left out, replaced or swapped with its neighbor. In
  /// four-letter words, replacements do not count, because they too often give another word (`data`, `tape`).
  private static func isOneLetterAway(_ plain: [Unicode.Scalar], _ spelling: String) -> Bool {
    let other = Array(spelling.lowercased().unicodeScalars)
    guard other.count > 3, abs(other.count - plain.count) <= 1, EditDistance.between(plain, other) == 1 else {
      return false
    }
    return other.count > 4 || plain.count != other.count || plain.sorted() == other.sorted()
  }

  private static func nearest(_ word: String, among known: [String]) -> String? {
    guard word.utf8.count > 4, !known.contains(word), !word.contains("{") else { return nil }
    return Spelling.nearest(to: word, among: known)
  }
}

/// Finds front matter that does not begin on the first line and is therefore read as text.
enum MisplacedFrontMatter {
  /// The maximum number of lines before the front matter.
  private static let mostLines = 24

  /// Returns the `---` line at which the misplaced front matter begins; nil if a note has no misplaced front matter.
  ///
  /// Only blank lines, comments and headings may precede the front matter, and one of its keys must be known.
  static func find(_ text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    var start = 0
    var isInComment = false
    for _ in 0..<mostLines where start < text.count {
      var end = start
      while end < text.count, text[end] != 0x0A, text[end] != 0x0D { end += 1 }
      let line = trimmed(text, start..<end)
      if isInComment {
        isInComment = !ends(text, line, with: "-->")
      } else if line.count == 3, text[line.lowerBound] == 0x2D || text[line.lowerBound] == 0x2B {
        guard let content = content(text, from: line.lowerBound) else { return nil }
        return start == 0 && line.lowerBound == 0 || !hasKnownKey(text, content) ? nil : line
      } else if begins(text, line, with: "<!--") {
        isInComment = !ends(text, line, with: "-->")
      } else if !line.isEmpty, text[line.lowerBound] != UInt8(ascii: "#"), !begins(text, line, with: "%%") {
        return nil
      }
      start = end + 1
    }
    return nil
  }

  /// Returns the lines between the fences of the front matter that begins at an offset.
  private static func content(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<Int>? {
    FrontMatterBlock(UnsafeBufferPointer(rebasing: text[start...])).map {
      start + $0.content.lowerBound..<start + $0.content.upperBound
    }
  }

  private static func hasKnownKey(_ text: UnsafeBufferPointer<UInt8>, _ content: Range<Int>) -> Bool {
    text[content].prefix(1 << 14).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).contains { line in
      let name = line.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "=") }
      guard name.count < line.count, name.count < 40 else { return false }
      return MetadataKeys.key(spelled: String(decoding: name, as: UTF8.self).trimmingBlanks) != nil
    }
  }

  /// Returns a line without its surrounding blanks and byte order marks.
  private static func trimmed(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Range<Int> {
    var (start, end) = (line.lowerBound, line.upperBound)
    while start < end {
      if NoteLines.isBlank(text[start]) {
        start += 1
      } else if begins(text, start..<end, with: "\u{FEFF}") {
        start += 3
      } else {
        break
      }
    }
    while end > start, NoteLines.isBlank(text[end - 1]) { end -= 1 }
    return start..<end
  }

  private static func begins(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, with mark: String) -> Bool {
    text[line].starts(with: mark.utf8)
  }

  private static func ends(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, with mark: String) -> Bool {
    text[line].suffix(mark.utf8.count).elementsEqual(mark.utf8)
  }
}
