import NIOCore
import NIOHTTP1

/// Answers plain reads of cached data between the HTTP decoder and the framework, without a task, a router or a thread
/// change. Everything else is passed on unchanged.
///
/// Answers keep their order: while the framework is answering a request on the connection, everything is passed on.
/// Clients that do not read their answers are also left to the framework, which reads no more from them.
final class QuickReadHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let answers: CachedResponses
  private let connection: ConnectionGuard
  /// The context that writes bytes unchanged: they already contain the answer's head.
  private let encoder: ChannelHandlerContext
  /// The rate-limit key of the other end of the connection.
  private var peer: String?
  /// A request that may be answered here, until its end is read.
  private var held: (head: HTTPRequestHead, request: QuickRequest, begin: ContinuousClock.Instant)?
  /// The number of requests that were passed on and whose answers are not completely written.
  private var passed = 0
  /// Whether the connection is about to end.
  private var isEnding = false
  private var hasWritten = false

  /// - Parameter encoder: the context of `HTTPResponseEncoder` on the same channel.
  init(_ answers: CachedResponses, _ connection: ConnectionGuard, encoder: ChannelHandlerContext) {
    self.answers = answers
    self.connection = connection
    self.encoder = encoder
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      if passed == 0, !isEnding, context.channel.isWritable, let request = QuickRequest(head) {
        held = (head, request, .now)
        return
      }
      passed += 1
      if !head.isKeepAlive { isEnding = true }
    case .body: passOn(context)
    case .end(let trailers):
      if let held, trailers == nil, answer(held.request, held.begin, context) {
        self.held = nil
        return
      }
      passOn(context)
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if hasWritten {
      hasWritten = false
      encoder.flush()
    }
    context.fireChannelReadComplete()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head): if !head.isKeepAlive { isEnding = true }
    case .body: break
    case .end: passed -= 1
    }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    passOn(context)
    isEnding = true
    context.fireErrorCaught(error)
  }

  private func answer(_ request: QuickRequest, _ begin: ContinuousClock.Instant, _ context: ChannelHandlerContext)
    -> Bool
  {
    let peer = self.peer ?? AddressKey.of(context.channel.remoteAddress?.ipAddress ?? RegistryContext.localPeer)
    self.peer = peer
    guard let bytes = answers.answer(request, peer: peer, begin: begin) else { return false }
    encoder.write(NIOAny(IOData.byteBuffer(bytes)), promise: nil)
    hasWritten = true
    connection.answeredAtOnce()
    return true
  }

  /// Passes on a request that the framework has to answer.
  private func passOn(_ context: ChannelHandlerContext) {
    guard let held else { return }
    self.held = nil
    passed += 1
    context.fireChannelRead(wrapInboundOut(.head(held.head)))
  }
}

/// A request that can be answered from memory: a plain GET of an item or of the public list.
///
/// Anything else in a request (a body, a condition, an origin, a token, a field that is not known to be irrelevant
/// here) disqualifies the request, and the routes answer it.
struct QuickRequest {
  /// The requested resource.
  enum Subject: Equatable {
    /// An item by its slug.
    case item(String)
    /// The public list, by the request's target.
    case list(String)
  }

  let subject: Subject
  /// The `X-Request-Id` as received.
  let name: String?
  /// The `X-Forwarded-For` and `X-Forwarded-Proto` as received.
  let forwardedFor: String?
  let forwardedScheme: String?

  private static let base = Array("\(RegistryRouter.prefix)/content/".utf8)
  private static let list = Array("public".utf8)

  /// Reads a request's head; returns nil if the routes have to answer the request.
  init?(_ head: HTTPRequestHead) {
    guard head.method == .GET, head.version == .http1_1, let subject = Self.subject(head.uri) else { return nil }
    var name: String?
    var forwardedFor: String?
    var forwardedScheme: String?
    var hosts = 0
    for (field, value) in head.headers {
      switch field.lowercased() {
      case "host": hosts += 1
      case "accept", "accept-encoding", "accept-language", "cache-control", "dnt", "pragma", "priority", "user-agent",
        "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site", "via", "x-forwarded-host", "x-real-ip":
        break
      case "connection": if value.lowercased() != "keep-alive" { return nil }
      // Each of the relevant fields may occur only once.
      case "x-request-id":
        if name != nil { return nil }
        name = value
      case "x-forwarded-for":
        if forwardedFor != nil { return nil }
        forwardedFor = value
      case "x-forwarded-proto":
        if forwardedScheme != nil { return nil }
        forwardedScheme = value
      default: return nil
      }
    }
    guard hosts == 1 else { return nil }
    self.subject = subject
    self.name = name
    self.forwardedFor = forwardedFor
    self.forwardedScheme = forwardedScheme
  }

  private static func subject(_ target: String) -> Subject? {
    let bytes = target.utf8
    guard bytes.starts(with: base) else { return nil }
    let rest = bytes.dropFirst(base.count)
    if rest.starts(with: list), rest.count == list.count || rest.dropFirst(list.count).first == UInt8(ascii: "?") {
      return isPlain(rest) ? .list(target) : nil
    }
    let slug = String(Substring(rest))
    return ContentHandlers.isSlug(slug) && !ContentHandlers.reservedSlugs.contains(slug) ? .item(slug) : nil
  }

  /// Whether a target is short and consists of visible ASCII without a fragment: this bounds the number of targets.
  private static func isPlain(_ target: Substring.UTF8View) -> Bool {
    target.count <= 256 && target.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
  }
}
