import JSONText
import RegistryModel
import RegistryStore

/// The words of an item for its search.
///
/// `words` contains each word in the form of `SearchText.folded` and its stem: English stems for words in ASCII, Russian
/// ones for others, which is PostgreSQL's configuration `russian`. A query finds an item by either.
struct SearchWords {
  /// The maximum size of an item's words. The words and their stems together must fit into a `tsvector`, 1 MB.
  private static let mostBytes = 400_000

  /// The words without duplicates.
  let all: [String]

  init(_ head: PublicationHead, _ body: String) {
    self.init(title: head.title, description: head.description, tags: head.tags, body)
  }

  /// - Parameter body: the document's words.
  init(title: String, description: String?, tags: [String], _ body: String) {
    let texts = [title, description ?? "", tags.joined(separator: "\n"), body]
    all = SearchText.foldedWords(of: texts.joined(separator: "\n"), mostBytes: Self.mostBytes)
  }

  /// The expression that makes the value of `words` from an array of words.
  static func vector(_ words: String) -> String {
    "array_to_tsvector(\(words)) || strip(to_tsvector('russian', array_to_string(\(words), ' ')))"
  }

  /// Returns the expression for a query's words; nil if there are no words. All words must occur, and the last one may
  /// be the beginning of a word.
  /// - Parameter parameter: adds a parameter and returns its name.
  static func query(_ text: String, _ parameter: (PostgreSQLValue) -> String) -> String? {
    let words = SearchText.query(text).map(SearchText.folded)
    guard !words.isEmpty else { return nil }
    let parts = words.enumerated().map { index, word in
      // A word has letters, digits and marks only, so that the quotes enclose it.
      let exact = parameter(.text("'\(word)'" + (index == words.count - 1 ? ":*" : "")))
      return "(\(exact)::tsquery || plainto_tsquery('russian', \(parameter(.text(word)))))"
    }
    return parts.joined(separator: " && ")
  }

  /// Returns tags in the form in which they are compared, without duplicates.
  static func folded(_ tags: [String]) -> [String] {
    var folded: [String] = []
    for tag in tags.map(\.asciiLowercased) where !folded.contains(where: { $0.utf8.elementsEqual(tag.utf8) }) {
      folded.append(tag)
    }
    return folded
  }
}

/// Documents as `jsonb`.
enum JSONBDocument {
  /// The maximum nesting; PostgreSQL's parser needs stack for each level.
  private static let deepest = 500
  /// The maximum length and exponent of a number; PostgreSQL's numbers have at most 131,072 digits.
  private static let mostDigits = 1000

  /// Returns the value for `content_data`; NULL if `jsonb` cannot store the document, because it is not JSON, a string
  /// contains U+0000 or half of a surrogate pair, or it is too deep or has too long numbers.
  static func value(_ document: [UInt8]) -> PostgreSQLValue {
    guard let parsed = try? JSONDocument(parsing: document), parsed.withRoot({ isStorable($0, depth: 0) }) else {
      return .json(nil)
    }
    return .json(document)
  }

  private static func isStorable(_ value: JSONNode, depth: Int) -> Bool {
    guard depth < deepest else { return false }
    var isStorable = true
    switch value.kind {
    case .object:
      value.forEachMember { name, member in
        isStorable = isStorable && Self.isStorable(name, depth: depth + 1) && Self.isStorable(member, depth: depth + 1)
      }
    case .array: value.forEachElement { isStorable = isStorable && Self.isStorable($0, depth: depth + 1) }
    case .string: isStorable = value.string.map { !$0.holdsNUL } ?? false
    case .number: isStorable = isStorableNumber(value.numberText ?? "")
    default: break
    }
    return isStorable
  }

  private static func isStorableNumber(_ text: String) -> Bool {
    let parts = text.split { $0 == "e" || $0 == "E" }
    guard parts.count == 2 else { return text.utf8.count <= mostDigits }
    return parts[0].utf8.count <= mostDigits && (Int(parts[1]).map { abs($0) <= mostDigits } ?? false)
  }
}
