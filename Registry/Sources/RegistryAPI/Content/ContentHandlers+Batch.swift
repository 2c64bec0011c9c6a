import Content
import HTTPTypes
import Hummingbird
import JSONText
import Publishing
import RegistryModel
import RegistryStore

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
    try charge(.share, (entries.count + Self.batchCost - 1) / Self.batchCost, context)
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
      note(results)
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
        let result = Self.settled(next.next(), of: operation)
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
