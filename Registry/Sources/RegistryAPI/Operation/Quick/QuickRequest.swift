import NIOHTTP1

/// A request that can be answered from memory: a plain GET of an item or of the public list.
///
/// Anything else in a request (a body, a condition, an origin, a token, a field that is not known to be irrelevant
/// here) disqualifies the request, and the routes answer it.
struct QuickRequest {
  /// The requested resource.
  enum Subject: Equatable {
    /// An item by its slug.
    case item(String)
    /// The public list, by the request's target.
    case list(String)
  }

  let subject: Subject
  /// The `X-Request-Id` as received.
  let name: String?
  /// The `X-Forwarded-For` and `X-Forwarded-Proto` as received.
  let forwardedFor: String?
  let forwardedScheme: String?

  private static let base = Array("\(RegistryRouter.prefix)/content/".utf8)
  private static let list = Array("public".utf8)

  /// Reads a request's head; returns nil when the routes have to answer the request.
  init?(_ head: HTTPRequestHead) {
    guard head.method == .GET, head.version == .http1_1, let subject = Self.subject(head.uri) else { return nil }
    var name: String?
    var forwardedFor: String?
    var forwardedScheme: String?
    var hosts = 0
    for (field, value) in head.headers {
      switch field.lowercased() {
      case "host": hosts += 1
      case "accept", "accept-encoding", "accept-language", "cache-control", "dnt", "pragma", "priority", "user-agent",
        "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site", "via", "x-forwarded-host", "x-real-ip":
        break
      case "connection": if value.lowercased() != "keep-alive" { return nil }
      // Each of the relevant fields may occur only once.
      case "x-request-id":
        if name != nil { return nil }
        name = value
      case "x-forwarded-for":
        if forwardedFor != nil { return nil }
        forwardedFor = value
      case "x-forwarded-proto":
        if forwardedScheme != nil { return nil }
        forwardedScheme = value
      default: return nil
      }
    }
    guard hosts == 1 else { return nil }
    self.subject = subject
    self.name = name
    self.forwardedFor = forwardedFor
    self.forwardedScheme = forwardedScheme
  }

  private static func subject(_ target: String) -> Subject? {
    let bytes = target.utf8
    guard bytes.starts(with: base) else { return nil }
    let rest = bytes.dropFirst(base.count)
    if rest.starts(with: list), rest.count == list.count || rest.dropFirst(list.count).first == UInt8(ascii: "?") {
      return isPlain(rest) ? .list(target) : nil
    }
    let slug = String(Substring(rest))
    return ContentHandlers.isSlug(slug) && !ContentHandlers.reservedSlugs.contains(slug) ? .item(slug) : nil
  }

  /// Whether a target is short and consists of visible ASCII without a fragment: this bounds the number of targets.
  private static func isPlain(_ target: Substring.UTF8View) -> Bool {
    target.count <= 256 && target.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
  }
}
