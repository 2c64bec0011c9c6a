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
  /// The record of whose forks were counted today.
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
    limiter = RateLimiter(limits: settings.limits, isEnabled: settings.limitsRates, clock: clock)
    countedForks = ForkDeduplicator(clock: clock)
    metrics = RegistryMetrics(clock: clock)
  }
}
