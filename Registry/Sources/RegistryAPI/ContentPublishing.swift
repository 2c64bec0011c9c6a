import Content
import HTTPTypes
import Hummingbird
import JSONText
import Publishing
import RegistryModel
import RegistryStore

extension ContentHandlers {
  /// Handles `POST /content/share`: publishes a new item.
  func share(_ request: Request, _ context: RegistryContext) async throws -> Response {
    var context = context
    let owner = try await context.requirePrincipal(of: request, registry).userID
    try await charge(.share, 1, context)
    let body = try await JSONBody(
      of: request, limit: registry.settings.bodyLimit, depth: registry.settings.depthLimit)
    let now = registry.clock.now()
    let publication = try intakes.withIntake { Self.publication(body.root, $0, now, at: JSONPointer()) }
    switch publication {
    case .success(let operation): return try await apply([operation], by: owner, at: now, request, body.bytes)
    case .failure(let problem): return try await replay(or: problem, to: owner, at: now, request, body.bytes)
    }
  }

  /// Handles `PUT` and `PATCH /content/{public_id}`: changes an item; members that are left out are not changed.
  func update(_ request: Request, _ context: RegistryContext) async throws -> Response {
    var context = context
    let owner = try await context.requirePrincipal(of: request, registry).userID
    let publicID = try publicID(context)
    try await charge(.share, 1, context)
    let body = try await JSONBody(
      of: request, limit: registry.settings.bodyLimit, depth: registry.settings.depthLimit)
    let now = registry.clock.now()
    let head = try await registry.store.head(.publicID(publicID))
    guard let head else {
      return try await apply([Self.vain(publicID)], by: owner, at: now, request, body.bytes)
    }
    if head.userID != owner { throw Problem(.notOwner) }
    let current = try await stored(head, for: body.root)
    switch try intakes.withIntake({ Self.change(body.root, of: current, $0, now, at: JSONPointer()) }) {
    case .success(let change):
      let precondition = EntityTag.precondition(request.headers, for: head.digest)
      let operation = ContentOperation.update(publicID: publicID, change, ifMatch: precondition)
      return try await apply([operation], by: owner, at: now, request, body.bytes)
    case .failure(let problem): return try await replay(or: problem, to: owner, at: now, request, body.bytes)
    }
  }

  /// Returns the stored item data that a change by `body` needs: only a new document inherits data from the previous
  /// one.
  func stored(_ head: PublicationHead, for body: JSONValue) async throws -> PublishedItem {
    var item = PublishedItem(head)
    if let data = body["content_data"], !data.isNull,
      let content = try await registry.store.content(publicID: head.publicID, countingView: false)
    {
      item.recordOrigin(of: content.contentData)
    }
    return item
  }

  /// Handles `DELETE /content/{public_id}`: unpublishes an item; its slug stays taken.
  func unpublish(_ request: Request, _ context: RegistryContext) async throws -> Response {
    var context = context
    let owner = try await context.requirePrincipal(of: request, registry).userID
    let publicID = try publicID(context)
    try await charge(.delete, 1, context)
    let isConditional = request.headers.contains(.ifNoneMatch)
    let digest = isConditional ? try await registry.store.head(.publicID(publicID))?.digest : nil
    let precondition = EntityTag.precondition(request.headers, for: digest)
    let operation = ContentOperation.unpublish(publicID: publicID, ifMatch: precondition)
    return try await apply([operation], by: owner, at: registry.clock.now(), request, [])
  }

  /// Carries out one request, once per idempotency key.
  private func apply(
    _ operations: [ContentOperation], by owner: RegistryID, at now: Timestamp, _ request: Request, _ body: [UInt8]
  ) async throws -> Response {
    let publicURL = registry.settings.publicURL
    let render: @Sendable ([OperationResult]) -> StoredAnswer = { results in
      let result = Self.finalResult(results.first, of: operations.first)
      return Self.answer(result, to: operations.first, publicURL: publicURL, base: JSONPointer())
    }
    let claim = try Idempotency.claim(request, body: body, render: render)
    switch try await registry.store.apply(operations, by: owner, at: now, claim: claim) {
    case .done(let results):
      count(results)
      return Response(render(results))
    case .replayed(let answer): return Response(answer, replayed: true)
    case .keyReused: throw Problem.idempotencyKeyReused
    }
  }

