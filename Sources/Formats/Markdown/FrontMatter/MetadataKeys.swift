import Content
import Diagnostics
import JSONText
import MarkdownSyntax

/// The front matter keys of an item: one for every member of the envelope, and a few for the rest of the record.
///
/// Note readers and writers take all keys, synonyms and defaults from this type.
/// - Source: formats/markdown.md, "Front matter"; the members are those of `Shapes.item`
enum MetadataKeys {
  static let id = MetadataKey(envelope: "id", writing: .always)
  static let type = MetadataKey(envelope: "content_type", before: ["content_type"], writing: .always)
  static let title = MetadataKey(envelope: "title", synonyms: ["Title"], writing: .always)
  static let created = MetadataKey(
    envelope: "created_at",
    synonyms: [
      "created_at", "date", "createdAt", "created-at", "date created", "date_created", "date-created", "dateCreated",
      "creation date", "creation_date", "creation-date", "created_date", "Created", "Date", "создано", "дата",
    ], writing: .always)
  static let updated = MetadataKey(
    envelope: "updated_at",
    synonyms: [
      "updated_at", "modified", "lastmod", "last_modified_at", "updatedAt", "updated-at", "date modified",
      "date_modified", "date-modified", "dateModified", "date updated", "date_updated", "modified_at", "last_modified",
      "last-modified", "last modified", "lastModified", "modification date", "last_updated", "last updated", "Updated",
      "Modified", "обновлено",
    ], writing: .always)
  static let tags = MetadataKey(envelope: "tags", synonyms: ["tag", "Tags"])
  /// The record's extras, without `markdown`, which the note itself contains.
  static let extras = MetadataKey(envelope: "extras")

  /// The keys that have synonyms or are not members of the envelope. The other keys are derived from the field table.
  private static let special: [MetadataKey] = [
    id, type, title, created, updated, tags, extras,
    MetadataKey(envelope: "description", synonyms: ["summary", "Description"]),
    MetadataKey(envelope: "language", synonyms: ["lang", "Language"], writing: .always),
    MetadataKey("checklistType", .text, home: .content, standard: "\"general\""),
    MetadataKey("document", .json, home: .document, member: "", standard: "{}"),
    MetadataKey("members", .json, home: .members, member: "", standard: "{}"),
  ]

  /// Every key, in the order of canonical notes, which is bytewise.
  static let all: [MetadataKey] = {
    let known = Set(special.map(\.member))
    let others = Shapes.item.members.map(\.nameText).filter { name in
      // The note itself contains these members.
      name != "kind" && name != "content_data" && !known.contains(name)
    }
    return (special + others.map { MetadataKey(envelope: $0) }).sorted {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
  }()

  /// Returns the key for a name or one of its synonyms; nil for unknown keys.
  static func key(spelled name: String) -> MetadataKey? { spellings[name] }

  private static let spellings = Dictionary(
    all.flatMap { key in key.read.map { ($0, key) } }, uniquingKeysWith: { first, _ in first })

  // MARK: Content types

  /// Returns the word for a content type in notes.
  static func word(for type: ContentType) -> String {
    switch type {
    case .checklist: "checklist"
    case .practiceGuide: "guide"
    case .flashcardDeck: "deck"
    }
  }

  /// Returns the content type for a word in a note; nil for unknown words.
  static func contentType(_ word: String) -> ContentType? {
    switch word {
    case "checklist": .checklist
    case "guide", "practice_guide": .practiceGuide
    case "deck", "flashcard_deck", "flashcards": .flashcardDeck
    default: nil
    }
  }

  // MARK: Documents

  /// Returns the member of `content_data` that a note's body contains.
  static func bodyMember(of type: ContentType) -> String {
    switch type {
    case .checklist: "sections"
    case .practiceGuide: "markdown"
    case .flashcardDeck: "cards"
    }
  }

  // MARK: Members of the envelope

  /// Whether a name is the name of an envelope member.
  static func isEnvelope(_ name: String) -> Bool { positions[name] != nil }

  /// The positions of the envelope's members, by name.
  static let positions = Dictionary(
    uniqueKeysWithValues: Shapes.item.members.enumerated().map { ($0.element.nameText, $0.offset) })

  static let idPosition = position("id")
  static let typePosition = position("content_type")
  static let titlePosition = position("title")
  static let descriptionPosition = position("description")
  static let tagsPosition = position("tags")
  static let languagePosition = position("language")
  static let statusPosition = position("sync_status")
  static let createdPosition = position("created_at")
  static let updatedPosition = position("updated_at")
  static let documentPosition = position("content_data")
  static let extrasPosition = position("extras")

  private static func position(_ name: String) -> Int { positions[name] ?? -1 }
}

/// One item value that front matter can hold: its key, and its location in the record.
struct MetadataKey: Sendable {
  /// The kind of the key's value.
  enum Kind: Sendable {
    /// A string.
    case text
    /// A content type, which notes write as `checklist`, `guide` or `deck`.
    case contentType
    /// A list of strings. Readers also accept a single string, which they split at commas, or at blanks if it has no
    /// comma.
    case tags
    /// A time. Null means that the time is unknown, so that no file time is used instead.
    case date
    case bool
    /// A 64-bit integer.
    case integer
    case number
    /// Any JSON value, written as one line of YAML in flow style.
    case json
  }

