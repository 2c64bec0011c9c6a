import CCurl
import Foundation
import Interchange
import Synchronization

/// Sends requests through libcurl, one after another over connections that are kept open.
///
/// Any number of threads may send at the same time, each over its own connection. Certificates are always checked,
/// redirects are never followed, and the environment's proxy variables are used.
package final class HTTPTransport: Sendable {
  /// A connection, lent to one thread at a time.
  private struct Connection: @unchecked Sendable {
    let handle: OpaquePointer
  }

  private struct Stop: @unchecked Sendable {
    let flag: OpaquePointer?
  }

  private let limits: HTTPLimits
  private let userAgent: String
  private let authorities: String?
  private let idle = Mutex<[Connection]>([])
  private let stop: Stop
  private let isOver = Atomic<Bool>(false)

  /// Makes a transport; the first one loads libcurl.
  /// - Parameter authorities: a PEM file of trusted certificate authorities; nil for the system's.
  /// - Throws: `RunFailure` with status 64 if the machine has no libcurl.
  package init(limits: HTTPLimits = HTTPLimits(), userAgent: String, authorities: String? = nil) throws(RunFailure) {
    guard fleetkit_curl_load() else {
      throw RunFailure(
        .usage, "send to a registry: libcurl cannot be loaded", advice: "Install it with: apt-get install libcurl4")
    }
    self.limits = limits
    self.userAgent = userAgent
    self.authorities = authorities
    stop = Stop(flag: fleetkit_curl_stop_make())
  }

  deinit {
    idle.withLock { for connection in $0 { fleetkit_curl_close(connection.handle) } }
    fleetkit_curl_stop_free(stop.flag)
  }

  /// Ends the exchanges of all threads within about a second, and all that begin later; each throws `.broken`.
  package func stopAll() {
    isOver.store(true, ordering: .relaxed)
    if let flag = stop.flag { fleetkit_curl_stop_set(flag) }
  }

  /// Whether exchanges have been ended by `stopAll`.
  var isStopped: Bool { isOver.load(ordering: .relaxed) }

  /// Sends a request and waits for its answer, whatever the answer's status.
  package func send(_ request: HTTPRequest) throws(RegistryError) -> HTTPAnswer {
    guard request.fields.allSatisfy({ Self.isSafe($0.name) && Self.isSafe($0.value) }) else {
      throw .unreachable("a header contains characters that cannot be sent")
    }
    guard let connection = lease() else { throw .unreachable("not enough memory for a connection") }
    defer { idle.withLock { $0.append(connection) } }
    return try perform(request, connection).get()
  }

  private func lease() -> Connection? {
    if let kept = idle.withLock({ $0.popLast() }) { return kept }
    return fleetkit_curl_open().map { Connection(handle: $0) }
  }

  private func perform(_ request: HTTPRequest, _ connection: Connection) -> Result<HTTPAnswer, RegistryError> {
    // For an empty value, the field is written with a semicolon: with a colon and no value, curl would remove the
    // field.
    var lines = ["Accept: application/json", "Expect:"]
    let hasType = request.fields.contains { $0.name.lowercased() == "content-type" }
    if request.body != nil, !hasType { lines.append("Content-Type: application/json") }
    for field in request.fields { lines.append("\(field.name): \(field.value)") }
    var texts = lines.map { UnsafePointer(strdup($0)) }
    defer { for text in texts { free(UnsafeMutablePointer(mutating: text)) } }
    return (request.body ?? []).withUnsafeBufferPointer { body in
      request.method.withCString { method in
        request.url.withCString { url in
          userAgent.withCString { agent in
            Self.withText(authorities) { authorities in
              texts.withUnsafeMutableBufferPointer { fields in
                var sent = fleetkit_curl_request()
                sent.method = method
                sent.url = url
                sent.user_agent = agent
                sent.fields = UnsafePointer(fields.baseAddress)
                sent.field_count = fields.count
                sent.has_body = request.body != nil
                sent.body = body.baseAddress
                sent.body_length = body.count
                sent.authorities = authorities
                sent.connect_milliseconds = Int((limits.connect * 1000).rounded(.up))
                sent.total_milliseconds = limits.milliseconds(sending: body.count)
                sent.slow_bytes = 64
                sent.slow_seconds = max(1, Int(min(limits.total, 1_000_000).rounded(.up)))
                sent.head_limit = limits.head
                sent.body_limit = limits.body
                sent.direct = request.isDirect
                sent.once = request.isOnce
                return read(fleetkit_curl_perform(connection.handle, &sent, stop.flag))
              }
            }
          }
        }
      }
    }
  }

  private func read(_ answer: fleetkit_curl_answer) -> Result<HTTPAnswer, RegistryError> {
    let words = String(cString: answer.message)
    switch answer.outcome {
    case FLEETKIT_CURL_ANSWERED:
      return .success(
        HTTPAnswer(
          status: Int(answer.status), head: UnsafeBufferPointer(start: answer.head, count: answer.head_length).span,
          body: Array(UnsafeBufferPointer(start: answer.body, count: answer.body_length))))
    case FLEETKIT_CURL_UNTRUSTED:
      return .failure(
        .insecure(
          "its certificate cannot be verified: \(words)",
          advice: "Check the address. If you use your own certificate, install it on this machine, or name it in "
            + "SSL_CERT_FILE."))
    case FLEETKIT_CURL_NO_TLS:
      return .failure(
        .insecure(
          "the server does not use TLS on this port: \(words)",
          advice: "Check the address and its port. If the registry has no https, write http:// for one on this "
            + "machine. Other machines also need --insecure-http, and anybody on the path can read what is sent."))
    case FLEETKIT_CURL_TIMED_OUT: return .failure(.timedOut(words))
    case FLEETKIT_CURL_BROKEN: return .failure(.broken(words))
    case FLEETKIT_CURL_STOPPED: return .failure(.broken("the request was cancelled here before the answer arrived"))
    case FLEETKIT_CURL_TOO_LARGE:
      return .failure(
        .unreadable("the answer is larger than \(limits.head) bytes of head or \(limits.body) bytes of body"))
    case FLEETKIT_CURL_UNREADABLE: return .failure(.unreadable(words))
    default: return .failure(.unreachable(words))
    }
  }

  /// Whether a string contains no line breaks or control characters.
  private static func isSafe(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

  private static func withText<Answer>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Answer) -> Answer {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
  }
}

