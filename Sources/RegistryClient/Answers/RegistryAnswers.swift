import Content

/// The user of a session.
public struct RegistryUser: Sendable, Equatable {
  /// The registry's id of the account, in canonical lower case.
  public var id: String
  /// The account's public name.
  public var username: String

  /// Creates an instance from its members.
  public init(id: String, username: String) {
    self.id = id
    self.username = username
  }
}

/// A registry's answer about an item that it has published or changed.
public struct PublicationReceipt: Sendable, Equatable {
  /// The registry's id of the item, in canonical lower case.
  public var id: String
  /// The item's slug.
  public var publicID: String
  /// When it was published or changed.
  public var date: Timestamp?
  /// The author's name; nil when the answer does not have it.
  public var authorUsername: String?
  /// The owner's id; nil when the answer does not have it.
  public var authorUserID: String?
  /// The entity tag without quotes: the digest of the version that is now public; nil when the answer has none.
  public var digest: String?
  /// Deviations from the request, a sentence each.
  public var notes: [String]

  /// Creates an instance from its members.
  public init(
    id: String, publicID: String, date: Timestamp? = nil, authorUsername: String? = nil, authorUserID: String? = nil,
    digest: String? = nil, notes: [String] = []
  ) {
    self.id = id
    self.publicID = publicID
    self.date = date
    self.authorUsername = authorUsername
    self.authorUserID = authorUserID
    self.digest = digest
    self.notes = notes
  }
}

/// A registry's answer about an item without its content.
public struct ContentHead: Sendable, Equatable {
  /// The owner's id.
  public var ownerID: String
  /// The SHA-256 of the publication in lower-case hexadecimal; see `PublicationDigest`.
  public var digest: String

  /// Creates an instance from its members.
  public init(ownerID: String, digest: String) {
    self.ownerID = ownerID
    self.digest = digest
  }
}

/// A public item with its document.
public struct PublicItem: Sendable, Equatable {
  /// The registry's id, canonical lower case.
  public var id: String
  /// The item's slug.
  public var publicID: String
  /// The item's title.
  public var title: String
  /// The item's description, if its author wrote one.
  public var description: String?
  /// The item's type.
  public var contentType: ContentType
  /// The app's document, one JSON object in UTF-8.
  public var contentData: [UInt8]
  /// The item's tags, in their order.
  public var tags: [String]
  /// The language, a BCP 47 tag.
  public var language: String
  /// The author's name; nil where the account no longer exists.
  public var authorUsername: String?
  /// The owner's id; nil where the account no longer exists.
  public var authorUserID: String?
  /// The origin of a copy: the first item of its lineage; nil for an original.
  public var original: Origin?
  /// Whether others may make copies.
  public var canFork: Bool
  /// The registry's id of the item that this one is a copy of.
  public var forkedFromID: String?
  /// When it was published.
  public var createdAt: Timestamp?
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// The digest of the public version, from the entity tag; nil when the answer has none.
  public var digest: String?

  /// The author of a work, and its slug in the registry.
  public struct Origin: Sendable, Equatable {
    /// The author's name; nil if unknown.
    public var authorUsername: String?
    /// The author's id, in canonical lower case; nil where the account no longer exists.
    public var authorUserID: String?
    /// The slug; nil where the work is no longer public.
    public var publicID: String?
  }

  /// The origin that a copy of this item credits: the original, however many copies are in between.
  public var origin: Origin {
    original ?? Origin(authorUsername: authorUsername, authorUserID: authorUserID, publicID: publicID)
  }

  /// Creates an instance from its members.
  public init(
    id: String, publicID: String, title: String, description: String?, contentType: ContentType,
    contentData: [UInt8], tags: [String], language: String, authorUsername: String?, authorUserID: String?,
    original: Origin? = nil, canFork: Bool, forkedFromID: String?, createdAt: Timestamp?, updatedAt: Timestamp?,
    digest: String?
  ) {
    self.id = id
    self.publicID = publicID
    self.title = title
    self.description = description
    self.contentType = contentType
    self.contentData = contentData
    self.tags = tags
    self.language = language
    self.authorUsername = authorUsername
    self.authorUserID = authorUserID
    self.original = original
    self.canFork = canFork
    self.forkedFromID = forkedFromID
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.digest = digest
  }
}

/// An item in its owner's list.
public struct OwnedItem: Sendable, Equatable {
  /// The registry's id, canonical lower case.
  public var id: String
  /// The item's slug.
  public var publicID: String
  /// The item's title.
  public var title: String
  /// The item's type.
  public var contentType: ContentType
  /// Whether others may make copies.
  public var canFork: Bool
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// When it was unpublished; nil while it is public.
  public var deletedAt: Timestamp?
  /// The SHA-256 of the published version, in lower-case hexadecimal.
  public var digest: String

  /// Creates an instance from its members.
  public init(
    id: String, publicID: String, title: String, contentType: ContentType, canFork: Bool, updatedAt: Timestamp?,
    deletedAt: Timestamp?, digest: String
  ) {
    self.id = id
    self.publicID = publicID
    self.title = title
    self.contentType = contentType
    self.canFork = canFork
    self.updatedAt = updatedAt
    self.deletedAt = deletedAt
    self.digest = digest
  }
}

/// One step from an original to a copy.
public struct LineageStep: Sendable, Equatable {
  /// The item's title; nil where the item is no longer public.
  public var title: String?
  /// The author's name.
  public var creator: String?
  /// When it was published.
  public var createdAt: Timestamp?
  /// Whether this step is the requested item.
  public var isCurrent: Bool

  /// Creates an instance from its members.
  public init(title: String?, creator: String?, createdAt: Timestamp?, isCurrent: Bool) {
    self.title = title
    self.creator = creator
    self.createdAt = createdAt
    self.isCurrent = isCurrent
  }
}
