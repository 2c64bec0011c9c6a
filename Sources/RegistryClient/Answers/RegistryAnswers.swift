import Content

/// Whose session it is.
public struct RegistryUser: Sendable, Equatable {
  /// The registry's id of the account, canonical lower case.
  public var id: String
  /// The name that others see.
  public var username: String

  /// Makes it of its parts.
  public init(id: String, username: String) {
    self.id = id
    self.username = username
  }
}

/// What a registry says of an item that it has published or changed.
public struct PublicationReceipt: Sendable, Equatable {
  /// The registry's id of the item, canonical lower case.
  public var id: String
  /// Its slug.
  public var publicID: String
  /// When it was published or changed.
  public var date: Timestamp?
  /// Who published it; nil when the answer does not say it.
  public var authorUsername: String?
  /// The owner's id; nil when the answer does not say it.
  public var authorUserID: String?
  /// The entity tag without quotes: the digest of what is public now; nil when the answer has none.
  public var digest: String?
  /// What was done otherwise than it was asked for, a sentence each.
  public var notes: [String]

  /// Makes it of its parts.
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

/// What a registry tells about an item without showing it.
public struct ContentHead: Sendable, Equatable {
  /// Who owns it.
  public var ownerID: String
  /// SHA-256 of the publication, lower-case hexadecimal; see `PublicationDigest`.
  public var digest: String

  /// Makes it of its parts.
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
  /// What it is for, if its author said it.
  public var description: String?
  /// What it is.
  public var contentType: ContentType
  /// The app's document, UTF-8 of one JSON object.
  public var contentData: [UInt8]
  /// Its tags, in their order.
  public var tags: [String]
  /// A BCP 47 tag.
  public var language: String
  /// Who published it; nil where the account is gone.
  public var authorUsername: String?
  /// The owner's id; nil where the account is gone.
  public var authorUserID: String?
  /// Whose work it is where it is a copy, from the first item of its lineage; nil for an original.
  public var original: Origin?
  /// Whether others may make a copy.
  public var canFork: Bool
  /// The registry's id of the item that it is a copy of.
  public var forkedFromID: String?
  /// When it was published.
  public var createdAt: Timestamp?
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// The digest of what is public, from the entity tag; nil when the answer has none.
  public var digest: String?

  /// Whose work something is, and what it is called in the registry.
  public struct Origin: Sendable, Equatable {
    /// The author's name; nil for unknown.
    public var authorUsername: String?
    /// The author's id, canonical lower case; nil where the account is gone.
    public var authorUserID: String?
    /// The slug; nil where the work is no longer public.
    public var publicID: String?
  }

  /// Whom a copy of this item credits: the author of the original, however many copies lie between.
  public var origin: Origin {
    original ?? Origin(authorUsername: authorUsername, authorUserID: authorUserID, publicID: publicID)
  }

  /// Makes it of its parts.
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
  /// What it is.
  public var contentType: ContentType
  /// Whether others may make a copy.
  public var canFork: Bool
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// When it was unpublished; nil while it is public.
  public var deletedAt: Timestamp?
  /// SHA-256 of what is published, lower-case hexadecimal.
  public var digest: String

  /// Makes it of its parts.
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

/// One step on the way from an original to a copy.
public struct LineageStep: Sendable, Equatable {
  /// What it was called; nil where it is no longer public.
  public var title: String?
  /// Who published it.
  public var creator: String?
  /// When it was published.
  public var createdAt: Timestamp?
  /// Whether it is the item that was asked for.
  public var isCurrent: Bool

  /// Makes it of its parts.
  public init(title: String?, creator: String?, createdAt: Timestamp?, isCurrent: Bool) {
    self.title = title
    self.creator = creator
    self.createdAt = createdAt
    self.isCurrent = isCurrent
  }
}