  /// Returns the earlier answer to a request that could not be accepted now: the data that it was checked against may
  /// have changed since.
  /// - Throws: `problem` if the request is new.
  private func replay(
    or problem: Problem, to owner: RegistryID, at now: Timestamp, _ request: Request, _ body: [UInt8]
  ) async throws -> Response {
    guard let claim = try Idempotency.claim(request, body: body, render: { _ in StoredAnswer(problem) }) else {
      throw problem
    }
    switch try await registry.store.answer(to: claim, of: owner, at: now) {
    case .replayed(let answer)?: return Response(answer, replayed: true)
    case .keyReused?: throw Problem.idempotencyKeyReused
    case .done?, nil: throw problem
    }
  }

  /// Returns the answer to a single request with a given result; for an operation in a batch, its element of the
  /// answer.
  static func answer(
    _ result: OperationResult, to operation: ContentOperation?, publicURL: String?, base: JSONPointer
  ) -> StoredAnswer {
    var out = JSONOutput(capacity: 512)
    switch result {
    case .published(let head):
      out.appendPublished(head, publicURL: publicURL, notes: notes(head, operation, base: base))
      return StoredAnswer(
        status: 201, json: out,
        headers: [
          .init(name: "ETag", value: EntityTag.text(head.digest)),
          .init(name: "Location", value: "\(RegistryRouter.prefix)/content/\(head.publicID)"),
        ])
    case .updated(let head):
      out.appendUpdated(head)
      return StoredAnswer(
        status: 200, json: out, headers: [.init(name: "ETag", value: EntityTag.text(head.digest))])
    case .unpublished: return StoredAnswer(status: 204, headers: [], body: [])
    case .refused(let refusal): return StoredAnswer(Problem(refusal, base: base))
    }
  }

  /// Returns the deviations of a publication from the request.
  private static func notes(
    _ head: PublicationHead, _ operation: ContentOperation?, base: JSONPointer
  ) -> [IntakeFinding] {
    guard case .publish(let request) = operation, request.forkedFromID != nil, head.forkedFromID == nil else {
      return []
    }
    return [
      IntakeFinding(
        code: "REG0205", pointer: base.appending(.member("forked_from_id")),
        message: "`forked_from_id` is not a public item of this registry; the item was published without the link",
        why: "the original was never published here, or it was unpublished",
        fix: "nothing needs to be done: the original's author is credited by name if the name is known")
    ]
  }

  /// Returns an operation without effect, for an item that does not exist. The store must decide in this case too,
  /// because an earlier answer may be stored for the idempotency key. If the slug is taken in the meantime, no item
  /// meets the precondition, so the item stays unchanged.
  static func vain(_ publicID: String) -> ContentOperation {
    .update(publicID: publicID, PublishChange(), ifMatch: unmet)
  }

  /// A digest that no item has and no header can contain: digests have 32 bytes.
  private static let unmet = ContentOperation.Precondition.digests([[]])

  /// Returns the result of an operation. An operation without effect has the result for a missing item, even if the
  /// slug was taken in the meantime.
  static func finalResult(_ result: OperationResult?, of operation: ContentOperation?) -> OperationResult {
    if case .update(_, _, let precondition) = operation, precondition == unmet,
      result == .refused(.preconditionFailed)
    {
      return .refused(.notFound)
    }
    return result ?? .refused(.notFound)
  }

