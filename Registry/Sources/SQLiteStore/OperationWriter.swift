import Content
import Foundation
import GRDB
import JSONText
import Publishing
import RegistryModel
import RegistryStore

/// Carries out one owner's operations inside the writer's transaction.
struct OperationWriter {
  private let context: WriteContext
  private let owner: RegistryID
  private let username: String
  private let now: Timestamp
  /// The time of the owner's last change. Each change is later than the previous one, even if the clock stops or is set
  /// back, so that a client that asks for changes since a time misses none.
  private var last: Int64

  /// - Throws: `StoreFailure.unknownUser`.
  init(_ context: WriteContext, owner: RegistryID, now: Timestamp) throws {
    let known = try context.owner(owner)
    self.context = context
    self.owner = owner
    username = known.username
    self.now = now
    last = known.lastChange
  }

  /// Carries out an operation, or returns why it was refused.
  mutating func apply(_ prepared: PreparedOperation) throws -> OperationResult {
    switch prepared.operation {
    case .publish(let request): return try publish(request, prepared)
    case .update(let publicID, let change, let precondition):
      return try withOwned(publicID, precondition) { writer, content in
        try writer.update(content, change, prepared)
      }
    case .unpublish(let publicID, let precondition):
      return try withOwned(publicID, precondition) { writer, content in try writer.unpublish(content) }
    }
  }

  private mutating func changeTime() -> Timestamp {
    last = max(now.milliseconds, last == .min || last == .max ? last : last + 1)
    context.record(lastChange: last, of: owner)
    return Timestamp(milliseconds: last)
  }

  // MARK: Publish

