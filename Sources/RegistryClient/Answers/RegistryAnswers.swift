import Content

/// The user of a session.
public struct RegistryUser: Sendable, Equatable {
  /// The registry's id of the account, canonical lower case.
  public var id: String
  /// The account's public name.
  public var username: String

  /// Makes it from its parts.
  public init(id: String, username: String) {
    self.id = id
    self.username = username
  }
}

/// A registry's answer about an item that it has published or changed.
public struct PublicationReceipt: Sendable, Equatable {
  /// The registry's id of the item, canonical lower case.
  public var id: String
  /// Its slug.
  public var publicID: String
  /// When it was published or changed.
  public var date: Timestamp?
  /// The author's name; nil when the answer does not have it.
  public var authorUsername: String?
  /// The owner's id; nil when the answer does not have it.
  public var authorUserID: String?
  /// The entity tag without quotes: the digest of the version that is now public; nil when the answer has none.
  public var digest: String?
  /// Deviations from what was requested, a sentence each.
  public var notes: [String]

  /// Makes it from its parts.
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
  /// The id of its owner.
  public var ownerID: String
  /// SHA-256 of the publication, lower-case hexadecimal; see `PublicationDigest`.
  public var digest: String

  /// Makes it from its parts.
  public init(ownerID: String, digest: String) {
    self.ownerID = ownerID
    self.digest = digest
  }
}

/// A public item with its document.
public struct PublicItem: Sendable, Equatable {
  /// The registry's id, canonical lower case.
  public var id: String
  /// Its slug.
  public var publicID: String
  /// Its title.
  public var title: String
  /// Its description, if its author wrote one.
  public var description: String?
  /// Its type.
  public var contentType: ContentType
  /// The app's document, UTF-8 of one JSON object.
  public var contentData: [UInt8]
  /// Its tags, in their order.
  public var tags: [String]
  /// A BCP 47 tag.
  public var language: String
  /// The author's name; nil where the account is gone.
  public var authorUsername: String?
  /// The owner's id; nil where the account is gone.
  public var authorUserID: String?
  /// The origin of a copy, from the first item of its lineage; nil for an original.
  public var original: Origin?
  /// Whether others may make copies.
  public var canFork: Bool
  /// The registry's id of the item that it is a copy of.
  public var forkedFromID: String?
  /// When it was published.
  public var createdAt: Timestamp?
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// The digest of the public version, from the entity tag; nil when the answer has none.
  public var digest: String?

  /// The author of a work, and its slug in the registry.
  public struct Origin: Sendable, Equatable {
    /// The author's name; nil for unknown.
    public var authorUsername: String?
    /// The author's id, canonical lower case; nil where the account is gone.
    public var authorUserID: String?
    /// The slug; nil where the work is no longer public.
    public var publicID: String?
  }

  /// The origin that a copy of this item credits: the author of the original, however many copies are in between.
  public var origin: Origin {
    original ?? Origin(authorUsername: authorUsername, authorUserID: authorUserID, publicID: publicID)
  }

  /// Makes it from its parts.
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
  /// Its slug.
  public var publicID: String
  /// Its title.
  public var title: String
  /// Its type.
  public var contentType: ContentType
  /// Whether others may make copies.
  public var canFork: Bool
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// When it was unpublished; nil while it is public.
  public var deletedAt: Timestamp?
  /// SHA-256 of the published version, lower-case hexadecimal.
  public var digest: String

  /// Makes it from its parts.
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
  /// Its title; nil where it is no longer public.
  public var title: String?
  /// The name of its author.
  public var creator: String?
  /// When it was published.
  public var createdAt: Timestamp?
  /// Whether it is the item that was asked for.
  public var isCurrent: Bool

  /// Makes it from its parts.
  public init(title: String?, creator: String?, createdAt: Timestamp?, isCurrent: Bool) {
    self.title = title
    self.creator = creator
    self.createdAt = createdAt
    self.isCurrent = isCurrent
  }
}
