import Content
import JSONText
import Publishing
import RegistryModel

/// The rows that an owner's operations read and change, inside one transaction of a store.
package protocol OperationRows {
  /// Returns a row by name, even if the item is unpublished.
  func row(_ name: ContentName) throws -> ContentRow?
  /// Returns a row's head, with the waiting views.
  func counted(_ content: ContentRow) -> PublicationHead
  /// Whether an item has a slug, or had it until its account was deleted. Letter case is ignored.
  func isTaken(_ publicID: String) throws -> Bool
  /// Records the time of an owner's last change, in milliseconds.
  func record(lastChange: Int64, of owner: RegistryID)
  /// Adds an item with its document, tags, words and its link to the original.
  func insert(_ head: PublicationHead, _ origin: Origin, _ prepared: PreparedOperation) throws
  /// Returns an item's document.
  func document(of content: ContentRow) throws -> [UInt8]
  /// Writes a changed head.
  /// - Parameters:
  ///   - change: the members that the request changed.
  ///   - document: the new document; nil if it stays.
  ///   - words: the document's words; nil if they stay.
  func replace(
    _ content: ContentRow, with head: PublicationHead, _ change: PublishChange, document: [UInt8]?, words: String?
  ) throws
  /// Marks an item as unpublished, and removes it from lists and searches.
  func unpublish(_ content: ContentRow, at time: Timestamp) throws
  /// Records that the credits of an item's copies have changed: the original's author, or whether it is public.
  /// - Parameter id: the first item of the copies' lineage; for any other item, nothing is done.
  func recreditCopies(of id: RegistryID) throws
}

/// An item of a store, public or not, with the data that operations need.
package struct ContentRow: Sendable {
  /// The store's own key of the item.
  package let number: Int64
  /// The item without its document.
  package var head: PublicationHead
  /// The number of the last flush of views that the row contains; see `ViewTally`.
  package let seen: Int64
  /// The first item of the item's lineage; nil if the item itself is the first.
  package let rootID: RegistryID?
  /// Whether the original author's name comes only from a request.
  package let creditIsClaimed: Bool

  /// Creates an instance from its members.
  package init(number: Int64, head: PublicationHead, seen: Int64, rootID: RegistryID?, creditIsClaimed: Bool) {
    self.number = number
    self.head = head
    self.seen = seen
    self.rootID = rootID
    self.creditIsClaimed = creditIsClaimed
  }
}

/// The origin of a copy.
package struct Origin {
  package var parentID: RegistryID?
  package var rootID: RegistryID?
  package var depth: Int64 = 1
  /// The name of the original's author, where there is no link to the original; it is stored because it is not
  /// recorded anywhere else.
  package var keptName: String?
  /// Whether the author's name comes only from this request or from the parent's.
  package var isClaimed = false
  /// The author's name as displayed.
  var authorUsername: String?
  var authorUserID: RegistryID?
  var publicID: String?
}

