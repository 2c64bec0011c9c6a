/// What an operator decides about the interface.
public struct RegistrySettings: Sendable {
  /// Whether the test sign-in exists.
  public var isDevelopment = false
  /// Whether rate limits hold.
  public var limitsRates = true
  /// How much everybody may do.
  package var limits = RateLimits()
  /// Whether `X-Forwarded-For` of the peer is believed.
  public var trustsProxy = false
  /// Origins that browsers may call from; `*` is all.
  public var corsOrigins: [String] = []
  /// Bytes of a request's body.
  public var bodyLimit = 1 << 20
  /// Bytes of a batch's body.
  public var batchBodyLimit = 16 << 20
  /// Nesting of a request's JSON.
  public var depthLimit = 64
  /// What people see items under, without a slash at the end: adds `public_url` to answers.
  public var publicURL: String?
  /// Whether plain reads of what is in memory are answered past the framework; tests compare both ways.
  package var answersAtOnce = true

  /// Settings for production, without origins of browsers.
  public init() {}
}
