import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Holds one connection to its limits: one without requests, a head or a body that drips in, a client that does not read
/// its answer, a body without end.
///
/// One deadline and at most one scheduled task for each connection: a request moves the deadline, and the task, when it
/// comes, finds out whether it is due; it is scheduled anew only where the deadline comes before it. Also answers what is
/// no HTTP with a problem, and `Expect: 100-continue`.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: ConnectionLimits
  private var deadline: NIODeadline?
  private var task: (due: NIODeadline, scheduled: Scheduled<Void>)?
  /// Requests whose answer is not wholly written.
  private var open = 0
  /// Answers begun and not ended.
  private var isAnswering = false
  private var isReceiving = false
  private var received = 0
  private var isOver = false
  /// What came behind the requests that are under way and is none: said when those are answered.
  private var refusal: Refusal?

  private struct Refusal {
    let status: HTTPResponse.Status
    let code: String
    let detail: String
    let error: any Error
  }

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { move(to: limits.idle, context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelActive(context: ChannelHandlerContext) {
    move(to: limits.idle, context)
    context.fireChannelActive()
  }

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
      let here = NIOLoopBound(context, eventLoop: context.eventLoop)
      written.futureResult.whenComplete { _ in bound.value.answered(here.value) }
      context.write(data, promise: written)
      return
    }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isOver, let refusal = refusal(for: error) else {
      context.fireErrorCaught(error)
      return
    }
    // Whoever sent whole requests before gets their answers first.
    if open > 0, !isReceiving {
      self.refusal = self.refusal ?? refusal
    } else {
      finish(context, refusal.status, refusal.code, refusal.detail, refusal.error)
    }
  }

  /// What is said about bytes that are no request; nil for all other errors.
  private func refusal(for error: any Error) -> Refusal? {
    switch error {
    case is InvalidHost:
      return Refusal(
        status: .badRequest, code: "invalid_request", detail: "A request in HTTP/1.1 has one `Host`: send it once.",
        error: error)
    case HTTPParserError.headerOverflow:
      return Refusal(
        status: .requestHeaderFieldsTooLarge, code: "headers_too_large",
        detail:
          "The request's head is too large: at most \(limits.headerBytes) bytes and \(limits.headerFields) fields.",
        error: error)
    case is HTTPParserError:
      return Refusal(
        status: .badRequest, code: "invalid_request", detail: "This is no request in HTTP/1.1.", error: error)
    default: return nil
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  /// A request was answered before it came here.
  func answeredAtOnce() {
    if open <= 0, !isOver { deadline = .now() + limits.idle }
  }

  private func answered(_ context: ChannelHandlerContext) {
    open -= 1
    guard open <= 0, !isOver else { return }
    if let refusal { return finish(context, refusal.status, refusal.code, refusal.detail, refusal.error) }
    if !isReceiving { deadline = .now() + limits.idle }
  }

  private func end() {
    isOver = true
    task?.scheduled.cancel()
    task = nil
    deadline = nil
  }

  private func move(to time: TimeAmount, _ context: ChannelHandlerContext) {
    let due = NIODeadline.now() + time
    deadline = due
    if let task, task.due <= due { return }
    task?.scheduled.cancel()
    schedule(due, context)
  }

  private func schedule(_ due: NIODeadline, _ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let scheduled = context.eventLoop.scheduleTask(deadline: due) {
      let (guardian, context) = bound.value
      guardian.look(context)
    }
    task = (due, scheduled)
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
