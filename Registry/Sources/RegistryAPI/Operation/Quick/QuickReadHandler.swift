import NIOCore
import NIOHTTP1

/// Answers plain reads of what is in memory between the HTTP decoder and the framework: no task, no router, no change of
/// threads. Everything else passes untouched.
///
/// Answers keep their order: while an answer of the framework is under way on the connection, everything passes. A client
/// that does not take its answers is left to the framework, too, which reads no more of it.
final class QuickReadHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let answers: QuickAnswers
  private let connection: ConnectionGuard
  /// Writes bytes as they are: the answer's head was written already.
  private let encoder: ChannelHandlerContext
  /// The other end, as limits know it.
  private var peer: String?
  /// A request that may be answered here, until its end is read.
  private var held: (head: HTTPRequestHead, request: QuickRequest, begin: ContinuousClock.Instant)?
  /// Requests that were passed on and whose answers are not wholly written.
  private var passed = 0
  /// Whether the connection is about to end.
  private var isEnding = false
  private var hasWritten = false

  /// - Parameter encoder: the context of `HTTPResponseEncoder` on the same channel.
  init(_ answers: QuickAnswers, _ connection: ConnectionGuard, encoder: ChannelHandlerContext) {
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

  /// Lets go of a request that the framework has to answer.
  private func passOn(_ context: ChannelHandlerContext) {
    guard let held else { return }
    self.held = nil
    passed += 1
    context.fireChannelRead(wrapInboundOut(.head(held.head)))
  }
}