/// Carries out one owner's operations inside a transaction.
package struct OperationRules<Rows: OperationRows> {
  private let rows: Rows
  private let owner: RegistryID
  private let username: String
  private let now: Timestamp
  /// The time of the owner's last change. Each change is later than the previous one, even if the clock stops or is set
  /// back, so that a client that asks for changes since a time misses none.
  private var last: Int64

  /// - Parameter lastChange: the time of the owner's last change, in milliseconds; `Int64.min` before the first one.
  package init(_ rows: Rows, owner: RegistryID, username: String, lastChange: Int64, now: Timestamp) {
    self.rows = rows
    self.owner = owner
    self.username = username
    self.now = now
    last = lastChange
  }

  /// Carries out an operation, or returns why it was refused.
  package mutating func apply(_ prepared: PreparedOperation) throws -> OperationResult {
    switch prepared.operation {
    case .publish(let request): return try publish(request, prepared)
    case .update(let publicID, let change, let precondition):
      return try withOwned(publicID, precondition) { rules, content in
        try rules.update(content, change, prepared)
      }
    case .unpublish(let publicID, let precondition):
      return try withOwned(publicID, precondition) { rules, content in try rules.unpublish(content) }
    }
  }

  private mutating func changeTime() -> Timestamp {
    last = max(now.milliseconds, last == .min || last == .max ? last : last + 1)
    rows.record(lastChange: last, of: owner)
    return Timestamp(milliseconds: last)
  }

  // MARK: Publish

  private mutating func publish(_ request: PublishRequest, _ prepared: PreparedOperation) throws -> OperationResult {
    if ErasedSlug.isReserved(request.publicID) { return .refused(.publicIDTaken) }
    if try rows.isTaken(request.publicID) { return .refused(.publicIDTaken) }
    guard let origin = try origin(of: request) else { return .refused(.forkingForbidden) }
    let time = changeTime()
    let head = PublicationHead(
      id: RegistryID(at: time), userID: owner, authorUsername: username, title: request.title,
      description: request.description, contentType: request.contentType, tags: request.tags,
      language: request.language, publicID: request.publicID, canFork: request.canFork,
      forkedFromID: origin.parentID, originalAuthorUsername: origin.authorUsername,
      originalAuthorUserID: origin.authorUserID, originalPublicID: origin.publicID, chainDepth: origin.depth,
      viewCount: 0, forkCount: 0, createdAt: time, updatedAt: time, deletedAt: nil, digest: prepared.digest)
    try rows.insert(head, origin, prepared)
    return .published(head)
  }

  /// Looks up the origin of a request; returns nil if the original may not be forked.
  private func origin(of request: PublishRequest) throws -> Origin? {
    guard let id = request.forkedFromID else { return Origin() }
    let parent = try rows.row(.id(RegistryID(stored: id)))
    // The name under which the root is shown, even if the root is the parent itself.
    let name = parent.flatMap { $0.head.originalAuthorUsername ?? ($0.rootID == nil ? $0.head.authorUsername : nil) }
    // An unpublished item stays in the lineage of existing copies but gets no new copies, even by its owner.
    guard let parent, parent.head.deletedAt == nil else {
      let kept = name ?? request.originalAuthorUsername
      let isClaimed = kept != nil && (name == nil || parent?.creditIsClaimed ?? false)
      return Origin(keptName: kept, isClaimed: isClaimed, authorUsername: kept)
    }
    guard parent.head.canFork || parent.head.userID == owner else { return nil }
    // A parent without a link may still credit another author, in which case none of its data is the original's.
    let isOriginal = parent.rootID == nil && parent.head.originalAuthorUsername == nil
    return Origin(
      parentID: parent.head.id, rootID: parent.rootID ?? parent.head.id, depth: parent.head.chainDepth &+ 1,
      authorUsername: name, authorUserID: isOriginal ? parent.head.userID : parent.head.originalAuthorUserID,
      publicID: isOriginal ? parent.head.publicID : parent.head.originalPublicID)
  }

  // MARK: Update and unpublish

  /// Finds the owner's item in the required state; otherwise refuses the operation.
  private mutating func withOwned(
    _ publicID: String, _ precondition: ContentOperation.Precondition?,
    _ body: (inout OperationRules, ContentRow) throws -> OperationResult
  ) throws -> OperationResult {
    guard let content = try rows.row(.publicID(publicID)), content.head.deletedAt == nil else {
      return .refused(.notFound)
    }
    guard content.head.userID == owner else { return .refused(.notOwner) }
    if case .digests(let digests) = precondition, !digests.contains(content.head.digest) {
      return .refused(.preconditionFailed)
    }
    return try body(&self, content)
  }

  private mutating func update(
    _ content: ContentRow, _ change: PublishChange, _ prepared: PreparedOperation
  ) throws -> OperationResult {
    var head = rows.counted(content)
    // Clients that ask for changes need not be told about an empty one.
    if change == PublishChange() { return .updated(head) }
    if let type = change.contentType, type != head.contentType {
      guard change.contentData != nil else { return .refused(.typeWithoutDocument) }
      head.contentType = type
    }
    head.title = change.title ?? head.title
    head.description = change.description ?? head.description
    head.tags = change.tags ?? head.tags
    head.language = change.language ?? head.language
    head.authorUsername = username
    let stored = try change.contentData == nil ? rows.document(of: content) : []
    // Values that the document repeats are changed too: otherwise text that the owner removed would stay public in the
    // document.
    let followed =
      change.contentData == nil
      ? PublishedDocument.following(stored, from: content.head.documentWords, to: head.documentWords) : nil
    let new = change.contentData ?? followed
    head.digest = PublicationDigest.sha256(
      title: head.title, description: head.description, contentType: head.contentType, contentData: new ?? stored,
      tags: head.tags, language: head.language)
    head.updatedAt = changeTime()
    let words = change.contentData == nil ? followed.map(SearchText.words) : prepared.words
    try rows.replace(content, with: head, change, document: new, words: words)
    if !(content.head.authorUsername?.utf8.elementsEqual(username.utf8) ?? false) {
      try rows.recreditCopies(of: head.id)
    }
    return .updated(head)
  }

  private mutating func unpublish(_ content: ContentRow) throws -> OperationResult {
    try rows.unpublish(content, at: changeTime())
    try rows.recreditCopies(of: content.head.id)
    return .unpublished
  }
}

