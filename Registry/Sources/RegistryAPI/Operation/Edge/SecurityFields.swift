import HTTPTypes

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

  /// Adds them to an answer's fields.
  /// - Parameter forwardedScheme: what a proxy says of the client's connection.
  /// - Parameter isSigned: whether the request had a token.
  func add(to fields: inout HTTPFields, forwardedScheme: String?, isSigned: Bool) {
    fields[.xContentTypeOptions] = "nosniff"
    if fields[.contentSecurityPolicy] == nil {
      fields[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    }
    fields[Self.referrerPolicy] = "no-referrer"
    // Said over plain HTTP it means nothing; said for a host that has no certificate it locks people out.
    if isPublicSecure || trustsProxy && forwardedScheme == "https" {
      fields[.strictTransportSecurity] = "max-age=31536000"
    }
    if fields[.cacheControl] == nil, isSigned { fields[.cacheControl] = "no-store" }
  }
}