  /// Checks a request to publish.
  /// - Parameter base: the position of `value` in the body.
  static func publication(
    _ value: JSONValue, _ intake: PublishIntake, _ now: Timestamp, at base: JSONPointer,
    mostFindings: Int = PublishIntake.mostFindings
  ) -> Result<ContentOperation, Problem> {
    switch intake.publication(value, now: now, mostFindings: mostFindings) {
    case .refused(let findings): return .failure(.invalidContent(findings.map { $0.moved(below: base) }))
    case .taken(let publication):
      if reservedSlugs.contains(publication.publicID) {
        return .failure(
          .invalidContent([
            IntakeFinding(
              code: "REG0203", pointer: base.appending(.member("public_id")),
              message: "`public_id` is `\(publication.publicID)`, which is reserved by the registry",
              why: "the item could not be opened, because its path has another meaning",
              fix: "choose another slug, as apps do: the title and eight letters of an id")
          ]))
      }
      return .success(.publish(publication))
    }
  }

  /// Checks a request to change an item.
  static func change(
    _ value: JSONValue, of current: PublishedItem, _ intake: PublishIntake, _ now: Timestamp, at base: JSONPointer,
    mostFindings: Int = PublishIntake.mostFindings
  ) -> Result<PublishChange, Problem> {
    switch intake.change(value, current: current, now: now, mostFindings: mostFindings) {
    case .refused(let findings): return .failure(.invalidContent(findings.map { $0.moved(below: base) }))
    case .taken(var change):
      // A document is stored with the type that it was checked against, even if other requests change the item in the
      // meantime.
      if change.contentData != nil, change.contentType == nil { change.contentType = current.contentType }
      return .success(change)
    }
  }
}

extension IntakeFinding {
  /// Returns the finding with its place relative to the whole body.
  func moved(below base: JSONPointer) -> IntakeFinding {
    base.steps.isEmpty
      ? self
      : IntakeFinding(
        code: code, pointer: JSONPointer(base.steps + pointer.steps), message: message, why: why, fix: fix)
  }
}

extension PublishedItem {
  /// Creates an item with the values that a change may leave out, from the stored item.
  init(_ head: PublicationHead) {
    self.init(
      contentType: head.contentType, publicID: head.publicID, title: head.title, description: head.description,
      tags: head.tags, createdAt: head.createdAt, canFork: head.canFork)
  }

  /// Creates an item with the values that a change may leave out, from a publication.
  init(_ publication: PublishRequest, at now: Timestamp) {
    self.init(
      contentType: publication.contentType, publicID: publication.publicID, title: publication.title,
      description: publication.description, tags: publication.tags, createdAt: now,
      canFork: publication.canFork)
    recordOrigin(of: publication.contentData)
  }

  /// Records the values that a new document inherits from this one.
  mutating func recordOrigin(of document: [UInt8]) {
    (documentID, documentCreatedAt) = PublishedDocument.origin(of: document)
  }

  /// Returns the item after a change.
  func applying(_ change: PublishChange) -> PublishedItem {
    var item = self
    if let title = change.title { item.title = title }
    if let description = change.description { item.description = description }
    if let contentType = change.contentType { item.contentType = contentType }
    if let tags = change.tags { item.tags = tags }
    if let document = change.contentData { item.recordOrigin(of: document) }
    return item
  }
}

extension ContentHandlers {
  /// The maximum number of operations in a batch.
  static let batchLimit = 500
  /// The number of operations that cost as much as one request.
  static let batchCost = 50
  /// The maximum number of findings per operation: refusing a document must not cost more than accepting it.
  static let batchFindings = 5

