import Logging
import RegistryModel
import RegistryStore
import SignIn

/// The services that every route uses.
public struct Registry: Sendable {
  /// The store of all data.
  public let store: any RegistryStore
  /// The service that authenticates the senders of requests.
  public let signIn: any SignInService
  /// The source of the current time.
  public let clock: RegistryClock
  /// The operator's settings.
  public let settings: RegistrySettings
  /// The rate limiter: `try registry.limiter.charge(.share, context)`.
  package let limiter: RateLimiter
  /// The record of the callers whose forks were counted today.
  package let countedForks: ForkDeduplicator
  /// The counters of requests and results.
  package let metrics: RegistryMetrics
  /// A function for the log, which is called with every request that was answered. It runs on the request's own task,
  /// so it must not wait.
  package var onRequest: @Sendable (RequestRecord) -> Void = { _ in }

  /// Creates an instance from its members.
  public init(
    store: any RegistryStore, signIn: any SignInService, clock: RegistryClock = .system, settings: RegistrySettings
  ) {
    self.store = store
    self.signIn = signIn
    self.clock = clock
    self.settings = settings
    limiter = RateLimiter(limits: settings.limits, isEnabled: settings.limitsRates, clock: clock, store: store)
    countedForks = ForkDeduplicator(clock: clock, store: store)
    metrics = RegistryMetrics(clock: clock)
  }
}

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

  /// Creates settings for production, without browser origins.
  public init() {}
}