/// One request over HTTP.
package struct HTTPRequest: Sendable {
  /// The method: `GET`, `POST` …
  package var method: String
  /// The whole address, `https://sail.example.org/api/v1/users/me`.
  package var url: String
  /// The header fields in their order. Values consist of visible ASCII and spaces.
  package var fields: [(name: String, value: String)]
  /// The body; nil if there is none.
  package var body: [UInt8]?
  /// Whether the request is sent directly, ignoring the proxy variables.
  package var isDirect: Bool
  /// Whether the request must be sent only once. It then gets a new connection, because a request on a kept connection
  /// is repeated when that connection turns out to be closed.
  package var isOnce: Bool

  /// Creates an instance from its members.
  package init(
    _ method: String, _ url: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil,
    isDirect: Bool = false, isOnce: Bool = false
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.isDirect = isDirect
    self.isOnce = isOnce
  }
}

/// The answer to a request.
package struct HTTPAnswer: Sendable, Equatable {
  /// The status, such as 200.
  package var status: Int
  /// The header fields in their order, with names in lower case.
  package var fields: [Field]
  /// The body; empty if there was none.
  package var body: [UInt8]

  /// One header field.
  package struct Field: Sendable, Equatable {
    /// The name in lower case.
    package var name: String
    /// The value without leading and trailing spaces.
    package var value: String

    /// Creates an instance from its members.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Creates an instance from its members.
  package init(status: Int, fields: [Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Parses the head as it was received, skipping the status line.
  package init(status: Int, head: Span<UInt8>, body: [UInt8]) {
    var fields: [Field] = []
    var isStatus = true
    var at = 0
    while at < head.count {
      let line = head.extracting(at..<(head.firstIndex(of: UInt8(ascii: "\n"), from: at) ?? head.count))
      at += line.count + 1
      if line.isEmpty { continue }
      defer { isStatus = false }
      guard !isStatus, let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let name = Self.text(line.extracting(first: colon)).lowercased()
      fields.append(Field(name: name, value: Self.text(line.extracting(droppingFirst: colon + 1))))
    }
    self.init(status: status, fields: fields, body: body)
  }

  /// Returns the first value of the field with a lower-case name; nil if there is none.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  private static func text(_ bytes: Span<UInt8>) -> String {
    guard let start = bytes.firstIndex(where: { $0 > 0x20 }), let last = bytes.lastIndex(where: { $0 > 0x20 }) else {
      return ""
    }
    return String(decoding: bytes.extracting(start...last))
  }
}

/// The limits for the duration of an exchange and the size of its answer.
package struct HTTPLimits: Sendable, Equatable {
  /// The maximum time to establish a connection, including encryption, in seconds.
  package var connect: Double
  /// The maximum duration of an exchange, in seconds. Each 16 KiB sent adds a second: a batch over a satellite link is
  /// not an error.
  package var total: Double
  /// The maximum size of an answer's head, in bytes.
  package var head = 64 << 10
  /// The maximum size of an answer's body, in bytes.
  package var body = 16 << 20

  /// Creates limits with the given times and the default sizes.
  /// - Parameters:
  ///   - total: the maximum duration of a small request, in seconds.
  ///   - connect: the maximum time to establish a connection, in seconds; nil for 10, or for `total` if that is less.
  package init(total: Double = 30, connect: Double? = nil) {
    self.total = max(0.001, total)
    self.connect = max(0.001, min(connect ?? 10, total))
  }

  /// Returns the maximum duration of an exchange that sends the given number of bytes, in milliseconds.
  func milliseconds(sending bytes: Int) -> Int {
    Int((min(total, 1_000_000) * 1000).rounded(.up)) + bytes * 1000 / (16 << 10)
  }
}
