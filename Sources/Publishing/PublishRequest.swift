import Content
import JSONText

/// A request to publish, in the form that a registry stores: within the interface's limits, normalised, and with the
/// canonical document.
///
/// Source: the registry's documents, `POST /content/share`. `PublishIntake` makes these requests.
public struct PublishRequest: Sendable, Equatable {
  /// The title, 1 to 500 characters.
  public var title: String
  /// The description; nil if there is none.
  public var description: String?
  /// The type in the long form: `guide` and `deck` are accepted as abbreviations.
  public var contentType: ContentType
  /// The app's document as one JSON object in UTF-8: camelCase, complete (ids, times, defaults), with times in whole
  /// seconds.
  public var contentData: [UInt8]
  /// The tags: at most 20, in the order given.
  public var tags: [String]
  /// The language, a BCP 47 tag of at most 10 characters.
  public var language: String
  /// The slug that the client made: 1 to 255 characters of `[A-Za-z0-9-]`; case matters.
  public var publicID: String
  /// Whether others may make a copy.
  public var canFork: Bool
  /// The registry's id of the item that this one is a copy of, in canonical lower case.
  public var forkedFromID: String?
  /// The name of the original's author, from the request or its document, for registries that cannot look it up.
  public var originalAuthorUsername: String?

  /// Makes a request from its parts without checking them.
  public init(
    title: String, description: String?, contentType: ContentType, contentData: [UInt8], tags: [String],
    language: String, publicID: String, canFork: Bool, forkedFromID: String?,
    originalAuthorUsername: String? = nil
  ) {
    self.title = title
    self.description = description
    self.contentType = contentType
    self.contentData = contentData
    self.tags = tags
    self.language = language
    self.publicID = publicID
    self.canFork = canFork
    self.forkedFromID = forkedFromID
    self.originalAuthorUsername = originalAuthorUsername
  }
}

/// A request to change a publication: missing members are nil and stay unchanged.
///
/// Source: the registry's documents, `PUT /content/{public_id}`.
public struct PublishChange: Sendable, Equatable {
  /// The new title.
  public var title: String?
  /// The new description; `.some(nil)` removes it.
  public var description: String??
  /// The new type in the long form. Without `contentData`, it must be the item's current type.
  public var contentType: ContentType?
  /// The new document, in the canonical form of `PublishRequest.contentData`.
  public var contentData: [UInt8]?
  /// The new tags.
  public var tags: [String]?
  /// The new language.
  public var language: String?

  /// Makes an empty change.
  public init() {}
}

/// The data of a stored publication that completes a change: the values that the changed document may leave out.
public struct PublishedItem: Sendable, Equatable {
  /// The item's type.
  public var contentType: ContentType
  /// The item's slug; a document without an id gets an id derived from the slug.
  public var publicID: String
  /// The item's title.
  public var title: String
  /// The item's description, if it has one.
  public var description: String?
  /// The item's tags.
  public var tags: [String]
  /// When the item was published; used for a document without its own time. Nil means the time of the change.
  public var createdAt: Timestamp?
  /// Whether others may make a copy; a change to another value is refused. Nil means that this is not checked.
  public var canFork: Bool?
  /// The id of the item's document; a document without an id keeps it. Nil means an id derived from the slug.
  public var documentID: String?
  /// When the item's document was created; a document without this time keeps it. Nil means the value of `createdAt`.
  public var documentCreatedAt: Timestamp?

  /// Creates an item from its parts without checking them.
  public init(
    contentType: ContentType, publicID: String, title: String, description: String? = nil, tags: [String] = [],
    createdAt: Timestamp? = nil, canFork: Bool? = nil, documentID: String? = nil, documentCreatedAt: Timestamp? = nil
  ) {
    self.contentType = contentType
    self.publicID = publicID
    self.title = title
    self.description = description
    self.tags = tags
    self.createdAt = createdAt
    self.canFork = canFork
    self.documentID = documentID
    self.documentCreatedAt = documentCreatedAt
  }
}

/// A digest that two sides compare to verify that they have the same publication, without transferring it.
public enum PublicationDigest {
  /// Returns the SHA-256 of the publication's content: title, description, type, language, tags and document.
  ///
  /// The digest does not depend on registry ids, counts, or publication times. Every value is preceded by its length in
  /// bytes (`3:abc`; `-` for no description; `2;` before two tags), so that different publications never give the same
  /// input bytes.
  /// - Parameter contentData: the canonical document, `PublishRequest.contentData`.
  /// - Returns: 32 bytes.
  public static func sha256(
    title: String, description: String?, contentType: ContentType, contentData: [UInt8], tags: [String],
    language: String
  ) -> [UInt8] {
    var buffer = ByteBuffer(capacity: contentData.count + title.utf8.count + 512)
    append(title, to: &buffer)
    if let description { append(description, to: &buffer) } else { buffer.append("-") }
    append(contentType.rawValue, to: &buffer)
    append(language, to: &buffer)
    append(tags.count, UInt8(ascii: ";"), to: &buffer)
    for tag in tags { append(tag, to: &buffer) }
    append(contentData.count, UInt8(ascii: ":"), to: &buffer)
    buffer.append(contentData.span)
    return Digest.sha256(buffer.bytes.span)
  }

  private static func append(_ text: String, to buffer: inout ByteBuffer) {
    var text = text
    text.withUTF8 {
      append($0.count, UInt8(ascii: ":"), to: &buffer)
      buffer.append($0.span)
    }
  }

  private static func append(_ count: Int, _ mark: UInt8, to buffer: inout ByteBuffer) {
    buffer.append(utf8: String(count))
    buffer.append(mark)
  }
}

extension PublishRequest {
  /// The digest that two sides compare to verify that they have the same publication; see `PublicationDigest`.
  public var digest: [UInt8] {
    PublicationDigest.sha256(
      title: title, description: description, contentType: contentType, contentData: contentData, tags: tags,
      language: language)
  }
}
