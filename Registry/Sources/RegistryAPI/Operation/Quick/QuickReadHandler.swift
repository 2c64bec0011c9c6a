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
