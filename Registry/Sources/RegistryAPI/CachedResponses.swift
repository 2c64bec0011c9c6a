import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RegistryModel
import RegistryStore
import Synchronization

/// Answers requests from the store's memory immediately, on the event loop that read them.
///
/// The routes would give the same answers, fields, counts and log entries (`OperationQuickTests` sends the same
/// requests through both). A request for data that is not in memory, or a request that would be refused, is left to the
/// routes.
struct CachedResponses: Sendable {
  private let registry: Registry
  private let head: QuickHead
  private let lists = QuickLists()

  private static let itemRoute = "\(RegistryRouter.prefix)/content/\(ContentRoutes.itemPath)"
  private static let listRoute = "\(RegistryRouter.prefix)/content/\(ContentRoutes.listPath)"

  init(_ registry: Registry) {
    self.registry = registry
    head = QuickHead(registry.settings)
  }

  /// Returns the complete answer in the form that is sent; nil if the routes have to answer.
  /// - Parameter peer: the rate-limit key of the other end of the connection.
  func answer(_ request: QuickRequest, peer: String, begin: ContinuousClock.Instant) -> ByteBuffer? {
    var caller = peer
    var isSecure = false
    if registry.settings.trustsProxy {
      if let address = request.forwardedFor.flatMap(ForwardedAddress.address) { caller = AddressKey.of(address) }
      isSecure = request.forwardedScheme == "https"
    }
    var writer = Writer(registry: registry, head: head, caller: caller, isSecure: isSecure, name: request.name)
    let out: ByteBuffer
    let route: String
    switch request.subject {
    case .item(let slug):
      guard let found = registry.store.viewAtHand(publicID: slug, if: { writer.charge() }) else { return nil }
      out = writer.write(found)
      route = Self.itemRoute
    case .list(let target):
      guard let question = lists.question(target), let page = registry.store.pageAtHand(question.question.query),
        writer.charge()
      else { return nil }
      out = writer.write(page, question)
      route = Self.listRoute
    }
    let record = RequestRecord(
      method: "GET", route: route, status: 200, duration: ContinuousClock.now - begin, requestID: writer.name)
    registry.metrics.count(record)
    registry.onRequest(record)
    return out
  }
}

/// Writes one answer.
private struct Writer {
  let registry: Registry
  let head: QuickHead
  let caller: String
  let isSecure: Bool
  let name: String
  private var standing: RateLimiter.Standing?

  init(registry: Registry, head: QuickHead, caller: String, isSecure: Bool, name: String?) {
    self.registry = registry
    self.head = head
    self.caller = caller
    self.isSecure = isSecure
    self.name = RequestName.of(name)
  }

  /// Charges the caller; returns false when the caller's limit is used up. In that case nothing is charged, and the
  /// routes report the refusal.
  mutating func charge() -> Bool {
    do {
      standing = try registry.limiter.charge(.general, caller: caller)
      return true
    } catch {
      return false
    }
  }

  func write(_ found: CachedItem) -> ByteBuffer {
    let item = found.held.item
    let text = found.held.memo.value { CachedItemJSON(item.head) }
    let views = Array(String(found.viewCount).utf8)
    let length = text.count(item.contentData, viewCount: views)
    var out = ByteBufferAllocator().buffer(capacity: head.capacity + text.fields.count + length)
    head.write(text.fields, length: length, name: name, standing: standing, isSecure: isSecure, to: &out)
    text.forEachPart(item.contentData, viewCount: views) { out.writeBytes($0) }
    return out
  }

  func write(_ page: ContentPage, _ question: QuickLists.Question) -> ByteBuffer {
    let text = question.question.text(page)
    let body = question.question.body(page, text)
    let fields = question.fields(page, text)
    var out = ByteBufferAllocator().buffer(capacity: head.capacity + fields.count + body.count)
    head.write(fields, length: body.count, name: name, standing: standing, isSecure: isSecure, to: &out)
    out.writeBytes(UnsafeRawBufferPointer(body.bytes))
    return out
  }
}

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
      var fields: HTTPFields = [
        .contentType: Response.jsonType, .cacheControl: PublicRead.cacheControl, .vary: PublicRead.vary,
      ]
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

/// A cache of parsed public-list queries, by target.
final class QuickLists: Sendable {
  /// A query, with the fields of its last answer.
  final class Question: Sendable {
    let question: PublicListQuery
    private let last = Mutex<(digest: [UInt8], fields: [UInt8])>(([], []))

    fileprivate init(_ question: PublicListQuery) { self.question = question }

    /// Returns the header lines with the entity tag and the link to the next page.
    func fields(_ page: ContentPage, _ text: CachedListJSON) -> [UInt8] {
      last.withLock { last in
        if last.digest != text.digest {
          var fields = question.fields(page, text)
          // The head of every answer contains these two.
          (fields[.cacheControl], fields[.vary]) = (nil, nil)
          last = (text.digest, QuickHead.bytes(fields))
        }
        return last.fields
      }
    }
  }

  /// The maximum number of entries; one more clears the table.
  private static let limit = 1024
  private let questions = Mutex<[String: Question]>([:])

  /// Returns the query of a target; nil if it is not accepted, and the routes report why.
  func question(_ target: String) -> Question? {
    if let known = questions.withLock({ $0[target] }) { return known }
    guard let question = try? Question(PublicListQuery(target: target)) else { return nil }
    questions.withLock { questions in
      if questions.count >= Self.limit { questions = [:] }
      questions[target] = question
    }
    return question
  }
}

/// The `Date` header of answers, formatted once a second.
/// - Source: RFC 9110, 5.6.7
package final class DateHeaderClock: Sendable {
  private let last = Mutex<(second: Int, text: [UInt8])>((.min, []))

  /// Returns the current date.
  func now() -> [UInt8] {
    let second = time(nil)
    return last.withLock { last in
      if last.second != second { last = (second, Array(Self.text(second).utf8)) }
      return last.text
    }
  }

  /// Formats a time in seconds since 1970 as `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(_ second: Int) -> String {
    var second = second
    var parts = tm()
    gmtime_r(&second, &parts)
    let day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts.tm_wday)]
    let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][Int(parts.tm_mon)]
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return "\(day), \(two(parts.tm_mday)) \(month) \(1900 + Int(parts.tm_year)) \(time) GMT"
  }
}
