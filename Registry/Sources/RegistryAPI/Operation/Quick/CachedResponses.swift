import HTTPTypes
import NIOCore
import RegistryStore

/// Answers requests from the store's memory immediately, on the event loop that read them.
///
/// An answer, its fields, its counts and its log entries are the same as those of the routes (`OperationQuickTests`
/// sends the same requests through both). A request for data that is not in memory, or a request that would be refused,
/// is left to the routes.
struct CachedResponses: Sendable {
  private let registry: Registry
  private let head: QuickHead
  private let lists = QuickLists()

  private static let itemRoute = "\(RegistryRouter.prefix)/content/\(ContentRoutes.itemPath)"
  private static let listRoute = "\(RegistryRouter.prefix)/content/\(ContentRoutes.listPath)"

  init(_ registry: Registry) {
    self.registry = registry
    head = QuickHead(registry.settings)
  }

  /// Returns the complete answer in the form that is sent; nil when the routes have to answer.
  /// - Parameter peer: the rate-limit key of the other end of the connection.
  func answer(_ request: QuickRequest, peer: String, begin: ContinuousClock.Instant) -> ByteBuffer? {
    var caller = peer
    var isSecure = false
    if registry.settings.trustsProxy {
      if let address = request.forwardedFor.flatMap(ForwardedAddress.address) { caller = AddressKey.of(address) }
      isSecure = request.forwardedScheme == "https"
    }
    var writer = Writer(registry: registry, head: head, caller: caller, isSecure: isSecure, name: request.name)
    let out: ByteBuffer
    let route: String
    switch request.subject {
    case .item(let slug):
      guard let found = registry.store.viewAtHand(publicID: slug, if: { writer.charge() }) else { return nil }
      out = writer.write(found)
      route = Self.itemRoute
    case .list(let target):
      guard let question = lists.question(target), let page = registry.store.pageAtHand(question.question.query),
        writer.charge()
      else { return nil }
      out = writer.write(page, question)
      route = Self.listRoute
    }
    let record = RequestRecord(
      method: "GET", route: route, status: 200, duration: ContinuousClock.now - begin, requestID: writer.name)
    registry.metrics.count(record)
    registry.onRequest(record)
    return out
  }
}

/// Writes one answer.
private struct Writer {
  let registry: Registry
  let head: QuickHead
  let caller: String
  let isSecure: Bool
  let name: String
  private var standing: RateLimiter.Standing?

  init(registry: Registry, head: QuickHead, caller: String, isSecure: Bool, name: String?) {
    self.registry = registry
    self.head = head
    self.caller = caller
    self.isSecure = isSecure
    self.name = RequestName.of(name)
  }

  /// Charges the caller; returns false when the caller's limit is used up. In that case nothing is charged, and the
  /// routes report the refusal.
  mutating func charge() -> Bool {
    do {
      standing = try registry.limiter.charge(.general, caller: caller)
      return true
    } catch {
      return false
    }
  }

  func write(_ found: CachedItem) -> ByteBuffer {
    let item = found.held.item
    let text = found.held.memo.value { CachedItemJSON(item.head) }
    let views = Array(String(found.viewCount).utf8)
    let length = text.count(item.contentData, viewCount: views)
    var out = ByteBufferAllocator().buffer(capacity: head.capacity + text.fields.count + length)
    head.write(text.fields, length: length, name: name, standing: standing, isSecure: isSecure, to: &out)
    text.forEachPart(item.contentData, viewCount: views) { out.writeBytes($0) }
    return out
  }

  func write(_ page: ContentPage, _ question: QuickLists.Question) -> ByteBuffer {
    let body = question.question.body(page)
    let fields = question.fields(page)
    var out = ByteBufferAllocator().buffer(capacity: head.capacity + fields.count + body.count)
    head.write(fields, length: body.count, name: name, standing: standing, isSecure: isSecure, to: &out)
    out.writeBytes(UnsafeRawBufferPointer(body.bytes))
    return out
  }
}
