import Content

/// The data of a publication without its document.
public struct PublicationHead: Sendable, Equatable {
  /// The registry's own id.
  public var id: RegistryID
  /// The owner; nil if the account was deleted.
  public var userID: RegistryID?
  /// The owner's name when the item was published or last changed; it is kept if the account is deleted and forks
  /// remain.
  public var authorUsername: String?
  /// The title.
  public var title: String
  /// The description.
  public var description: String?
  /// The type.
  public var contentType: ContentType
  /// The tags, in the author's order.
  public var tags: [String]
  /// The language, a BCP 47 tag.
  public var language: String
  /// The slug, compared byte by byte.
  public var publicID: String
  /// Whether others may make their own copies.
  public var canFork: Bool
  /// The item that this one is a copy of.
  public var forkedFromID: RegistryID?
  /// For a copy, the name of the original's author: from the first item of the lineage, or, where the link to the
  /// original was dropped, the name that the copy's publisher gave. Nil for an original, or if unknown.
  public var originalAuthorUsername: String?
  /// The account of the original's author; nil if the account was deleted or the link was dropped.
  public var originalAuthorUserID: RegistryID?
  /// The slug of the original; nil if the original is no longer public or the link was dropped.
  public var originalPublicID: String?
  /// The item's position in its lineage: 1 for an original, 2 for a copy of an original.
  public var chainDepth: Int64
  /// The number of views.
  public var viewCount: Int64
  /// The number of copies.
  public var forkCount: Int64
  /// When the item was published.
  public var createdAt: Timestamp
  /// When the owner last changed the item.
  public var updatedAt: Timestamp
  /// When the item was unpublished; nil while it is public. An unpublished item answers 404 and keeps its slug.
  public var deletedAt: Timestamp?
  /// The `PublicationDigest`, 32 bytes; the strong entity tag is made from it.
  public var digest: [UInt8]

  /// Creates an instance from its members.
  public init(
    id: RegistryID, userID: RegistryID?, authorUsername: String?, title: String, description: String?,
    contentType: ContentType, tags: [String], language: String, publicID: String, canFork: Bool,
    forkedFromID: RegistryID?, originalAuthorUsername: String? = nil, originalAuthorUserID: RegistryID? = nil,
    originalPublicID: String? = nil, chainDepth: Int64 = 1, viewCount: Int64, forkCount: Int64,
    createdAt: Timestamp, updatedAt: Timestamp, deletedAt: Timestamp?, digest: [UInt8]
  ) {
    self.id = id
    self.userID = userID
    self.authorUsername = authorUsername
    self.title = title
    self.description = description
    self.contentType = contentType
    self.tags = tags
    self.language = language
    self.publicID = publicID
    self.canFork = canFork
    self.forkedFromID = forkedFromID
    self.originalAuthorUsername = originalAuthorUsername
    self.originalAuthorUserID = originalAuthorUserID
    self.originalPublicID = originalPublicID
    self.chainDepth = chainDepth
    self.viewCount = viewCount
    self.forkCount = forkCount
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.deletedAt = deletedAt
    self.digest = digest
  }
}

/// One publication with its document.
public struct SharedContent: Sendable, Equatable {
  /// The data apart from the document.
  public var head: PublicationHead
  /// The app's document, canonical JSON.
  public var contentData: [UInt8]

  /// Creates an instance from its members.
  public init(head: PublicationHead, contentData: [UInt8]) {
    self.head = head
    self.contentData = contentData
  }
}

/// One step from an original to its fork.
public struct ForkStep: Sendable, Equatable {
  /// The item's title; empty when the item is no longer public.
  public let title: String
  /// The author's name, which is kept even if the account no longer exists.
  public let creator: String?
  /// When the item was published.
  public let createdAt: Timestamp
  /// Whether this step is the requested item.
  public let isCurrent: Bool

  /// Makes a step.
  public init(title: String, creator: String?, createdAt: Timestamp, isCurrent: Bool) {
    self.title = title
    self.creator = creator
    self.createdAt = createdAt
    self.isCurrent = isCurrent
  }
}

/// An order of public items.
public enum ListOrder: String, Sendable, CaseIterable {
  /// The items that were published last come first.
  case newest
  /// The items that were published first come first.
  case oldest
  /// The items with the most copies come first; among equals, the newest.
  case mostForked = "most_forked"

  /// Returns the position of an item in a list with this order.
  public func position(of head: PublicationHead) -> PagePosition {
    PagePosition(forks: self == .mostForked ? head.forkCount : nil, time: head.createdAt, id: head.id)
  }
}

/// A query for public items.
public struct PublicQuery: Sendable, Equatable {
  /// The type in the long form; nil for all types.
  public var contentType: String?
  /// The tags that an item must have, all of them. Tags are compared without regard to ASCII case.
  public var tags: [String] = []
  /// The language of the items, or its first subtag: `pt` finds `pt-BR`.
  public var language: String?
  /// The author of the items; nil for all authors.
  public var author: RegistryID?
  /// The search words, all of which must occur. The last one may be the beginning of a word.
  public var text: String?
  /// The order.
  public var order = ListOrder.newest
  /// The maximum number of items, 1 to 100.
  public var limit = 100
  /// The number of items to skip; 0 with a cursor.
  public var offset = 0
  /// The position after which the page begins, from a page with the same order; nil for the first page.
  public var after: PagePosition?

  /// Creates a query for all items, 100 at a time.
  public init() {}
}

/// The end of a page. Lists are ordered by time, then by id, so that pages neither repeat nor skip items while others
/// publish. In the order of copies, an item can move to another page when it is copied.
public struct PagePosition: Sendable, Equatable {
  /// The last item's number of copies, if the list is ordered by it.
  public let forks: Int64?
  /// The last item's time, by which the list is ordered.
  public let time: Timestamp
  /// The last item's id.
  public let id: RegistryID

  /// Makes a position.
  public init(forks: Int64? = nil, time: Timestamp, id: RegistryID) {
    self.forks = forks
    self.time = time
    self.id = id
  }
}
