import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Holds one connection to its limits: a body that drips in, a client that does not read its answer, a body without end.
///
/// One deadline and at most one scheduled task for each connection: a request moves the deadline, and the task, when it
/// comes, finds out whether it is due. Also answers what is no HTTP with a problem, and `Expect: 100-continue`.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: ConnectionLimits
  private var deadline: NIODeadline?
  private var task: Scheduled<Void>?
  /// Requests whose answer is not wholly written.
  private var open = 0
  /// Answers begun and not ended.
  private var isAnswering = false
  private var isReceiving = false
  private var received = 0
  private var isOver = false

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      open += 1
      isReceiving = true
      received = 0
      move(to: limits.receiving, context)
      if head.headerFields[.expect]?.lowercased() == "100-continue", open == 1 {
        let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        if length <= limits.bodyBytes {
          context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
      }
    case .body(let bytes):
      received += bytes.readableBytes
      if received > limits.bodyBytes {
        finish(
          context, .contentTooLarge, "body_too_large", "The body is too large. Send less at once.",
          NIOTooManyBytesError(maxBytes: limits.bodyBytes))
        return
      }
    case .end:
      isReceiving = false
      move(to: limits.answering, context)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isOver else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head: isAnswering = true
    case .body: break
    case .end:
      isAnswering = false
      // Not what was handed over counts, but what the client took: its window may be closed for ever.
      let written = promise ?? context.eventLoop.makePromise(of: Void.self)
      let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
      written.futureResult.whenComplete { _ in bound.value.answered() }
      context.write(data, promise: written)
      return
    }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isOver, error is HTTPParserError else {
      context.fireErrorCaught(error)
      return
    }
    let isHeaders: Bool
    if case .headerOverflow? = error as? HTTPParserError { isHeaders = true } else { isHeaders = false }
    if isHeaders {
      finish(
        context, .requestHeaderFieldsTooLarge, "headers_too_large",
        "The request's head is too large: at most \(limits.headerBytes) bytes and \(limits.headerFields) fields.", error
      )
    } else {
      finish(context, .badRequest, "invalid_request", "This is no request in HTTP/1.1.", error)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    task?.cancel()
    task = nil
    deadline = nil
    context.fireChannelInactive()
  }

  private func answered() {
    open -= 1
    if open <= 0, !isReceiving { deadline = nil }
  }

  private func move(to time: TimeAmount, _ context: ChannelHandlerContext) {
    let due = NIODeadline.now() + time
    deadline = due
    if task == nil { schedule(due, context) }
  }

  private func schedule(_ due: NIODeadline, _ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    task = context.eventLoop.scheduleTask(deadline: due) {
      let (guardian, context) = bound.value
      guardian.look(context)
    }
  }

  private func look(_ context: ChannelHandlerContext) {
    task = nil
    guard let deadline, !isOver else { return }
    guard deadline <= .now() else { return schedule(deadline, context) }
    if isReceiving {
      finish(
        context, .requestTimeout, "request_timeout", "The request did not come in time. Send it again.",
        RequestTooSlow())
    } else {
      isOver = true
      context.close(promise: nil)
    }
  }

  /// Says why, unless an answer is under way, and ends the connection. The routes hear the error first: a body that ends
  /// because its connection does must never be taken for a whole one.
  private func finish(
    _ context: ChannelHandlerContext, _ status: HTTPResponse.Status, _ code: String, _ detail: String,
    _ error: any Error
  ) {
    isOver = true
    context.fireErrorCaught(error)
    guard !isAnswering, open <= 1 else {
      context.close(promise: nil)
      return
    }
    let body = Problem(status, code, detail).body
    var fields = HTTPFields()
    fields[.contentType] = "application/problem+json"
    fields[.contentLength] = String(body.count)
    fields[.connection] = "close"
    context.write(wrapOutboundOut(.head(HTTPResponse(status: status, headerFields: fields))), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
  }
}
