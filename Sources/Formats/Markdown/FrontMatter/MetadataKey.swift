/// One thing that front matter can say about an item: how it is spelled there, and what it is in the record.
struct MetadataKey: Sendable {
  /// What kind of value stands behind the key.
  enum Kind: Sendable {
    /// One text.
    case text
    /// A content type; notes say `checklist`, `guide` or `deck`.
    case contentType
    /// A list of texts. Readers also take one text: parts between commas, or between blanks when it has no comma.
    case tags
    /// A time. Null says that nobody knows it, so that no file time stands in for it.
    case date
    case bool
    /// A whole number of 64 bits.
    case integer
    case number
    /// Any JSON value, as YAML in flow style on one line.
    case json
  }

  /// Where the value belongs in a record.
  enum Home: Sendable {
    /// A member of the envelope, which `Shapes.item` lists.
    case envelope
    /// A member of `content_data`, whatever the envelope says.
    case content
    /// An object: members of `content_data` that do not follow from the envelope and the body.
    case document
    /// An object: members of the envelope that FleetKit does not know.
    case members
  }

  /// When the key is written.
  enum Writing: Sendable {
    /// Whatever the value.
    case always
    /// Unless the value is `standard`.
    case unlessStandard
  }

  /// The key that is written.
  let name: String
  /// Keys that are read when `name` is not there; the first one counts.
  let synonyms: [String]
  /// Keys that count more than `name` when both are there.
  let before: [String]
  let kind: Kind
  let home: Home
  /// The member in the record; empty for objects of members.
  let member: String
  let writing: Writing
  /// What a note without the key means, as JSON; of keys that are always written, what readers fall back to.
  let standard: String

  /// All keys that are read, the one that counts most first.
  let read: [String]

  init(
    _ name: String, _ kind: Kind, before: [String] = [], synonyms: [String] = [], home: Home = .envelope,
    member: String? = nil, writing: Writing = .unlessStandard, standard: String = "null"
  ) {
    self.name = name
    self.kind = kind
    self.before = before
    read = before + [name] + synonyms
    self.synonyms = synonyms
    self.home = home
    self.member = member ?? name
    self.writing = writing
    self.standard = standard
  }
}
