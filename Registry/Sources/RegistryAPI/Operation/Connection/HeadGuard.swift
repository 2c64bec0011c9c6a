import NIOCore
import NIOHTTP1

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
  /// Decodes the path's unreserved characters; returns nil when there is nothing to decode.
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
