import HTTPTypes
import Hummingbird
import NIOCore

/// The head of an answer from memory: its constant bytes, with the same fields that `EdgeMiddleware` adds.
struct QuickHead: Sendable {
  private let plain: [UInt8]
  /// The constant bytes for clients that use TLS to a proxy.
  private let secure: [UInt8]
  private let date = DateHeaderClock()

  init(_ settings: RegistrySettings) {
    let security = SecurityFields(settings)
    let cors = CrossOrigin(origins: settings.corsOrigins)
    func head(_ scheme: String?) -> [UInt8] {
      var fields: HTTPFields = [.contentType: Response.jsonType]
      security.add(to: &fields, forwardedScheme: scheme, isSigned: false)
      // Requests with an `Origin` header are not answered here.
      cors.add(to: &fields, origin: nil, method: .get)
      return Array("HTTP/1.1 200 OK\r\n".utf8) + Self.bytes(fields)
    }
    plain = head(nil)
    secure = head("https")
  }

  /// The maximum size of a head without `fields`, in bytes.
  var capacity: Int { max(plain.count, secure.count) + 320 }

  /// Writes a head.
  /// - Parameter fields: the lines that only this answer has.
  func write(
    _ fields: [UInt8], length: Int, name: String, standing: RateLimiter.Standing?, isSecure: Bool,
    to out: inout ByteBuffer
  ) {
    out.writeBytes(isSecure ? secure : plain)
    out.writeBytes(fields)
    out.writeStaticString("Content-Length: ")
    out.writeString(String(length))
    out.writeStaticString("\r\nX-Request-Id: ")
    out.writeString(name)
    out.writeStaticString("\r\n")
    if let standing { out.writeBytes(Self.bytes(standing.fields)) }
    out.writeStaticString("Date: ")
    out.writeBytes(date.now())
    out.writeStaticString("\r\n\r\n")
  }

  /// Formats fields as lines. Their values were checked when the fields were made: they contain no line breaks.
  static func bytes(_ fields: HTTPFields) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields { bytes.append(contentsOf: "\(field.name.rawName): \(field.value)\r\n".utf8) }
    return bytes
  }
}