  /// Handles `POST /content/batch`: carries out many operations in their order and returns one result for each; a
  /// refusal does not stop the others.
  func batch(_ request: Request, _ context: RegistryContext) async throws -> Response {
    var context = context
    let owner = try await context.requirePrincipal(of: request, registry).userID
    // The members around a payload add three nesting levels.
    let body = try await JSONBody(
      of: request, limit: registry.settings.batchBodyLimit, depth: registry.settings.depthLimit + 3)
    let entries = try BatchEntry.read(body.root, limit: Self.batchLimit)
    try await charge(.share, (entries.count + Self.batchCost - 1) / Self.batchCost, context)
    let now = registry.clock.now()
    let items = try await items(of: entries)
    let prepared = try intakes.withIntake { Self.prepare(entries, items, $0, now) }
    let publicURL = registry.settings.publicURL
    let render: @Sendable ([OperationResult]) -> StoredAnswer = { results in
      Self.batchAnswer(prepared, results, publicURL: publicURL)
    }
    let claim = try Idempotency.claim(request, body: body.bytes, render: render)
    let operations = prepared.compactMap { try? $0.get() }
    switch try await registry.store.apply(operations, by: owner, at: now, claim: claim) {
    case .done(let results):
      count(results)
      return Response(render(results))
    case .replayed(let answer): return Response(answer, replayed: true)
    case .keyReused: throw Problem.idempotencyKeyReused
    }
  }

  /// Returns the current state of the items that the batch changes.
  private func items(of entries: [BatchEntry]) async throws -> [String: PublishedItem] {
    var items: [String: PublishedItem] = [:]
    for entry in entries {
      guard case .update(let publicID, let payload) = entry.kind, items[publicID]?.documentID == nil else { continue }
      if let head = try await registry.store.head(.publicID(publicID)) {
        items[publicID] = try await stored(head, for: payload)
      }
    }
    return items
  }

  /// Accepts every operation or returns its refusal. A change is checked against the item as earlier operations in the
  /// batch leave it.
  private static func prepare(
    _ entries: [BatchEntry], _ stored: [String: PublishedItem], _ intake: PublishIntake, _ now: Timestamp
  ) -> [Result<ContentOperation, Problem>] {
    var items = stored
    var changed: Set<String> = []
    for case .update(let publicID, _) in entries.map(\.kind) { changed.insert(publicID) }
    return entries.map { entry in
      let base = entry.pointer.appending(.member("payload"))
      switch entry.kind {
      case .refused(let problem): return .failure(problem)
      case .publish(let payload):
        let operation = publication(payload, intake, now, at: base, mostFindings: batchFindings)
        if case .success(.publish(let publication)) = operation, items[publication.publicID] == nil,
          changed.contains(publication.publicID)
        {
          items[publication.publicID] = PublishedItem(publication, at: now)
        }
        return operation
      case .update(let publicID, let payload):
        guard let current = items[publicID] else { return .success(vain(publicID)) }
        return change(payload, of: current, intake, now, at: base, mostFindings: batchFindings).map { change in
          items[publicID] = current.applying(change)
          return .update(publicID: publicID, change, ifMatch: entry.precondition)
        }
      case .unpublish(let publicID):
        return .success(.unpublish(publicID: publicID, ifMatch: entry.precondition))
      }
    }
  }

  private static func batchAnswer(
    _ prepared: [Result<ContentOperation, Problem>], _ results: [OperationResult], publicURL: String?
  ) -> StoredAnswer {
    var out = JSONOutput(capacity: 384 * prepared.count + 64)
    var next = results.makeIterator()
    out.append("{\"results\":[")
    for (position, operation) in prepared.enumerated() {
      if position > 0 { out.append(UInt8(ascii: ",")) }
      let base = JSONPointer([.member("operations"), .element(position), .member("payload")])
      let answer: StoredAnswer
      switch operation {
      case .failure(let problem): answer = StoredAnswer(problem)
      case .success(let operation):
        let result = Self.finalResult(next.next(), of: operation)
        answer = Self.answer(result, to: operation, publicURL: publicURL, base: base)
      }
      out.append("{\"status\":")
      out.appendNumber(Int64(answer.status))
      out.append(",\"body\":")
      if answer.body.isEmpty { out.append("null") } else { out.append(raw: answer.body) }
      if let tag = answer.headers.first(where: { $0.name == "ETag" }) {
        out.append(",\"etag\":")
        out.appendJSONString(tag.value)
      }
      out.append(UInt8(ascii: "}"))
    }
    out.append("]}")
    return StoredAnswer(status: 200, json: out)
  }
}

