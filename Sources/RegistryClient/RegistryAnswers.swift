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
  /// The author's name; nil if the answer does not have it.
  public var authorUsername: String?
  /// The owner's id; nil if the answer does not have it.
  public var authorUserID: String?
  /// The entity tag without quotes: the digest of the version that is now public; nil if the answer has none.
  public var digest: String?
  /// Deviations from the request, one sentence each.
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
  /// The registry's id, in canonical lower case.
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
  /// The author's name; nil if the account no longer exists.
  public var authorUsername: String?
  /// The owner's id; nil if the account no longer exists.
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
  /// The digest of the public version, from the entity tag; nil if the answer has none.
  public var digest: String?

  /// The author of a work, and its slug in the registry.
  public struct Origin: Sendable, Equatable {
    /// The author's name; nil if unknown.
    public var authorUsername: String?
    /// The author's id, in canonical lower case; nil if the account no longer exists.
    public var authorUserID: String?
    /// The slug; nil if the work is no longer public.
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
  /// The registry's id, in canonical lower case.
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
  /// The item's title; nil if the item is no longer public.
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

extension PublicationReceipt {
  /// Reads the answer to a publication or a change.
  init(_ answer: HTTPAnswer, _ name: String) throws(RegistryError) {
    try self.init(AnswerValue(answer.body, name), digest: DigestHeader.digest(answer["etag"]))
  }

  /// Reads the answer's body.
  init(_ body: AnswerValue, digest: String?) throws(RegistryError) {
    var notes: [String] = []
    for note in try body.optional("notes")?.elements ?? [] { notes.append(try note["message"].string) }
    self.init(
      id: try body["id"].id, publicID: try body["public_id"].string,
      date: try (body.optional("published_at") ?? body.optional("updated_at"))?.time,
      authorUsername: try body.optional("author_username")?.string,
      authorUserID: try body.optional("author_user_id")?.id, digest: digest, notes: notes)
  }
}

extension PublicItem {
  /// Reads the answer to a HEAD request for an item.
  init(_ answer: HTTPAnswer) throws(RegistryError) {
    let body = try AnswerValue(answer.body, "the item")
    var tags: [String] = []
    for tag in try body.optional("tags")?.elements ?? [] { tags.append(try tag.string) }
    var original: Origin? = Origin(
      authorUsername: try body.optional("original_author_username")?.string,
      authorUserID: try body.optional("original_author_user_id")?.id,
      publicID: try body.optional("original_content_public_id")?.string)
    let publicID = try body["public_id"].string
    if original == Origin() || original?.publicID == publicID { original = nil }
    self.init(
      id: try body["id"].id, publicID: publicID, title: try body["title"].string,
      description: try body.optional("description")?.string, contentType: try body["content_type"].contentType,
      contentData: try body["content_data"].object, tags: tags,
      language: try body.optional("language")?.string ?? "en",
      authorUsername: try body.optional("author_username")?.string,
      authorUserID: try body.optional("author_user_id")?.id, original: original,
      canFork: try body.optional("can_fork")?.bool ?? true,
      forkedFromID: try body.optional("forked_from_id")?.id, createdAt: try body.optional("created_at")?.time,
      updatedAt: try body.optional("updated_at")?.time, digest: DigestHeader.digest(answer["etag"]))
  }
}

extension OwnedItem {
  /// Reads an element of the item list.
  init(_ body: AnswerValue) throws(RegistryError) {
    let digest = try body["digest"].string
    guard DigestHeader.isDigest(digest) else { throw .unreadable("an item in the list has an invalid digest") }
    self.init(
      id: try body["id"].id, publicID: try body["public_id"].string, title: try body["title"].string,
      contentType: try body["content_type"].contentType, canFork: try body.optional("can_fork")?.bool ?? true,
      updatedAt: try body.optional("updated_at")?.time, deletedAt: try body.optional("deleted_at")?.time,
      digest: digest)
  }
}

extension LineageStep {
  /// Reads an element of the lineage.
  init(_ body: AnswerValue) throws(RegistryError) {
    // Registries write an empty title for an item that is no longer public.
    let title = try body.optional("title")?.string
    self.init(
      title: title == "" ? nil : title, creator: try body.optional("creator")?.string,
      createdAt: try body.optional("created_at")?.time, isCurrent: try body.optional("is_current")?.bool ?? false)
  }
}

extension RegistryUser {
  /// Reads an account.
  init(_ body: AnswerValue) throws(RegistryError) {
    let id = try body["id"].id
    // The user name is required but may be null: services may have accounts without a name.
    _ = try body["username"]
    self.init(id: id, username: try body.optional("username")?.string ?? id)
  }
}
