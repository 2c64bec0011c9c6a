import Content
import JSONText

/// A request to publish, in the form that a registry stores: within the interface's limits, normalised, and with the
/// canonical document.
///
/// Source: the registry's documents, `POST /content/share`. `PublishIntake` makes these requests.
public struct PublishRequest: Sendable, Equatable {
  /// The title, 1 to 500 characters.
  public var title: String
  /// The description; nil when there is none.
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
