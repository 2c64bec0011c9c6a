import HTTPTypes

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
    if fields[.cacheControl] == nil, isSigned { fields[.cacheControl] = "no-store" }
  }
}
