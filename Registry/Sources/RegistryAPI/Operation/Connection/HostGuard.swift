import NIOCore
import NIOHTTP1

/// Refuses requests in HTTP/1.1 that do not say once which host they are for.
///
/// Stands before the codec that makes `Host` the request's authority: behind it nobody knows the version, and HTTP/1.0
/// needs no host.
/// - Source: RFC 9112, 3.2
final class HostGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private var isOver = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    if case .head(let head) = unwrapInboundIn(data), head.version != .http1_0, head.headers["Host"].count != 1 {
      // Whatever follows was sent by somebody whose requests may be read in two ways.
      isOver = true
      return context.fireErrorCaught(InvalidHost())
    }
    context.fireChannelRead(data)
  }
}

/// A request in HTTP/1.1 has no `Host`, or more than one.
struct InvalidHost: Error {}
