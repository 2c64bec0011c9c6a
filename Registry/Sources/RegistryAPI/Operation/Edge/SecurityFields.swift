import HTTPTypes
import Hummingbird

/// The fields that keep browsers from making more of an answer than it is.
/// - Source: OWASP REST Security Cheat Sheet, "Security Headers"
struct SecurityFields: Sendable {
  private let trustsProxy: Bool
  private let isPublicSecure: Bool
  private static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .referer

  init(_ settings: RegistrySettings) {
    trustsProxy = settings.trustsProxy
    isPublicSecure = settings.publicURL?.utf8.starts(with: "https://".utf8) ?? false
  }

  func add(to response: inout Response, _ request: Request) {
    response.headers[.xContentTypeOptions] = "nosniff"
    if response.headers[.contentSecurityPolicy] == nil {
      response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    }
    response.headers[Self.referrerPolicy] = "no-referrer"
    // Said over plain HTTP it means nothing; said for a host that has no certificate it locks people out.
    if isPublicSecure || trustsProxy && request.headers[ForwardedAddress.scheme] == "https" {
      response.headers[.strictTransportSecurity] = "max-age=31536000"
    }
    if response.headers[.cacheControl] == nil, request.headers[.authorization] != nil {
      response.headers[.cacheControl] = "no-store"
    }
  }
}
