/// The operator's settings for the interface.
public struct RegistrySettings: Sendable {
  /// Whether the test sign-in is offered.
  public var isDevelopment = false
  /// Whether rate limits apply.
  public var limitsRates = true
  /// The rate limits.
  package var limits = RateLimits()
  /// Whether the peer's `X-Forwarded-For` is trusted.
  public var trustsProxy = false
  /// The origins that browsers may call from; `*` for all.
  public var corsOrigins: [String] = []
  /// The maximum size of a request's body, in bytes.
  public var bodyLimit = 1 << 20
  /// The maximum size of a batch's body, in bytes.
  public var batchBodyLimit = 16 << 20
  /// The maximum nesting depth of a request's JSON.
  public var depthLimit = 64
  /// The address under which people open items, without a slash at the end. If it is set, answers contain `public_url`.
  public var publicURL: String?
  /// Whether plain reads of cached data are answered before the framework gets them; tests compare both paths.
  package var answersAtOnce = true

  /// Creates settings for production, without browser origins.
  public init() {}
}