  private mutating func publish(_ request: PublishRequest, _ prepared: PreparedOperation) throws -> OperationResult {
    // Files from before this rule contain pairs of slugs that differ only by case; reading compares slugs by bytes.
    let isTaken = try context.exists(
      """
      SELECT 1 FROM shared_content WHERE public_id COLLATE NOCASE = ?
      UNION ALL SELECT 1 FROM shared_content WHERE public_id = ?
      """, [request.publicID, ErasedSlug.hash(of: request.publicID)])
    if isTaken || ErasedSlug.isReserved(request.publicID) { return .refused(.publicIDTaken) }
    guard let origin = try origin(of: request) else { return .refused(.forkingForbidden) }
    let time = changeTime()
    let head = PublicationHead(
      id: RegistryID(at: time), userID: owner, authorUsername: username, title: request.title,
      description: request.description, contentType: request.contentType, tags: request.tags,
      language: request.language, publicID: request.publicID, canFork: request.canFork,
      forkedFromID: origin.parentID, originalAuthorUsername: origin.authorUsername,
      originalAuthorUserID: origin.authorUserID, originalPublicID: origin.publicID, chainDepth: origin.depth,
      viewCount: 0, forkCount: 0, createdAt: time, updatedAt: time, deletedAt: nil, digest: prepared.digest)
    let arguments: StatementArguments = [
      head.id.text, owner.text, username, head.title, head.description, head.contentType.rawValue,
      TagColumn.write(head.tags), head.language, ListQuery.base(of: head.language), head.publicID, head.canFork,
      origin.parentID?.text, origin.rootID?.text, origin.depth, origin.keptName, origin.isClaimed,
      time.milliseconds, time.milliseconds, Data(head.digest),
    ]
    try context.execute(
      """
      INSERT INTO shared_content (id, user_id, author_username, title, description, content_type, tags, language,
        language_base, public_id, can_fork, forked_from_id, root_id, chain_depth, original_author_username,
        original_is_claimed, created_at, updated_at, digest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, arguments)
    let number = context.db.lastInsertedRowID
    try context.execute(
      "INSERT INTO content_documents (number, content_data) VALUES (?, ?)", [number, Data(request.contentData)])
    try writeTags(head, number: number)
    context.changeSearch(
      "INSERT INTO content_search (rowid, title, description, tags, body) VALUES (?, ?, ?, ?, ?)",
      [number, head.title, head.description, head.tags.joined(separator: "\n"), prepared.words])
    if let parent = origin.parentID {
      try context.execute(
        "INSERT INTO content_forks (parent_shared_content_id, child_shared_content_id, created_at) VALUES (?, ?, ?)",
        [parent.text, head.id.text, time.milliseconds])
    }
    context.publish(head)
    return .published(head)
  }

  /// The origin of a copy.
  private struct Origin {
    var parentID: RegistryID?
    var rootID: RegistryID?
    var depth: Int64 = 1
    /// The name of the original's author, where there is no link to the original; it is stored because it is not
    /// recorded anywhere else.
    var keptName: String?
    /// Whether the author's name comes only from this request or from the parent's.
    var isClaimed = false
    /// The author's name as displayed.
    var authorUsername: String?
    var authorUserID: RegistryID?
    var publicID: String?
  }

  /// Looks up the origin of a request; returns nil if the original may not be forked.
  private func origin(of request: PublishRequest) throws -> Origin? {
    guard let id = request.forkedFromID else { return Origin() }
    let parent = try SQLiteStore.row(.id(RegistryID(stored: id)), in: context.db)
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

  private func writeTags(_ head: PublicationHead, number: Int64) throws {
    for tag in head.tags {
      try context.execute(
        "INSERT OR IGNORE INTO content_tags (tag, created_at, id, number) VALUES (?, ?, ?, ?)",
        [tag, head.createdAt.milliseconds, head.id.text, number])
    }
  }

  // MARK: Update and unpublish

  /// Finds the owner's item in the required state; otherwise refuses the operation.
  private mutating func withOwned(
    _ publicID: String, _ precondition: ContentOperation.Precondition?,
    _ body: (inout OperationWriter, ContentRow) throws -> OperationResult
  ) throws -> OperationResult {
    guard let content = try SQLiteStore.row(.publicID(publicID), in: context.db), content.head.deletedAt == nil else {
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
    var head = context.counted(content)
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
    let stored = try change.contentData == nil ? storedDocument(content.number) : []
    // Values that the document repeats are changed too: otherwise text that the owner removed would stay public in the
    // document.
    let followed =
      change.contentData == nil
      ? PublishedDocument.following(stored, from: content.head.documentWords, to: head.documentWords) : nil
    let new = change.contentData ?? followed
    let document = new ?? stored
    head.digest = PublicationDigest.sha256(
      title: head.title, description: head.description, contentType: head.contentType, contentData: document,
      tags: head.tags, language: head.language)
    head.updatedAt = changeTime()
    let arguments: StatementArguments = [
      username, head.title, head.description, head.contentType.rawValue, TagColumn.write(head.tags), head.language,
      ListQuery.base(of: head.language), head.updatedAt.milliseconds, Data(head.digest), content.number,
    ]
    try context.execute(
      """
      UPDATE shared_content SET author_username = ?, title = ?, description = ?, content_type = ?, tags = ?,
        language = ?, language_base = ?, updated_at = ?, digest = ? WHERE number = ?
      """, arguments)
    if change.tags != nil {
      try context.execute("DELETE FROM content_tags WHERE number = ?", [content.number])
      try writeTags(head, number: content.number)
    }
    let words = change.contentData == nil ? followed.map(SearchTerms.words) : prepared.words
    updateSearch(head, change, words: words, number: content.number)
    if let new {
      try context.execute(
        "UPDATE content_documents SET content_data = ? WHERE number = ?", [Data(new), content.number])
    }
    context.change(head.publicID)
    if !(content.head.authorUsername?.utf8.elementsEqual(username.utf8) ?? false) {
      try context.changeCopies(of: head.id)
    }
    return .updated(head)
  }

  private func updateSearch(_ head: PublicationHead, _ change: PublishChange, words: String?, number: Int64) {
    let tags = head.tags.joined(separator: "\n")
    if let words {
      context.changeSearch(
        "UPDATE content_search SET title = ?, description = ?, tags = ?, body = ? WHERE rowid = ?",
        [head.title, head.description, tags, words, number])
    } else if change.title != nil || change.description != nil || change.tags != nil {
      context.changeSearch(
        "UPDATE content_search SET title = ?, description = ?, tags = ? WHERE rowid = ?",
        [head.title, head.description, tags, number])
    }
  }

  private func storedDocument(_ number: Int64) throws -> [UInt8] {
    guard let row = try context.row("SELECT content_data FROM content_documents WHERE number = ?", [number]) else {
      throw StoreProblem.damaged
    }
    return try ContentRow.document(row, at: 0)
  }

  private mutating func unpublish(_ content: ContentRow) throws -> OperationResult {
    let time = changeTime().milliseconds
    try context.execute(
      "UPDATE shared_content SET deleted_at = ?, updated_at = ? WHERE number = ?", [time, time, content.number])
    try Self.hide(content.number, context)
    context.change(content.head.publicID)
    try context.changeCopies(of: content.head.id)
    return .unpublished
  }

  /// Removes an item from the tables for lists and searches.
  static func hide(_ number: Int64, _ context: WriteContext) throws {
    try context.execute("DELETE FROM content_tags WHERE number = ?", [number])
    context.changeSearch("DELETE FROM content_search WHERE rowid = ?", [number])
  }
}

extension PublicationHead {
  /// The strings that the document may repeat.
  fileprivate var documentWords: PublishedDocument.Words {
    PublishedDocument.Words(title: title, description: description, tags: tags)
  }
}

/// An operation with the values that can be computed before the writer's turn.
struct PreparedOperation: Sendable {
  let operation: ContentOperation
  /// The digest of a publish request.
  let digest: [UInt8]
  /// The weight of the operation for the writer: 1, and 1 more for each 32 KiB.
  let weight: Int
  /// The document's words, when the operation has a document.
  let words: String

  /// - Throws: `StoreFailure` for strings that the file cannot store.
  init(_ operation: ContentOperation) throws {
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
      words = SearchTerms.words(of: request.contentData)
      weight = Self.weight(request.contentData)
    case .update(_, let change, _):
      try Self.require([change.title, change.description ?? nil, change.language], change.tags ?? [])
      digest = []
      words = change.contentData.map(SearchTerms.words) ?? ""
      weight = Self.weight(change.contentData ?? [])
    case .unpublish:
      digest = []
      words = ""
      weight = 1
    }
  }

  private static func weight(_ document: [UInt8]) -> Int { 1 + document.count >> 15 }

  private static func require(_ texts: [String?], _ tags: [String]) throws {
    let all = texts.compactMap { $0 } + tags
    if all.contains(where: \.holdsNUL) { throw StoreProblem.textWithNUL }
  }
}

extension SQLiteStore {
  /// How long the answer to an idempotency key is kept, in milliseconds.
  static let answersKept: Int64 = 24 * 3600 * 1000

  /// Carries out operations in one savepoint of a shared commit; `render` runs on the writer's queue.
  public func apply(
    _ operations: [ContentOperation], by owner: RegistryID, at now: Timestamp, claim: IdempotencyClaim?
  ) async throws -> ApplyOutcome {
    // Digests and words are computed here, on the caller's thread, because all callers share one writer.
    let prepared = try operations.map(PreparedOperation.init)
    if let claim, claim.key.holdsNUL { throw StoreProblem.textWithNUL }
    return try await write(weight: prepared.reduce(0) { $0 + $1.weight }) { context -> ApplyOutcome in
      var writer = try OperationWriter(context, owner: owner, now: now)
      if let claim, let answered = try Self.answer(to: claim, of: owner, at: now, context.db) { return answered }
      var results: [OperationResult] = []
      results.reserveCapacity(prepared.count)
      for operation in prepared { results.append(try writer.apply(operation)) }
      if let claim { try Self.store(claim.render(results), for: claim, of: owner, at: now, context) }
      return .done(results)
    }
  }

  /// Returns the stored answer to a claim's request.
  public func answer(to claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp) async throws -> ApplyOutcome?
  {
    guard !claim.key.holdsNUL else { return nil }
    try requireOpen()
    return try read { try Self.answer(to: claim, of: owner, at: now, $0) }
  }

  private static func answer(
    to claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp, _ db: Database
  ) throws -> ApplyOutcome? {
    let query = try db.cachedStatement(
      sql: """
        SELECT fingerprint, status, headers, body FROM idempotency_keys
        WHERE user_id = ? AND key = ? AND created_at > ?
        """)
    let row = try Row.fetchOne(query, arguments: [owner.text, claim.key, now.milliseconds - answersKept])
    guard let row else { return nil }
    guard let fingerprint = row.bytes(0), let status = row.integer(1), let headers = row.text(2),
      let body = row.bytes(3)
    else { throw StoreProblem.damaged }
    guard fingerprint == claim.fingerprint else { return .keyReused }
    return .replayed(StoredAnswer(status: Int(status), headers: try HeaderColumn.read(headers), body: body))
  }

  private static func store(
    _ answer: StoredAnswer, for claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp,
    _ context: WriteContext
  ) throws {
    try context.execute(
      """
      INSERT OR REPLACE INTO idempotency_keys (user_id, key, fingerprint, status, headers, body, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        owner.text, claim.key, Data(claim.fingerprint), answer.status, HeaderColumn.write(answer.headers),
        Data(answer.body), now.milliseconds,
      ])
  }
}

/// Stores the headers of a stored answer in one column: a JSON array of alternating names and values.
enum HeaderColumn {
  static func write(_ headers: [StoredAnswer.Header]) -> String {
    TagColumn.write(headers.flatMap { [$0.name, $0.value] })
  }

  static func read(_ text: String) throws -> [StoredAnswer.Header] {
    let parts = try TagColumn.read(text)
    return stride(from: 0, to: parts.count - parts.count % 2, by: 2).map {
      StoredAnswer.Header(name: parts[$0], value: parts[$0 + 1])
    }
  }
}
