import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Enforces the limits of one connection. They apply to a connection without requests, to a head or a body that arrives
/// too slowly, to a client that does not read its answer, and to an endless body.
///
/// Each connection has one deadline and at most one scheduled task. A request moves the deadline. When the task runs,
/// it checks whether the deadline has passed. The task is rescheduled early only if the deadline moves to an earlier
/// time. The guard also answers input that is not HTTP with a problem, and handles `Expect: 100-continue`.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: ConnectionLimits
  private var deadline: NIODeadline?
  private var task: (due: NIODeadline, scheduled: Scheduled<Void>)?
  /// The number of requests whose answers are not completely written.
  private var open = 0
  /// Whether an answer has begun and has not ended.
  private var isAnswering = false
  private var isReceiving = false
  private var received = 0
  private var isOver = false
  /// The refusal of invalid input that follows the current requests; it is sent when these are answered.
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
      // Data counts only once the client has accepted it, not when it is handed over: the client's window may never
      // open again.
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
    // A client that has sent complete requests gets their answers first.
    if open > 0, !isReceiving {
      self.refusal = self.refusal ?? refusal
    } else {
      finish(context, refusal.status, refusal.code, refusal.detail, refusal.error)
    }
  }

  /// Returns the refusal for bytes that are not a request; nil for all other errors.
  private func refusal(for error: any Error) -> Refusal? {
    switch error {
    case is InvalidHost:
      return Refusal(
        status: .badRequest, code: "invalid_request",
        detail: "An HTTP/1.1 request has exactly one `Host` header: send it once.",
        error: error)
    case HTTPParserError.headerOverflow:
      return Refusal(
        status: .requestHeaderFieldsTooLarge, code: "headers_too_large",
        detail:
          "The request's head is too large: at most \(limits.headerBytes) bytes and \(limits.headerFields) fields.",
        error: error)
    case is HTTPParserError:
      return Refusal(
        status: .badRequest, code: "invalid_request", detail: "This is not an HTTP/1.1 request.", error: error)
    default: return nil
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
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
      guardian.checkDeadline(context)
    }
    task = (due, scheduled)
  }

  private func checkDeadline(_ context: ChannelHandlerContext) {
    task = nil
    guard let deadline, !isOver else { return }
    guard deadline <= .now() else { return schedule(deadline, context) }
    if isReceiving {
      finish(
        context, .requestTimeout, "request_timeout", "The request did not arrive in time. Send it again.",
        RequestTooSlow())
    } else {
      isOver = true
      context.close(promise: nil)
    }
  }

  /// Sends the reason, unless an answer is being sent, and ends the connection. The routes get the error first: a body
  /// that ends because its connection ends must never be treated as complete.
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

/// The limits for the duration and size of a connection.
package struct ConnectionLimits: Sendable {
  /// The maximum time from a request's head to the end of its body.
  package var receiving: TimeAmount = .seconds(30)
  /// The maximum time from the end of a request until the client has received the last byte of its answer.
  package var answering: TimeAmount = .seconds(60)
  /// The maximum time without a request, or within a request's head.
  package var idle: TimeAmount = .seconds(60)
  /// The maximum size of a request's head, in bytes.
  package var headerBytes = 32 << 10
  /// The maximum number of fields in a request's head.
  package var headerFields = 100
  /// The number of bytes that are read from a body that is too large, so that the client gets the reason.
  package var bodyBytes = 20 << 20
  /// The maximum number of connections; others wait in the system's queue.
  package var connections = 4096

  package init() {}
}

/// Refuses HTTP/1.1 requests without exactly one `Host`, and normalises paths.
///
/// This handler comes before the codec that turns `Host` into the request's authority: after the codec, the HTTP
/// version is unknown, and HTTP/1.0 needs no host. It also comes before everything that reads the path, so that limits,
/// routes, logs and reads from memory get the same path.
/// - Source: RFC 9112, 3.2; RFC 3986, 6.2.2.2
final class HeadGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private var isOver = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    if head.version != .http1_0, head.headers["Host"].count != 1 {
      // The rest of this connection may be ambiguous.
      isOver = true
      return context.fireErrorCaught(InvalidHost())
    }
    guard let target = RequestTarget.normalised(head.uri) else { return context.fireChannelRead(data) }
    head.uri = target
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

/// The error for an HTTP/1.1 request that has no `Host` or more than one.
struct InvalidHost: Error {}

/// The target of a request: path and query.
enum RequestTarget {
  /// Decodes the path's unreserved characters; returns nil if there is nothing to decode.
  ///
  /// The path is decoded once: `%252D` stays. Every other character stays encoded, in particular a slash, so a path
  /// keeps its segments. Dot segments are never resolved; no route has one. The query is not changed: it is decoded
  /// when it is read.
  static func normalised(_ target: String) -> String? {
    let bytes = target.utf8
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
    guard bytes[..<end].contains(UInt8(ascii: "%")) else { return nil }
    var path: [UInt8] = []
    var rest = bytes[..<end]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let character = unreserved(rest.prefix(2)) {
        path.append(character)
        rest = rest.dropFirst(2)
      } else {
        path.append(byte)
      }
    }
    return String(decoding: path, as: UTF8.self) + target[end...]
  }

  /// Returns the unreserved character that two hexadecimal digits encode; nil for any other.
  private static func unreserved(_ digits: Substring.UTF8View) -> UInt8? {
    guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let byte = UInt8(String(Substring(digits)), radix: 16)
    else { return nil }
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      return byte
    default: return nil
    }
  }
}
