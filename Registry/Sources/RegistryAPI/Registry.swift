import Logging
import RegistryModel
import RegistryStore
import SignIn

/// The services that every route uses.
public struct Registry: Sendable {
  /// Stores all data.
  public let store: any RegistryStore
  /// Authenticates the senders of requests.
  public let signIn: any SignInService
  /// The source of the current time.
  public let clock: RegistryClock
  /// The operator's settings.
  public let settings: RegistrySettings
  /// Enforces the limits of callers: `try registry.limiter.charge(.share, context)`.
  package let limiter: RateLimiter
  /// Records whose forks were counted today.
  package let countedForks: ForkDeduplicator
  /// Counts requests and results.
  package let metrics: RegistryMetrics
  /// Called with every request that was answered, for the log; called on the request's own task, so it must not wait.
  package var onRequest: @Sendable (RequestRecord) -> Void = { _ in }

  /// Makes it from its parts.
  public init(
    store: any RegistryStore, signIn: any SignInService, clock: RegistryClock = .system, settings: RegistrySettings
  ) {
    self.store = store
    self.signIn = signIn
    self.clock = clock
    self.settings = settings
    limiter = RateLimiter(limits: settings.limits, isEnabled: settings.limitsRates, clock: clock)
    countedForks = ForkDeduplicator(clock: clock)
    metrics = RegistryMetrics(clock: clock)
  }
}