  /// The location of the value in a record.
  enum Home: Sendable {
    /// A member of the envelope, as listed in `Shapes.item`.
    case envelope
    /// A member of `content_data` that is independent of the envelope.
    case content
    /// An object with the members of `content_data` that cannot be derived from the envelope and the body.
    case document
    /// An object with the unknown members of the envelope.
    case members
  }

  /// The condition under which the key is written.
  enum Writing: Sendable {
    /// The key is written for every value.
    case always
    /// The key is written unless the value is `standard`.
    case unlessStandard
  }

  /// The name under which the key is written.
  let name: String
  /// The keys that are read if `name` is missing; the first one found counts.
  let synonyms: [String]
  /// The keys that take precedence over `name` if both are present.
  let before: [String]
  let kind: Kind
  let home: Home
  /// The name of the record's member; empty for objects of members.
  let member: String
  let writing: Writing
  /// The JSON value to which a missing key is equivalent. For keys that are always written, this is the readers'
  /// fallback.
  let standard: String

  /// All keys that are read, in order of precedence.
  let read: [String]

  /// Creates the key of an envelope member from the member's row in the field table.
  init(
    envelope member: String, before: [String] = [], synonyms: [String] = [], writing: Writing = .unlessStandard
  ) {
    let field = Shapes.item.member(member)
    let kind: Kind =
      switch field?.kind {
      case .contentType: .contentType
      case .strings: .tags
      case .date: .date
      case .bool: .bool
      case .integer: .integer
      case .number: .number
      case .object, .extras: .json
      default: .text
      }
    self.init(
      field?.field.noteKey ?? member, kind, before: before, synonyms: synonyms, member: member, writing: writing,
      standard: field?.absent == .literal ? field.map { String(decoding: $0.literal, as: UTF8.self) } : nil)
  }

  init(
    _ name: String, _ kind: Kind, before: [String] = [], synonyms: [String] = [], home: Home = .envelope,
    member: String? = nil, writing: Writing = .unlessStandard, standard: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.before = before
    read = before + [name] + synonyms
    self.synonyms = synonyms
    self.home = home
    self.member = member ?? name
    self.writing = writing
    self.standard = standard ?? "null"
  }
}

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

  /// Returns the value that a string was probably meant as, for members with a fixed list of values. Returns nil for
  /// other members, for strings in the list, and for strings that are not similar to any listed value.
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
  static func find(_ text: Span<UInt8>) -> Range<Int>? {
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
  private static func content(_ text: Span<UInt8>, from start: Int) -> Range<Int>? {
    FrontMatterBlock(text.extracting(start...)).map {
      start + $0.content.lowerBound..<start + $0.content.upperBound
    }
  }

  private static func hasKnownKey(_ text: Span<UInt8>, _ content: Range<Int>) -> Bool {
    content.prefix(1 << 14).split { text[$0] == 0x0A || text[$0] == 0x0D }.contains { line in
      let name = line.prefix { text[$0] != UInt8(ascii: ":") && text[$0] != UInt8(ascii: "=") }
      guard name.count < line.count, name.count < 40 else { return false }
      return MetadataKeys.key(spelled: String(decoding: text.extracting(name)).trimmingBlanks) != nil
    }
  }

  /// Returns a line without its surrounding blanks and byte order marks.
  private static func trimmed(_ text: Span<UInt8>, _ line: Range<Int>) -> Range<Int> {
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

  private static func begins(_ text: Span<UInt8>, _ line: Range<Int>, with mark: StaticString) -> Bool {
    text.extracting(line).starts(with: mark)
  }

  private static func ends(_ text: Span<UInt8>, _ line: Range<Int>, with mark: StaticString) -> Bool {
    text.extracting(line).starts(with: mark, at: line.count - mark.utf8CodeUnitCount)
  }
}
