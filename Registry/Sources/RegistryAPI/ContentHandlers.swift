import Content
import HTTPTypes
import Hummingbird
import JSONText
import Publishing
import RegistryModel
import RegistryStore
import Synchronization

/// The routes for content.
enum ContentRoutes {
  static let itemPath = "{public_id}"
  static let listPath = "public"

  /// Adds the routes.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    let handlers = ContentHandlers(registry: registry, intakes: IntakePool())
    let content = routes.group("content")
    content.post("share") { try await handlers.share($0, $1) }
    content.post("batch") { try await handlers.batch($0, $1) }
    content.get(RouterPath(listPath)) { try await handlers.listPublic($0, $1) }
    content.get("mine") { try await handlers.listMine($0, $1) }
    let item = content.group(RouterPath(itemPath))
    item.get { try await handlers.item($0, $1) }
    item.head { try await handlers.itemHead($0, $1) }
    item.put { try await handlers.update($0, $1) }
    item.patch { try await handlers.update($0, $1) }
    item.delete { try await handlers.unpublish($0, $1) }
    item.post("fork") { try await handlers.fork($0, $1) }
    item.get("lineage") { try await handlers.lineage($0, $1) }
    item.get("stats") { try await handlers.stats($0, $1) }
  }
}

/// Handles requests about content; there is one file per group of routes.
struct ContentHandlers: Sendable {
  let registry: Registry
  let intakes: IntakePool

  /// Slugs that an item cannot have, because their paths have another meaning.
  static let reservedSlugs: Set<String> = ["share", "batch", "public", "mine"]

  /// Returns the slug in a path.
  /// - Throws: `Problem` 404 for a string that cannot be a slug: no item can have it.
  func publicID(_ context: RegistryContext) throws -> String {
    guard let text = context.parameters.get("public_id"), Self.isSlug(text) else { throw Problem.notFound }
    return text
  }

  /// Finds the item that a path names: by id if the name is an id, otherwise by slug.
  func find<Found>(
    _ context: RegistryContext, _ lookUp: (ContentName) async throws -> Found?
  ) async throws -> Found {
    let text = try publicID(context)
    if let id = RegistryID(text), let found = try await lookUp(.id(id)) { return found }
    // A slug may look like an id.
    guard let found = try await lookUp(.publicID(text)) else { throw Problem.notFound }
    return found
  }

  /// Whether `text` consists of 1 to 255 characters from `A-Z a-z 0-9 -`.
  static func isSlug(_ text: String) -> Bool {
    let count = text.utf8.count
    guard count >= 1, count <= 255 else { return false }
    return text.utf8.allSatisfy {
      $0 == UInt8(ascii: "-") || ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A)
    }
  }
}

extension ContentHandlers {
  /// Counts `cost` requests against the caller's limit.
  /// - Throws: `Problem` 429 if the limit is used up.
  func charge(_ kind: RateLimitKind, _ cost: Int, _ context: RegistryContext) async throws {
    try await registry.limiter.charge(kind, cost: cost, context)
  }

  /// Counts publications in the metrics.
  func count(_ results: [OperationResult]) { registry.metrics.count(results) }
}

/// A pool of intakes: making one compiles schemas, and each can be used by only one thread at a time.
///
/// The pool makes as many intakes as are used at the same time, which is at most one per thread, because no work waits
/// while it uses one.
final class IntakePool: Sendable {
  private struct Idle: @unchecked Sendable {
    // Only one thread uses the intake at a time: an intake in use is not in the list.
    let intake: PublishIntake
  }

  private let idle = Mutex<[Idle]>([])
  private let kept = 16

  /// Lends an intake for the duration of `body`.
  func withIntake<Result>(_ body: (PublishIntake) throws -> Result) throws -> Result {
    let lent = try idle.withLock { $0.popLast() } ?? Idle(intake: PublishIntake())
    defer {
      idle.withLock { if $0.count < kept { $0.append(lent) } }
    }
    return try body(lent.intake)
  }
}

/// Reads the claim of a request with an `Idempotency-Key`.
enum Idempotency {
  /// Returns the claim of a request; nil without the header.
  /// - Throws: `Problem` 422 for a key that is not 1 to 255 visible ASCII characters.
  static func claim(
    _ request: Request, body: [UInt8], render: @escaping @Sendable ([OperationResult]) -> StoredAnswer
  ) throws -> IdempotencyClaim? {
    let values = request.headers[values: .idempotencyKey]
    guard let key = values.first else { return nil }
    let isVisible = key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard values.count == 1, isVisible, !key.isEmpty, key.utf8.count <= 255 else {
      throw Problem.invalidParameters([
        ParameterFinding(
          "Idempotency-Key", code: "REG0104", message: "`Idempotency-Key` must be 1 to 255 visible ASCII characters",
          why: "it is kept for a day and compared byte by byte", fix: "send a UUID, a new one for each change")
      ])
    }
    return IdempotencyClaim(key: key, fingerprint: fingerprint(request, body), render: render)
  }

  /// Returns the SHA-256 of everything that makes two requests equal: method, path, conditions and body.
  private static func fingerprint(_ request: Request, _ body: [UInt8]) -> [UInt8] {
    var text = JSONOutput(capacity: body.count + 256)
    text.append(utf8: request.method.rawValue)
    text.append(UInt8(ascii: "\n"))
    text.append(utf8: request.uri.path)
    text.append(UInt8(ascii: "\n"))
    text.append(utf8: request.headers[values: .ifMatch].joined(separator: ","))
    text.append(UInt8(ascii: "\n"))
    if request.headers.contains(.ifNoneMatch) {
      text.append("If-None-Match ")
      text.append(utf8: request.headers[values: .ifNoneMatch].joined(separator: ","))
      text.append(UInt8(ascii: "\n"))
    }
    text.append(raw: body)
    return Digest.sha256(text.bytes.span)
  }
}

extension Problem {
  /// The problem for a key that was used for another request.
  static var idempotencyKeyReused: Problem {
    Problem(
      .unprocessableContent, "idempotency_key_reused",
      "This `Idempotency-Key` was used for another request: use a new key for each change.")
  }
}
