import HTTPTypes
import Hummingbird

/// Allows browsers to call from the origins that the operator configured (CORS).
///
/// Credentials are never allowed: the interface has no cookies, and scripts send tokens themselves.
struct CrossOrigin: Sendable {
  private let origins: Set<String>
  private let allowsAll: Bool

  private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
  private static let requestHeaders =
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id"
  private static let exposedHeaders =
    "ETag, Idempotency-Replayed, Link, Location, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, "
    + "X-Content-Digest, X-Next-Cursor, X-Owner-Id, X-Request-Id"

  init(origins: [String]) {
    self.origins = Set(origins)
    allowsAll = origins.contains("*")
  }

  /// Returns the answer to a browser's preflight request; nil for every other request.
  func preflight(_ request: Request) -> Response? {
    guard request.headers[.origin] != nil, request.headers[.accessControlRequestMethod] != nil else { return nil }
    var fields = HTTPFields()
    if allowed(request.headers[.origin]) != nil {
      fields[.accessControlAllowMethods] = Self.methods
      fields[.accessControlAllowHeaders] = Self.requestHeaders
      fields[.accessControlMaxAge] = "600"
    }
    return Response(status: .noContent, headers: fields)
  }

  /// Adds the CORS fields to an answer.
  func add(to fields: inout HTTPFields, origin: String?, method: HTTPRequest.Method) {
    guard allowsAll || !origins.isEmpty else { return }
    if !allowsAll {
      // The answer depends on the origin, even without one, so caches need `Vary`.
      let vary = fields[.vary]
      fields[.vary] = vary.map { "\($0), Origin" } ?? "Origin"
    }
    // Without an origin, `*` is sent too: a cache may use the answer for a browser.
    guard let origin = allowsAll ? "*" : allowed(origin) else { return }
    fields[.accessControlAllowOrigin] = origin
    if method != .options { fields[.accessControlExposeHeaders] = Self.exposedHeaders }
  }

  private func allowed(_ origin: String?) -> String? {
    guard let origin else { return nil }
    if allowsAll { return "*" }
    return origins.contains(origin) ? origin : nil
  }
}

/// The header fields that keep browsers from interpreting an answer in unintended ways.
/// - Source: OWASP REST Security Cheat Sheet, "Security Headers"
struct SecurityFields: Sendable {
  private let trustsProxy: Bool
  private let isPublicSecure: Bool
  private static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .referer

  init(_ settings: RegistrySettings) {
    trustsProxy = settings.trustsProxy
    isPublicSecure = settings.publicURL?.utf8.starts(with: "https://".utf8) ?? false
  }

  /// Adds the fields to an answer.
  /// - Parameter forwardedScheme: the scheme of the client's connection, as reported by a proxy.
  /// - Parameter isSigned: whether the request had a token.
  func add(to fields: inout HTTPFields, forwardedScheme: String?, isSigned: Bool) {
    fields[.xContentTypeOptions] = "nosniff"
    if fields[.contentSecurityPolicy] == nil {
      fields[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    }
    fields[Self.referrerPolicy] = "no-referrer"
    // Over plain HTTP the field has no effect; for a host without a certificate it would lock people out.
    if isPublicSecure || trustsProxy && forwardedScheme == "https" {
      fields[.strictTransportSecurity] = "max-age=31536000"
    }
    if isSigned { fields[.cacheControl] = "no-store" }
  }
}