extension PublicationHead {
  /// The strings that the document may repeat.
  fileprivate var documentWords: PublishedDocument.Words {
    PublishedDocument.Words(title: title, description: description, tags: tags)
  }
}

/// An operation with the values that can be computed before the writer's turn.
package struct PreparedOperation: Sendable {
  package let operation: ContentOperation
  /// The digest of a publish request.
  package let digest: [UInt8]
  /// The weight of the operation for a writer: 1, and 1 more for each 32 KiB.
  package let weight: Int
  /// The document's words, when the operation has a document.
  package let words: String

  /// - Throws: `StoreFailure` for strings that a store does not accept.
  package init(_ operation: ContentOperation) throws {
    self.operation = operation
    switch operation {
    case .publish(let request):
      try Self.require(
        [
          request.title, request.description, request.language, request.publicID, request.forkedFromID,
          request.originalAuthorUsername,
        ], request.tags)
      digest = PublicationDigest.sha256(
        title: request.title, description: request.description, contentType: request.contentType,
        contentData: request.contentData, tags: request.tags, language: request.language)
      words = SearchText.words(of: request.contentData)
      weight = Self.weight(request.contentData)
    case .update(_, let change, _):
      try Self.require([change.title, change.description ?? nil, change.language], change.tags ?? [])
      digest = []
      words = change.contentData.map(SearchText.words) ?? ""
      weight = Self.weight(change.contentData ?? [])
    case .unpublish:
      digest = []
      words = ""
      weight = 1
    }
  }

  /// The slug of a publish request.
  package var newSlug: String? { if case .publish(let request) = operation { request.publicID } else { nil } }

  private static func weight(_ document: [UInt8]) -> Int { 1 + document.count >> 15 }

  private static func require(_ texts: [String?], _ tags: [String]) throws {
    let all = texts.compactMap { $0 } + tags
    if all.contains(where: \.holdsNUL) { throw StoreFailure.textWithNUL }
  }
}

/// Keeps a slug taken after its account is deleted. A hash replaces the slug, because slugs often repeat the title.
///
/// The slug is converted to lower case before hashing, so that slugs that differ from it only in case stay taken, too.
package enum ErasedSlug {
  private static let mark = "erased:"

  /// Returns the hash that replaces a slug.
  package static func hash(of slug: String) -> String {
    mark + Digest.hex(Digest.sha256(slug.asciiLowercased.utf8.span))
  }

  /// Whether a slug has the form of such a hash. New slugs must not have this form, because they could collide with a
  /// hash.
  package static func isReserved(_ slug: String) -> Bool { slug.asciiLowercased.utf8.starts(with: mark.utf8) }
}

extension StoreFailure {
  /// The error for a string that no store accepts.
  package static let textWithNUL = StoreFailure.unavailable(
    "write: a string contains U+0000, which the store does not accept.")
}

extension String {
  /// Whether the string contains U+0000, which neither SQLite's text functions nor PostgreSQL accept.
  package var holdsNUL: Bool { utf8.contains(0) }
}
