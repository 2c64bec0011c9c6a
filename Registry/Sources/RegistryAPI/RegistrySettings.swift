/// The operator's settings of the interface.
public struct RegistrySettings: Sendable {
  /// Whether the test sign-in exists.
  public var isDevelopment = false
  /// Whether rate limits apply.
  public var limitsRates = true
  /// The rate limits.
  package var limits = RateLimits()
  /// Whether `X-Forwarded-For` of the peer is trusted.
  public var trustsProxy = false
  /// Origins that browsers may call from; `*` for all.
  public var corsOrigins: [String] = []
  /// The maximum number of bytes of a request's body.
  public var bodyLimit = 1 << 20
  /// The maximum number of bytes of a batch's body.
  public var batchBodyLimit = 16 << 20
  /// The maximum nesting of a request's JSON.
  public var depthLimit = 64
  /// The address under which people open items, without a slash at the end: adds `public_url` to answers.
  public var publicURL: String?
  /// Whether plain reads of cached data are answered before the framework; tests compare both ways.
  package var answersAtOnce = true

  /// Settings for production, without browser origins.
  public init() {}
}