/// One operation of a batch, parsed but not yet checked.
struct BatchEntry {
  /// The position of the operation: `/operations/3`.
  let pointer: JSONPointer
  let kind: Kind
  /// The precondition in `if_match`.
  let precondition: ContentOperation.Precondition?

  /// The kind of operation.
  enum Kind {
    case publish(JSONValue)
    case update(publicID: String, JSONValue)
    case unpublish(publicID: String)
    case refused(Problem)
  }

  /// Parses the operations of a body.
  /// - Throws: `Problem` 422 if the body is not a batch, or contains more than `limit` operations. An error within a
  ///   payload refuses only its own operation.
  static func read(_ root: JSONValue, limit: Int) throws -> [BatchEntry] {
    guard let operations = root["operations"], root.kind == .object, operations.kind == .array else {
      throw Problem.invalidContent([
        finding(
          JSONPointer(root.kind == .object ? [.member("operations")] : []), "`operations` must be an array",
          why: "a batch is a list of operations in their order", fix: "send {\"operations\": [ … ]}")
      ])
    }
    let elements = operations.elements
    guard elements.count <= limit else {
      throw Problem.invalidContent([
        finding(
          JSONPointer([.member("operations"), .element(limit)]),
          "the batch has \(elements.count) operations; the limit is \(limit)",
          why: "a batch is one transaction, and other requests wait for it", fix: "send the rest in another batch")
      ])
    }
    var findings: [IntakeFinding] = []
    let entries = elements.enumerated().compactMap { position, value in
      BatchEntry(value, at: JSONPointer([.member("operations"), .element(position)]), &findings)
    }
    if !findings.isEmpty { throw Problem.invalidContent(findings) }
    return entries
  }

  private init?(_ value: JSONValue, at pointer: JSONPointer, _ findings: inout [IntakeFinding]) {
    self.pointer = pointer
    let tag = value["if_match"]
    precondition = tag?.string.map { EntityTag.precondition($0) }
    func refuse(_ member: String?, _ message: String, why: String, fix: String) {
      let place = member.map { pointer.appending(.member($0)) } ?? pointer
      findings.append(Self.finding(place, message, why: why, fix: fix))
    }
    guard value.kind == .object else {
      refuse(
        nil, "an operation must be an object", why: "it contains the operation and its payload",
        fix: "send {\"operation\": …, \"payload\": { … }}")
      return nil
    }
    if let tag, !tag.isNull, tag.string == nil {
      refuse(
        "if_match", "`if_match` must be a string", why: "it is an entity tag, quotes included",
        fix: "send the `etag` of an earlier answer unchanged")
      return nil
    }
    guard let payload = value["payload"], payload.kind == .object else {
      refuse(
        "payload", "`payload` must be an object", why: "it is the body of the single request",
        fix: "send the request's members in `payload`")
      return nil
    }
    let slug = payload["public_id"]?.string
    switch value["operation"]?.string {
    case "publish": kind = .publish(payload)
    case "publish_update", "update", "unpublish":
      guard let slug, ContentHandlers.isSlug(slug) else {
        kind = .refused(
          .invalidContent([
            Self.finding(
              pointer.appending(.member("payload")).appending(.member("public_id")),
              "`public_id` must be 1 to 255 of A-Z, a-z, 0-9 and -", why: "it identifies the item",
              fix: "send the slug under which the item was published")
          ]))
        return
      }
      kind = value["operation"]?.string == "unpublish" ? .unpublish(publicID: slug) : .update(publicID: slug, payload)
    default:
      refuse(
        "operation", "`operation` must be `publish`, `publish_update` or `unpublish`",
        why: "a batch uses the names of the operations in the app's queue", fix: "send one of these")
      return nil
    }
  }

  private static func finding(_ pointer: JSONPointer, _ message: String, why: String, fix: String) -> IntakeFinding {
    IntakeFinding(code: "REG0301", pointer: pointer, message: message, why: why, fix: fix)
  }
}
